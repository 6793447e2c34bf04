"""Parts of a run, between which the structure or the integrator have changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate.run import Run


@dataclass
class Part:
    """Outputs from one change to the next."""

    system: System
    run: Run
    first: int  # number of its first output among those of the run
    end: tuple[float, np.ndarray, float] | None = None  # where the next part begins: time, state and work before it


class Kept(NamedTuple):
    """A moment that is kept, of a run whose outputs are not asked for beforehand."""

    part: Part
    t: float
    y: np.ndarray
    work: float
