"""IDA and CVODE of the SUNDIALS library as integrators, through the optional package scikit-sundae.

They step in their own C code and call our compiled right-hand side; what we add are quaternions, projection, output. Both are BDF
of variable order and fixed leading coefficient: A. C. Hindmarsh et al., ACM TOMS 31 (2005) 363.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from sharnir.errors import MissingExtraError, ModelError
from sharnir.integrate.solution import Solution
from sharnir.integrate.stepping.problem import Problem
from sharnir.integrate.stepping.settings import Settings

Rule = Callable[[float, np.ndarray, np.ndarray], None]  # fills its third argument


class Sundials(ABC):
    """An integrator of SUNDIALS; it describes itself as an `Integrator` does, but it runs a problem by itself.

    >>> Ida.orders
    (1, 2, 3, 4, 5)
    """

    name: ClassVar[str]
    description: ClassVar[str]
    orders: ClassVar[tuple[int, ...]] = (1, 2, 3, 4, 5)
    adaptive: ClassVar[bool] = True
    implicit: ClassVar[bool] = True
    source: ClassVar[str] = "Hindmarsh et al. (2005)"
    order = dense_order = 5

    def __init__(self, order: int | None = None, **options: float) -> None:
        for name in options:
            raise ModelError(f"integrator {self.name!r}: option {name!r} is unknown (it has none)", field="options")
        if order is not None and order not in self.orders:
            raise ModelError(f"integrator {self.name!r}: order = {order} must be 1 to 5, the largest to use", field="order")
        self.order = self.order if order is None else order
        self.dense_order = self.order
        try:
            import sksundae  # noqa: F401
        except ImportError as missing:
            raise MissingExtraError("sundials", f"integrator {self.name!r}") from missing

    @abstractmethod
    def solver(self, derivative: Rule, options: dict[str, Any]) -> Any:
        """The solver of scikit-sundae for ẏ = f(t, y)."""

    @abstractmethod
    def start(self, solver: Any, t: float, y: np.ndarray, ydot: np.ndarray) -> None:
        """Restart from a state and its derivative."""

    def solution(
        self,
        problem: Problem,
        y0: Any,
        t_grid: Any,
        settings: Settings | None = None,
        progress: Callable[[float], Any] | None = None,
    ) -> Solution:
        """A whole run, as `integrate` gives it."""
        from sharnir.integrate.sundials_run import SundialsRun

        return SundialsRun(self, problem, y0, t_grid, settings or Settings(), progress).solution()

    def states(self, header: np.ndarray, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        """The polynomial of degree 5 through the states at six equidistant times of a step; the step's own is of that degree."""
        nodes = np.linspace(0.0, 1.0, len(rows))
        x = (t - header[0]) / (header[1] - header[0])
        weights = np.ones((len(t), len(rows)))
        for k, node in enumerate(nodes):
            for other in np.delete(nodes, k):
                weights[:, k] *= (x - other) / (node - other)
        return weights @ rows


class Ida(Sundials):
    """IDA, for the residual ẏ - f(t, y)."""

    name = "ida"
    description = "IDA of SUNDIALS: BDF of order 1 … 5 with step control (optional package)"

    def solver(self, derivative: Rule, options: dict[str, Any]) -> Any:
        from sksundae.ida import IDA

        def residual(t: float, y: np.ndarray, ydot: np.ndarray, out: np.ndarray) -> None:
            derivative(t, y, out)
            np.subtract(ydot, out, out=out)

        return IDA(residual, **options)

    def start(self, solver: Any, t: float, y: np.ndarray, ydot: np.ndarray) -> None:
        solver.init_step(t, y, ydot)


class Cvode(Sundials):
    """CVODE with BDF."""

    name = "cvode"
    description = "CVODE of SUNDIALS: BDF of order 1 … 5 with step control (optional package)"

    def solver(self, derivative: Rule, options: dict[str, Any]) -> Any:
        from sksundae.cvode import CVODE

        return CVODE(derivative, method="BDF", **options)

    def start(self, solver: Any, t: float, y: np.ndarray, ydot: np.ndarray) -> None:
        solver.init_step(t, y)
