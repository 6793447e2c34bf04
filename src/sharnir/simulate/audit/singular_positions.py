"""Singular positions passed by a solver that does not see them: it may come out on another branch of the motion."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.mobility.singular_positions import blind_solver, near_singular_position
from sharnir.dynamics.system import System


def passed_singular_position(system: System, t: np.ndarray, y: np.ndarray) -> str:
    """A sentence about a singular position that a solver other than the dense one has passed; "" if there is none."""
    solver = blind_solver(system)
    if not solver or not len(t) or y.shape != (len(t), len(system.y0)):
        return ""
    when = near_singular_position(system, t, y)
    if when is None:
        return ""
    return (
        f"the mechanism is near a singular position (a dead point, bodies in line) at t = {when:.6g} s, where "
        f"solver='{solver}' may go over to another branch of its motion; compare with solver='dense'"
    )
