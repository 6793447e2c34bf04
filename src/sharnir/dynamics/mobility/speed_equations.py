"""Equations of speeds as linear ones, C v + ġ₀ = 0: exact for all elements but formulas that are not linear in speeds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.constraint_jacobian import Constraints, constraints_at

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def linear_in_speeds(system: Equations) -> bool:
    """False if a formula contains speeds, in whatever way."""
    return not any(e.kind == L.FORMULA and e.holonomic == 0 for e in system.assembly.elements)


def speed_equations(system: Equations, y: np.ndarray, about: np.ndarray) -> Constraints:
    """The equations at the position in y, linear about the speeds `about`; `gdot` is what they leave at v = 0.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("car", mass=1), sr.Prismatic("road", "ground", "car", axis="x", v=2.0))
    >>> _ = m.add(sr.Constraint("pace", "road.v^2 - 4"))
    >>> s = m.compile()
    >>> x = speed_equations(s, s.y0, np.array([3.0]))
    >>> x.C.tolist(), x.gdot.tolist()
    ([[6.0]], [-13.0])
    """
    y = y.copy()
    y[system.n_q : system.n_q + system.n_v] = about
    found = constraints_at(system, y)
    if not about.any():
        return found
    moved = np.zeros(len(found.gdot))
    np.add.at(moved, found.rows, found.values * about[found.columns])
    return replace(found, gdot=found.gdot - moved)
