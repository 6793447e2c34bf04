"""The place of a point on its curve when it leaves the curve and when it meets it again: where the search starts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.model import PointOnCurve
from sharnir.model.constraints.geometry import curve_formula
from sharnir.model.frames import Frame
from sharnir.model.placement import placements
from sharnir.simulate.events.carried_state import relative_pose

STEPS = 20  # along the curve per distance from the last place
REACH = 10  # distances along the curve, each way, that are looked at


def left_constraint(system: System, y: np.ndarray, constraint: Any) -> Any:
    """A constraint that is let go; a point on a curve with the place where it is."""
    names = system.assembly.coordinates.z_names
    if not isinstance(constraint, PointOnCurve) or f"{constraint.name}.s" not in names:
        return constraint
    return replace(constraint, s=float(y[system.n_q + system.n_v + names.index(f"{constraint.name}.s")]))


def met_constraint(system: System, y: np.ndarray, t: float, constraint: Any) -> Any:
    """A constraint that takes hold again; a point on a curve with a place near to which it is now."""
    if not isinstance(constraint, PointOnCurve):
        return constraint
    x = point_at(system, y, t, constraint)
    return replace(constraint, s=nearest_place(constraint, system.model.parameters, x))


def point_at(system: System, y: np.ndarray, t: float, constraint: PointOnCurve) -> np.ndarray:
    """The point in the frame of the curve."""
    a, b = str(constraint.a), str(constraint.b)
    placed = placements(system.model.original)
    turn, arm = relative_pose(system, t, y, a, b)
    at = placed[b].position if constraint.at is None else constraint.at
    on_b = placed[b].inverse().point(at)
    frame = placed[a].inverse() @ Frame(constraint.origin, constraint.axes)
    return np.array(frame.inverse().point(tuple(arm + turn @ np.array(on_b))))


def nearest_place(constraint: PointOnCurve, parameters: Any, x: np.ndarray) -> float:
    """s of the curve's point nearest to x, roughly: by steps along the curve both ways from where it was left.

    Where a curve comes by again, the first of the places that are equally near.

    >>> circle = PointOnCurve("wire", "ground", "bead", curve=("cos(s)", "sin(s)", "0"), s=0.0)
    >>> round(nearest_place(circle, {}, np.array([0.0, 1.0, 0.0])), 1)
    1.6
    """
    curve = curve_formula(constraint, parameters)
    length = float(np.linalg.norm(x - curve.evaluate((constraint.s,))[:3]))
    step, found = length / STEPS, [(length, 0, constraint.s)]
    for way in (-1.0, 1.0):
        s = constraint.s
        for k in range(STEPS * REACH):
            speed = float(np.linalg.norm(curve.evaluate((s,))[3:6]))
            if not speed > 0.0:
                break
            s += way * step / speed
            found.append((float(np.linalg.norm(x - curve.evaluate((s,))[:3])), k + 1, s))
    least = min(found)[0]
    return min((k, gap, s) for gap, k, s in found if gap <= least + 0.5 * step)[2]
