"""Closing the gap of a joint that engages while its sides are apart, with the least motion in the metric of the masses.

How far that motion goes along which coordinates is not the same beyond first order: a minimum in joint coordinates is none in
others. So it is always made with the coordinates of free bodies, and both formulations go on from the same positions. While
a body is drawn, its centre of mass keeps its velocity and the body its angular velocity, in world axes; so momentum is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.initial.loop_closure import closed_rigidly
from sharnir.dynamics.mobility.motion_basis import corrected
from sharnir.dynamics.model_compilation import compile_model
from sharnir.dynamics.system import System
from sharnir.errors import SharnirError
from sharnir.model import Model
from sharnir.model.frames import rotation_matrix

APART = 1e-10  # [m, rad]; what is nearer is closed, whatever the coordinates


def drawn_together(model: Model, state: Any, t: float) -> tuple[System, np.ndarray] | None:
    """The model in absolute coordinates and its state with closed joints; None where it has no absolute coordinates.

    state : CarriedState that fills the initial state.
    """
    try:
        system = compile_model(model, "absolute", initial=state)
    except SharnirError:  # bodies without inertia
        return None
    before = system.y0.copy()
    y = closed(system, before.copy(), t)
    _keep_velocities(system, before, y)
    return system, corrected(system, y, t)


def closed(system: System, y: np.ndarray, t: float) -> np.ndarray:
    """A state put onto the constraints; flexible bodies without strains, as far as they can."""
    if system.assembly.coordinates.elastic:
        y = closed_rigidly(system, y, t)
    return corrected(system, y, t)


def _keep_velocities(system: System, before: np.ndarray, y: np.ndarray) -> None:
    """Speeds of every body at its new attitude; they are in axes of the body, at its origin."""
    c, n, m = system.assembly.coordinates, system.n_q, system.n_q + system.n_v
    y[n:m] = before[n:m]
    for joint, name in zip(system.tree.joints, system.tree.bodies, strict=True):
        if joint.n_v != 6:  # fixed to another one
            continue
        q, _, first, _ = c.ranges[joint.name]
        v, r = n + first, np.array(system.model.body(name).com)
        turn = np.array(rotation_matrix(y[q + 3 : q + 7])).T @ np.array(rotation_matrix(before[q + 3 : q + 7]))
        velocity, rate = before[v : v + 3], before[v + 3 : v + 6]
        y[v + 3 : v + 6] = turn @ rate
        y[v : v + 3] = turn @ (velocity + np.cross(rate, r)) - np.cross(y[v + 3 : v + 6], r)
