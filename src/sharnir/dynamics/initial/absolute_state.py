"""Initial states taken from the same model in other coordinates: absolute ones, and where quaternions lead to the ground."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.formula_faults import flat_formula
from sharnir.model import Model
from sharnir.model.frames import quaternion, rotation_matrix
from sharnir.model.placement import open_joints, placements

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def update_state(system: Equations, joint: Equations) -> None:
    """Fill q0, v0 and z0 of a system from the same model in joint coordinates: free bodies as they move, the rest by names.

    Joints that are turned round there keep the values with which they are declared.
    """
    known = {name: float(x) for names, values in _named_values(joint) for name, x in zip(names, values, strict=True)}
    declared = system.model.joints
    turned = tuple(f"{name}." for name, other in joint.model.joints.items() if other.parent != declared[name].parent)
    known = {name: x for name, x in known.items() if not name.startswith(turned)} if turned else known
    for names, values in _named_values(system):
        for k, name in enumerate(names):
            values[k] = known.get(name, values[k])
    states = joint.bodies(joint.q0, joint.v0)
    place, c = system.assembly.placement, system.assembly.coordinates
    base, origin, v0, w0 = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
    if "ground" in states:  # a ground that moves: coordinates are measured from it
        ground = states["ground"]
        base, origin = np.array(rotation_matrix(ground.rotation)), ground.position
        v0, w0 = ground.velocity, ground.angular_velocity
    for own, name in zip(system.tree.joints, system.tree.bodies, strict=True):
        if own.n_v == 0 or own.name in system.model.joints:
            continue
        i, (q, _, v, _) = place.number[name], c.ranges[own.name]
        state = states[name]
        R, arm = np.array(rotation_matrix(state.rotation)), state.position - origin
        system.q0[q : q + 3] = base.T @ arm - place.user_position[i]
        system.q0[q + 3 : q + 7] = quaternion(place.user_rotation[i].T @ base.T @ R)
        system.v0[v : v + 3] = R.T @ (state.velocity - v0 - np.cross(w0, arm))
        system.v0[v + 3 : v + 6] = R.T @ (state.angular_velocity - w0)


def _named_values(system: Equations) -> list[tuple[list[str], np.ndarray]]:
    """Names of coordinates, tracked ones and speeds, with their initial values."""
    c = system.assembly.coordinates
    return [(c.q_names, system.q0), (c.z_names, system.z0), (c.v_names, system.v0)]


def drawn_at_rest(system: Equations) -> bool:
    """True if the drawing itself, at rest, is the initial state: nothing is given or prescribed, and all joints are closed there.

    Then large models need no second system in joint coordinates.
    """
    model, c = system.model, system.assembly.coordinates
    if model.base_motion is not None or any(b.velocity or b.angular_velocity for b in model.bodies.values()):
        return False
    for joint in model.joints.values():
        given = any(joint.v) or any(joint.driven) or joint.mimic is not None
        neutral = (0.0,) * joint.n_q if joint.coordinates == "angles" else type(joint)("x", "a", "b").q
        if given or tuple(joint.q) != tuple(neutral):
            return False
    system.observe_rates(np.zeros(1), np.concatenate([c.q0, c.v0, c.z0])[None])
    m = int(system.table[L.N_ROW])
    gap = np.abs(system.work[int(system.table[L.W_G]) :][:m]).max(initial=0.0)
    rate = np.abs(system.work[int(system.table[L.W_GDOT]) :][:m]).max(initial=0.0)
    closed = bool(gap <= 1e-12 * max(1.0, system.params[L.REACH]) and rate == 0.0)
    return closed and flat_formula(system, system.y0) is None


def with_turned_joints(model: Model) -> Model:
    """A copy whose ball and free joints lead away from the ground, with the same initial positions and speeds of bodies.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Ball("B", "bob", "ground"))
    >>> with_turned_joints(m).joints["B"].child
    'bob'
    """
    depth, copy = _depths(model), model.copy()
    for name, joint in model.joints.items():
        if joint.coordinates != "angles" and depth[str(joint.child)] < depth[str(joint.parent)]:
            copy._joints[name] = _turned(model, joint)
    return copy


def _depths(model: Model) -> dict[str, int]:
    """Joints between every body and the ground; parts that float begin with their first body."""
    beside: dict[str, list[str]] = {name: [] for name in ("ground", *model.bodies)}
    apart = set(open_joints(model))
    for joint in (joint for name, joint in model.joints.items() if name not in apart):
        beside[str(joint.parent)].append(str(joint.child))
        beside[str(joint.child)].append(str(joint.parent))
    depth: dict[str, int] = {}
    for root in beside:
        front = [root] if root not in depth else []
        depth.setdefault(root, 0)
        while front:
            reached = [(b, depth[a] + 1) for a in front for b in beside[a] if b not in depth]
            depth |= dict(reached)
            front = [b for b, _ in dict(reached).items()]
    return depth


def _turned(model: Model, joint: Any) -> Any:
    """A ball or free joint with parent and child exchanged: the same relative position and motion, seen from the other."""
    placed = placements(model)
    first, second = placed[str(joint.parent)], placed[str(joint.child)]
    drawn = np.array((first.inverse() @ second).rotation_matrix)
    turn = np.array(rotation_matrix(joint.q[-4:]))
    R = drawn @ turn  # child → parent, now
    w = -R @ np.array(joint.v[-3:])
    four = quaternion(drawn @ turn.T @ drawn.T)  # R(q') with Rᵀ = drawnᵀ R(q')
    q, v = tuple(four), tuple(w)
    if joint.coordinates == "free":
        axes = np.array(first.rotation_matrix)
        if joint.uses_frames and joint.parent_frame is not None:
            axes = axes @ np.array(joint.parent_frame.rotation_matrix)
        frame = np.eye(3) if not joint.uses_frames else axes
        shift = np.array(first.rotation_matrix).T @ frame @ np.array(joint.q[:3])
        p = np.array((first.inverse() @ second).position) + shift  # child's origin seen from the parent, parent axes
        back = -R.T @ p - np.array((second.inverse() @ first).position)
        other = np.array(second.rotation_matrix)
        if joint.uses_frames:
            other = other @ np.array(joint.child_frame.rotation_matrix if joint.child_frame else np.eye(3))
            q = (*(other.T @ np.array(second.rotation_matrix) @ back), *four)
        else:
            q = (*(other @ back), *four)
        v = (*(-R @ np.array(joint.v[:3]) - np.cross(w, p)), *w)
    at = joint.at if joint.uses_frames or joint.at is not None else placed[str(joint.child)].position
    exchanged = {"parent": joint.child, "child": joint.parent, "at": at, "q": q, "v": v}
    exchanged |= {"parent_frame": joint.child_frame, "child_frame": joint.parent_frame}
    return replace(joint, **exchanged, torque=0.0, damping=0.0, stiffness=0.0)
