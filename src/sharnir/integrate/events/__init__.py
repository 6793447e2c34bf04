"""Zeros of functions on the dense output, and events that happen without Python."""
