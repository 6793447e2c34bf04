"""The generalized-α family: implicit Euler, Newmark, HHT and generalized-α are coefficients of one compiled step."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sharnir.integrate.newton.newton_memory import newton_sizes
from sharnir.integrate.stepping import run_memory
from sharnir.integrate.stepping.integrator import Integrator, Layout
from sharnir.integrate.stepping.problem import Problem

if TYPE_CHECKING:
    from sharnir.integrate.stepping.step_functions import StepFunctions

ROWS = 12  # up to and with those of alpha_formula.py


@dataclass(frozen=True)
class Coefficients:
    """Numbers of one method, as in alpha_formula.py; `coordinates` and `speeds` are the weights of a_0 and a_1."""

    coordinates: tuple[float, float]  # (½ - β, β)
    speeds: tuple[float, float]  # (1 - γ, γ)
    others: tuple[float, float]  # the same for z
    mass: float = 0.0  # α_m for v
    mass_others: float = 0.0  # α_m for z
    load: float = 0.0  # α_f
    quadratic: bool = True

    def numbers(self) -> np.ndarray:
        """All of them with the error constants: y1 - y(t1) = E2 dt² y″ + E3 dt³ y‴ for q, v, z, by Taylor expansion."""
        (b0, b1), load = self.coordinates, self.load
        lead = b0 + b1
        second = [lead - 0.5]
        third = [lead * (self.mass - load) + b1 - 1.0 / 6.0]
        for (_, gamma), mass in ((self.speeds, self.mass), (self.others, self.mass_others)):
            second.append(gamma + mass - load - 0.5)
            third.append(0.5 * (gamma * (1.0 - gamma) + load * (1.0 - load) - mass * (1.0 - mass)) - 1.0 / 24.0)
        # far below one another they are rounding of zero, and would spoil the order of the estimate
        second = [value if abs(value) > 1e-12 else 0.0 for value in second]
        numbers = [*self.coordinates, *self.speeds, *self.others, self.mass, self.mass_others, load, *second, *third]
        return np.array([*numbers, float(self.quadratic)])


class AlphaMethod(Integrator, listed=False):
    """One step with an acceleration of its own, see alpha_formula.py."""

    orders, adaptive, implicit, takes_step = (2,), True, True, True
    order = dense_order = 2

    @abstractmethod
    def coefficients(self) -> Coefficients:
        """The numbers of the method, for its options."""

    def layout(self, problem: Problem) -> Layout:
        sizes, workspace = newton_sizes(problem, self.name)
        sizes |= {
            run_memory.SCRATCH: ROWS,
            run_memory.ERROR: ROWS + 1,
            run_memory.DENSE: ROWS + 2,
            run_memory.DENSE_ROWS: 3,
            run_memory.ERROR_ORDER: self.order + 1,
            run_memory.FIRST_SLOPE: 2,
            run_memory.TRIAL_SLOPE: 3,
            run_memory.FIRST_ORDER: 2,
            run_memory.EVERY_POLYNOMIAL: 1,
        }
        settings = {run_memory.SAFETY: 0.9, run_memory.MIN_FACTOR: 0.2, run_memory.MAX_FACTOR: 2.5}
        return Layout(ROWS + 5, self.coefficients().numbers(), np.zeros(0, np.int64), sizes, settings, workspace)

    @property
    def step_functions(self) -> StepFunctions:
        from sharnir.integrate.implicit.alpha_step import FUNCTIONS

        return FUNCTIONS

    def states(self, header: np.ndarray, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        after, before = (t - header[0])[:, None], (t - header[1])[:, None]
        return rows[0] + before * (rows[1] + after * rows[2])


class ImplicitEuler(AlphaMethod):
    """w_1 = w_0 + dt f_1, and q_1 from q_0 with the new speeds: strongly damped, never oscillates."""

    name, order, orders, dense_order = "implicit-euler", 1, (1,), 1
    description = "implicit Euler of order 1 with step control, for very stiff or discontinuous problems"
    source = "Hairer and Wanner (1996), IV.3"

    def coefficients(self) -> Coefficients:
        return Coefficients((0.0, 1.0), (0.0, 1.0), (0.0, 1.0), quadratic=False)


class Newmark(AlphaMethod):
    """Constant average acceleration (β = ¼, γ = ½); damping δ > 0 takes γ = ½ + δ, β = ¼ (1 + δ)² and costs one order.

    >>> Newmark().order, Newmark(damping=0.05).order
    (2, 1)
    """

    name = "newmark"
    description = "Newmark's method (trapezoidal rule) with step control, option damping"
    source = "Newmark (1959)"
    parameters = {"damping": (0.0, 0.0, 0.5)}  # noqa: RUF012 - as in Integrator

    def __init__(self, order: int | None = None, **options: float) -> None:
        super().__init__(order, **options)
        if self.options["damping"] > 0.0:
            self.order = self.dense_order = 1

    def coefficients(self) -> Coefficients:
        delta = self.options["damping"]
        beta, gamma = 0.25 * (1.0 + delta) ** 2, 0.5 + delta
        return Coefficients((0.5 - beta, beta), (1.0 - gamma, gamma), (1.0 - gamma, gamma))


class HilberHughesTaylor(AlphaMethod):
    """Damping of high frequencies by α = 0 (none) … 1/3 without loss of order.

    >>> HilberHughesTaylor(alpha=0.2).options
    {'alpha': 0.2}
    """

    name = "hht"
    description = "HHT-α of order 2 with step control, option alpha"
    source = "Hilber, Hughes and Taylor (1977)"
    parameters = {"alpha": (0.1, 0.0, 1.0 / 3.0)}  # noqa: RUF012 - as in Integrator

    def coefficients(self) -> Coefficients:
        alpha = self.options["alpha"]
        beta, gamma = 0.25 * (1.0 + alpha) ** 2, 0.5 + alpha
        return Coefficients((0.5 - beta, beta), (1.0 - gamma, gamma), (1.0 - gamma, gamma), load=alpha)


class GeneralizedAlpha(AlphaMethod):
    """Chung and Hulbert's method; `rho` = spectral radius at infinite frequency, 1 (no damping) … 0 (gone in one step).

    >>> GeneralizedAlpha(rho=1.0).coefficients().speeds
    (0.5, 0.5)
    """

    name = "generalized-alpha"
    description = "generalized-α of order 2 with step control, option rho"
    source = "Chung and Hulbert (1993), Jansen, Whiting and Hulbert (2000)"
    parameters = {"rho": (0.8, 0.0, 1.0)}  # noqa: RUF012 - as in Integrator

    def coefficients(self) -> Coefficients:
        rho = self.options["rho"]
        load, mass = rho / (rho + 1.0), (2.0 * rho - 1.0) / (rho + 1.0)
        mass_others = (3.0 * rho - 1.0) / (2.0 * (rho + 1.0))
        beta, gamma, others = 0.25 * (1.0 + load - mass) ** 2, 0.5 + load - mass, 0.5 + load - mass_others
        return Coefficients((0.5 - beta, beta), (1.0 - gamma, gamma), (1.0 - others, others), mass, mass_others, load)
