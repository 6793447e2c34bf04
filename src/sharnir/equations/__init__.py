"""Model + Tree → equations of motion as expressions that people read and programs are made of."""

from sharnir.equations.derivation import equations_of
from sharnir.equations.equations_of_motion import Equations

__all__ = ["Equations", "equations_of"]
