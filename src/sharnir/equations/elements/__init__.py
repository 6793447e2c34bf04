"""What elements of a model add to its equations: applied forces, constraints, signals and controllers."""
