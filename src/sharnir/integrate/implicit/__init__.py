"""Implicit integrators: Radau IIA, generalized-α, BDF, Park's method."""
