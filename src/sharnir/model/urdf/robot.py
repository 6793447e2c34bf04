"""Robot descriptions in URDF as models: links, joints, inertias, limits, mimic.

Joints are placed by frames, as URDF does it: `parent_frame` is the joint's origin in the parent link, the child link's frame
is the joint frame. See https://wiki.ros.org/urdf/XML for the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal
from xml.etree.ElementTree import Element

from sharnir.arguments import bool_of, choice, file_path, with_advice
from sharnir.arguments import text as text_of_name
from sharnir.errors import ModelError, ModelFileError
from sharnir.input_file import content
from sharnir.model.contact import ContactLaw
from sharnir.model.forces import joint_limits
from sharnir.model.frames import Frame
from sharnir.model.joints import Fixed, Free, Joint
from sharnir.model.model import Model
from sharnir.model.urdf.elements import Reading, frictions, joint_from, link_body, materials, usable_name
from sharnir.model.urdf.inertias import RULES
from sharnir.model.urdf.urdf_notes import Notes
from sharnir.model.urdf.xml_text import parsed_xml

TEXT = "URDF text"


@with_advice
def load_urdf(
    source: str | PathLike[str],
    floating_base: bool = False,
    *,
    name: str | None = None,
    stops: ContactLaw | None = None,
    friction_speed: float | None = None,
    inertia: Literal["repair", "keep", "error"] = "repair",
    packages: Mapping[str, str | PathLike[str]] | None = None,
) -> Model:
    """A model from a URDF file, or from its text.

    Parameters
    ----------
    source : path of the file, or the text itself (it begins with "<").
    floating_base : False fixes the root link to the ground, True lets it move freely.
    name : name of the model; default: that of the robot.
    stops : law of the stops at the ends of all ranges, such as HuntCrossley or ExponentialLaw; they become JointLimits, "<joint>
        stop". Default: none, ranges are only stored in the joints.
    friction_speed : speed [rad/s or m/s] below which friction decreases to zero; friction then becomes JointForces, "<joint>
        friction". Default: friction is not used, and a warning says so.
    inertia : what becomes of inertias that no real body has: "repair" uses the nearest possible ones, "keep" the given ones,
        both with a warning that names links and principal moments; "error" refuses them.
    packages : folders of ROS packages by name, for meshes `package://name/…`; those above the file, and those that ROS names in
        the environment, are found without it.

    Links without inertia become massless bodies; joints that move nothing with mass are held. Efforts and speeds in limits are
    for motors: `joint_motors`.

    >>> robot = load_urdf('<robot name="one"><link name="base"/></robot>')
    >>> robot.summary().splitlines()[2]
    "  Fixed 'ground_to_base': ground -> base, 0 freedoms"
    """
    bool_of(floating_base, "load_urdf", "floating_base")
    if name is not None:
        text_of_name(name, "load_urdf", "name")
    choice(inertia, RULES, "load_urdf", "inertia")
    text, file = source_text(source)
    robot = parsed_xml(text, file)
    if robot.tag != "robot":
        raise ModelFileError([("", f"begins with <{robot.tag}>; a URDF file begins with <robot>")], source=file)
    problems: list[tuple[str, str]] = []
    notes = Notes()
    drop_xacro(robot, file, notes)
    complete_links(robot, notes)
    parts = _parts(robot, problems)
    root = "" if problems else root_link(*parts, problems)
    model = Model(name or robot.get("name") or "robot")
    if not problems:
        places = {key: file_path(place, "load_urdf") for key, place in (packages or {}).items()}
        folder = None if file == TEXT else Path(source).parent
        reading = Reading(materials(robot), inertia, folder, places, notes)
        _fill(model, robot, root, floating_base, reading, problems)
    if problems:
        raise ModelFileError(problems, source=file)
    notes.warn()
    for element in robot.findall("joint"):
        model.add(*frictions(element, model, friction_speed))
    if stops is not None:
        model.add(*joint_limits(model, law=stops))
    return model


def source_text(source: str | PathLike[str]) -> tuple[bytes, str]:
    """Content and short name of a file, or of text that begins with "<"."""
    if isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<"):
        return source.lstrip("\ufeff \t\r\n").encode(), TEXT
    return content(source), Path(source).name


def drop_xacro(robot: Element, file: str, notes: Notes) -> None:
    """Leave out what xacro has left in a file; refuse a file that needs xacro, which has formulas, macros or includes."""
    kinds = {element.tag for element in robot.iter() if element.tag.startswith("xacro:")}
    formulas = any(mark in text for element in robot.iter() for text in element.attrib.values() for mark in ("${", "$("))
    if kinds and (formulas or kinds & {"xacro:include", "xacro:macro"} or robot.find("link") is None):
        raise ModelFileError([("", "is a xacro file; convert it first: xacro robot.xacro > robot.urdf")], source=file)
    for outer in list(robot.iter()):
        for element in [inner for inner in outer if inner.tag in kinds]:
            notes.add("elements of xacro were left out (xacro robot.xacro > robot.urdf expands them)", f"<{element.tag}>")
            outer.remove(element)


def complete_links(robot: Element, notes: Notes) -> None:
    """Make one tree of files that name links which they do not define, or define links which no joint names.

    The link "world" is added where it is a parent; other joints to links that do not exist, and links without any joint, are left
    out.
    """
    links = {link.get("name"): link for link in robot.findall("link")}
    ends = {
        joint: [side.get("link") for side in (joint.find("parent"), joint.find("child")) if side is not None]
        for joint in robot.findall("joint")
    }
    if "world" not in links and any(names[:1] == ["world"] for names in ends.values()):
        robot.append(Element("link", name="world"))
    for joint, names in [*ends.items()]:
        if len(names) == 2 and names[1] and names[1] not in links:
            notes.add("joints whose child link does not exist were left out", f"{joint.get('name')!r} to {names[1]!r}")
            robot.remove(joint)
            del ends[joint]
    used = {name for names in ends.values() for name in names}
    rooted = bool(used - {name for names in ends.values() for name in names[1:]})
    for name, link in links.items():
        if rooted and name not in used:
            notes.add("links without a joint were left out", repr(name))
            robot.remove(link)


def _parts(robot: Element, problems: list[tuple[str, str]]) -> tuple[list[str], dict[str, tuple[str, str]]]:
    """Names of the links, and (parent, child) of the joints by name; wrong ones are added to `problems`."""
    links: list[str] = []
    for link in robot.findall("link"):
        name = link.get("name", "")
        if not name.strip():
            problems.append(("link", "has no name"))
        elif name in links:
            problems.append((f"link {name}", "there are two links of this name"))
        links.append(name)
    joints: dict[str, tuple[str, str]] = {}
    for joint in robot.findall("joint"):
        name = joint.get("name", "")
        if not name.strip():
            problems.append(("joint", "has no name"))
        elif name in joints:
            problems.append((f"joint {name}", "there are two joints of this name"))
        ends = []
        for side in ("parent", "child"):
            element = joint.find(side)
            link_name = "" if element is None else element.get("link", "")
            if link_name not in links:
                message = f"its {side} link {link_name!r} does not exist" if link_name else f"has no {side}"
                problems.append((f"joint {name}", message))
            ends.append(link_name)
        joints[name] = (ends[0], ends[1])
    return links, joints


def root_link(links: list[str], joints: dict[str, tuple[str, str]], problems: list[tuple[str, str]]) -> str:
    """The only link that is nobody's child; anything but one tree is a problem.

    >>> root_link(["a", "b"], {"j": ("a", "b")}, [])
    'a'
    """
    above: dict[str, str] = {}
    for name, (_, child) in joints.items():
        if child in above:
            message = f"link {child!r} is already the child of joint {above[child]!r}; URDF allows trees only"
            problems.append((f"joint {name}", message))
        above.setdefault(child, name)
    roots = [link for link in links if link not in above]
    if not links:
        problems.append(("robot", "has no links"))
    elif not roots:
        problems.append(("robot", f"has no root link: the joints {', '.join(joints)} form a cycle"))
    elif len(roots) > 1:
        problems.append(("robot", f"has {len(roots)} root links ({', '.join(roots)}); join them by joints (type fixed)"))
    below: dict[str, list[str]] = {}
    for parent, child in joints.values():
        below.setdefault(parent, []).append(child)
    reached, waiting = set(roots), list(roots)
    while waiting:
        fresh = set(below.get(waiting.pop(), [])) - reached
        reached |= fresh
        waiting += fresh
    if roots and len(reached) < len(links):
        problems.append(("robot", f"the links {', '.join(link for link in links if link not in reached)} form a cycle"))
    return roots[0] if roots else ""


def _fill(
    model: Model,
    robot: Element,
    root: str,
    floating_base: bool,
    reading: Reading,
    problems: list[tuple[str, str]],
) -> None:
    """Add all bodies and joints."""
    notes = reading.notes
    for link in robot.findall("link"):
        _attempt(f"link {link.get('name')}", problems, lambda link=link: model.add(link_body(link, reading)))
    joints: dict[str, Joint] = {}
    for element in robot.findall("joint"):
        joint = _attempt(f"joint {element.get('name')}", problems, lambda element=element: joint_from(element, notes))
        if joint is not None:
            joints[joint.name] = joint
    if problems:
        return
    base = f"ground_to_{usable_name(root)}"
    while base in joints:
        base += "_"
    model.add((Free if floating_base else Fixed)(base, model.ground, usable_name(root), parent_frame=Frame()))
    drop_missing_leaders(joints, notes)
    for joint in without_idle_joints(with_direct_leaders(joints, problems), model, notes):
        _attempt(f"joint {joint.name}", problems, lambda joint=joint: model.add(joint))


def without_idle_joints(joints: list[Joint], model: Model, notes: Notes) -> list[Joint]:
    """The joints; those that move nothing with mass, nor have followers that do, as fixed ones: no force would move them."""
    below: dict[str, list[Joint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)

    def carries(joint: Joint) -> bool:
        waiting = [joint.child]
        while waiting:
            body = waiting.pop()
            if model.bodies[body].mass or any(model.bodies[body].inertia):
                return True
            waiting += [further.child for further in below.get(body, ())]
        return False

    busy = {joint.name for joint in joints if carries(joint)}
    busy |= {joint.mimic[0] for joint in joints if joint.mimic is not None and joint.name in busy}
    leaders = {joint.name: joint.mimic[0] for joint in joints if joint.mimic is not None}
    result = []
    for joint in joints:
        if joint.n_v == 0 or leaders.get(joint.name, joint.name) in busy:
            result.append(joint)
            continue
        notes.add("joints that move nothing with mass are held at zero (give their links mass and inertia)", repr(joint.name))
        result.append(Fixed(joint.name, joint.parent, joint.child, parent_frame=joint.parent_frame))
    return result


def _attempt(path: str, problems: list[tuple[str, str]], action: Any) -> Any:
    """The result of the action, or None with its error among the problems."""
    try:
        return action()
    except ModelError as error:
        problems.append((path, str(error)))
        return None


def drop_missing_leaders(joints: dict[str, Joint], notes: Notes) -> None:
    """Joints that should follow one that does not exist move by themselves."""
    for name, joint in joints.items():
        if joint.mimic is not None and joint.mimic[0] not in joints:
            what = "joints that should follow a joint that does not exist move independently"
            notes.add(what, f"{name!r} of {joint.mimic[0]!r}")
            joints[name] = replace(joint, mimic=None)


def with_direct_leaders(joints: dict[str, Joint], problems: list[tuple[str, str]]) -> list[Joint]:
    """The joints, followers last; one that follows a follower is made to follow the leader of both."""
    followers = []
    for joint in joints.values():
        if joint.mimic is None:
            continue
        leader, factor, offset = joint.mimic
        seen = [joint.name]
        while leader in joints and (followed := joints[leader].mimic) is not None and leader not in seen:
            seen.append(leader)
            leader, outer, shift = followed
            factor, offset = factor * outer, factor * shift + offset
        if leader in seen:
            problems.append((f"joint {joint.name}", f"mimic joints form a cycle: {' -> '.join([*seen, leader])}"))
        else:
            followers.append(replace(joint, mimic=(leader, factor, offset)))
    return [joint for joint in joints.values() if joint.mimic is None] + followers
