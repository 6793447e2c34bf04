"""Park's stiffly stable method: two and three steps back at once, of second order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sharnir.integrate import memory
from sharnir.integrate.integrator import Integrator, Layout
from sharnir.integrate.newton_memory import newton_sizes
from sharnir.integrate.problem import Problem

ROWS = {memory.SCRATCH: 6, memory.ERROR: 7, memory.DENSE: 13}  # see park_formula.py


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
        sizes = ROWS | newton | {memory.DENSE_ROWS: 4, memory.ERROR_ORDER: 3}
        return Layout(17, np.zeros(0), np.zeros(0, np.int64), sizes, workspace=workspace)

    @property
    def advance(self) -> Callable:
        from sharnir.integrate.park_kernel import advance

        return advance

    def states(self, header: np.ndarray, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        x = ((t - header[0]) / (header[1] - header[0]))[:, None]
        return rows[0] + x * (rows[1] + (1.0 - x) * (rows[2] + x * rows[3]))
