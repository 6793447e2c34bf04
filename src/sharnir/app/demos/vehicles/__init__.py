"""Vehicles and robots."""
