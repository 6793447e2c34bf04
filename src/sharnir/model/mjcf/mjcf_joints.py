"""Bodies and joints of the model: one joint for each joint of the file, with a massless body between two of the same body."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.model.bodies.body import Body, six
from sharnir.model.contact import LinearLaw
from sharnir.model.forces import Force, JointForce, JointLimit
from sharnir.model.frames import Frame
from sharnir.model.joints import Ball, Fixed, Free, Joint, Limits, Prismatic, Revolute
from sharnir.model.mjcf.body_tree import BodyTree, Part
from sharnir.model.mjcf.effective_inertias import EffectiveInertias
from sharnir.model.mjcf.geom_inertias import Inertia
from sharnir.model.mjcf.mjcf_numbers import Pose, number_of, numbers_of, unit_of, vector_of
from sharnir.model.model import Model

Settled = Callable[[Joint, "JointRow"], Joint]  # a joint with its state and its leader
KINDS = {"hinge": 1, "slide": 1, "ball": 4, "free": 7}  # with their numbers of coordinates
SOFT = (0.02, 1.0)  # time constant [s] and damping ratio of limits that do not say it: MuJoCo's default


@dataclass(frozen=True)
class JointRow:
    """A joint of the file and what others need to know of it.

    ref : coordinate of the file in the drawing; q of the model is counted from it.   inertia : that a force along it meets in the
    drawing, with one coordinate.   pose : of a free body in the drawing.
    """

    name: str
    kind: str
    given: dict[str, str]
    ref: float
    range: tuple[float, float] | None
    inertia: float
    pose: Pose


class JointRows:
    """All joints in the order of the file's coordinates, made from the tree of parts."""

    def __init__(self, tree: BodyTree, inertias: list[Inertia]) -> None:
        self.tree, self.notes = tree, tree.notes
        self.unit = math.pi / 180.0 if tree.compiler.degrees else 1.0
        self.poses = tree.world_poses()
        self.effective = EffectiveInertias(tree, inertias, self.poses)
        self.rows: list[JointRow] = []
        self.of_part: list[list[JointRow]] = []
        for part in tree.parts:
            self.of_part.append([self._row(part, given) for given in part.joints])
            self.rows += self.of_part[-1]
        self.by_name = {row.name: row for row in self.rows}

    def _row(self, part: Part, given: dict[str, str]) -> JointRow:
        kind = given.get("type", "hinge")
        if kind not in KINDS:
            raise ModelError(f"joint {given['model name']!r} has type {kind!r}; types are {', '.join(KINDS)}")
        if kind == "free" and (part.parent != 0 or len(part.joints) > 1):
            raise ModelError(
                f"joint {given['model name']!r} is free, so body {part.name!r} must have no other joint, in the world"
            )
        unit = self.unit if kind == "hinge" else 1.0
        ref = number_of(given, "ref", 0.0) * unit if KINDS[kind] == 1 else 0.0
        if ref:
            self.notes.add("coordinates are counted from the drawing, q = qpos - ref", f"joint {given['model name']!r}")
        bounds = self._range(given, kind, ref)
        inertia = self.effective.along({given["model name"]: 1.0}) if KINDS[kind] == 1 else 0.0
        return JointRow(given["model name"], kind, given, ref, bounds, inertia, part.pose)

    def _range(self, given: dict[str, str], kind: str, ref: float) -> tuple[float, float] | None:
        limited = given.get("limited", "auto")
        if limited == "false" or "range" not in given or (limited == "auto" and not self.tree.compiler.autolimits):
            return None
        if KINDS[kind] > 1:
            if kind == "ball":
                self.notes.add("limits of ball joints", f"joint {given['model name']!r}")
            return None
        lower, upper = numbers_of(given["range"], "range", 2)
        unit = self.unit if kind == "hinge" else 1.0
        return (lower * unit - ref, upper * unit - ref) if lower < upper else None


def add_part(model: Model, tree: BodyTree, joints: JointRows, k: int, body: Body, settled: Settled) -> list[Joint]:
    """A body with its joints, and the force that carries its weight where `gravcomp` asks for it.

    Joints that follow others are returned: their leaders may come later.
    """
    followers: list[Joint] = []
    part = tree.parts[k]
    parent = model.ground.name if part.parent == 0 else tree.parts[part.parent].name
    rows, pose = joints.of_part[k], part.pose
    if not rows:
        model.add(body, Fixed(tree._usable("joint", "", f"{part.name}_fixed"), parent, part.name, parent_frame=pose.frame()))
    for j, row in enumerate(rows):
        last = j == len(rows) - 1
        child = part.name if last else tree._usable("body", "", f"{part.name}_{row.name}")
        model.add(body if last else Body(child, mass=0.0))
        joint = settled(joint_of(row, parent, child, pose, joints), row)
        if joint.mimic is None:
            model.add(joint)
        else:
            followers.append(joint)
        parent, pose = child, Pose(np.zeros(3), np.eye(3))
    if part.gravcomp and body.mass:
        lift = tuple(-part.gravcomp * body.mass * g for g in model.gravity)
        center = joints.poses[k].p + joints.poses[k].R @ np.array(body.com)
        model.add(Force(f"{part.name} gravity compensation", part.name, lift, at=tuple(center.tolist())))
    return followers


def joint_of(row: JointRow, parent: str, child: str, pose: Pose, joints: JointRows) -> Joint:
    """Revolute, Prismatic, Ball or Free; `pose` is that of the child's frame on the parent in the drawing."""
    given, notes = row.given, joints.notes
    if row.kind == "free":
        for key in ("armature", "stiffness"):
            if number_of(given, key, 0.0):
                notes.add(f"{key} of free joints", f"joint {row.name!r}")
        damping = number_of(given, "damping", 0.0)
        return Free(row.name, parent, child, parent_frame=pose.frame(), damping=damping)
    place = Pose(vector_of(given, "pos"), np.eye(3))
    stiffness, damping = spring_and_damper(row, joints)
    common: dict[str, Any] = {
        "parent_frame": (pose @ place).frame(),
        "child_frame": Frame(tuple(place.p.tolist())),
        "damping": damping,
        "armature": number_of(given, "armature", 0.0),
        "stiffness": stiffness,
    }
    if row.kind == "ball":
        return Ball(row.name, parent, child, **common)
    unit = joints.unit if row.kind == "hinge" else 1.0
    axis = tuple(unit_of(vector_of(given, "axis", (0.0, 0.0, 1.0)), "axis").tolist())
    common |= {"axis": axis, "rest": number_of(given, "springref", 0.0) * unit - row.ref}
    effort = numbers_of(given["actuatorfrcrange"], "actuatorfrcrange", 2)[1] if "actuatorfrcrange" in given else math.inf
    if row.range is not None or effort < math.inf:
        lower, upper = row.range or (-math.inf, math.inf)
        common["limits"] = Limits(lower, upper, max(effort, 0.0))
    return (Revolute if row.kind == "hinge" else Prismatic)(row.name, parent, child, **common)


def spring_and_damper(row: JointRow, joints: JointRows) -> tuple[float, float]:
    """Stiffness and damping, also from `springdamper` = (time constant, damping ratio)."""
    for key in ("stiffness", "damping"):
        if len(row.given.get(key, "").split()) > 1 and any(numbers_of(row.given[key], key, 1, 9)[1:]):
            joints.notes.add(f"{key} that depends on the coordinate or speed: its first number is used", f"joint {row.name!r}")
    if "springdamper" in row.given:
        time, ratio = numbers_of(row.given["springdamper"], "springdamper", 2)
        if time > 0.0 and ratio > 0.0:
            return row.inertia / (time * ratio) ** 2, 2.0 * row.inertia / time
    return number_of(row.given, "stiffness", 0.0), number_of(row.given, "damping", 0.0)


def frictions(row: JointRow, speed: float) -> list[JointForce]:
    """Dry friction along every freedom of a joint, smoothed below a speed."""
    loss = number_of(row.given, "frictionloss", 0.0)
    if not loss or row.kind == "free":
        return []
    names = [f"{row.name} friction"] if row.kind != "ball" else [f"{row.name} friction {axis}" for axis in "xyz"]
    return [JointForce(name, row.name, f"-{loss!r}*tanh(v/{speed!r})", k) for k, name in enumerate(names)]


def stop(row: JointRow, law: Any) -> JointLimit | None:
    """The stop of a joint with a range: with a law of its own, or with MuJoCo's time constant and damping ratio."""
    if row.range is None:
        return None
    if law == "soft":
        solref = numbers_of(row.given.get("solreflimit", ""), "solreflimit", 0, 2) or SOFT
        time, ratio = (*solref, 1.0)[:2]
        inertia = max(row.inertia, 1e-12)
        if time > 0.0 and ratio > 0.0:
            law = LinearLaw(inertia / (time * ratio) ** 2, 2.0 * inertia / time)
        else:
            law = LinearLaw(max(-time, 1e-9) * inertia, max(-ratio, 0.0) * inertia)
    return JointLimit(f"{row.name} stop", row.name, *row.range, law=law)


def body_of(part: Part, x: Inertia, shapes: tuple[Any, ...]) -> Body:
    """The body of a part."""
    J = 0.5 * (x.J + x.J.T)
    return Body(part.name, mass=x.mass, com=tuple(x.center.tolist()), inertia=six(J), shape=shapes or None, any_inertia=True)
