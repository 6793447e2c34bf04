"""The Adams–Bashforth–Moulton integrator: predict, evaluate, correct, evaluate, with variable steps and a chosen order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.integrate.stepping import run_memory
from sharnir.integrate.stepping.integrator import Integrator, Layout
from sharnir.integrate.stepping.problem import Problem

if TYPE_CHECKING:
    from sharnir.integrate.stepping.step_functions import StepFunctions


class AdamsBashforthMoulton(Integrator):
    """Predictor of order p - 1, corrector of order p (Shampine and Gordon's local extrapolation); p = 1: both of order 1.

    It starts by itself: tiny steps of order 1, doubled while the order rises by one each step; then the order stays.
    """

    name, orders, adaptive = "abm", tuple(range(1, 13)), True
    description = "Adams–Bashforth–Moulton PECE of order 1 … 12 with step control, for costly right-hand sides"
    source = "Shampine and Gordon (1975), Krogh (1974)"
    order = dense_order = 8

    def __init__(self, order: int | None = None, **options: float) -> None:
        super().__init__(order, **options)
        if order is not None:
            self.order = order
        self.dense_order = max(2, self.order)

    def layout(self, problem: Problem) -> Layout:
        differences = max(1, self.order - 1)  # k of Shampine and Gordon
        scratch, error, dense = 2, 5, 6
        sizes = {
            run_memory.TARGET_ORDER: differences,
            run_memory.EXTRAPOLATE: int(self.order > 1),
            run_memory.SCRATCH: scratch,
            run_memory.ERROR: error,
            run_memory.DENSE: dense,
            run_memory.DENSE_ROWS: differences + 3,  # new state, correction, and k + 1 differences
            run_memory.FIRST_SLOPE: dense + 2,  # phi_1
            run_memory.TRIAL_SLOPE: scratch + 1,
            run_memory.FIRST_ORDER: 2,
            run_memory.LAST_SLOPE: scratch + 2,
            run_memory.LAST_SLOPE + 1: scratch + 2,
            run_memory.RAMPS: int(differences > 1),
            run_memory.EVERY_POLYNOMIAL: 1,
        }
        return Layout(dense + differences + 3, np.zeros(80), np.zeros(0, np.int64), sizes)

    @property
    def step_functions(self) -> StepFunctions:
        from sharnir.integrate.explicit.adams_step import FUNCTIONS

        return FUNCTIONS

    def states(self, header: np.ndarray, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        t0, t1, count = header[0], header[1], int(header[2])
        psi = header[3 : 3 + count]
        dt = t - t1
        x = (t - t0) / (t1 - t0)
        weights = np.zeros((len(t), len(rows)))
        weights[:, 0] = 1.0
        weights[:, 1] = (1.0 - x) ** 2 * (1.0 + 2.0 * x)
        w = np.ones((count, len(t))) / np.arange(1, count + 1)[:, None]
        before = 0.0
        for i in range(count):
            weights[:, 2 + i] = dt * w[0]
            w = (dt + before) / psi[i] * w[:-1] - dt / psi[i] * w[1:]
            before = psi[i]
        return weights @ rows
