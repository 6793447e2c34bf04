"""Friction in joints, solved together with the reactions."""
