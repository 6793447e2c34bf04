"""Park's stiffly stable method: two and three steps back at once, of second order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.integrate.newton.newton_memory import newton_sizes
from sharnir.integrate.stepping import run_memory
from sharnir.integrate.stepping.integrator import Integrator, Layout
from sharnir.integrate.stepping.problem import Problem

if TYPE_CHECKING:
    from sharnir.integrate.stepping.step_functions import StepFunctions

ROWS = {  # see park_formula.py
    run_memory.SCRATCH: 6,
    run_memory.ERROR: 7,
    run_memory.DENSE: 13,
    run_memory.DENSE_ROWS: 4,
    run_memory.FIRST_SLOPE: 2,
    run_memory.TRIAL_SLOPE: 5,
    run_memory.FIRST_ORDER: 3,
}


class Park(Integrator):
    """The mean of the BDF of two and of three steps, with chosen or constant steps; two DIRK steps start it.

    >>> Park().order
    2
    """

    name, order, orders, adaptive, implicit, dense_order = "park", 2, (2,), True, True, 2
    takes_step = True
    description = "Park's stiffly stable method of order 2, damps high frequencies, with step control or fixed steps"
    source = "Park (1975)"

    def layout(self, problem: Problem) -> Layout:
        newton, workspace = newton_sizes(problem, self.name)
        sizes = ROWS | newton | {run_memory.EVERY_POLYNOMIAL: 1}
        return Layout(17, np.zeros(0), np.zeros(0, np.int64), sizes, workspace=workspace)

    @property
    def step_functions(self) -> StepFunctions:
        from sharnir.integrate.implicit.park_step import FUNCTIONS

        return FUNCTIONS

    def states(self, header: np.ndarray, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        x = ((t - header[0]) / (header[1] - header[0]))[:, None]
        return rows[0] + x * (rows[1] + (1.0 - x) * (rows[2] + x * rows[3]))
