"""Shapes of a flexible body: Craig–Bampton, normal and Ritz modes, stiffening under load, damping."""
