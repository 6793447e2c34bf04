"""The integrator Radau IIA of order 5 for stiff problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sharnir.integrate.newton.newton_memory import newton_sizes
from sharnir.integrate.stepping import run_memory
from sharnir.integrate.stepping.integrator import Integrator, Layout
from sharnir.integrate.stepping.problem import Problem

if TYPE_CHECKING:
    from sharnir.integrate.stepping.step_functions import StepFunctions

NODES = (0.4 - 0.06**0.5, 0.4 + 0.06**0.5)  # c1, c2 = (4 ∓ √6)/10


class Radau5(Integrator):
    """Three implicit stages, L-stable, stiffly accurate; the dense output is the collocation polynomial."""

    name, order, orders, adaptive, implicit, dense_order = "radau5", 5, (5,), True, True, 3
    one_step = True
    widest_gap, looks, gap_at = NODES[1] - NODES[0], 3, 0.5 * (NODES[0] + NODES[1])
    description = "Radau IIA of order 5 with step control, for stiff problems"
    source = "Hairer and Wanner (1996), IV.8"
    ROWS: ClassVar[int] = 13  # up to and with those of radau_stages.py

    def layout(self, problem: Problem) -> Layout:
        sizes, workspace = newton_sizes(problem, self.name, complex_too=True)
        sizes |= {
            run_memory.SCRATCH: self.ROWS,
            run_memory.ERROR: self.ROWS + 1,
            run_memory.DENSE: self.ROWS + 2,
            run_memory.DENSE_ROWS: 4,
            run_memory.FIRST_SLOPE: 2,
            run_memory.TRIAL_SLOPE: 3,
            run_memory.FIRST_ORDER: 4,
            run_memory.LAST_SLOPE: 3,
            run_memory.LAST_SLOPE + 1: 2,
            run_memory.EVERY_POLYNOMIAL: 1,
        }
        settings = {run_memory.SAFETY: 0.9, run_memory.MIN_FACTOR: 0.2, run_memory.MAX_FACTOR: 8.0}
        return Layout(self.ROWS + 6, np.zeros(0), np.zeros(0, np.int64), sizes, settings, workspace)

    @property
    def step_functions(self) -> StepFunctions:
        from sharnir.integrate.implicit.radau_step import FUNCTIONS

        return FUNCTIONS

    def states(self, header: np.ndarray, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        s = ((t - header[1]) / (header[1] - header[0]))[:, None]
        return rows[0] + s * (rows[1] + (s + 1.0 - NODES[1]) * (rows[2] + (s + 1.0 - NODES[0]) * rows[3]))
