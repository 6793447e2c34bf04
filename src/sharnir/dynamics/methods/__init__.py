"""Recursions along the tree and the solution methods, rigid and flexible; their list and the choice."""
