"""Equations of motion that were derived for one model, as straight-line machine code: the method "symbolic"."""
