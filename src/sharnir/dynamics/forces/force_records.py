"""Force elements of a model → their records in the engine's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.blocks import Blocks
from sharnir.dynamics.memory.c_functions import Functions
from sharnir.dynamics.memory.coordinates import Coordinates
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.engine_frames import Placement
from sharnir.errors import ModelError
from sharnir.model import Bushing, Force, JointForce, JointLimit, Model, Spring, Torque, TorsionSpring, UserForce
from sharnir.model.frames import rotation_matrix

COORDINATE = ("q", "v", "t")
# of a kind with a C function of its own: what fills BODY_A, BODY_B, F_PARAMS and FUNCTION of its record
RowWriter = Callable[[Blocks, np.ndarray, Any, Drawing], None]


def append_coordinate_forces(blocks: Blocks, model: Model, c: Coordinates, functions: Functions) -> None:
    """Drives, dampers and springs along coordinates: linear parts as numbers, the rest as functions."""
    linear = np.zeros((c.n_v, L.P_COORDINATE_SIZE))
    calls: list[tuple[int, int, int]] = []
    balls: list[tuple[int, int]] = []
    for joint in model.joints.values():
        if joint.name in c.cuts:
            continue  # append_cut_forces
        for k in range(joint.n_v):
            entry = joint.torque[k]
            if (joint.name, k) not in c.speed_of:
                if entry != 0.0 or (all(joint.driven) and (joint.damping[k] or joint.stiffness[k])):
                    raise ModelError(
                        f"joint '{joint.name}': freedom {k} has a prescribed motion; "
                        "its torque, damping and stiffness have no effect, remove them"
                    )
                continue
            speed = c.speed_of[joint.name, k]
            linear[speed, 1:] = joint.damping[k], joint.stiffness[k], joint.rest[k]
            _add_torque(linear, calls, entry, joint.name, k, c, functions, f"joint '{joint.name}'")
        if joint.coordinates != "angles" and any(joint.stiffness):
            if joint.coordinates == "free":
                raise ModelError(f"joint '{joint.name}': stiffness has no meaning in a free joint; use a Bushing")
            balls.append((c.speed_of[joint.name, 0], c.ranges[joint.name][0]))
    for force in model.forces.values():
        if isinstance(force, JointLimit):
            force = force.joint_force(model.joints)
        if isinstance(force, (JointForce, TorsionSpring)) and force.joint not in c.cuts:
            _add_joint_element(linear, calls, force, model, c, functions)
    of_speed = np.full(c.n_v, -1, np.int64)
    for key, speed in c.speed_of.items():
        of_speed[speed] = c.coordinate_of.get(key, -1)
    blocks.header[L.HAS_COORDINATE_FORCE] = int(np.any(linear[:, :3]))
    blocks.header[L.N_JOINT_FORCE], blocks.header[L.N_BALL_SPRING] = len(calls), len(balls)
    blocks.append("params", L.P_COORDINATE, linear)
    blocks.append("table", L.T_COORDINATE, of_speed)
    blocks.append("table", L.T_JOINT_FORCE, np.array(calls, np.int64))
    blocks.append("table", L.T_BALL_SPRING, np.array(balls, np.int64))


def _add_torque(
    linear: np.ndarray, calls: list, entry: Any, joint: str, k: int, c: Coordinates, functions: Functions, label: str
) -> None:
    """A constant goes to the numbers, anything else becomes a function of (q, v, t)."""
    speed = c.speed_of[joint, k]
    if isinstance(entry, float):
        linear[speed, 0] += entry
    else:
        # a quaternion has no single angle: its formulas do not contain q, any coordinate may stand in
        coordinate = c.coordinate_of.get((joint, k), c.ranges[joint][0])
        calls.append((speed, coordinate, functions.scalar(entry, COORDINATE, label)))


def _add_joint_element(linear: np.ndarray, calls: list, force: Any, model: Model, c: Coordinates, functions: Functions) -> None:
    joint, k = model.joints[force.joint], force.freedom
    if k >= joint.n_v:
        raise ModelError(f"{force.label}: freedom = {k} does not exist, joint '{joint.name}' has {joint.n_v}; count from 0")
    if (joint.name, k) not in c.speed_of:
        raise ModelError(
            f"{force.label}: freedom {k} of joint '{joint.name}' has a prescribed motion; a force there does nothing, remove one"
        )
    if joint.coordinates != "angles" and not isinstance(force.torque or 0.0, (int, float)):
        raise ModelError(
            f"{force.label}: joint '{joint.name}' has a quaternion and no single angle; use FreedomSequence or UserForce"
        )
    speed = c.speed_of[joint.name, k]
    if isinstance(force, TorsionSpring):
        if joint.coordinates != "angles" and force.stiffness:
            raise ModelError(f"{force.label}: joint '{joint.name}' has a quaternion and no single angle; use a Bushing")
        # two springs on one coordinate: -k1 (q - a1) - k2 (q - a2) is one spring and a constant
        linear[speed, 0] += force.stiffness * (force.angle - linear[speed, 3])
        linear[speed, 1] += force.damping
        linear[speed, 2] += force.stiffness
    if force.torque is not None:
        _add_torque(linear, calls, force.torque, joint.name, k, c, functions, force.label)


def forces_on_bodies(model: Model) -> list[Any]:
    """Force elements that have a record, in its order; the others act along coordinates."""
    return [f for f in model.forces.values() if not isinstance(f, (JointForce, TorsionSpring, JointLimit))]


def append_forces(blocks: Blocks, drawing: Drawing, writers: dict[type, RowWriter], constrained: bool = False) -> dict[str, int]:
    """Records of forces on bodies; returns where those that tell something leave their numbers in work."""
    model, place, functions = drawing.model, drawing.place, drawing.functions
    n = len(place.parent)
    elements = forces_on_bodies(model)
    blocks.append("work", L.W_REACTION, np.zeros((n, L.W_REACTION_SIZE)))
    blocks.append("work", L.W_POSE, np.zeros((n, L.W_POSE_SIZE)))
    blocks.append("work", L.W_EXTERNAL, np.zeros((n if elements or constrained else 0, L.W_EXTERNAL_SIZE)))
    blocks.header[L.N_FORCE] = len(elements)
    rows = np.zeros((len(elements), L.T_FORCE_SIZE), np.int64)
    outputs: dict[str, int] = {}
    for row, force in zip(rows, elements, strict=True):
        if isinstance(force, (Force, Torque)):
            _vector_row(blocks, row, force, model, place, functions)
        elif isinstance(force, Spring):
            outputs[force.name] = _spring_row(blocks, row, force, place, functions)
        elif isinstance(force, Bushing):
            outputs[force.name] = _bushing_row(blocks, row, force, place)
        elif isinstance(force, UserForce):
            outputs[force.name] = _user_row(blocks, row, force, place, functions)
        else:
            row[L.FORCE_KIND] = L.OWN_FUNCTION
            writers[type(force)](blocks, row, force, drawing)
            if force.outputs:
                row[L.W_OUT] = outputs[force.name] = blocks.append("work", None, np.zeros(output_count(force)))
    blocks.append("table", L.T_FORCE, rows)
    elastic = [f for f in elements if any(output[0] == "energy" for output in f.outputs)]
    blocks.header[L.N_POTENTIAL] = len(elastic)
    blocks.append("table", L.T_POTENTIAL, [outputs[f.name] + output_place(f, "energy") for f in elastic])
    return outputs


def output_count(force: Any) -> int:
    """How many numbers an element tells about itself."""
    return sum(len(labels) or 1 for _, _, labels in force.outputs)


def output_place(force: Any, key: str) -> int:
    """Place of a number among those that an element tells."""
    keys = [name for name, _, labels in force.outputs for _ in range(len(labels) or 1)]
    return keys.index(key)


def _vector_row(blocks: Blocks, row: np.ndarray, force: Any, model: Model, place: Placement, functions: Functions) -> None:
    i = place.number[force.body]
    turning = isinstance(force, Torque)
    entries = force.torque if turning else force.force
    kinds = (L.WORLD_TORQUE, L.BODY_TORQUE) if turning else (L.WORLD_FORCE, L.BODY_FORCE)
    row[L.FORCE_KIND], row[L.BODY_A], row[L.BODY_B] = kinds[force.axes == "body"], i, -1
    user_R, user_p = (np.eye(3), np.zeros(3)) if i < 0 else (place.user_rotation[i], place.user_position[i])
    at = None if turning else force.at
    world = user_p + user_R @ np.array(model.body(force.body).com) if at is None else np.array(at)
    turn = np.eye(3) if i < 0 else place.rotation[i].T @ user_R
    numbers = [x if isinstance(x, float) else 0.0 for x in entries]
    row[L.F_PARAMS] = blocks.append("params", None, [*place.point(i, world), *numbers, *turn.ravel()])
    for k, x in enumerate(entries):
        if not isinstance(x, float):
            row[L.FUNCTION + k] = functions.scalar(x, ("t",), force.label)


def _origin(place: Placement, name: str) -> np.ndarray:
    i = place.number[name]
    return np.zeros(3) if i < 0 else place.user_position[i]


def _spring_row(blocks: Blocks, row: np.ndarray, force: Spring, place: Placement, functions: Functions) -> int:
    i, j = place.number[str(force.a)], place.number[str(force.b)]
    a = _origin(place, str(force.a)) if force.at_a is None else np.array(force.at_a)
    b = _origin(place, str(force.b)) if force.at_b is None else np.array(force.at_b)
    length = float(np.linalg.norm(b - a)) if force.length is None else force.length
    row[L.FORCE_KIND], row[L.BODY_A], row[L.BODY_B] = L.SPRING, i, j
    row[L.F_PARAMS] = blocks.append(
        "params", None, [*place.point(i, a), *place.point(j, b), force.stiffness, force.damping, length]
    )
    if force.force is not None:
        row[L.FUNCTION] = functions.scalar(force.force, ("x", "v", "t"), force.label)
    row[L.W_OUT] = blocks.append("work", None, np.zeros(3))
    return int(row[L.W_OUT])


def _bushing_row(blocks: Blocks, row: np.ndarray, force: Bushing, place: Placement) -> int:
    i, j = place.number[str(force.a)], place.number[str(force.b)]
    world, at = np.array(rotation_matrix(force.rotation)), np.array(force.at)
    frames: list[float] = []
    for k in (i, j):
        turn = world if k < 0 else place.rotation[k].T @ world
        frames += [*turn.ravel(), *place.point(k, at)]
    row[L.FORCE_KIND], row[L.BODY_A], row[L.BODY_B] = L.BUSHING, i, j
    row[L.F_PARAMS] = blocks.append("params", None, [*frames, *force.stiffness, *force.damping, *force.preload])
    row[L.W_OUT] = blocks.append("work", None, np.zeros(6))
    return int(row[L.W_OUT])


def _user_row(blocks: Blocks, row: np.ndarray, force: UserForce, place: Placement, functions: Functions) -> int:
    numbers = [place.number[name] for name in force.bodies]
    if min(numbers) < 0:
        raise ModelError(f"{force.label}: bodies = {force.bodies!r} names the ground, which does not move; leave it out")
    n = len(numbers)
    row[L.FORCE_KIND], row[L.BODY_A], row[L.BODY_B] = L.USER, numbers[0], -1
    row[L.FUNCTION] = functions.body_force(force.function, force.label, n)
    row[L.FUNCTION + 1], row[L.FUNCTION + 2] = n, blocks.append("table", None, numbers)
    row[L.W_OUT] = blocks.append("work", None, np.zeros(24 * n))
    return int(row[L.W_OUT])
