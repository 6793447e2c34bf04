"""Springs and drives in freedoms that events have locked: they exert no force, but keep their energy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.c_functions import Functions, formula_function
from sharnir.dynamics.memory.coordinates import Coordinates
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.model import Model
from sharnir.model.formula import parse
from sharnir.model.frames import Frame, rotation_matrix
from sharnir.model.links import referenced_joints
from sharnir.model.placement import joint_frames

VARIABLES = ("q", "v", "t")
Spring = tuple[str, int, float, float, float, Any]  # joint, freedom, constant, stiffness, rest, function or None


def append_held_springs(blocks: Blocks, model: Model, c: Coordinates, functions: Functions, placed: dict[str, Frame]) -> None:
    """Records of what rests in held freedoms: which motion gives its coordinate (-1: a number), and its function."""
    rows: list[tuple[int, ...]] = []
    numbers: list[tuple[float, ...]] = []
    for joint, k, constant, stiffness, rest, entry in resting_springs(model):
        at = c.joint_freedoms[joint][k]
        motion = sum(row.motion is not None for row in c.freedoms[:at])
        rows.append((motion, *resting_function(blocks, entry, f"joint '{joint}'", functions)))
        numbers.append((constant, stiffness, rest, 0.0))
    for given in model.resting_joints.values():
        held = model.joints[given.name]
        if given.coordinates == "ball" and held.coordinates == "angles" and any(given.stiffness):
            rows.append((-1, 0, 0, 0))
            numbers.append((0.0, given.stiffness[0], 0.0, held_angle(given, held, placed)))
    blocks.header[L.N_HELD_SPRING] = len(rows)
    blocks.append("table", L.T_HELD_SPRING, np.array(rows, np.int64).reshape(-1, L.T_HELD_SPRING_SIZE))
    blocks.append("params", L.P_HELD_SPRING, np.array(numbers).reshape(-1, L.P_HELD_SPRING_SIZE))


def resting_springs(model: Model) -> list[Spring]:
    """Springs and drives of joints, and forces along freedoms, where the freedom is held and was not meant to be."""
    found: list[Spring] = []
    for given in model.resting_joints.values():
        held = model.joints[given.name]
        if given.coordinates == held.coordinates == "angles":
            for k in range(given.n_v):
                entry = given.torque[k]
                constant, function = (entry, None) if isinstance(entry, float) else (0.0, entry)
                if held.motion[k] is not None and (given.stiffness[k] or entry != 0.0):
                    found.append((given.name, k, constant, given.stiffness[k], given.rest[k], function))
    joints = {**model.joints, **model.resting_joints}
    for force in model.resting_forces.values():
        along = force.along_freedom(joints) if all(name in joints for _, name in referenced_joints(force)) else None
        there = None if along is None else model.joints.get(along.joint)
        if along is None or there is None or there.coordinates != "angles" or there.motion[along.freedom] is None:
            continue
        constant, function = (along.torque, None) if isinstance(along.torque, float) else (0.0, along.torque)
        # as in force_records: a spring with another rest value is one with the joint's and a constant force
        rest = joints[along.joint].rest[along.freedom]
        constant += along.stiffness * (along.angle - rest)
        found.append((along.joint, along.freedom, constant, along.stiffness, rest, function))
    return found


def resting_function(blocks: Blocks, entry: Any, label: str, functions: Functions) -> tuple[int, int, int]:
    """Address of a function that is only integrated over its coordinate, and what is known of that; zeros if there is none."""
    if entry is None:
        return 0, 0, 0
    if not isinstance(entry, str):
        address = functions.scalar(entry, VARIABLES, label)
    elif parse(entry, VARIABLES, None).names & set(functions.signals):
        return 0, 0, 0  # a function of signals has no potential
    else:
        address = functions.keep(formula_function(parse(entry, VARIABLES, functions.parameters), VARIABLES), label)
    integral, found = functions.integral(entry, VARIABLES, label)
    return address, integral, 0 if found is None else blocks.append("params", None, list(found))


def held_angle(given: Any, held: Any, placed: dict[str, Frame]) -> float:
    """How far a ball joint is turned that a weld holds [rad]; the weld's coordinates count from the drawing."""
    rz, ry, rx = (float(value) for value in held.motion[3:])
    X = _about(2, rz) @ _about(1, ry) @ _about(0, rx)
    a, b = (np.array(rotation_matrix(placed[name].rotation)) for name in (str(given.parent), str(given.child)))
    on_a, on_b = (np.array(rotation_matrix(frame.rotation)) for frame in joint_frames(given, placed))
    turn = on_a.T @ (a.T @ X @ b) @ on_b
    axis = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return math.atan2(float(np.linalg.norm(axis)), float(np.trace(turn)) - 1.0)


def _about(axis: int, angle: float) -> np.ndarray:
    c, s, (i, j) = math.cos(angle), math.sin(angle), ((axis + 1) % 3, (axis + 2) % 3)
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R
