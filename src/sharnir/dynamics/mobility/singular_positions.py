"""Where a motion that another solver has found comes nearest to a position in which the mechanism is singular.

The dense solver keeps a state on its branch there (constrained_right_hand_side.py). The others know no distance from such
positions, so states of theirs are looked over with the dense one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.multipliers.solver_choice import FEW_EQUATIONS, smallest_pivot_of
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

NEAR = 1e-3  # of the usual smallest pivot, a square: such a position is within a few hundredths of a radian of a singular one
MOST_STATES = 400
NAMES = {L.SPARSE: "sparse", L.NULL_SPACE: "null-space"}


def blind_solver(system: Equations) -> str:
    """The solver of a mechanism small enough for the dense one, if another was chosen, which sees no singular positions; else "".

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Distance("rod", "ground", "a", at_a=(0, 0, 1)))
    >>> blind_solver(m.compile()), blind_solver(m.compile(solver="sparse"))
    ('', 'sparse')
    """
    if not system.constrained or system.table[L.N_ROW] > FEW_EQUATIONS:
        return ""
    return NAMES.get(int(system.table[L.SOLVER]), "")


def near_singular_position(system: Equations, t: np.ndarray, y: np.ndarray) -> float | None:
    """When the states y (times, n) come near a singular position; None if they do not, or the dense solver cannot tell."""
    try:
        dense = system.model.compile(formulation=system.formulation, solver="dense")
    except ModelError:  # bodies without mass, which only the null space can handle
        return None
    rows = np.unique(np.linspace(0, len(t) - 1, min(len(t), MOST_STATES)).astype(int))
    pivots = np.empty(len(rows))
    for k, row in enumerate(rows):
        dense.observe_rates(t[row : row + 1], y[row : row + 1])
        pivots[k] = smallest_pivot_of(dense.table, dense.work)
    lowest = int(np.argmin(pivots))
    return float(t[rows[lowest]]) if pivots[lowest] < NEAR * np.median(pivots) else None
