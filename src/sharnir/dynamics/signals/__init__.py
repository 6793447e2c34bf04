"""Sensors, the program of formulas and blocks, delays."""
