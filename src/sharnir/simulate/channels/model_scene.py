"""What an animation shows of a model: shapes where they are given, sticks between joints where they are not."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.memory.engine_frames import Placement
from sharnir.dynamics.system import System
from sharnir.model import FlexibleBody
from sharnir.model.frames import Frame
from sharnir.model.placement import joint_frames, placements
from sharnir.results import Scene, SceneItem, SceneSpring
from sharnir.results.scene import Point, shape_record, stick_lines
from sharnir.simulate.channels.contact_shapes import contact_shapes

UP = {0: "x", 1: "y", 2: "z"}


def scene_of(system: System) -> Scene:
    """Items for the ground and all bodies, coils for springs; up is against gravity."""
    model, place = system.model, system.assembly.placement
    placed = placements(model)
    nodes = {node.name for body in model.bodies.values() if isinstance(body, FlexibleBody) for node in body.nodes()}
    joints: dict[str, list] = {name: [] for name in place.number}
    joined: dict[str, list[str]] = {name: [] for name in place.number}
    for joint in (*system.tree.joints, *system.tree.cuts):
        if joint.coordinates == "free" or joint.name in nodes:  # what holds a node to its body is not a joint of the model
            continue
        joined[str(joint.child)].append(str(joint.parent))
        shaped = any(model.body(str(name)).shapes for name in (joint.parent, joint.child))
        for body, frame in zip((joint.parent, joint.child), joint_frames(joint, placed), strict=True):
            joints[str(body)].append((frame.position, _axis(joint, frame), not shaped))
    touching = contact_shapes(model)
    pictured = any(body.shapes for body in model.bodies.values())
    items = [SceneItem("ground", tuple(touching.get("ground", ())), pins=_pins(joints["ground"]))]
    for name in system.tree.bodies:
        body = model.bodies[name]
        if isinstance(body, FlexibleBody):
            items.append(
                SceneItem(name, com=body.com, color=body.color, joined=tuple(joined[name]))
            )  # drawn from the result's shapes of it
            continue
        if name in nodes:
            items.append(SceneItem(name, pins=_pins(joints[name]), joined=tuple(joined[name])))
            continue
        shapes = tuple(shape_record(part) for shape in body.shapes for part in shape.picture())
        lines = stick_lines([point for point, _, _ in joints[name]], body.com)
        if shapes or not lines:  # else the stick figure would be hidden
            shapes += tuple(touching.get(name, ()))
        drawn = bool(shapes or body.mass or not pictured)  # among shapes, links without mass are mere frames
        pins = _pins(joints[name]) if drawn else ()
        items.append(SceneItem(name, shapes, lines, pins, body.com, body.color, drawn, tuple(joined[name])))
    springs = []
    for force in model.forces.values():
        coil = force.coil()
        if coil is not None:
            (a, at_a), (b, at_b) = coil
            springs.append(SceneSpring(force.name, a, b, _end(place, a, at_a), _end(place, b, at_b)))
    g = np.array(model.gravity)
    up = UP[int(np.argmax(np.abs(g)))] if g.any() else "z"
    return Scene(tuple(items), tuple(springs), up=up, title=model.name, floor=bool(g.any()))


def _pins(joints: list[tuple[Point, Point | None, bool]]) -> tuple[tuple[Point, Point | None], ...]:
    """Joints between stick figures; where a body has a shape of its own, pins would only hide it."""
    return tuple((point, axis) for point, axis, shown in joints if shown)


def _end(place: Placement, body: str, at: Any) -> Point:
    return (0.0, 0.0, 0.0) if at is None else _local(place, body, np.array(at))


def _local(place: Placement, body: str, world: np.ndarray) -> Point:
    i = place.number[body]
    point = world if i < 0 else place.user_rotation[i].T @ (world - place.user_position[i])
    return (float(point[0]), float(point[1]), float(point[2]))


def _axis(joint: Any, frame: Frame) -> Point | None:
    """Axis of the first rotation of a joint in the axes of a body, if there is one."""
    for freedom in joint.freedoms:
        if freedom.kind not in ("translation", "formula"):
            x, y, z = np.array(frame.rotation_matrix) @ np.array(freedom.axis)
            return (float(x), float(y), float(z))
    return None
