"""Singular positions, in which equations of constraints become dependent: bodies in line, dead points.

The dense solver keeps a state on its branch there (constrained_right_hand_side.py): it knows how near it is by its smallest
pivot, in comparison with the usual one. The others know no distance from such positions, so states that they have found are
looked over with the dense one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales
from sharnir.dynamics.multipliers.solver_choice import FEW_EQUATIONS, smallest_pivot_of

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

FEW = 1e-3  # a pivot at the start that may be due to a singular position; else it is usual
LARGER = 100.0  # times that pivot: with such ones around it, the start is near a singular position
AROUND = (-0.5, -0.25, 0.25, 0.5)  # sizes of the mechanism by which it is moved along its speeds to find out
LIKELY = 0.05  # of the usual smallest pivot, a square: from here on what lies between two states is looked at
BETWEEN = 16  # states between two states
NEAR = 1e-3  # of the usual smallest pivot, a square: such a position is within a few hundredths of a radian of a singular one
MOST_STATES = 400
JUMP = 0.1  # of the speeds: what accelerations at both ends of an interval do not account for
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


def usual_pivot(system: Equations) -> float:
    """The smallest pivot of the dense solver at the start; where that is near a singular position, the largest around it.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Distance("rod", "ground", "a", at_a=(0, 0, 1)))
    >>> usual_pivot(m.compile())
    1.0
    """
    here = _pivot(system, 0.0, system.y0)
    if here >= FEW:
        return here
    n, m = system.n_q, system.n_q + system.n_v
    for speeds in (system.y0[n:m], system.observe_rates(np.zeros(1), system.y0[None])[0, n:m]):
        fastest = float(np.abs(speeds * speed_scales(system)).max(initial=0.0))
        if 0.0 < fastest < np.inf:
            step = speeds * (size_of(system) / fastest)
            around = max(_pivot(system, 0.0, moved(system, system.y0, part * step)) for part in AROUND)
            _pivot(system, 0.0, system.y0)  # what is kept belongs to the start
            return around if around > LARGER * here else here
    return here


class Passage(NamedTuple):
    """A stay near a singular position: when it is near, and the last state before it and the first behind it that are not."""

    when: float
    first: int
    last: int


def typical_pivot(dense: Equations, t: np.ndarray, y: np.ndarray) -> float:
    """The median of the smallest pivots of the dense solver at the states y (times, n)."""
    return float(np.median([_pivot(dense, t[k], y[k]) for k in _rows(len(t))]))


def jumps_of_speeds(dense: Equations, t: np.ndarray, y: np.ndarray) -> list[tuple[int, int]]:
    """Intervals between states in which speeds change otherwise than the accelerations at both ends say: numbers of states."""
    rows = _rows(len(t))
    speeds = slice(dense.n_q, dense.n_q + dense.n_v)
    v, a = (x[:, speeds] * speed_scales(dense) for x in (y[rows], dense.observe_rates(t[rows], y[rows])))
    change = np.diff(v, axis=0) - 0.5 * np.diff(t[rows])[:, None] * (a[1:] + a[:-1])
    size = np.abs(v).max(axis=1, initial=0.0)
    calm = np.abs(change).max(axis=1, initial=0.0) <= JUMP * np.maximum(size[1:], size[:-1])  # not so where one is no number
    return [(int(rows[k]), int(rows[k + 1])) for k in np.flatnonzero(~calm)]


def _rows(n: int) -> np.ndarray:
    """Which of n states are looked at."""
    return np.unique(np.linspace(0, n - 1, min(n, MOST_STATES)).astype(int))


def near_singular_positions(dense: Equations, t: np.ndarray, y: np.ndarray, usual: float) -> list[Passage]:
    """Where the states y (times, n) come near singular positions, by the dense solver of the same system and its usual pivot.

    Between two states, of which one is not far from such a position, the mechanism may pass it: there states are interpolated.
    """
    rows = _rows(len(t))
    times, states = t[rows], y[rows]
    pivots = [_pivot(dense, when, state) for when, state in zip(times, states, strict=True)]
    far = np.flatnonzero(np.array(pivots) >= LIKELY * usual)
    found: list[Passage] = []
    for k in range(len(rows) - 1):
        lowest, when = min((pivots[k], times[k]), (pivots[k + 1], times[k + 1]))
        if lowest < LIKELY * usual:
            for part in np.arange(1, BETWEEN) / BETWEEN:
                t_part = times[k] + part * (times[k + 1] - times[k])
                pivot = _pivot(dense, t_part, (1.0 - part) * states[k] + part * states[k + 1])
                lowest, when = min((lowest, when), (pivot, t_part))
        if lowest < NEAR * usual:
            first, last = max(far[far <= k], default=0), min(far[far > k], default=len(rows) - 1)
            if not found or found[-1].last <= rows[k]:
                found.append(Passage(float(when), int(rows[first]), int(rows[last])))
    return found


def _pivot(system: Equations, t: float, y: np.ndarray) -> float:
    """The smallest pivot that the dense solver keeps at a state."""
    system.observe_rates(np.array([t]), y[None])
    return smallest_pivot_of(system.table, system.work)
