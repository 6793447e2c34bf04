"""Runs of the studio: watched ones, sweeps, analyses, and their curves."""
