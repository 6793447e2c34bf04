"""Spacecraft and rockets."""
