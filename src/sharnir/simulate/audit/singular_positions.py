"""Singular positions passed by a solver that does not see them: it may continue on another branch of the motion."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.evaluation.stabilization import keep_constraints
from sharnir.dynamics.mobility.singular_positions import Passage, blind_solver, near_singular_positions
from sharnir.dynamics.mobility.state_steps import speed_scales
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.integrate import integrate

LISTED = 4  # times that are named
TOLERANCE = 1e-6
EVALUATIONS = 20_000  # for one passage
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
    found = [passage for passage in near_singular_positions(dense, t, y) if not _passed_alike(dense, t, y, passage)]
    if not found:
        return ""
    when = ", ".join(f"{passage.when:.6g}" for passage in found[:LISTED]) + (", …" if len(found) > LISTED else "")
    return (
        f"the mechanism is near a singular position (a dead point, bodies in line) at t = {when} s, where "
        f"solver='{solver}' may switch to another branch of the motion; compare with solver='dense'"
    )


def _passed_alike(dense: System, t: np.ndarray, y: np.ndarray, passage: Passage) -> bool:
    """Whether the dense solver, from the state before a passage on, comes to the same speeds behind it."""
    ends = [float(t[passage.first]), float(t[passage.last])]
    again = integrate(dense.problem(), y[passage.first], ends, "auto", TOLERANCE, 0.01 * TOLERANCE, max_evaluations=EVALUATIONS)
    if not again.success:
        return False
    speeds = slice(dense.n_q, dense.n_q + dense.n_v)
    scale = speed_scales(dense)
    apart, size = (float(np.abs(x[speeds] * scale).max()) for x in (again.y[-1] - y[passage.last], y[passage.last]))
    return apart <= SAME * max(size, float(np.abs(y[passage.first][speeds] * scale).max()))
