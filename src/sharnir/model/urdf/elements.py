"""Single elements of a URDF: a link as a Body, a joint as a Joint."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from sharnir.errors import MissingExtraError, ModelError, ModelWarning
from sharnir.model.bodies.body import Body
from sharnir.model.bodies.mesh import Mesh
from sharnir.model.bodies.shapes import Box, Cylinder, Shape, Sphere
from sharnir.model.checks import number
from sharnir.model.forces import JointForce
from sharnir.model.frames import Frame
from sharnir.model.joints import Fixed, Free, Joint, Limits, Planar, Prismatic, Revolute
from sharnir.model.model import Model
from sharnir.model.urdf.attributes import numbers, origin, scalar
from sharnir.model.urdf.inertias import inertia_entries
from sharnir.model.urdf.mesh_names import mesh_place
from sharnir.model.urdf.urdf_notes import Notes

SOLIDS = ("box", "cylinder", "sphere", "capsule", "mesh")


def usable_name(name: str) -> str:
    """The name as models allow it: no dots, no blanks at the ends, not "ground".

    >>> usable_name("left.arm "), usable_name("ground")
    ('left_arm', 'ground_link')
    """
    result = name.strip().replace(".", "_")
    return "ground_link" if result == "ground" else result


def renamed(name: str) -> str:
    """The usable name, with a warning if it differs."""
    result = usable_name(name)
    if result != name:
        warnings.warn(f"URDF: {name!r} is called {result!r} in the model", ModelWarning, stacklevel=2)
    return result


def materials(robot: Element) -> dict[str, tuple[float, ...]]:
    """Colours of the materials that are defined for the whole robot."""
    found = {}
    for material in robot.findall("material"):
        color = material.find("color")
        if color is not None:
            found[material.get("name", "")] = numbers(color, "rgba", (0.5, 0.5, 0.5, 1.0))
    return found


@dataclass(frozen=True)
class Reading:
    """How a description is read: colours of its materials, the rule for inertias, where meshes are, and what was noted."""

    colors: dict[str, tuple[float, ...]]
    rule: str
    folder: Path | None
    packages: Mapping[str, Path]
    notes: Notes


def link_body(link: Element, reading: Reading) -> Body:
    """A link as a body whose frame is the link's.

    >>> from xml.etree.ElementTree import fromstring
    >>> text = '<link name="arm"><inertial><origin xyz="0 0 1"/><mass value="2"/></inertial></link>'
    >>> link_body(fromstring(text), Reading({}, "repair", None, {}, Notes())).com
    (0.0, 0.0, 1.0)
    """
    name = link.get("name", "")
    shapes: list[Shape] = []
    for visual in link.findall("visual"):
        geometry = visual.find("geometry")
        for solid in [] if geometry is None else list(geometry):
            color = visual_color(visual, reading.colors)
            if solid.tag == "mesh":
                shapes += visual_mesh(solid, origin(visual), color, name, reading)
            elif solid.tag not in SOLIDS:
                reading.notes.add("geometries of other kinds are not drawn", f"<{solid.tag}> of link {name!r}")
            elif has_no_size(solid):
                reading.notes.add("pictures without any size are not drawn", f"<{solid.tag}> of link {name!r}")
            else:
                shapes.append(visual_shape(solid, origin(visual), color))
    inertial = link.find("inertial")
    entries: dict[str, Any] = {"mass": 0.0} if inertial is None else inertia_entries(inertial, name, reading.rule, reading.notes)
    return Body(renamed(name), **{"com": (0.0, 0.0, 0.0)} | entries, shape=tuple(shapes) or None)


def visual_color(visual: Element, colors: dict[str, tuple[float, ...]]) -> tuple[float, ...] | None:
    """The colour of a visual, its own or that of a named material."""
    material = visual.find("material")
    if material is None:
        return None
    color = material.find("color")
    return colors.get(material.get("name", "")) if color is None else numbers(color, "rgba", (0.5, 0.5, 0.5, 1.0))


def visual_mesh(solid: Element, frame: Frame, color: Any, link: str, reading: Reading) -> list[Shape]:
    """The mesh, if its file is there and can be read; notes say which are not."""
    name = solid.get("filename", "")
    place = mesh_place(name, reading.folder, reading.packages)
    if place is None:
        what = "meshes whose files are not there are not drawn (packages={name: folder} says where packages are)"
        reading.notes.add(what, f"{name} of link {link!r}")
        return []
    one = len(solid.get("scale", "1 1 1").split()) == 1  # some files give one number for all axes
    scale = (scalar(solid, "scale"),) * 3 if one else numbers(solid, "scale", (1.0, 1.0, 1.0))
    try:
        mesh = Mesh(str(place), scale, frame.position, frame.rotation, color)
        _ = mesh.triangles
    except (ModelError, MissingExtraError) as error:
        reading.notes.add("meshes that cannot be read are not drawn", f"{place.name} of link {link!r} ({error})")
        return []
    return [mesh]


def has_no_size(solid: Element) -> bool:
    """Whether a length of a solid is zero.

    >>> from xml.etree.ElementTree import fromstring
    >>> has_no_size(fromstring('<box size="1 0 1"/>'))
    True
    """
    lengths = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius",)}
    texts = " ".join(solid.get(attribute, "") for attribute in lengths.get(solid.tag, ()))
    return any(re.fullmatch(r"[+-]?0*\.?0*(e[+-]?\d+)?", text, re.IGNORECASE) for text in texts.split())


def visual_shape(solid: Element, frame: Frame, color: Any) -> Shape:
    """Box, cylinder or sphere, placed in the link's frame."""
    if solid.tag == "box":
        return Box(numbers(solid, "size", (0.0, 0.0, 0.0)), frame.position, frame.rotation, color)
    if solid.tag == "sphere":
        return Sphere(scalar(solid, "radius"), frame.position, color)
    along = tuple(row[2] for row in frame.rotation_matrix)
    return Cylinder(scalar(solid, "radius"), scalar(solid, "length"), along, frame.position, color)


def joint_from(element: Element, notes: Notes) -> Joint:
    """A joint of the right kind; its frame on the parent is <origin>, on the child the child's own.

    >>> from xml.etree.ElementTree import fromstring
    >>> text = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
    >>> joint_from(fromstring(text), Notes()).axis
    (0.0, 0.0, 1.0)
    """
    kind = element.get("type", "")
    ends = [usable_name(side.get("link", "")) for side in (element.find("parent"), element.find("child")) if side is not None]
    common: dict[str, Any] = {"parent_frame": origin(element)}
    name = renamed(element.get("name", ""))
    if kind == "fixed":
        return Fixed(name, *ends, **common)
    if kind == "floating":
        return Free(name, *ends, **common)
    axis = numbers(element.find("axis"), "xyz", (1.0, 0.0, 0.0))
    common |= {"axis": axis, "damping": scalar(element.find("dynamics"), "damping", 0.0)}
    if kind == "planar":
        return Planar(name, *ends, **common)
    if kind not in ("revolute", "continuous", "prismatic"):
        known = "revolute, continuous, prismatic, fixed, floating, planar"
        raise ModelError(f"type {kind!r} is unknown; types are {known}")
    common |= {
        "limits": joint_limits(element.find("limit"), name, notes, bounded=kind != "continuous"),
        "mimic": leader(element.find("mimic")),
    }
    return (Prismatic if kind == "prismatic" else Revolute)(name, *ends, **common)


def frictions(element: Element, model: Model, speed: float | None) -> list[JointForce]:
    """Dry friction of a joint, <dynamics friction>: a constant torque or force against its motion, smoothed below a speed.

    Without a speed, or in a joint with several freedoms, a warning says that it is not used.
    """
    friction = scalar(element.find("dynamics"), "friction", 0.0)
    joint = model.joints.get(usable_name(element.get("name", "")))
    if not friction or joint is None or joint.n_v == 0:
        return []
    if speed is None or joint.n_v > 1:
        remedy = "give friction_speed= to load_urdf" if joint.n_v == 1 else "add a JointForce to each of its freedoms"
        message = f"URDF joint {joint.name!r}: friction = {friction} is not used; {remedy}"
        warnings.warn(message, ModelWarning, stacklevel=2)
        return []
    slow = number(speed, "load_urdf", "friction_speed", above=0)
    return [JointForce(f"{joint.name} friction", joint.name, f"-{friction!r}*tanh(v/{slow!r})")]


def joint_limits(limit: Element | None, name: str, notes: Notes, *, bounded: bool) -> Limits | None:
    """Limits from <limit lower upper effort velocity>; a continuous joint has no range. URDF's default of a bound is zero."""
    if limit is None:
        return None
    infinite = float("inf")
    parts = {key: scalar(limit, key, infinite) if limit.get(key) else infinite for key in ("effort", "velocity")}
    for key, value in parts.items():
        if value < 0.0:
            notes.add("negative efforts and velocities of limits were left out", f"joint {name!r}, {key} = {value:g}")
            parts[key] = infinite
    if bounded:
        lower, upper = (scalar(limit, bound, 0.0) for bound in ("lower", "upper"))
        if lower > upper:
            notes.add("limits in the wrong order were exchanged", f"joint {name!r}, {lower:g} … {upper:g}")
            lower, upper = upper, lower
        parts |= {"lower": lower, "upper": upper}
    return Limits(**parts)


def leader(mimic: Element | None) -> tuple[str, float, float] | None:
    """(joint, multiplier, offset) from <mimic>."""
    if mimic is None:
        return None
    return usable_name(mimic.get("joint", "")), scalar(mimic, "multiplier", 1.0), scalar(mimic, "offset", 0.0)
