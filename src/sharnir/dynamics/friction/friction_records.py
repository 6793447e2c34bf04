"""Friction in joints → records of force elements, of the loop that finds their loads, and states of bristles."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.forces.force_records import force_record, forces_on_bodies
from sharnir.dynamics.friction.joint_friction import FRICTION, FRICTION_PARAMS, FRICTION_WORK
from sharnir.dynamics.friction.load_equations import HEADER, MOST, VECTORS
from sharnir.dynamics.memory import late_sensor_layout as O
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.engine_frames import in_axes
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.dynamics.signals.late_sensor_records import fill_reaction
from sharnir.errors import ModelError
from sharnir.model import FormulaJoint, JointFriction, Model
from sharnir.topology import Tree

KINDS = ("revolute", "prismatic", "cylindrical", "ball")
SLIDING = {"revolute": 1, "prismatic": 1, "cylindrical": 2, "ball": 3}


def frictions(model: Model) -> list[JointFriction]:
    """Elements of friction, in the order of the model's forces."""
    return [force for force in model.forces.values() if isinstance(force, JointFriction)]


def bristle_names(model: Model) -> list[str]:
    """Names of all states of bristles."""
    return [name for force in frictions(model) for name in names_of(force, model)]


def names_of(force: JointFriction, model: Model) -> list[str]:
    """Names of the states of one element; none without bristles."""
    n = SLIDING[force.kind(model.joints[str(force.joint)])]
    if not force.bristles:
        return []
    return [f"{force.name}.z"] if n == 1 else [f"{force.name}.z.{k + 1}" for k in range(n)]


def add_bristles(model: Model, coordinates: Any) -> None:
    """States of bristles behind the tracked coordinates of cut joints."""
    names = bristle_names(model)
    coordinates.z_names.extend(names)
    coordinates.z0.extend([0.0] * len(names))


@force_record(JointFriction, FRICTION)
def friction_row(blocks: Blocks, row: np.ndarray, force: JointFriction, drawing: Drawing) -> None:
    """The record of one element."""
    place, joint = drawing.place, drawing.model.joints[str(force.joint)]
    kind = force.kind(joint)
    child = place.number[str(joint.child)]
    point, axis, freedom = drawing.joint_point(joint), np.zeros(3), -1
    if isinstance(joint, FormulaJoint):
        freedom = sliding_freedom(force, joint, drawing)
    else:
        axis = drawing.joint_axis(joint)
    radius = force.radius or 0.0
    ring = 0.0 if not radius else (radius if force.axial_radius is None else force.axial_radius) / radius
    numbers = [KINDS.index(kind), *place.point(child, point), *(axis if child < 0 else in_axes(place.rotation[child], axis))]
    numbers += [force.coefficient, force.static, force.stribeck_speed, force.viscous]
    numbers += [radius, ring, force.length or 0.0, force.width or 0.0, force.preload]
    numbers += [float(force.bristles), force.smoothing, force.stiffness or 0.0, force.damping or 0.0, float(freedom)]
    assert len(numbers) == FRICTION_PARAMS
    row[L.BODY_A], row[L.BODY_B] = place.number[str(joint.parent)], child
    row[L.F_PARAMS] = blocks.append("params", None, numbers)
    row[L.F_DATA] = blocks.append("work", None, np.zeros(FRICTION_WORK))


def sliding_freedom(force: JointFriction, joint: FormulaJoint, drawing: Drawing) -> int:
    """The freedom of a joint by formulas along which it slides; the tree must lead to its child by it."""
    c = drawing.coordinates
    row = c.joint_freedoms[joint.name][0]
    if joint.name in c.cuts or c.freedoms[row].body != drawing.place.number[str(joint.child)]:
        way = "closes a loop" if joint.name in c.cuts else "leads from its child to its parent"
        raise ModelError(
            f"{force.label}: joint = {joint.name!r} {way} here, where friction of a joint by formulas is not known; exchange "
            "parent and child, let another joint close the loop, or use formulation='joint'",
            field="joint",
        )
    return row


def append_friction(blocks: Blocks, drawing: Drawing, tree: Tree) -> None:
    """Records of the loop and its memory; force records stand in the table by now."""
    elements, c = frictions(drawing.model), drawing.coordinates
    if not elements:
        return
    forces = [force.name for force in forces_on_bodies(drawing.model)]
    rows = []
    for force in elements:
        where = np.zeros(O.OBSERVED_SIZE, np.int64)
        fill_reaction(blocks, where, str(force.joint), drawing, tree)
        names = names_of(force, drawing.model)
        first = c.z_names.index(names[0]) if names else 0
        at = int(blocks.header[L.T_FORCE]) + L.T_FORCE_SIZE * forces.index(force.name)
        rows.append([at, where[O.KIND], where[O.A], where[O.SIGN], first, len(names)])
    m, bodies = len(rows), len(drawing.place.parent)
    most = min(m, MOST)
    size = c.n_v + int(blocks.header[L.N_ROW]) + L.W_EXTERNAL_SIZE * bodies
    own = blocks.append("work", None, np.zeros(VECTORS + m * (14 + most + 6 * most) + (2 + most) * size))
    saved = blocks.append("work", None, np.zeros(L.W_EXTERNAL_SIZE * bodies))
    cuts = blocks.append("work", None, np.zeros(6 * int(blocks.header[L.N_ELEMENT])))
    head = np.array([m, own, saved, cuts])
    assert len(head) == HEADER
    blocks.append("table", L.T_FRICTION, np.concatenate([head, np.array(rows).ravel()]))
