"""Formulas, tables and programs of signals as machine code, without Numba and in milliseconds."""
