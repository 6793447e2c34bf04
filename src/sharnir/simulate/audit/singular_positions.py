"""Positions in which a mechanism is singular, passed by a solver that does not see them: it may come out on another branch.

The dense solver keeps a state on its branch there (constrained_right_hand_side.py). The others know no distance from such
positions; where a user has chosen one of them, the outputs of a run are looked over once with the dense one.
"""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.multipliers.solver_choice import smallest_pivot_of
from sharnir.dynamics.system import System
from sharnir.errors import ModelError

NEAR = 1e-3  # of the usual smallest pivot, a square: such a position is within a few hundredths of a radian of a singular one
MOST_EQUATIONS = 120  # of mechanisms that the dense solver would be chosen for
MOST_STATES = 400
NAMES = {L.SPARSE: "sparse", L.NULL_SPACE: "null-space"}


def passed_singular_position(system: System, t: np.ndarray, y: np.ndarray) -> str:
    """A sentence about a singular position that a solver other than the dense one has passed; "" if there is none."""
    solver = NAMES.get(int(system.table[L.SOLVER]), "") if system.constrained else ""
    if not solver or system.table[L.N_ROW] > MOST_EQUATIONS or not len(t) or y.shape != (len(t), len(system.y0)):
        return ""
    try:
        dense = system.model.compile(formulation=system.formulation, solver="dense")
    except ModelError:  # bodies without mass, which only the null space can handle
        return ""
    rows = np.unique(np.linspace(0, len(t) - 1, min(len(t), MOST_STATES)).astype(int))
    pivots = np.empty(len(rows))
    for k, row in enumerate(rows):
        dense.observe_rates(t[row : row + 1], y[row : row + 1])
        pivots[k] = smallest_pivot_of(dense.table, dense.work)
    lowest = int(np.argmin(pivots))
    if not pivots[lowest] < NEAR * np.median(pivots):
        return ""
    return (
        f"the mechanism is near a singular position (a dead point, bodies in line) at t = {t[rows[lowest]]:.6g} s, where "
        f"solver='{solver}' may go over to another branch of its motion; compare with solver='dense'"
    )
