"""Derived code whose numbers follow from parameters: other values need no new code, and derivatives by parameters are exact.

Numbers of the equations (masses, lengths, stiffnesses, …) that change with a parameter stand in memory. How they change is a
derivative of sixth order, which is exact to rounding for what formulas of parameters usually are; what follows from them is
differentiated on the graph. Before code is used, it is compared with the engine at another value of every parameter.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from sharnir.dynamics.straight_line.derivability import check_derivable
from sharnir.dynamics.straight_line.derived_directions import DerivedDirections
from sharnir.dynamics.straight_line.derived_functions import Derivation, DerivedFunctions
from sharnir.dynamics.straight_line.neighbours import Neighbours
from sharnir.equations.model_numbers import ModelNumbers, numbers_of, varying_numbers
from sharnir.errors import ModelError

SAME = 1e-8  # relative difference between derived code and engine that is rounding
CALL = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_int64] * 5)


class ParametricCode:
    """Equations of a system with numbers that follow from some of its parameters.

    varying : which numbers of the model stand in memory.   values : what they are.   slopes (numbers, parameters) : how fast they
    change.
    """

    def __init__(self, system: Any, names: Sequence[str]) -> None:
        check_derivable(system)
        self.names = tuple(names)
        self.neighbours = {name: Neighbours(system, name) for name in names}
        self.base = numbers_of(system.model, system.tree)
        far = {f"{name}": numbers_of(x.systems[-1].model, x.systems[-1].tree) for name, x in self.neighbours.items()}
        self.varying = varying_numbers(self.base, far)
        self.values = self.base[self.varying]
        self.derivation = Derivation(system, numbers=ModelNumbers(varying=self.varying))
        self.slopes = np.zeros((len(self.varying), len(self.names)))
        for k, x in enumerate(self.neighbours.values()):
            self.slopes[:, k] = x.slope(lambda other: numbers_of(other.model, other.tree)[self.varying])
        for name, x in self.neighbours.items():
            self._compare(name, x.systems[-1], far[name][self.varying])

    def _compare(self, name: str, other: Any, values: np.ndarray) -> None:
        """Refuse a parameter that changes what does not stand in memory, such as the direction of an axis."""
        y = other.y0
        y[other.n_q : other.n_q + other.n_v] += 0.0 if other.constrained else 0.3
        code = DerivedFunctions(other, self.derivation, values.tolist())
        same = agrees(code, other, y)
        other.assembly.functions.forget()
        if not same:
            raise ModelError(
                f"parameter {name!r} changes directions or rotations in the equations, for which there are no derivatives; give "
                "these as numbers",
                field=name,
            )

    def functions(self, system: Any) -> DerivedFunctions | None:
        """Code of a system of the same structure with its own numbers; None if other numbers differ, too."""
        numbers = numbers_of(system.model, system.tree)
        fixed = np.ones(len(self.base), bool)
        fixed[self.varying] = False
        same = system.constrained == self.derivation.constrained
        if not same or numbers.shape != self.base.shape or not np.array_equal(numbers[fixed], self.base[fixed]):
            return None
        return DerivedFunctions(system, self.derivation, numbers[self.varying].tolist())

    def directions(self, system: Any, variations: bool = False) -> DerivedDirections:
        """Derivatives along directions."""
        return DerivedDirections(system, self.derivation, self.values.tolist(), variations)


def agrees(code: DerivedFunctions, system: Any, y: np.ndarray) -> bool:
    """Whether derived code of a system computes at a state what the engine does, to rounding."""
    found, wanted = (_rates(f, system, y) for f in (code.derivative, system.derivative.address))
    return bool(np.abs(found - wanted).max(initial=0.0) <= SAME * max(1.0, float(np.abs(wanted).max(initial=0.0))))


def _rates(address: int, system: Any, y: np.ndarray) -> np.ndarray:
    """ẏ as a C function gives it."""
    out = np.zeros(len(y) + 1)
    blocks = (system.table, system.params, system.work)
    CALL(address)(0.0, y.ctypes.data, out.ctypes.data, *(x.ctypes.data for x in blocks))
    return out[:-1]
