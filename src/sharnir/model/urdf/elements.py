"""Single elements of a URDF: a link as a Body, a joint as a Joint."""

from __future__ import annotations

import warnings
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from sharnir.errors import ModelError, ModelWarning
from sharnir.model.bodies.body import Body, six
from sharnir.model.bodies.shapes import Box, Cylinder, Shape, Sphere
from sharnir.model.checks import number
from sharnir.model.forces import JointForce
from sharnir.model.frames import IDENTITY, Frame, rotation_rpy
from sharnir.model.joints import Fixed, Free, Joint, Limits, Planar, Prismatic, Revolute
from sharnir.model.model import Model

REPAIRABLE = 1e-2  # an inertia this close (relative) to a physical one suffers from printed digits only


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


def numbers(element: Element | None, attribute: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """Numbers in an attribute; as many as in the default."""
    text = None if element is None else element.get(attribute)
    if text is None:
        return default
    parts = text.split()
    tag = "" if element is None else element.tag
    if len(parts) != len(default):
        raise ModelError(f"<{tag} {attribute}={text!r}> needs {len(default)} number{'s' if len(default) > 1 else ''}")
    try:
        values = [float(part) for part in parts]
    except ValueError:
        raise ModelError(f"<{tag} {attribute}={text!r}> must hold numbers") from None
    return tuple(number(value, f"<{tag}>", attribute) for value in values)


def scalar(element: Element | None, attribute: str, default: float | None = None) -> float:
    """One number in an attribute; an error if it is missing without default."""
    if default is None and (element is None or element.get(attribute) is None):
        raise ModelError(f"<{element.tag if element is not None else '?'}> needs the attribute {attribute!r}")
    return numbers(element, attribute, (0.0 if default is None else default,))[0]


def origin(parent: Element) -> Frame:
    """The <origin xyz rpy> of an element; the identity if there is none."""
    element = parent.find("origin")
    angles = numbers(element, "rpy", (0.0, 0.0, 0.0))
    return Frame(numbers(element, "xyz", (0.0, 0.0, 0.0)), rotation_rpy(*angles) if any(angles) else None)


def materials(robot: Element) -> dict[str, tuple[float, ...]]:
    """Colours of the materials that are defined for the whole robot."""
    found = {}
    for material in robot.findall("material"):
        color = material.find("color")
        if color is not None:
            found[material.get("name", "")] = numbers(color, "rgba", (0.5, 0.5, 0.5, 1.0))
    return found


def link_body(link: Element, colors: dict[str, tuple[float, ...]]) -> Body:
    """A link as a body whose frame is the link's.

    >>> from xml.etree.ElementTree import fromstring
    >>> text = '<link name="arm"><inertial><origin xyz="0 0 1"/><mass value="2"/></inertial></link>'
    >>> link_body(fromstring(text), {}).com
    (0.0, 0.0, 1.0)
    """
    name = link.get("name", "")
    shapes: list[Shape] = []
    meshes: list[str] = []
    for visual in link.findall("visual"):
        geometry = visual.find("geometry")
        for solid in [] if geometry is None else list(geometry):
            if solid.tag == "mesh":
                meshes.append(solid.get("filename", ""))
            else:
                shapes.append(visual_shape(solid, origin(visual), visual_color(visual, colors)))
    inertial = link.find("inertial")
    entries: dict[str, Any] = {"mass": 0.0} if inertial is None else inertia_entries(inertial, name)
    return Body(renamed(name), **entries, shape=tuple(shapes) or None, mesh=next(filter(None, meshes), None))


def visual_color(visual: Element, colors: dict[str, tuple[float, ...]]) -> tuple[float, ...] | None:
    """The colour of a visual, its own or that of a named material."""
    material = visual.find("material")
    if material is None:
        return None
    color = material.find("color")
    return colors.get(material.get("name", "")) if color is None else numbers(color, "rgba", (0.5, 0.5, 0.5, 1.0))


def visual_shape(solid: Element, frame: Frame, color: Any) -> Shape:
    """Box, cylinder or sphere, placed in the link's frame."""
    if solid.tag == "box":
        return Box(numbers(solid, "size", (0.0, 0.0, 0.0)), frame.position, frame.rotation, color)
    if solid.tag == "sphere":
        return Sphere(scalar(solid, "radius"), frame.position, color)
    if solid.tag in ("cylinder", "capsule"):
        along = tuple(row[2] for row in frame.rotation_matrix)
        return Cylinder(scalar(solid, "radius"), scalar(solid, "length"), along, frame.position, color)
    raise ModelError(f"<geometry> with <{solid.tag}>; supported are box, cylinder, sphere, capsule, mesh")


def inertia_entries(inertial: Element, name: str) -> dict[str, Any]:
    """mass, com and inertia in link axes: J = R J_inertial Rᵀ."""
    frame = origin(inertial)
    J = inertial.find("inertia")
    xx, xy, xz, yy, yz, zz = (scalar(J, f"i{pair}", 0.0) for pair in ("xx", "xy", "xz", "yy", "yz", "zz"))
    R = np.array(frame.rotation_matrix)
    local = physical(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), name)
    turned = local if frame.rotation is None else R @ local @ R.T
    return {"mass": scalar(inertial.find("mass"), "value", 0.0), "com": frame.position, "inertia": six(0.5 * (turned + turned.T))}


def physical(J: Any, name: str) -> Any:
    """The inertia itself, or the nearest physical one with a warning if only the printed digits spoil it.

    An inertia is physical if ½ tr(J) 1 - J, the second moments of mass, has no negative eigenvalue.
    """
    values, vectors = np.linalg.eigh(0.5 * np.trace(J) * np.eye(3) - J)
    worst = -values.min() / max(np.abs(J).max(), 1e-300)
    if not 1e-9 < worst <= REPAIRABLE:
        return J
    warnings.warn(
        f"URDF link {name!r}: its inertia is not quite physical (by {worst:.1e}, probably printed digits) and was corrected",
        ModelWarning,
        stacklevel=2,
    )
    second = (vectors * np.clip(values, 0.0, None)) @ vectors.T
    return np.trace(second) * np.array(IDENTITY) - second


def joint_from(element: Element) -> Joint:
    """A joint of the right kind; its frame on the parent is <origin>, on the child the child's own.

    >>> from xml.etree.ElementTree import fromstring
    >>> text = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
    >>> joint_from(fromstring(text)).axis
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
        "limits": joint_limits(element.find("limit"), bounded=kind != "continuous"),
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


def joint_limits(limit: Element | None, *, bounded: bool) -> Limits | None:
    """Limits from <limit lower upper effort velocity>; a continuous joint has no range. URDF's default of a bound is zero."""
    if limit is None:
        return None
    infinite = float("inf")
    parts = {name: scalar(limit, name, infinite) if limit.get(name) else infinite for name in ("effort", "velocity")}
    if bounded:
        parts |= {name: scalar(limit, name, 0.0) for name in ("lower", "upper")}
    return Limits(**parts)


def leader(mimic: Element | None) -> tuple[str, float, float] | None:
    """(joint, multiplier, offset) from <mimic>."""
    if mimic is None:
        return None
    return usable_name(mimic.get("joint", "")), scalar(mimic, "multiplier", 1.0), scalar(mimic, "offset", 0.0)
