"""A consistent initial state, and why there is none."""
