"""Backward differentiation formulas of order 1 … 5: for stiff problems, step and order chosen by the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.integrate.newton.newton_memory import newton_sizes
from sharnir.integrate.stepping import run_memory
from sharnir.integrate.stepping.integrator import Integrator, Layout
from sharnir.integrate.stepping.problem import Problem

if TYPE_CHECKING:
    from sharnir.integrate.stepping.step_functions import StepFunctions

ROWS = {  # see bdf_differences.py
    run_memory.SCRATCH: 6,
    run_memory.ERROR: 7,
    run_memory.DENSE: 8,
    run_memory.DENSE_ROWS: 6,
    run_memory.FIRST_SLOPE: 5,
    run_memory.TRIAL_SLOPE: 7,
    run_memory.FIRST_ORDER: 2,
}


class BackwardDifferentiation(Integrator):
    """BDF in backward differences; `order` is the largest order that the run may use, with constant steps the order itself.

    It starts by itself, with order 1 and a short step.

    >>> BackwardDifferentiation(3).order
    3
    """

    name, orders, adaptive, implicit = "bdf", (1, 2, 3, 4, 5), True, True
    description = "backward differentiation (BDF) of order 1 … 5 with step and order control, for stiff problems"
    source = "Shampine and Reichelt (1997), Gear (1971)"
    order = dense_order = 5

    def __init__(self, order: int | None = None, **options: float) -> None:
        super().__init__(order, **options)
        if order is not None:
            self.order = self.dense_order = order

    def layout(self, problem: Problem) -> Layout:
        newton, workspace = newton_sizes(problem, self.name)
        sizes = ROWS | newton
        sizes |= {run_memory.TARGET_ORDER: self.order, run_memory.RAMPS: int(self.order > 1), run_memory.EVERY_POLYNOMIAL: 1}
        return Layout(22, np.zeros(3 * 64), np.zeros(0, np.int64), sizes, workspace=workspace)

    @property
    def step_functions(self) -> StepFunctions:
        from sharnir.integrate.implicit.bdf_step import FUNCTIONS

        return FUNCTIONS

    def states(self, header: np.ndarray, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        x = ((t - header[1]) / (header[1] - header[0]))[:, None]
        total = np.zeros_like(x)
        for j in range(int(header[2]), 0, -1):
            total = (x + (j - 1)) / j * (rows[j] + total)
        return rows[0] + total
