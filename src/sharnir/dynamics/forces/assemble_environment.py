"""Motors, drag and central gravity → records of force elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.forces.drag_and_gravity import CENTRAL_GRAVITY, DRAG
from sharnir.dynamics.forces.force_elements import force_function
from sharnir.dynamics.forces.motor import MOTOR
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.blocks import Blocks
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.errors import ModelError
from sharnir.model import CentralGravity, Drag, Motor, Prismatic


def motor_row(blocks: Blocks, row: np.ndarray, force: Motor, drawing: Drawing) -> None:
    """The record of a motor."""
    place, joint, functions = drawing.place, drawing.model.joints[str(force.joint)], drawing.functions
    force.check_joint(joint)
    child, axis = place.number[str(joint.child)], drawing.joint_axis(joint)
    entries = (force.torque, 0.0 if force.command is None else force.command)
    values = [x if isinstance(x, float) else 0.0 for x in entries]
    numbers = [float(isinstance(joint, Prismatic)), *place.point(child, drawing.joint_point(joint))]
    numbers += [*(axis if child < 0 else place.rotation[child].T @ axis), force.ratio, force.efficiency, *values]
    row[L.BODY_A], row[L.BODY_B] = place.number[str(joint.parent)], child
    row[L.F_PARAMS] = blocks.append("params", None, [*numbers, float(force.command is not None)])
    row[L.FUNCTION] = force_function(MOTOR)
    for k, x in enumerate(entries):
        row[L.FUNCTION + 1 + k] = 0 if isinstance(x, float) else functions.scalar(x, ("v", "t"), force.label)


def drag_row(blocks: Blocks, row: np.ndarray, force: Drag, drawing: Drawing) -> None:
    """The record of drag."""
    place, functions, i = drawing.place, drawing.functions, drawing.place.number[str(force.body)]
    if i < 0:
        raise ModelError(f"{force.label}: body = {force.body!r} does not move; name another body", field="body")
    if force.linear == 0.0 and (force.area == 0.0 or force.coefficient == 0.0):
        message = f"{force.label}: area = {force.area:g}, coefficient = {force.coefficient!r} give no drag"
        raise ModelError(f"{message}; say area and coefficient (of v²), or linear (of v)", field="coefficient")
    centre = place.user_position[i] + place.user_rotation[i] @ np.array(drawing.model.body(str(force.body)).com)
    point = place.point(i, centre if force.at is None else np.array(force.at))
    entries: list[tuple[Any, tuple[str, ...]]] = [(x, ("t",)) for x in force.wind]
    entries += [(force.density, ("h",)), (0.0 if force.sound is None else force.sound, ("h",)), (force.coefficient, ("x", "h"))]
    entries.append((force.linear, ("h",)))
    values = [x if isinstance(x, float) else 0.0 for x, _ in entries]
    addresses = [0 if isinstance(x, float) else functions.scalar(x, names, force.label) for x, names in entries]
    row[L.BODY_A], row[L.BODY_B] = i, -1
    row[L.F_PARAMS] = blocks.append("params", None, [*point, force.area, *values])
    row[L.FUNCTION], row[L.FUNCTION + 1] = force_function(DRAG), blocks.append("table", None, addresses)


def gravity_row(blocks: Blocks, row: np.ndarray, force: CentralGravity, drawing: Drawing) -> None:
    """The record of central gravity: all bodies with mass, flexible ones too, but the centre's own."""
    place, i = drawing.place, drawing.place.number[str(force.body)]
    R, r = (np.eye(3), np.zeros(3)) if i < 0 else (place.user_rotation[i], place.user_position[i])
    axis = R @ np.array(force.axis)
    own = {name for name in drawing.coordinates.elastic if str(force.body).startswith(f"{name}:")}  # the centre is its node
    itself = {i, *(place.number[name] for name in own)}
    bodies = [j for j in range(len(place.parent)) if place.mass[j] > 0.0 and j not in itself]
    numbers = [*place.point(i, r + R @ np.array(force.center)), *(axis if i < 0 else place.rotation[i].T @ axis)]
    row[L.BODY_A], row[L.BODY_B] = i, -1
    row[L.F_PARAMS] = blocks.append("params", None, [*numbers, force.mu, force.J2 * (force.radius or 0.0) ** 2])
    row[L.FUNCTION], row[L.FUNCTION + 1] = force_function(CENTRAL_GRAVITY), blocks.append("table", None, [len(bodies), *bodies])
