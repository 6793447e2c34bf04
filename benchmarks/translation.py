"""The same mechanism for Pinocchio and MuJoCo: hinges along a coordinate axis, balls, free bodies, drawn without rotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import sharnir as sr

Map = Callable[[np.ndarray], np.ndarray]


def places(system: Any) -> list[tuple[Any, sr.Body, int, np.ndarray]]:
    """(joint, child, number of the parent, joint origin in the drawing) in regular numbering."""
    model, tree, found = system.model, system.tree, []
    for i, (joint, name) in enumerate(zip(tree.joints, tree.bodies, strict=True)):
        body = model.bodies[name]
        found.append((joint, body, tree.parent[i], np.array(joint.at if joint.at is not None else body.position)))
    return found


def letter(joint: sr.Revolute) -> str:
    """The coordinate axis of a hinge: x, y or z."""
    return "xyz"[int(np.argmax(joint.freedoms[0].axis))]


def pinocchio_model(system: Any) -> Any:
    """pin.Model with the same bodies, joints and inertias."""
    import pinocchio as pin

    model, numbers, found = pin.Model(), [], places(system)
    model.gravity.linear = np.array(system.model.gravity)
    for joint, body, parent, at in found:
        if isinstance(joint, sr.Revolute):
            kind = getattr(pin, f"JointModelR{letter(joint).upper()}")()
        else:
            kind = pin.JointModelSpherical() if isinstance(joint, sr.Ball) else pin.JointModelFreeFlyer()
        origin = at - (found[parent][3] if parent >= 0 else 0.0)
        number = model.addJoint(numbers[parent] if parent >= 0 else 0, kind, pin.SE3(np.eye(3), origin), joint.name)
        inertia = pin.Inertia(body.mass, np.array(body.position) + body.com - at, np.array(body.inertia_matrix))
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
        numbers.append(number)
    return model


def pinocchio_order(system: Any, model: Any) -> tuple[Map, Map]:
    """Maps of q and v to Pinocchio's order; its quaternions are (x, y, z, w)."""
    q_index, v_index = np.zeros(system.n_q, int), np.zeros(system.n_v, int)
    for name, (q, n_q, v, n_v) in system.assembly.coordinates.ranges.items():
        joint = model.joints[model.getJointId(name)]
        order = {1: [0], 4: [1, 2, 3, 0], 7: [0, 1, 2, 4, 5, 6, 3]}[n_q]
        q_index[joint.idx_q : joint.idx_q + n_q] = q + np.array(order)
        v_index[joint.idx_v : joint.idx_v + n_v] = v + np.arange(n_v)
    return lambda q: np.ascontiguousarray(q[..., q_index]), lambda v: np.ascontiguousarray(v[..., v_index])


def mujoco_model(system: Any) -> Any:
    """mujoco.MjModel with the same bodies, joints and inertias; nothing touches, nothing is limited."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.option.gravity = system.model.gravity
    spec.compiler.balanceinertia = False
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    bodies, found = [], places(system)
    for joint, body, parent, at in found:
        origin = at - (found[parent][3] if parent >= 0 else 0.0)
        above = bodies[parent] if parent >= 0 else spec.worldbody
        J = np.array(body.inertia_matrix)
        new = above.add_body(name=body.name, pos=origin, mass=body.mass, ipos=np.array(body.position) + body.com - at)
        new.fullinertia = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        new.explicitinertial = True
        if isinstance(joint, sr.Revolute):
            new.add_joint(name=joint.name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=np.eye(3)["xyz".index(letter(joint))])
        elif isinstance(joint, sr.Ball):
            new.add_joint(name=joint.name, type=mujoco.mjtJoint.mjJNT_BALL)
        else:
            new.add_freejoint(name=joint.name)
        bodies.append(new)
    return spec.compile()


def mujoco_accelerations(system: Any, model: Any, data: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """v̇ by mj_forward in our order: MuJoCo measures a free body's linear velocity in world axes, we in body axes."""
    import mujoco

    _set_mujoco_state(system, model, data, q, v)
    mujoco.mj_forward(model, data)
    vdot = np.zeros(system.n_v)
    for name, (q0, n_q, v0, n_v) in system.assembly.coordinates.ranges.items():
        at = model.joint(name).dofadr[0]
        part = data.qacc[at : at + n_v].copy()
        if n_q == 7:
            R = _rotation(q[q0 + 3 : q0 + 7])
            part[:3] = R.T @ part[:3] - np.cross(v[v0 + 3 : v0 + 6], v[v0 : v0 + 3])
        vdot[v0 : v0 + n_v] = part
    return vdot


def _set_mujoco_state(system: Any, model: Any, data: Any, q: np.ndarray, v: np.ndarray) -> None:
    for name, (q0, n_q, v0, n_v) in system.assembly.coordinates.ranges.items():
        joint = model.joint(name)
        x, u = q[q0 : q0 + n_q].copy(), v[v0 : v0 + n_v].copy()
        if n_q == 7:
            x[:3] += model.body(joint.bodyid[0]).pos
            u[:3] = _rotation(x[3:]) @ u[:3]
        data.qpos[joint.qposadr[0] : joint.qposadr[0] + n_q] = x
        data.qvel[joint.dofadr[0] : joint.dofadr[0] + n_v] = u


def _rotation(e: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion (w, x, y, z)."""
    w, r = e[0], e[1:]
    cross = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross
