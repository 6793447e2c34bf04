"""Where a run came to a halt, in words: what moves fastest there, and which constraint holds the largest force."""

from __future__ import annotations

import math

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate import Solution

LOUD = 1e3  # times the values at the beginning (at least 1 in SI units): what has grown so much is worth a word


def whereabouts(system: System, solution: Solution) -> str:
    """A clause for the message of a failed run; "" where nothing has grown much.

    >>> import sharnir as sr
    >>> m = sr.Model("runaway", gravity=(0, 0, 0))
    >>> _ = m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("x", "ground", "b", axis="x", q=1.0, torque="q^3"))
    >>> s = m.compile()
    >>> whereabouts(s, Solution(s.y0[:0], s.y0[:0], "stalled", "", {"t_reached": 1.8}, end=s.y0 + np.array([0.0, 5e6])))
    '; by then x.v = 5e+06 m/s'
    """
    end, t = solution.end, float(solution.stats.get("t_reached", math.nan))
    if end is None or not (np.isfinite(end).all() and math.isfinite(t)):
        return ""
    if system.n_v == 0:
        return ""
    found = [text for text in (_fastest(system, end), _strongest(system, t, end)) if text]
    return f"; by then {', '.join(found)}" if found else ""


def _fastest(system: System, end: np.ndarray) -> str:
    speeds = end[system.n_q : system.n_q + system.n_v]
    k, usual = int(np.argmax(np.abs(speeds))), np.abs(system.v0).max(initial=1.0)
    if not abs(speeds[k]) > LOUD * usual:
        return ""
    return f"{system.speeds[k]} = {speeds[k]:.3g} {system.assembly.coordinates.v_units[k]}"


def _strongest(system: System, t: float, end: np.ndarray) -> str:
    """The element with the largest multiplier, if that has grown beyond those at the beginning."""
    if not system.constrained:
        return ""
    times, states = np.array([0.0, t]), np.array([system.y0, end])
    first, last = np.abs(system.observe_multipliers(times, states))
    k = int(np.argmax(np.nan_to_num(last, nan=0.0, posinf=np.finfo(float).max)))
    if not last[k] > LOUD * np.nanmax(first, initial=1.0):
        return ""
    name = next(e.name for e in system.assembly.elements if e.row <= k < e.row + e.count)
    kind = "joint" if name in system.model.joints else "constraint"
    return f"{kind} '{name}' holds a force of {last[k]:.3g}: a singular position is near"
