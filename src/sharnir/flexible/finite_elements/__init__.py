"""Finite element models: matrices, nodes, checks, units, ties; frames of beams and solids from meshes."""
