"""Singular positions passed by a solver that does not see them: it may continue on another branch of the motion."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.evaluation.stabilization import keep_constraints
from sharnir.dynamics.mobility.singular_positions import (
    blind_solver,
    jumps_of_speeds,
    near_singular_positions,
    typical_pivot,
)
from sharnir.dynamics.mobility.state_steps import speed_scales
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.integrate import Solution, integrate

LISTED = 4  # times that are named
TOLERANCE = 1e-6
EVALUATIONS = 20_000  # for one passage
BETWEEN = 65  # states of a motion that is repeated
SAME = 1e-2  # of the speeds behind a passage: another branch differs from it by about 1


def passed_singular_position(system: System, t: np.ndarray, y: np.ndarray) -> str:
    """A sentence about a singular position at which a solver other than the dense one may leave its branch; "" if none."""
    solver = blind_solver(system)
    if not solver or not len(t) or y.shape != (len(t), len(system.y0)):
        return ""
    try:
        dense = keep_constraints(system.model.compile(formulation=system.formulation, solver="dense"), None, True, None)
    except ModelError:  # bodies without mass, which only the null space can handle
        return ""
    usual = typical_pivot(dense, t, y)
    passages = near_singular_positions(dense, t, y, usual)
    found = [x.when for x in passages if not _is_alike(dense, y, x.first, x.last, _repeated(dense, t, y, x.first, x.last, 2))]
    for first, last in jumps_of_speeds(dense, t, y):
        if not any(x.first <= first and last <= x.last for x in passages):
            found += _left_between(dense, t, y, first, last, usual)
    if not found:
        return ""
    found.sort()
    when = ", ".join(f"{x:.6g}" for x in found[:LISTED]) + (", …" if len(found) > LISTED else "")
    return (
        f"the mechanism is near a singular position (a dead point, bodies in line) at t = {when} s, where "
        f"solver='{solver}' may switch to another branch of the motion; compare with solver='dense'"
    )


def _repeated(dense: System, t: np.ndarray, y: np.ndarray, first: int, last: int, count: int) -> Solution:
    """The motion from one state of a run to another once more, by the dense solver."""
    grid = np.linspace(float(t[first]), float(t[last]), count)
    return integrate(dense.problem(), y[first], grid, "auto", TOLERANCE, 0.01 * TOLERANCE, max_evaluations=EVALUATIONS)


def _is_alike(dense: System, y: np.ndarray, first: int, last: int, again: Solution) -> bool:
    """Whether the dense solver comes to the same speeds."""
    if not again.success:
        return False
    speeds = slice(dense.n_q, dense.n_q + dense.n_v)
    scale = speed_scales(dense)
    apart, size = (float(np.abs(x[speeds] * scale).max()) for x in (again.y[-1] - y[last], y[last]))
    return apart <= SAME * max(size, float(np.abs(y[first][speeds] * scale).max()))


def _left_between(dense: System, t: np.ndarray, y: np.ndarray, first: int, last: int, usual: float) -> list[float]:
    """When, between two states that are both far from singular positions, the dense solver passes one and goes elsewhere."""
    again = _repeated(dense, t, y, first, last, BETWEEN)
    if _is_alike(dense, y, first, last, again) or len(again.t) < 2:
        return []
    return [passage.when for passage in near_singular_positions(dense, again.t, again.y, usual)[:1]]
