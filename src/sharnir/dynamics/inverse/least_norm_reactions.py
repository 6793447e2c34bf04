"""Reactions of mechanisms whose constraint equations are redundant: of all equivalent ones, those of least norm.

Σ |force|² + (|torque|/reach)² over all joints and constraints is least, whatever the formulation and the solver of a run. A
system in absolute coordinates, where every joint has its multipliers, is asked at the states of the run.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.friction.loads_of_given_motion import has_friction, loads_at
from sharnir.errors import ModelWarning
from sharnir.model.frames import quaternion

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def states_of(system: Equations, twin: Equations, t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The same positions and speeds as full states of the system in absolute coordinates."""
    if system.formulation == "absolute":
        return y
    place, c = twin.assembly.placement, twin.assembly.coordinates
    bodies = system.observe(t, y, np.arange(system.assembly.count))[0]
    number = system.assembly.placement.number
    out = np.zeros((len(t), twin.n_q + twin.n_v + len(c.z_names)))
    ground = bodies[:, number["ground"]] if number["ground"] >= 0 else None
    for joint, name in zip(twin.tree.joints, twin.tree.bodies, strict=True):
        if joint.coordinates != "free":
            continue
        i, (q, _, v, _) = place.number[name], c.ranges[joint.name]
        shift, turn, speed, spin = _seen_from(ground, bodies[:, number[name]])
        out[:, q : q + 3] = shift - place.user_position[i]
        drawn = np.array(quaternion(place.user_rotation[i]))
        out[:, q + 3 : q + 7] = _product(drawn * (1.0, -1.0, -1.0, -1.0), turn)
        out[:, twin.n_q + v : twin.n_q + v + 3] = _turned_back(turn, speed)
        out[:, twin.n_q + v + 3 : twin.n_q + v + 6] = _turned_back(turn, spin)
    for name, (q, v, h) in c.elastic.items():
        first_q, first_v, _ = system.assembly.coordinates.elastic[name]
        out[:, q : q + h] = y[:, first_q : first_q + h]
        out[:, twin.n_q + v : twin.n_q + v + h] = y[:, system.n_q + first_v : system.n_q + first_v + h]
    names = [*system.coordinates, *system.assembly.coordinates.z_names]
    columns = [*range(system.n_q), *range(system.n_q + system.n_v, y.shape[1])]
    known = dict(zip(names, columns, strict=True))
    for k, name in enumerate(c.z_names):
        out[:, twin.n_q + twin.n_v + k] = y[:, known[name]]
    return out


def _seen_from(ground: np.ndarray | None, body: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Position, quaternion, velocity and angular velocity of a body as a ground that moves sees them, in its axes."""
    if ground is None:
        return body[:, :3], body[:, 3:7], body[:, 7:10], body[:, 10:13]
    arm, turn = body[:, :3] - ground[:, :3], ground[:, 3:7]
    speed = body[:, 7:10] - ground[:, 7:10] - np.cross(ground[:, 10:13], arm)
    own = _product(turn * (1.0, -1.0, -1.0, -1.0), body[:, 3:7])
    spin = body[:, 10:13] - ground[:, 10:13]
    return _turned_back(turn, arm), own, _turned_back(turn, speed), _turned_back(turn, spin)


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Products of quaternions (4 numbers, or one for all, in the last axis)."""
    p, q = np.broadcast_arrays(p, q)
    a, u, b, v = p[:, :1], p[:, 1:], q[:, :1], q[:, 1:]
    return np.hstack([a * b - np.sum(u * v, axis=1, keepdims=True), a * v + b * u + np.cross(u, v)])


def _turned_back(q: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Vectors in axes that are turned by unit quaternions."""
    w, u = q[:, :1], -q[:, 1:]
    return x + 2.0 * (w * np.cross(u, x) + np.cross(u, np.cross(u, x)))


def warn_of_open_loads(system: Equations) -> None:
    """Where constraints are redundant, loads may depend on how reactions are shared; then a warning says so."""
    if not has_friction(system) or not system.constrained:
        return
    from sharnir.dynamics.friction.friction_records import frictions

    twin = system.least_norm_twin
    if twin is None:
        return
    t, y = np.zeros(1), system.y0[None]
    ours, least = loads_at(system, t, y), loads_at(twin, t, states_of(system, twin, t, y))
    far = np.abs(ours - least) > 1e-6 * (np.abs(least) + np.abs(least).max())
    if far.any():
        names = [force.name for force, bad in zip(frictions(system.model), far, strict=True) if bad]
        warnings.warn(
            f"JointFriction {', '.join(map(repr, names))}: constraints are redundant, so reactions there are not unique, and "
            "friction depends on how the solver shares them; let fewer joints constrain the same motion "
            "(result.stats['redundant'])",
            ModelWarning,
            stacklevel=4,
        )
