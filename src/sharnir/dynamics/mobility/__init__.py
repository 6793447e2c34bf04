"""The constraint Jacobian as a matrix, its rank and null space; coordinates of any joint; steps and scales of a state."""
