"""Initial speeds of bodies that fly: given in world axes, wanted relative to a parent that may move itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.evaluation.python_entries import prepare_state
from sharnir.dynamics.memory import layout as L
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def update_initial_speeds(system: Equations) -> None:
    """Fill `v0` of free joints whose bodies have a velocity of their own."""
    tree = system.tree
    bodies = [system.model.bodies[name] for name in tree.bodies]
    told = [body.velocity is not None or body.angular_velocity is not None for body in bodies]
    if not any(told):
        return
    # a body waits for those of its ancestors that have a velocity too
    generation: list[int] = []
    for p in tree.parent:
        generation.append(0 if p < 0 else generation[p] + told[p])
    for g in range(max(generation) + 1):
        prepare_state(0.0, system.q0, system.v0, system.table, system.params, system.work)
        for i, body in enumerate(bodies):
            if told[i] and generation[i] == g:
                _set_speeds(system, tree.joints[i], body)


def _set_speeds(system: Equations, joint: Any, body: Any) -> None:
    """Add what is missing to the velocity that the body has without it; needs prepare_state."""
    if joint.coordinates != "free":
        raise ModelError(
            f"Body '{body.name}': velocity and angular_velocity are for a body that is free, and joint '{joint.name}' holds it; "
            f"set v of that joint"
        )
    if any(joint.v):
        raise ModelError(f"Body '{body.name}': its velocity and v of joint '{joint.name}' are both given; give one of them")
    i, k = system.number(body), system.assembly.coordinates.ranges[joint.name][2]
    pose = system.work[system.table[L.W_POSE] + i * L.W_POSE_SIZE :][: L.W_POSE_SIZE]
    R = pose[:9].reshape(3, 3)
    system.v0[k : k + 3] += R.T @ (np.array(body.velocity or (0.0, 0.0, 0.0)) - pose[12:15])
    system.v0[k + 3 : k + 6] += R.T @ (np.array(body.angular_velocity or (0.0, 0.0, 0.0)) - pose[15:18])
