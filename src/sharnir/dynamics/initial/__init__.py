"""A consistent initial state, or the reason why there is none."""
