"""How near to singular positions derived code computes: what each constraint must have that the others do not have."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sharnir.dynamics.evaluation.constrained_right_hand_side import FAR
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.equations import Equations
from sharnir.equations.solved_equations import Solution
from sharnir.symbolic.nodes import Name

NEAR = 1.0  # times the distance from singular positions at which the engine begins to correct states: from there on it computes
AROUND, SPREAD = 4, 0.5  # positions at which constraints are looked at, and how far they are from the start
DEFORMING = 1e-6  # the same where bodies deform: what is closed by deformations has small pivots, but no singular positions
UNKNOWN = 0.05  # the same where the engine knows of no distance


def least_pivots(system: Equations, solution: Solution, places: Mapping[Name, int]) -> list[float]:
    """What the pivots of the constraints must exceed: a part of the largest that they have in positions around the start.

    places : of symbols in the state; masses of tanks are among them.
    """
    if solution.equations is None:
        return []
    equations, rng = solution.equations, np.random.default_rng(1)
    c = system.assembly.coordinates
    sizes = np.array([system.params[L.REACH] if unit == "m" else 1.0 for unit in c.q_units])
    for first, _, count in c.elastic.values():  # deformations stay small
        sizes[first : first + count] = 0.0
    numbers = [c.q_names.index(name) for name in solution.mechanism.coordinate_channels]
    start, sizes, found = system.q0[numbers], sizes[numbers], np.zeros(len(solution.pivots))
    speeds = system.v0[[c.v_names.index(name) for name in solution.mechanism.speed_channels]]
    given = {str(symbol): float(system.y0[k]) for symbol, k in places.items()}
    for q in (start, *equations.positions_near(start, SPREAD * sizes, AROUND - 1, rng)):
        with np.errstate(all="ignore"):
            found = np.fmax(found, equations.evaluate(solution.pivots, q, speeds, **given))
    return [float(x) for x in singular_limit(system) * found]


def singular_limit(system: Equations) -> float:
    """What part of a constraint the others must not have, at least: below that the engine computes."""
    if system.table[L.N_ELASTIC]:
        return DEFORMING
    return float(NEAR * FAR * system.params[L.SINGULAR]) or UNKNOWN
