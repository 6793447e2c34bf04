"""The explicit Runge–Kutta integrators: every one is a tableau, all run through the same compiled loop."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sharnir.integrate.explicit.butcher_tableaux import DOPRI5, RK4, RKF45, Tableau
from sharnir.integrate.explicit.dop853_tableau import DOP853 as TABLEAU_853
from sharnir.integrate.stepping import run_memory
from sharnir.integrate.stepping.integrator import Integrator, Layout
from sharnir.integrate.stepping.problem import Problem

if TYPE_CHECKING:
    from sharnir.integrate.stepping.step_functions import StepFunctions


class ExplicitRungeKutta(Integrator, listed=False):
    """A Runge–Kutta method given by its tableau."""

    tableau: ClassVar[Tableau]
    one_step = True

    def layout(self, problem: Problem) -> Layout:
        return self._layout()

    @classmethod
    @cache
    def _layout(cls) -> Layout:
        """The same for every run and problem: the kernel only reads it."""
        tableau = cls.tableau
        s, extras, errors = tableau.stages, len(tableau.extra_c), len(tableau.errors)
        starts = np.cumsum([0, *(len(line) for line in tableau.lines)])
        values = [value for line in tableau.lines for value in line.values()]
        places = [[cls._row(stage, flip) for line in tableau.lines for stage in line] for flip in (0, 1)]
        scratch = 3 + s + extras
        dense_rows = 4 + len(tableau.dense)
        sizes = {
            run_memory.STAGES: s,
            run_memory.EXTRAS: extras,
            run_memory.ERRORS: errors,
            run_memory.ENTRIES: len(values),
            run_memory.SCRATCH: scratch,
            run_memory.ERROR: scratch + 1,
            run_memory.DENSE: scratch + 2,
            run_memory.DENSE_ROWS: dense_rows,
            run_memory.FIRST_SLOPE: 2,
            run_memory.TRIAL_SLOPE: 3,
            run_memory.FIRST_ORDER: tableau.error_order,
            run_memory.LAST_SLOPE: 3,
            run_memory.LAST_SLOPE + 1: 2,
            run_memory.LAST_KNOWN: int(any(s in line for line in tableau.errors)),
        }
        settings = {
            run_memory.EXPONENT: 1.0 / tableau.error_order - 0.75 * tableau.beta,
            run_memory.BETA: tableau.beta,
            run_memory.SAFETY: 0.9,
            run_memory.MIN_FACTOR: tableau.factors[0],
            run_memory.MAX_FACTOR: tableau.factors[1],
        }
        coefficients = np.array([*values, *tableau.c, 1.0, *tableau.extra_c])
        return Layout(
            scratch + 2 + dense_rows, coefficients, np.array([*places[0], *places[1], *starts], np.int64), sizes, settings
        )

    @property
    def widest_gap(self) -> float:  # type: ignore[override]
        """By the nodes of its stages."""
        return float(np.diff(np.unique([*self.tableau.c, 1.0])).max())

    @property
    def gap_at(self) -> float:  # type: ignore[override]
        """By the nodes of its stages."""
        nodes = np.unique([*self.tableau.c, 1.0])
        widest = int(np.argmax(np.diff(nodes)))
        return float(nodes[widest] + nodes[widest + 1]) / 2.0

    @property
    def looks(self) -> int:  # type: ignore[override]
        """By the nodes of its stages."""
        return len(np.unique([*self.tableau.c, 1.0])) - 1

    @classmethod
    def _row(cls, stage: int, flip: int) -> int:
        """Row of a stage; the derivatives at both ends of the step swap rows."""
        if stage == 0:
            return 2 + flip
        if stage == cls.tableau.stages:
            return 3 - flip
        return 3 + stage if stage < cls.tableau.stages else 2 + stage

    @property
    def step_functions(self) -> StepFunctions:
        from sharnir.integrate.explicit.runge_kutta_step import FUNCTIONS

        return FUNCTIONS

    def states(self, header: np.ndarray, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        x = ((t - header[0]) / (header[1] - header[0]))[:, None]
        total = rows[-1] + 0.0 * x
        for r in range(len(rows) - 2, 0, -1):
            total = rows[r] + (1.0 - x if r % 2 == 1 else x) * total
        return rows[0] + x * total


class RungeKutta4(ExplicitRungeKutta):
    """The classical method with a given step."""

    name, order, orders, adaptive, dense_order = "rk4", 4, (4,), False, 4
    description = "classical Runge–Kutta of order 4, fixed step"
    source = "Kutta (1901)"
    tableau = RK4


class Fehlberg45(ExplicitRungeKutta):
    """Fehlberg's pair; the 5th order solution is carried on."""

    name, order, orders, adaptive, dense_order = "rkf45", 5, (5,), True, 4
    description = "Runge–Kutta–Fehlberg 4(5) with step control and local extrapolation"
    source = "Fehlberg (1969), Shampine and Watts (1979)"
    tableau = RKF45


class DormandPrince5(ExplicitRungeKutta):
    """The pair 5(4) with its dense output."""

    name, order, orders, adaptive, dense_order = "dopri5", 5, (5,), True, 4
    description = "Dormand–Prince 5(4) with step control"
    source = "Dormand and Prince (1980), Hairer, Nørsett and Wanner (1993)"
    tableau = DOPRI5


class DormandPrince8(ExplicitRungeKutta):
    """The method of order 8 with the error estimates of order 5 and 3 and the dense output of order 7."""

    name, order, orders, adaptive, dense_order = "dop853", 8, (8,), True, 7
    description = "Dormand–Prince 8(5,3) with step control, for tight tolerances"
    source = "Dormand and Prince (1981), Hairer, Nørsett and Wanner (1993)"
    tableau = TABLEAU_853
