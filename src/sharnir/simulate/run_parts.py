"""Parts of a run, between which the structure or the integrator have changed."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate.run import Run


@dataclass
class Part:
    """Outputs from one change to the next."""

    system: System
    run: Run
    first: int  # number of its first output among those of the run


def own_copy_with(system: System, work: np.ndarray) -> System:
    """The system with memory of its own, as it is now."""
    other = copy.copy(system)
    other.__dict__.pop("_single", None)
    other.work = work.copy()
    return other
