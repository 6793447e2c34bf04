"""Derived equations for other programs: C, CUDA, NumPy, CasADi, SymPy."""
