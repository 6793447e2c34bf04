"""Rigid and flexible bodies, shapes, rotors."""
