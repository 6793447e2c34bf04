"""The right-hand sides, the projection onto the constraints, and what Python calls."""
