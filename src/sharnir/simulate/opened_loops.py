"""A mechanism without its loops: the rigid analogue, and the tree on which previously computed reactions act."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.inverse.joint_reactions import rotations
from sharnir.errors import ModelError
from sharnir.model import Attachment, Body, Bushing, Fixed, FlexibleBody, Force, Model, Table, Torque
from sharnir.model.links import referenced_joints
from sharnir.model.placement import joint_frames, placements
from sharnir.results import Result

NOTHING = 1e-12  # of the largest force: what need not be applied


def rigid_analogue(model: Model) -> Model:
    """The same model with flexible bodies made rigid: mass, centre and inertia of the undeformed body, nodes fixed to it.

    >>> import sharnir as sr
    >>> from sharnir.flexible import Section, reduce, straight_beam
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> m = sr.Model()
    >>> _ = m.add(sr.FlexibleBody("beam", reduced=reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2)))
    >>> type(rigid_analogue(m).bodies["beam"]).__name__, list(rigid_analogue(m).joints)
    ('Body', ['beam:root', 'beam:tip'])
    """
    other = model.copy(f"{model.name} (rigid)")
    for body in model.bodies.values():
        if isinstance(body, FlexibleBody):
            other._bodies[body.name] = _rigid(body)
    for joint in model.joints.values():
        if isinstance(joint, Attachment):
            other._joints[joint.name] = Fixed(joint.name, joint.parent, joint.child)
    return other


def _rigid(body: FlexibleBody) -> Body:
    """A body with the mass of an undeformed flexible one."""
    names = ("position", "rotation", "velocity", "angular_velocity", "color")
    return Body(body.name, mass=body.mass, com=body.com, inertia=body.inertia, **{key: getattr(body, key) for key in names})


def joint_points(model: Model, name: str) -> tuple[np.ndarray, np.ndarray]:
    """A joint's point on its parent and on its child, each in that body's axes."""
    joint = model.joints[name]
    return tuple(np.array(frame.position) for frame in joint_frames(joint, placements(model)))  # type: ignore[return-value]


def point_motion(result: Result, body: str, point: np.ndarray) -> np.ndarray:
    """World positions of a point fixed in a body, (nt, 3)."""
    if body == "ground":
        return np.broadcast_to(point, (len(result.t), 3))
    return result[f"{body}.position"] + rotations(result[f"{body}.rotation"]) @ point


def joint_gap(model: Model, result: Result, name: str) -> np.ndarray:
    """Distance between the two points of a joint that must meet, (nt,) [m]."""
    joint, points = model.joints[name], joint_points(model, name)
    parent, child = (
        point_motion(result, str(body), point) for body, point in zip((joint.parent, joint.child), points, strict=True)
    )
    return np.linalg.norm(child - parent, axis=1)


def freed_model(model: Model, cuts: tuple[str, ...], rigid: Result) -> Model:
    """The model without the joints `cuts`; what passes through them in `rigid`, one period, acts on their bodies."""
    other = model.copy(f"{model.name} (freed)")
    for name in cuts:
        del other._joints[name]
    for element in list(other.forces.values()):
        if {joint for _, joint in referenced_joints(element)} & set(cuts):  # it is part of the reaction
            del other._forces[element.name]
    for joint in other.joints.values():
        if joint.mimic is not None and joint.mimic[0] in cuts:
            raise ModelError(
                f"approximate_cycle: joint '{joint.name}' mimics '{joint.mimic[0]}', which closes a loop and is freed; "
                f"let it mimic another joint"
            )
    for name in cuts:
        for body, force, torque, at in reactions_on_bodies(model, rigid, name):
            if body != "ground":
                other.add(Force(f"{name}, force on {body}", body, _tables(rigid.t, force), at=at))
                other.add(Torque(f"{name}, torque on {body}", body, _tables(rigid.t, torque)))
    return other


def reactions_on_bodies(model: Model, rigid: Result, name: str) -> list[tuple[str, np.ndarray, np.ndarray, tuple[float, ...]]]:
    """Child and parent of a joint: force and torque on it (world axes, about its own joint point), and that point as drawn."""
    joint, placed, (on_parent, on_child) = model.joints[name], placements(model), joint_points(model, name)
    reaction = rigid[f"{name}.reaction"]
    force, torque = reaction[:, :3], reaction[:, 3:]
    parent, child = str(joint.parent), str(joint.child)
    arm = point_motion(rigid, child, on_child) - point_motion(rigid, parent, on_parent)
    points = [_drawn(placed[body], point) for body, point in ((child, on_child), (parent, on_parent))]
    return [(child, force, torque, points[0]), (parent, -force, -torque - np.cross(arm, force), points[1])]


def _drawn(frame: Any, point: np.ndarray) -> tuple[float, ...]:
    """A point of a body in the drawing."""
    return tuple(float(x) for x in np.array(frame.position) + np.array(frame.rotation_matrix) @ point)


def _tables(t: np.ndarray, values: np.ndarray) -> tuple[Any, ...]:
    """Three periodic functions of time; zero where there is nothing but rounding."""
    found: list[Any] = []
    for column in values.T:
        if np.abs(column).max() <= NOTHING * np.abs(values).max() or not column.any():
            found.append(0.0)
        else:
            closed = np.append(column[:-1], column[0])
            found.append(Table(tuple(map(float, t)), tuple(map(float, closed)), kind="cubic", outside="repeat"))
    return tuple(found)


def held(model: Model, freed: Model, cuts: tuple[str, ...], mobility: float, frequency: float) -> Model:
    """The freed model with springs and dampers that pull the points of freed joints together again."""
    k, c = (2 * np.pi * frequency) ** 2 / mobility, 2 * (2 * np.pi * frequency) / mobility
    for name in cuts:
        joint, (_, point) = model.joints[name], joint_points(model, name)
        if any(f.kind != "rotation" for f in joint.freedoms) if joint.coordinates == "angles" else joint.coordinates != "ball":
            raise ModelError(f"approximate_cycle: hold= pulls points together, but joint '{name}' slides; leave hold out")
        at = _drawn(placements(model)[str(joint.child)], point)
        springs = {"stiffness": (k, k, k, 0, 0, 0), "damping": (c, c, c, 0, 0, 0)}
        freed.add(Bushing(f"{name}, hold", joint.parent, joint.child, at=at, **springs))
    return freed
