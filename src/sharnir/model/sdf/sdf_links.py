"""Links as bodies: mass, centre, inertia, and what is drawn of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from sharnir.errors import MissingExtraError, ModelError
from sharnir.model.bodies.body import Body
from sharnir.model.bodies.mesh import Mesh
from sharnir.model.bodies.shapes import Box, Cylinder, Shape, Sphere
from sharnir.model.frames import rows
from sharnir.model.mjcf.geom_inertias import Inertia, Solid, primitive, summed
from sharnir.model.mjcf.mjcf_numbers import Pose
from sharnir.model.sdf.sdf_frames import Found, Frames
from sharnir.model.sdf.sdf_source import number_in, pose_of, text_of, vector_in, yes
from sharnir.model.urdf.inertias import inertia_of

WATER = 1000.0  # kg/m³, of what has no density
HALF = {"box": 0.5, "cylinder": 0.5, "capsule": 0.5}  # lengths of the file that are twice those that inertias ask for


@dataclass(frozen=True)
class Geometry:
    """A shape of a link: its kind, its sizes as the file has them, and its pose in the link."""

    kind: str
    size: tuple[float, ...]
    pose: Pose
    element: Element


def link_body(link: Found, frames: Frames, rule: str) -> Body:
    """A link as a body whose frame is the link's."""
    entries = inertial_entries(link, frames, rule)
    shapes: list[Shape] = []
    for visual in link.element.findall("visual"):
        if number_in(visual, "transparency", 0.0) < 1.0:
            shapes += picture(visual, link, frames)
    for key in ("kinematic", "velocity_decay"):
        found = link.element.find(key)
        if found is not None and (len(found) or yes(link.element, key)):
            frames.notes.add(f"<{key}>", f"link {link.name!r}")
    return Body(link.name, **entries, shape=tuple(shapes) or None)


def inertial_entries(link: Found, frames: Frames, rule: str) -> dict[str, Any]:
    """mass, com, inertia of <inertial>; SDF's defaults are 1 kg and 1 kg m² about every axis."""
    inertial = link.element.find("inertial")
    if inertial is not None and inertial.get("auto") in ("true", "1"):
        return automatic(link, inertial, frames, rule)
    pose = pose_of(None if inertial is None else inertial.find("pose"))
    if inertial is not None and inertial.find("fluid_added_mass") is not None:
        frames.notes.add("<fluid_added_mass>", f"link {link.name!r}")
    J = None if inertial is None else inertial.find("inertia")
    xx, yy, zz = (number_in(J, f"i{pair}", 1.0) for pair in ("xx", "yy", "zz"))
    xy, xz, yz = (number_in(J, f"i{pair}", 0.0) for pair in ("xy", "xz", "yz"))
    local = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = None if (np.eye(3) == pose.R).all() else pose.R
    entries = {"mass": number_in(inertial, "mass", 1.0), "com": tuple(pose.p.tolist())}
    return entries | inertia_of(local, R, link.name, rule, frames.notes)


def automatic(link: Found, inertial: Element, frames: Frames, rule: str) -> dict[str, Any]:
    """Of all collision shapes with their densities; a given mass scales them."""
    parts = []
    for collision in link.element.findall("collision"):
        shape = geometry(collision, link, frames)
        if shape is None or shape.kind in ("plane", "empty"):
            continue
        solid = solid_of(shape, link, frames)
        density = number_in(collision, "density", number_in(inertial, "density", WATER))
        if solid is not None:
            volume, center, J = solid
            mass, pose = density * volume, shape.pose
            parts.append(Inertia(mass, pose.p + pose.R @ center, mass * (pose.R @ J @ pose.R.T)))
    whole = summed(parts)
    if whole.mass <= 0.0:
        raise ModelError('<inertial auto="true"> needs a <collision> with a volume; or give <mass> and <inertia>')
    scale = number_in(inertial, "mass", whole.mass) / whole.mass
    entries = {"mass": scale * whole.mass, "com": tuple(whole.center.tolist())}
    return entries | inertia_of(scale * whole.J, None, link.name, rule, frames.notes)


def solid_of(shape: Geometry, link: Found, frames: Frames) -> Solid | None:
    """Volume, centre and inertia per unit mass; None, with a note, where they are not known."""
    if shape.kind == "mesh":
        mesh = mesh_of(shape.element, Pose(np.zeros(3), np.eye(3)), None, link, frames)
        return None if mesh is None else (mesh.volume, np.array(mesh.center), np.array(mesh.unit_inertia()))
    if shape.kind == "cone":
        a, h = shape.size
        moments = (0.15 * a * a + 0.0375 * h * h, 0.15 * a * a + 0.0375 * h * h, 0.3 * a * a)
        return np.pi * a * a * h / 3.0, np.array([0.0, 0.0, -0.25 * h]), np.diag(moments)
    if not shape.size:
        frames.notes.add("shapes whose inertia is not computed", f"<{shape.kind}> of link {link.name!r}")
        return None
    half = HALF.get(shape.kind, 1.0)
    size = tuple(half * x for x in shape.size) if shape.kind == "box" else (shape.size[0], *(half * x for x in shape.size[1:]))
    return primitive(shape.kind, size, link.name)


def geometry(owner: Element, link: Found, frames: Frames) -> Geometry | None:
    """The shape of a visual or collision."""
    found = owner.find("geometry")
    shape = None if found is None or not len(found) else found[0]
    if shape is None:
        return None
    sizes: tuple[float, ...] = ()
    if shape.tag == "box":
        sizes = vector_in(shape, "size", (1.0, 1.0, 1.0))
    elif shape.tag == "sphere":
        sizes = (number_in(shape, "radius", 1.0),)
    elif shape.tag in ("cylinder", "capsule", "cone"):
        sizes = (number_in(shape, "radius", 0.5 if shape.tag == "capsule" else 1.0), number_in(shape, "length", 1.0))
    elif shape.tag == "ellipsoid":
        sizes = vector_in(shape, "radii", (1.0, 1.0, 1.0))
    return Geometry(shape.tag, sizes, frames.within(owner, link.place), shape)


def picture(visual: Element, link: Found, frames: Frames) -> list[Shape]:
    """What is drawn of a visual."""
    shape = geometry(visual, link, frames)
    if shape is None or shape.kind in ("plane", "empty"):
        return []
    where = f"<{shape.kind}> of link {link.name!r}"
    text = text_of(visual, "material/diffuse")
    color = tuple(float(x) for x in text.split()[:3]) if len(text.split()) >= 3 else None
    p, R, size = tuple(shape.pose.p.tolist()), shape.pose.R, shape.size
    if shape.kind == "mesh":
        mesh = mesh_of(shape.element, shape.pose, color, link, frames)
        return [] if mesh is None else [mesh]
    if not size or min(size) <= 0.0:
        frames.notes.add("shapes that are not drawn", where)
        return []
    if shape.kind == "box":
        return [Box(size, p, None if (np.eye(3) == R).all() else rows(R), color)]
    if shape.kind == "sphere":
        return [Sphere(size[0], p, color)]
    if shape.kind == "ellipsoid":
        frames.notes.add("ellipsoids are drawn as spheres", where)
        return [Sphere(float(np.cbrt(np.prod(size))), p, color)]
    if shape.kind == "cone":
        frames.notes.add("cones are drawn as cylinders of half the radius", where)
    radius = 0.5 * size[0] if shape.kind == "cone" else size[0]
    shapes: list[Shape] = [Cylinder(radius, size[1], tuple(R[:, 2].tolist()), p, color)]
    if shape.kind == "capsule":
        ends = (shape.pose.p + sign * 0.5 * size[1] * R[:, 2] for sign in (-1.0, 1.0))
        shapes += [Sphere(size[0], tuple(end.tolist()), color) for end in ends]
    return shapes


def mesh_of(element: Element, pose: Pose, color: Any, link: Found, frames: Frames) -> Mesh | None:
    """The mesh of a file, if it is there and can be read; notes say which are not."""
    uri = text_of(element, "uri") or text_of(element, "filename")
    place = frames.source.file(uri, link.place.scope.document.folder)
    if place is None:
        what = "meshes whose files are not there are not drawn (packages={name: folder} says where models are)"
        frames.notes.add(what, f"{uri} of link {link.name!r}")
        return None
    if element.find("submesh") is not None:
        frames.notes.add("the whole mesh stands for a part of it", f"{place.name} of link {link.name!r}")
    try:
        scale = vector_in(element, "scale", (1.0, 1.0, 1.0))
        mesh = Mesh(str(place), scale, tuple(pose.p.tolist()), rows(pose.R), color)
        _ = mesh.triangles
    except (ModelError, MissingExtraError) as error:
        frames.notes.add("meshes that cannot be read are not drawn", f"{place.name} of link {link.name!r} ({str(error)[:80]})")
        return None
    return mesh
