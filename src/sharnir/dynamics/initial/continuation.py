"""From the drawing to the requested initial coordinates, step by step, so that a mechanism stays on the branch drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.initial.loop_closure import close_positions, closed_near
from sharnir.dynamics.initial.user_conditions import Condition
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at
from sharnir.dynamics.mobility.joint_coordinates import coordinate_values

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

FIRST = 0.25  # of the way
SHORTEST = 1e-3


def drawn_state(system: Equations) -> np.ndarray:
    """The initial speeds with all coordinates as in the drawing."""
    y = system.y0
    y[: system.n_q] = 0.0
    for k in system.assembly.coordinates.tracked.values():  # other elements keep where they begin, as a point on its curve
        y[system.n_q + system.n_v + k] = 0.0
    for k in system.assembly.coordinates.quaternions:
        y[k] = 1.0
    return y


def follow_conditions(system: Equations, guesses: list[Condition], kept: list[Condition]) -> np.ndarray | None:
    """The closed drawing, moved first to the guesses, then to what is kept; None where the way is barred."""
    if system.assembly.coordinates.mimics or any(c.freedoms.joint.coordinates != "angles" for c in (*guesses, *kept)):
        return None
    drawing = close_positions(system, drawn_state(system), [])
    if not drawing.closed:
        return None
    y = drawing.y
    if guesses:
        near = _followed(system, y, guesses)
        y = y if near is None else near
    return _followed(system, y, kept)


def farthest(system: Equations, y: np.ndarray, wish: Condition, kept: list[Condition]) -> np.ndarray | None:
    """The closed position on the way from y that comes nearest to a wish while others are kept; None if there is no such way."""
    if system.assembly.coordinates.mimics or any(c.freedoms.joint.coordinates != "angles" for c in (wish, *kept)):
        return None
    reached: list[np.ndarray] = []
    _followed(system, y, [wish, *kept], reached)
    return reached[-1] if reached else None


def _followed(
    system: Equations, y: np.ndarray, conditions: list[Condition], reached: list[np.ndarray] | None = None
) -> np.ndarray | None:
    """The position that satisfies conditions, along a way of closed ones, which are noted in `reached`."""
    constraints_at(system, y)
    start = [coordinate_values(system, c.freedoms, y).copy() for c in conditions]
    shortest = SHORTEST if reached is None else 1e-3 * SHORTEST
    done, step = 0.0, FIRST
    while done < 1.0:
        share = min(1.0, done + step)
        here = [
            replace(c, values=tuple(a + share * (np.array(c.values) - a))) if share < 1.0 else c
            for c, a in zip(conditions, start, strict=True)
        ]
        trial = y.copy()
        for c in here:
            if c.held is not None:
                first = system.assembly.coordinates.ranges[c.freedoms.joint.name][0]
                trial[[first + part for part in c.freedoms.parts]] = c.values
        end = closed_near(system, trial, here)
        if end is None:
            step *= 0.5
            if step < shortest:
                return None
        else:
            y, done = end, share
            step *= 1.5
            if reached is not None:
                reached.append(end)
    return y
