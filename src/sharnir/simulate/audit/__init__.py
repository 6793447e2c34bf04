"""A run looked over by itself: balance of energy, steps at their limits, what left the range that it was made for."""
