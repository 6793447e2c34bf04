"""Models of Gazebo and Drake in SDFormat as models: links, frames, joints of all kinds, loops, models within models.

See http://sdformat.org/spec for the format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike
from typing import Literal, TypeVar

import numpy as np

from sharnir.arguments import bool_of, choice, file_path, with_advice
from sharnir.arguments import text as text_of_name
from sharnir.errors import ModelError, ModelFileError
from sharnir.model.checks import number
from sharnir.model.contact import ContactLaw, check_law
from sharnir.model.forces import Force, joint_limits
from sharnir.model.joints import Fixed, Free, Joint
from sharnir.model.mjcf.mjcf_numbers import Pose
from sharnir.model.model import Model
from sharnir.model.sdf.sdf_frames import Found, Frames
from sharnir.model.sdf.sdf_joints import frictions, gearbox, joint_of
from sharnir.model.sdf.sdf_links import link_body
from sharnir.model.sdf.sdf_source import Source, vector_in, yes
from sharnir.model.urdf.inertias import RULES
from sharnir.model.urdf.robot import drop_missing_leaders, with_direct_leaders

GRAVITY_OF_WORLDS = (0.0, 0.0, -9.8)
GRAVITY = (0.0, 0.0, -9.81)  # of a model without a world
Problems = list[tuple[str, str]]
T = TypeVar("T")


@with_advice
def load_sdf(
    source: str | PathLike[str],
    *,
    name: str | None = None,
    floating_base: bool = True,
    stops: ContactLaw | None = None,
    friction_speed: float | None = None,
    inertia: Literal["repair", "keep", "error"] = "repair",
    packages: Mapping[str, str | PathLike[str]] | None = None,
) -> Model:
    """A model from an SDF file of Gazebo or Drake, or from its text: its model, or all models of its first world.

    Parameters
    ----------
    source : path of the file, or the text itself (it begins with "<").
    name : name of the model; default: that of the file.
    floating_base : True lets models fly that no joint holds, as in SDF; False fixes the first link of each to the ground.
    stops : law of the stops at the ends of all ranges, such as HuntCrossley; they become JointLimits, "<joint> stop". Default:
        none, ranges are only stored in the joints.
    friction_speed : speed [rad/s or m/s] below which friction decreases to zero; friction then becomes JointForces, "<joint>
        friction". Default: friction is not used, and a warning says so.
    inertia : what becomes of inertias that no real body has: "repair" uses the nearest possible ones, "keep" the given ones,
        both with a warning; "error" refuses them.
    packages : folders by name, for models and meshes `model://name/…` and `package://name/…`; those beside and above the file,
        and those that Gazebo and ROS name in the environment, are found without it.

    What cannot be taken over is listed in one warning.

    >>> text = '''<sdf version="1.9"><model name="pendulum"><link name="bob"><pose>0 0 -1 0 0 0</pose></link>
    ... <joint name="O" type="revolute"><pose relative_to="__model__"/><parent>world</parent><child>bob</child>
    ... <axis><xyz>0 1 0</xyz></axis></joint></model></sdf>'''
    >>> load_sdf(text).compile().mass_matrix([0.0])
    array([[2.]])
    """
    bool_of(floating_base, "load_sdf", "floating_base")
    if name is not None:
        text_of_name(name, "load_sdf", "name")
    if stops is not None:
        check_law(stops, "load_sdf")
    if friction_speed is not None:
        number(friction_speed, "load_sdf", "friction_speed", above=0)
    choice(inertia, RULES, "load_sdf", "inertia")
    places = {key: file_path(place, "load_sdf") for key, place in (packages or {}).items()}
    files = Source(source, places)
    problems: Problems = []
    frames = _attempt("", problems, lambda: Frames(files))
    model = None if frames is None else _model(frames, name, floating_base, inertia, friction_speed, problems)
    if problems or frames is None or model is None:
        raise ModelFileError(problems, source=files.first.file)
    if stops is not None:
        model.add(*joint_limits(model, law=stops))
    frames.notes.warn_once()
    return model


def _model(frames: Frames, name: str | None, floating: bool, rule: str, speed: float | None, problems: Problems) -> Model | None:
    """All parts in their order; None if there are problems."""
    if not frames.links:
        problems.append(("", "; ".join(["has no links", *(text.removeprefix("SDF: ") for text in frames.notes.texts())])))
        return None
    gravity = GRAVITY if frames.world is None else vector_in(frames.world, "gravity", GRAVITY_OF_WORLDS)
    model = Model(name or _own_name(frames), gravity=gravity)
    names = {id(joint.place): joint.name for joint in frames.joints}
    joints: dict[str, Joint] = {}
    for joint in frames.joints:
        made = _attempt(f"joint {joint.name}", problems, partial(joint_of, joint, frames, names))
        if made is not None:
            joints[made.name] = made
    ordered = with_direct_leaders(joints, problems)
    led = {joint.child for joint in joints.values()}
    for link in frames.links:
        _attempt(f"link {link.name}", problems, partial(_add_link, link, frames, model, rule, link.name in led))
    if problems:
        return None
    drop_missing_leaders(joints, frames.notes)
    model.add(*_holds(frames, model, list(joints.values()), floating), *ordered)
    for joint in frames.joints:
        if joint.element.get("type") == "gearbox":
            gear = _attempt(f"joint {joint.name}", problems, partial(gearbox, joint, frames, model))
            model.add(*([] if gear is None else [gear]))
        model.add(*_attempt(f"joint {joint.name}", problems, partial(frictions, joint, frames, model, speed)) or ())
    _note_contacts(frames)
    return model


def _own_name(frames: Frames) -> str:
    top = frames.scope.document.root.find("model") if frames.world is None else frames.world
    return ("" if top is None else top.get("name", "")) or "sdf model"


def _add_link(link: Found, frames: Frames, model: Model, rule: str, led: bool) -> None:
    """A body; one to which no joint leads says where it is. Without gravity, a force carries its weight."""
    body = link_body(link, frames, rule)
    pose = frames.in_world(link.place)
    model.add(body)
    if not led:
        frame = pose.frame()
        model.replace(body.name, position=frame.position, rotation=frame.rotation)
    if not yes(link.element, "gravity", True) and body.mass and any(model.gravity):
        lift = tuple(-body.mass * g for g in model.gravity)
        center = pose.p + pose.R @ np.array(body.com)
        model.add(Force(f"{body.name} gravity compensation", body.name, lift, at=tuple(center.tolist())))


def _holds(frames: Frames, model: Model, joints: list[Joint], floating: bool) -> list[Joint]:
    """Joints from the ground to links of static models, and to the first link of everything that no joint holds."""
    part = {name: name for name in (*model.bodies, "ground")}  # bodies that are connected have the same root

    def root(name: str) -> str:
        while part[name] != name:
            part[name] = part[part[name]]
            name = part[name]
        return name

    static = [link for link in frames.links if link.place.scope.static]
    for joint in joints:
        part[root(str(joint.parent))] = root(str(joint.child))
    made = []
    for link in static:
        made.append(_hold(link.name, frames.in_world(link.place), model, joints, Fixed))
        part[root(link.name)] = root("ground")
    led = {str(joint.child) for joint in joints}
    for link in sorted(frames.links, key=lambda link: link.name in led):  # those first that begin a tree; the rest as in the file
        if root(link.name) != root("ground"):
            made.append(_hold(link.name, frames.in_world(link.place), model, joints, Free if floating else Fixed))
            part[root(link.name)] = root("ground")
    return made


def _hold(body: str, pose: Pose, model: Model, joints: list[Joint], kind: type[Joint]) -> Joint:
    """A joint from the ground."""
    name, used = f"ground_to_{body}", {joint.name for joint in joints}
    while name in used:
        name += "_"
    return kind(name, model.ground.name, body, parent_frame=pose.frame())


def _note_contacts(frames: Frames) -> None:
    count = sum(len(link.element.findall("collision")) for link in frames.links)
    sensors = sum(len(found.element.findall("sensor")) for found in (*frames.links, *frames.joints))
    if count:
        frames.notes.add("contacts (add Contact or ContactGroup)", f"{count} collision shapes")
    if sensors:
        frames.notes.add("sensors", f"{sensors}")


def _attempt(path: str, problems: Problems, action: Callable[[], T]) -> T | None:
    """The result of the action, or None with its error among the problems."""
    try:
        return action()
    except ModelFileError:
        raise
    except ModelError as error:
        problems.append((path, str(error)))
        return None
