"""The interface of every integrator: attributes that describe it, its layout in a run's memory, its steps, its dense output."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sharnir.arguments import meant
from sharnir.errors import ModelError
from sharnir.families import Family, Registered
from sharnir.integrate.stepping.problem import Problem

if TYPE_CHECKING:
    from sharnir.integrate.stepping.step_functions import StepFunctions


@dataclass(frozen=True)
class Layout:
    """What an integrator puts into a run's memory (see run_memory.py)."""

    n_rows: int
    coefficients: np.ndarray
    places: np.ndarray
    sizes: dict[int, int]  # entries of memory.sizes that the integrator owns
    settings: dict[int, float] = field(default_factory=dict)  # entries of memory.settings that it owns
    workspace: int = 0  # floats in memory.matrix


class Integrator(Registered, ABC, listed=False):
    """One way of stepping.

    To add one: a class with these attributes, the six kernels of step_functions.py, which keep all of their state in the memory,
    and the same polynomial in `states`. Defining a subclass lists it by its name; tests of order, chunks and dense output run
    over ALL_INTEGRATORS, those of this package.

    >>> from sharnir.integrate import ALL_INTEGRATORS
    >>> ALL_INTEGRATORS["dopri5"].order
    5
    """

    family: ClassVar[Family] = Family("integrator", word=lambda kind: kind.name)
    name: ClassVar[str]
    order: int  # observed order; orders[-1] at the most
    orders: ClassVar[tuple[int, ...]]  # orders one can choose from
    adaptive: ClassVar[bool]  # chooses its steps itself
    implicit: ClassVar[bool] = False
    one_step: ClassVar[bool] = False  # needs nothing of the steps before: keeps its step length after an event
    takes_step: ClassVar[bool] = False  # a step without a tolerance is its own, fixed step: usual for methods of low order
    description: ClassVar[str]
    dense_order: int  # between the ends of a step the dense output adds a local error O(dt**(dense_order + 1))
    source: ClassVar[str]
    widest_gap: float = 1.0  # part of a step between two moments at which it evaluates the right-hand side
    looks: int = 1  # such moments in a step
    gap_at: float = 0.0  # where in a step the middle of that part is; 0: steps are better not changed for it
    parameters: ClassVar[dict[str, tuple[float, float, float]]] = {}  # name of an option: default, least, greatest value

    def __init__(self, order: int | None = None, **options: float) -> None:
        if order is not None and (not isinstance(order, int) or order not in self.orders):
            choice = f"{self.orders[0]} to {self.orders[-1]}" if len(self.orders) > 1 else f"{self.orders[0]}, which is fixed"
            raise ModelError(f"integrator {self.name!r}: order = {order} must be {choice}", field="order")

        for name, value in options.items():
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "it has none"
                message = f"integrator {self.name!r}: option {name!r} is unknown ({known}){meant(name, self.parameters)}"
                raise ModelError(message, field="options")
            _, least, greatest = self.parameters[name]
            if not least <= value <= greatest:
                raise ModelError(
                    f"integrator {self.name!r}: {name} = {value} must lie between {least:g} and {greatest:g}", field="options"
                )
        self.options = {name: default for name, (default, _, _) in self.parameters.items()} | options

    @abstractmethod
    def layout(self, problem: Problem) -> Layout:
        """Rows, coefficients and sizes of a run of this problem."""

    @property
    @abstractmethod
    def step_functions(self) -> StepFunctions:
        """What it does itself within the common loop."""

    @abstractmethod
    def states(self, header: np.ndarray, rows: np.ndarray, t: np.ndarray) -> np.ndarray:
        """States at the times t (all within one step) from the header and the rows of its dense record; shape (nt, width)."""
