"""Inertia of a flexible body as polynomials of its elastic coordinates, by three methods, and repair of lumped masses."""
