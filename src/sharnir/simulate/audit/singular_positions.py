"""Singular positions passed by a solver that does not see them: it may come out on another branch of the motion."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.mobility.singular_positions import blind_solver, near_singular_positions
from sharnir.dynamics.system import System

LISTED = 4  # times that are named


def passed_singular_position(system: System, t: np.ndarray, y: np.ndarray) -> str:
    """A sentence about a singular position that a solver other than the dense one has passed; "" if there is none."""
    solver = blind_solver(system)
    if not solver or not len(t) or y.shape != (len(t), len(system.y0)):
        return ""
    times = near_singular_positions(system, t, y)
    if not times:
        return ""
    when = ", ".join(f"{x:.6g}" for x in times[:LISTED]) + (", …" if len(times) > LISTED else "")
    return (
        f"the mechanism is near a singular position (a dead point, bodies in line) at t = {when} s, where "
        f"solver='{solver}' may go over to another branch of its motion; compare with solver='dense'"
    )
