"""What Python asks about constraints over many states: motion in cut joints, residuals, multipliers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics import cut_observation
from sharnir.dynamics import layout as L
from sharnir.dynamics.constrained import PROJECTION
from sharnir.dynamics.least_reactions import least_system, states_of

if TYPE_CHECKING:
    from sharnir.dynamics.system import System


def cut_motion(system: System, t: np.ndarray, y: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Coordinates (7), rates (6), accelerations (6) of cut joints, given by their numbers among the elements; (nt, m, 19)."""
    out, yd = np.zeros((len(t), len(numbers), cut_observation.CUT_OUT)), np.zeros(y.shape[1])
    f = getattr(system.derivative, "address", system.derivative)
    where = np.ascontiguousarray(y), np.asarray(numbers, np.int64)
    cut_observation.observe_cut_joints(f, t, *where, out, system.table, system.params, system.work, yd)
    return out


def residuals(system: System, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Largest |g| and largest |ġ| at every state, (nt, 2).

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "a", axis="z"))
    >>> s = m.compile("absolute")
    >>> float(residuals(s, np.zeros(1), s.y0[None]).max())
    0.0
    """
    out = np.zeros((len(t), 2))
    if system.constrained:
        table, state = system.table.copy(), np.zeros(y.shape[1] + 8)
        table[L.CORRECT_POSITION] = table[L.CORRECT_SPEED] = 0
        where = np.ascontiguousarray(y)
        cut_observation.observe_residuals(PROJECTION.address, t, where, out, table, system.params, system.work, state)
    return out


def multipliers(system: System, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """λ of all constraint equations, (nt, m), in their order among the elements; least norm where they are redundant."""
    twin = least_system(system)
    if twin is None:
        return own_multipliers(system, t, y)
    found = own_multipliers(twin, t, states_of(system, twin, t, y))
    rows = {e.name: e.row for e in twin.assembly.elements}
    return np.hstack([found[:, rows[e.name] : rows[e.name] + e.count] for e in system.assembly.elements])


def own_multipliers(system: System, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """λ as the system's own solver finds it."""
    out, yd = np.zeros((len(t), int(system.table[L.N_ROW]))), np.zeros(y.shape[1])
    f = getattr(system.derivative, "address", system.derivative)
    where = np.ascontiguousarray(y)
    cut_observation.observe_multipliers(f, t, where, out, system.table, system.params, system.work, yd)
    return out
