"""Derivatives of a system along directions, as machine code: Jacobians, and equations of variation along a run."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import numpy as np

from sharnir.dynamics.bodies.coordinate_steps import RATES
from sharnir.dynamics.straight_line.derivability import Derivable
from sharnir.dynamics.straight_line.derived_functions import Derivation, DerivedFunctions
from sharnir.dynamics.straight_line.direction_writer import DirectionWriter
from sharnir.dynamics.straight_line.jacobian_text import jacobian_text
from sharnir.dynamics.straight_line.lane_code import LANES
from sharnir.dynamics.straight_line.module_text import ModuleText, fill
from sharnir.integrate.stepping.run_memory import padded
from sharnir.kernel.formulas.machine_code import ObjectCode, kept_object_file

CHANGES = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_int64] * 5)


class DerivedDirections:
    """Code that differentiates the equations of one system.

    numbers : those of the model that stand in memory.   variations : with the equations of variation, `augmented` and
    `augmented_projection`; else with `jacobian`.
    """

    def __init__(
        self, system: Derivable, derivation: Derivation, numbers: Sequence[float] = (), variations: bool = False
    ) -> None:
        self.derivation, self.n = derivation, len(system.y0)
        self.rows = len(derivation.solution.constraints)
        derivation.check_slopes()
        writer = DirectionWriter(derivation.writer)
        functions = [writer.rates()]
        if self.rows:
            functions.append(writer.constraints())
        if variations:
            functions += [*(writer.corrections() if self.rows else ()), *writer.augmented()]
        else:
            column, turns = padded(system.n_v + system.n_z), bool(system.assembly.coordinates.quaternions)
            functions.append(jacobian_text(system.n_q, system.n_v, system.n_z, column, len(numbers), turns))
        text = ModuleText(functions, derivation.writer.slots, len(numbers))
        self._code = ObjectCode(kept_object_file(text.text, text.effort))
        self._kept = derivation.called(system)
        self._numbers, self._changes = list(numbers), np.zeros(0)
        self.set_slots([0, 0, 0, RATES.address if system.assembly.coordinates.quaternions else 0, 0, 0])

    def set_slots(self, slots: Sequence[int]) -> None:
        """Fill the slots before those of tables."""
        fill(self._code, [*slots, *(f.address for f in self._kept)], self._numbers)

    def address_of(self, name: str) -> int:
        """Where one of the functions stands."""
        return self._code.address_of(name)

    def rate_changes(self, t: float, y: np.ndarray, dy: np.ndarray, dn: np.ndarray) -> np.ndarray:
        """How ẏ changes along directions: dy (n, m) changes of the state, dn (numbers, m) of numbers; returns (n, m)."""
        return self._called("rate_changes", t, y, dy, dn, self.n)

    def constraint_changes(self, t: float, y: np.ndarray, dy: np.ndarray, dn: np.ndarray) -> np.ndarray:
        """How residuals change along directions: of positions and of speeds, (2 rows, m)."""
        if not self.rows:
            return np.zeros((0, dy.shape[1]))
        return self._called("constraint_changes", t, y, dy, dn, 2 * self.rows)

    def _called(self, name: str, t: float, y: np.ndarray, dy: np.ndarray, dn: np.ndarray, rows: int) -> np.ndarray:
        m = dy.shape[1]
        wide = -(-m // LANES) * LANES
        state, numbers = np.zeros((self.n, wide)), np.zeros((max(1, len(dn)), wide))
        state[:, :m], numbers[: len(dn), :m] = dy, dn
        y, out = np.ascontiguousarray(y, float), np.zeros((rows, wide))
        function = CHANGES(self.address_of(name))
        for k in range(0, wide, LANES):
            places = (a.ctypes.data + 8 * k for a in (state, numbers))
            function(t, y.ctypes.data, *places, 8 * wide, out.ctypes.data + 8 * k)
        return out[:, :m]


class LateJacobian:
    """The function `jacobian` of a system, made when an integrator asks for its address."""

    def __init__(self, system: Derivable, derived: DerivedFunctions) -> None:
        self._system, self._derived = system, derived

    @property
    def address(self) -> int:
        """Where it stands."""
        return directions_of(self._system, self._derived).address_of("jacobian")


def late_jacobian(system: Derivable, derived: DerivedFunctions) -> LateJacobian | None:
    """The exact Jacobian for implicit integrators; None where it has no formula: they take differences, as of the engine."""
    return None if derived.derivation.without_slopes is not None else LateJacobian(system, derived)


def directions_of(system: Derivable, derived: DerivedFunctions) -> DerivedDirections:
    """The derivatives of a system's derived code, made once."""
    if derived.directions is None:
        derived.directions = DerivedDirections(system, derived.derivation, derived.numbers)
    found = derived.directions
    assert isinstance(found, DerivedDirections)
    return found
