"""Equilibrium, linear equations, modes."""
