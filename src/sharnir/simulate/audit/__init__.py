"""Checks of a run at its end: energy balance, steps at their limits, elements outside their range of validity."""
