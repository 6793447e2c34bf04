"""The problem, its settings, the memory of a run, and what all step loops share."""
