"""Friction in joints, with the reactions it makes."""
