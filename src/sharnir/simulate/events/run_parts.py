"""Parts of a run, between which the structure or the integrator have changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate.run import Run
from sharnir.integrate.solution import Solution
from sharnir.integrate.stepping.problem import Problem


@dataclass
class EndedRun:
    """What is asked of a run that has ended, without its memory."""

    problem: Problem
    whole: Solution

    def solution(self) -> Solution:
        """All that was computed."""
        return self.whole

    @property
    def outputs(self) -> int:
        """How many times of the grid were reached."""
        return len(self.whole.t)

    @property
    def stats(self) -> dict[str, Any]:
        """Its counts."""
        return self.whole.stats


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
