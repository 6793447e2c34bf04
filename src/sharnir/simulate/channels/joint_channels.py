"""Channels of joints: coordinates, speeds, accelerations, drives and reactions, of joints in the tree and of cut ones alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sharnir.dynamics.inverse.joint_reactions import in_joint_axes, tree_reaction
from sharnir.model import Model
from sharnir.model.element import WRENCH, WRENCH_UNITS
from sharnir.model.forces import ForceElement, FreedomForce
from sharnir.model.formula import parse
from sharnir.model.frames import Frame, quaternion, rotation_matrix
from sharnir.model.placement import placements
from sharnir.results import Channel
from sharnir.simulate.channels.channel_groups import Observer

XYZ = ("x", "y", "z")
AT_REST = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, *np.zeros(6)])  # position, quaternion, velocity, angular velocity
PER = {"q": "", "v": "/s", "a": "/s²"}
ORDERS = {"q": 0, "v": 1, "a": 2}


def joint_keys(joint: Any) -> tuple[str, ...]:
    """Quantities of a joint's motion."""
    if joint.n_v == 0:
        return ()
    return ("q", "v", "a", "drive") if any(joint.driven) else ("q", "v", "a")


def joint_channel(o: Observer, joint: Any, body: str, key: str) -> Channel:
    """One channel of a joint; `body`: the one that the tree reaches by it, "" if it is cut."""
    name, several, labels = f"{joint.name}.{key}", joint.n_v > 1, component_labels(joint, key)
    if key in ("reaction", "reaction_local"):
        return Channel(name, partial(_reaction_values, o, joint, body, key == "reaction_local"), WRENCH_UNITS, labels)
    if joint.coordinates != "angles":
        units = joint.coordinate_units if key == "q" else [u + PER[key] for u in joint.units]
        compute = _tree_quaternion if body else _cut_quaternion
        return Channel(name, partial(compute, o, joint, key), units, labels)
    rows = freedom_rows(o, joint)
    if key == "drive":
        compute, units = partial(_drive_values, o, rows), ["N" if u == "m" else "N m" for u in joint.units]
    else:
        units = [u + PER[key] for u in joint.units]
        compute = partial(_freedom_values, o, joint, rows, ORDERS[key], not body)
    return Channel(name, compute, units if several else units[0], labels or None)


def component_labels(joint: Any, key: str) -> tuple[str, ...]:
    """Names of the components of a channel of a joint; none if it is one number."""
    if key in ("reaction", "reaction_local"):
        return WRENCH
    if joint.coordinates != "angles":
        return joint.coordinate_names if key == "q" else joint.freedom_names
    return joint.freedom_names if joint.n_v > 1 else ()


def freedom_rows(o: Observer, joint: Any) -> list[Any]:
    """The elementary freedoms of a joint."""
    c = o.system.assembly.coordinates
    return [c.freedoms[f] for f in c.joint_freedoms[joint.name]]


def _freedom_values(o: Observer, joint: Any, rows: list[Any], k: int, cut: bool) -> np.ndarray:
    """Coordinate (k = 0), speed (1) or acceleration (2) of some freedoms, free or prescribed."""
    columns = []
    for row in rows:
        if row.motion is not None:
            columns.append(o.motions()[:, o.motion_number(row), k])
        elif cut:
            columns.append(_cut_values(o, joint, row, k))
        elif k == 2:
            columns.append(o.accelerations()[:, row.speed])
        else:
            columns.append(o.y[:, row.coordinate if k == 0 else o.system.n_q + row.speed])
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def _cut_values(o: Observer, joint: Any, row: Any, k: int) -> np.ndarray:
    """Of a cut joint: tracked coordinates are part of the state, the rest follows from the bodies' motion."""
    s = o.system
    if k == 0:
        return o.y[:, s.n_q + s.n_v + s.assembly.coordinates.first_z[joint.name] + row.coordinate]
    return o.cut_motion(o.cut_number(joint.name))[:, (0, 7, 13)[k] + row.speed]


def _tree_quaternion(o: Observer, joint: Any, key: str) -> np.ndarray:
    """Coordinates with a quaternion among them, speeds and accelerations in body axes."""
    q, n_q, v, n_v = o.system.assembly.coordinates.ranges[joint.name]
    if key == "q":
        return o.y[:, q : q + n_q]
    return o.y[:, o.system.n_q + v :][:, :n_v] if key == "v" else o.accelerations()[:, v : v + n_v]


def _cut_quaternion(o: Observer, joint: Any, key: str) -> np.ndarray:
    """The same of a cut ball or free joint; the quaternion's sign is the one that makes its course continuous."""
    motion = o.cut_motion(o.cut_number(joint.name))
    if key != "q":
        first = 7 if key == "v" else 13
        return motion[:, first : first + joint.n_v]
    q = motion[:, : joint.n_q].copy()
    e = q[:, -4:]
    turns = np.sign(np.sum(e * np.vstack([joint.q[-4:], e[:-1]]), axis=1))
    e *= np.cumprod(np.where(turns < 0, -1.0, 1.0))[:, None]
    if joint.n_q == 7:
        q[:, :3] = q[:, :3] @ _shift_axes(o, joint).T
    return q


def _shift_axes(o: Observer, joint: Any) -> np.ndarray:
    """Axes of the child in the drawing → axes in which a free joint counts its shift: the drawing's, or the parent frame's."""
    place = o.system.assembly.placement
    child, parent = place.number[str(joint.child)], place.number[str(joint.parent)]
    turn = place.user_rotation[child]
    if joint.uses_frames:
        above = place.user_rotation[parent] if parent >= 0 else np.eye(3)
        frame = np.array(rotation_matrix(joint.parent_frame.rotation)) if joint.parent_frame else np.eye(3)
        turn = (above @ frame).T @ turn
    return turn


def _drive_values(o: Observer, rows: list[Any]) -> np.ndarray:
    """Force or torque that prescribed freedoms need; zero for free ones."""
    zero = np.zeros(len(o.t))
    columns = [o.drives()[:, o.motion_number(row)] if row.motion is not None else zero for row in rows]
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def _reaction_values(o: Observer, joint: Any, body: str, local: bool) -> np.ndarray:
    """Force and torque on the joint's child, about its own joint point; world axes, or axes of the joint."""
    reaction = joint_reaction(o, joint, body)
    return in_joint_axes(o.system, joint, reaction, o.body) if local else reaction


def joint_reaction(o: Observer, joint: Any, body: str) -> np.ndarray:
    """(nt, 6) force and torque on the joint's child, about its own joint point, world axes; `body` as in `joint_channel`."""
    if o.system.least_norm_twin is not None:
        return o.least_reactions()[joint.name]
    if body:
        return tree_reaction(o.system, joint, body, o.body, len(o.t))
    return o.cut_reactions()[:, o.cut_number(joint.name)]


def quaternion_values(o: Observer, placed: dict[str, Frame], joint: Any) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds of a ball or free joint from the motion of its two bodies; speeds are in axes of the child."""
    first, second = placed[str(joint.parent)], placed[str(joint.child)]
    a, b = body_motion(o, str(joint.parent)), body_motion(o, str(joint.child))
    A, B = np.array(rotation_matrix(a[3:7])), np.array(rotation_matrix(b[3:7]))
    drawn = first.inverse() @ second
    turn = quaternion(np.array(drawn.rotation_matrix).T @ A.T @ B)
    w = B.T @ (b[10:13] - a[10:13])
    if joint.coordinates != "free":
        return np.array(turn), w
    arm = b[:3] - a[:3]
    axes = np.eye(3)  # of the shift: those of the drawing, or of the joint's frame on the parent
    if joint.uses_frames:
        axes = np.array((first @ (joint.parent_frame or Frame())).rotation_matrix)
    shift = axes.T @ np.array(first.rotation_matrix) @ (A.T @ arm - np.array(drawn.position))
    return np.array([*shift, *turn]), np.array([*(B.T @ (b[7:10] - a[7:10] - np.cross(a[10:13], arm))), *w])


def body_motion(o: Observer, body: str) -> np.ndarray:
    """Position, quaternion, velocity and angular velocity of a body at the first time, world axes."""
    i = o.system.assembly.placement.number.get(body, -1)
    return AT_REST if i < 0 else o.body(i)[0][0, :13]


def freedom_channel(model: Model, force: ForceElement, key: str, values: Callable[[str], np.ndarray]) -> Channel:
    """What a force along a freedom reports; `values` gives those of another channel."""
    along = force.along_freedom(model.joints)
    assert along is not None
    unit = model.joints[along.joint].units[along.freedom]
    if force.freedom_outputs[key] == "force":
        unit = "N" if unit == "m" else "N m"
    return Channel(f"{force.name}.{key}", partial(_reported_values, model, force, along, key, values), unit)


def _reported_values(
    model: Model, force: ForceElement, along: FreedomForce, key: str, values: Callable[[str], np.ndarray]
) -> np.ndarray:
    q, v = (_column(values(f"{along.joint}.{x}"), along.freedom) for x in "qv")
    formula = parse(force.freedom_formula(key, model.joints), ("q", "v"), model.parameters)
    return np.array([formula.evaluate(q=a, v=b) for a, b in zip(q.tolist(), v.tolist(), strict=True)])


def _column(values: np.ndarray, freedom: int) -> np.ndarray:
    return values if values.ndim == 1 else values[:, freedom]


def held_channel(o: Observer, joint: Any, key: str) -> Channel:
    """Coordinates (key "q"), speeds or accelerations of a joint that is locked; `joint` as the model has it."""
    units = joint.coordinate_units if key == "q" else [unit + PER[key] for unit in joint.units]
    return Channel(f"{joint.name}.{key}", partial(_held_values, o, joint, key), units, component_labels(joint, key))


def _held_values(o: Observer, joint: Any, key: str) -> np.ndarray:
    if key != "q":
        return np.zeros((len(o.t), joint.n_v))
    first = Observer(o.system, o.t[:1], o.y[:1])
    q, _ = quaternion_values(first, placements(o.system.model), joint)
    return np.tile(q, (len(o.t), 1))
