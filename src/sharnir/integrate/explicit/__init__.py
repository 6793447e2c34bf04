"""Explicit integrators: Runge–Kutta and Adams methods."""
