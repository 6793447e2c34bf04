"""Joints of all kinds, and the relations between joints: gearboxes, and joints that follow others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from sharnir.errors import ModelError
from sharnir.model.checks import number
from sharnir.model.constraints import Gear
from sharnir.model.forces import JointForce
from sharnir.model.frames import Frame
from sharnir.model.joints import Ball, Fixed, Joint, Limits, Prismatic, Revolute, Screw, Universal
from sharnir.model.mjcf.mjcf_numbers import Pose, unit_of
from sharnir.model.model import Model
from sharnir.model.sdf.sdf_frames import Found, Frames
from sharnir.model.sdf.sdf_source import number_in, text_of, vector_in, yes

KINDS = ("revolute", "continuous", "prismatic", "fixed", "ball", "screw", "universal", "revolute2", "gearbox")
UNBOUNDED = 1e15  # files write larger numbers where there is no limit
NO_AXIS = "axes that are missing are z"


def joint_of(joint: Found, frames: Frames, names: Mapping[int, str]) -> Joint | None:
    """A joint of the right kind, by frames in both bodies; None for a gearbox, which is no joint. `names`: of joints by place."""
    element, kind = joint.element, joint.element.get("type", "")
    if kind not in KINDS:
        raise ModelError(f"type {kind!r} is unknown; types are {', '.join(KINDS)}")
    if kind == "gearbox":
        return None
    parent, child, parent_frame, child_frame = ends(joint, frames)
    common: dict[str, Any] = {"parent_frame": parent_frame, "child_frame": child_frame}
    if kind == "fixed":
        return Fixed(joint.name, parent, child, **common)
    if kind == "ball":
        return Ball(joint.name, parent, child, **common)
    count = 2 if kind in ("universal", "revolute2") else 1
    axes = [element.find(tag) for tag in ("axis", "axis2")[:count]]
    if any(number_in(axis, "initial_position", 0.0) for axis in axes):
        frames.notes.add("initial positions of joints (replace(joint, q=…) sets them)", f"joint {joint.name!r}")
    common |= dynamics(axes) | bounds(axes, joint, frames, bounded=kind != "continuous")
    common["axis"] = direction(joint, "axis", frames)
    if count == 2:
        return Universal(joint.name, parent, child, axis2=direction(joint, "axis2", frames), **common)
    mimic = leader(axes[0], joint, frames, names)
    common["armature"] = number_in(element, "drake:rotor_inertia", 0.0) * number_in(element, "drake:gear_ratio", 1.0) ** 2
    if kind == "screw":
        return Screw(joint.name, parent, child, pitch=pitch(element), mimic=mimic, **common)
    return (Prismatic if kind == "prismatic" else Revolute)(joint.name, parent, child, mimic=mimic, **common)


def ends(joint: Found, frames: Frames) -> tuple[str, str, Frame, Frame]:
    """Parent and child with the joint's frame in each of them."""
    scope = joint.place.scope
    here = frames.in_world(joint.place)
    found: list[Any] = []
    for side in ("parent", "child"):
        name = text_of(joint.element, side) or text_of(joint.element, f"{side}/link")
        if not name:
            raise ModelError(f"has no <{side}>")
        body = frames.body_of(scope.find(name))
        found.append((body, (body_pose(body, frames).inverse() @ here).frame()))
    (parent, parent_frame), (child, child_frame) = found
    if parent == child:
        raise ModelError(f"connects {parent!r} with itself" + ("; both ends stand still" if parent == "ground" else ""))
    return parent, child, parent_frame, child_frame


def body_pose(body: str, frames: Frames) -> Pose:
    """Where a body is in the drawing."""
    if body == "ground":
        return frames.in_world(frames.scope.place)
    return frames.in_world(next(link.place for link in frames.links if link.name == body))


def direction(joint: Found, tag: str, frames: Frames) -> tuple[float, ...]:
    """An axis in the joint's frame."""
    axis = joint.element.find(tag)
    if axis is None:
        frames.notes.add(NO_AXIS, f"joint {joint.name!r}")
    xyz = unit_of(np.array(vector_in(axis, "xyz", (0.0, 0.0, 1.0))), f"<{tag}>")
    scope = joint.place.scope
    found = None if axis is None else axis.find("xyz")
    frame = "" if found is None else found.get("expressed_in", "")
    if not frame and (scope.axes_of_model or yes(axis, "use_parent_model_frame")):
        frame = "__model__"
    if not frame:
        return tuple(xyz.tolist())
    R = frames.in_world(joint.place).R.T @ frames.in_world(scope.find(frame)).R
    return tuple((R @ xyz).tolist())


def pitch(element: Element) -> float:
    """Advance per radian, positive for a right-handed thread."""
    if element.find("screw_thread_pitch") is not None or element.find("thread_pitch") is None:
        return number_in(element, "screw_thread_pitch", 1.0) / (2.0 * math.pi)
    turns = number_in(element, "thread_pitch", 1.0)  # radians per metre, of a left-handed thread
    if turns == 0.0:
        raise ModelError("<thread_pitch> = 0 is no thread; use type fixed or prismatic")
    return -1.0 / turns


def dynamics(axes: list[Element | None]) -> dict[str, Any]:
    """damping, stiffness and rest of all axes."""

    def each(path: str) -> Any:
        values = tuple(number_in(axis, f"dynamics/{path}", 0.0) for axis in axes)
        return values if len(values) > 1 else values[0]

    return {"damping": each("damping"), "stiffness": each("spring_stiffness"), "rest": each("spring_reference")}


def bounds(axes: list[Element | None], joint: Found, frames: Frames, bounded: bool) -> dict[str, Any]:
    """Limits of all axes; negative efforts and speeds and huge bounds mean that there are none."""
    found = []
    for axis in axes:
        parts = {key: number_in(axis, f"limit/{key}", math.inf) for key in ("effort", "velocity")}
        parts = {key: value if 0.0 <= value < UNBOUNDED else math.inf for key, value in parts.items()}
        if bounded:
            lower, upper = (number_in(axis, f"limit/{key}", sign * math.inf) for key, sign in (("lower", -1), ("upper", 1)))
            if lower > upper:
                frames.notes.add("limits in the wrong order were exchanged", f"joint {joint.name!r}, {lower:g} … {upper:g}")
                lower, upper = upper, lower
            parts |= {"lower": -math.inf if lower < -UNBOUNDED else lower, "upper": math.inf if upper > UNBOUNDED else upper}
        found.append(Limits(**parts) if set(map(abs, parts.values())) != {math.inf} else None)
    return {"limits": tuple(found)} if any(found) else {}


def leader(axis: Element | None, joint: Found, frames: Frames, names: Mapping[int, str]) -> tuple[str, float, float] | None:
    """(joint, multiplier, offset) from <mimic>."""
    mimic = None if axis is None else axis.find("mimic")
    if mimic is None:
        return None
    if mimic.get("axis", "axis") != "axis":
        frames.notes.add("joints that follow a second axis move independently", f"joint {joint.name!r}")
        return None
    factor = number_in(mimic, "multiplier", 1.0)
    offset = number_in(mimic, "offset", 0.0) - factor * number_in(mimic, "reference", 0.0)
    return named(mimic.get("joint", ""), joint, names), factor, offset


def named(name: str, joint: Found, names: Mapping[int, str]) -> str:
    """The model's name of another joint of the same scope."""
    found = names.get(id(joint.place.scope.find(name)))
    if found is None:
        raise ModelError(f"names {name!r}, which is no joint")
    return found


def gearbox(joint: Found, frames: Frames, model: Model) -> Gear | None:
    """θ₂ = -ratio θ₁ of the angles of two joints with one body; None, with a note, if there are no such joints."""
    reference = text_of(joint.element, "gearbox_reference_body")
    parent, child, _, _ = ends(joint, frames)
    ground = frames.body_of(joint.place.scope.find(reference)) if reference else ""
    found = []
    for body, tag in ((parent, "axis"), (child, "axis2")):
        along = frames.in_world(joint.place).R @ np.array(direction(joint, tag, frames))
        turn = turning(body, ground, along, frames, model)
        if turn is None:
            frames.notes.add("gearboxes without a hinge between the reference body and each side", f"joint {joint.name!r}")
            return None
        found.append(turn)
    (a, sign_a), (b, sign_b) = found
    ratio = -number_in(joint.element, "gearbox_ratio", 1.0) * sign_a * sign_b
    return Gear(joint.name, a, b, ratio=ratio)


def turning(body: str, other: str, along: np.ndarray, frames: Frames, model: Model) -> tuple[str, float] | None:
    """The hinge between two bodies; 1 if its coordinate is the turn of the first against the other about a direction, else -1."""
    for hinge in model.joints.values():
        if isinstance(hinge, Revolute) and {hinge.parent, hinge.child} == {body, other}:
            frame = hinge.parent_frame or Frame()
            R = body_pose(str(hinge.parent), frames).R @ np.array(frame.rotation_matrix)
            cosine = float(R @ np.array(hinge.axis) @ along)
            if abs(cosine) > 1.0 - 1e-6:
                return hinge.name, math.copysign(1.0, cosine) * (1.0 if hinge.child == body else -1.0)
    return None


def frictions(joint: Found, frames: Frames, model: Model, speed: float | None) -> list[JointForce]:
    """Dry friction of all axes, smoothed below a speed; without a speed a note says that it is not used."""
    found = []
    for k, tag in enumerate(("axis", "axis2")):
        friction = number_in(joint.element.find(tag), "dynamics/friction", 0.0)
        own = model.joints.get(joint.name)
        if not friction or own is None or k >= own.n_v:
            continue
        if speed is None:
            frames.notes.add("friction (friction_speed= takes it)", f"joint {joint.name!r}")
            continue
        slow = number(speed, "load_sdf", "friction_speed", above=0)
        name = f"{joint.name} friction" + (" 2" if k else "")
        found.append(JointForce(name, joint.name, f"-{friction!r}*tanh(v/{slow!r})", k))
    return found
