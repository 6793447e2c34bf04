"""Geoms as pictures of bodies, and as shapes that touch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sharnir.errors import MissingExtraError, ModelError
from sharnir.model.bodies.mesh import Mesh
from sharnir.model.bodies.shapes import Box, Cylinder, Shape, Sphere
from sharnir.model.contact import Capsule
from sharnir.model.frames import rows
from sharnir.model.mjcf.body_tree import Geom, Part
from sharnir.model.mjcf.mjcf_numbers import Pose, number_of, numbers_of, orientation, vector_of
from sharnir.model.urdf.urdf_notes import Notes

SHOWN_GROUPS = (0.0, 2.0)  # those that MuJoCo's viewer draws at first


def pictures(part: Part, assets: Mapping[str, Any], colors: Mapping[str, Any], meshes: bool, notes: Notes) -> tuple[Shape, ...]:
    """What is drawn of a body."""
    found: list[Shape] = []
    for geom in part.geoms:
        color = color_of(geom.given, colors)
        visible = color is None or len(color) < 4 or color[3] > 0.0
        if visible and SHOWN_GROUPS[0] <= number_of(geom.given, "group", 0.0) <= SHOWN_GROUPS[1]:
            found += picture(geom, assets, None if color is None else color[:3], meshes, part.name, notes)
    return tuple(found)


def color_of(given: Mapping[str, str], colors: Mapping[str, Any]) -> tuple[float, ...] | None:
    """Its own colour, or that of its material."""
    if "rgba" in given:
        return numbers_of(given["rgba"], "rgba", 3, 4)
    return colors.get(given.get("material", ""))


def picture(geom: Geom, assets: Mapping[str, Any], color: Any, meshes: bool, body: str, notes: Notes) -> list[Shape]:
    """One geom; planes and height fields are not drawn."""
    p, R, size = tuple(geom.pose.p.tolist()), rows(geom.pose.R), geom.size
    if geom.kind == "mesh" and meshes:
        return mesh_picture(geom, assets, color, body, notes)
    if "mesh" in geom.given or not size or min(size[:1]) <= 0.0:
        return []
    if geom.kind == "sphere":
        return [Sphere(size[0], p, color)]
    if geom.kind == "ellipsoid" and len(size) == 3:
        notes.add("ellipsoids are drawn as spheres", f"body {body!r}")
        return [Sphere(float(np.cbrt(np.prod(size))), p, color)]
    if geom.kind == "box" and len(size) == 3 and min(size) > 0.0:
        return [Box(tuple(2.0 * x for x in size), p, R, color)]
    if geom.kind in ("cylinder", "capsule") and len(size) >= 2 and size[1] > 0.0:
        axis = tuple(geom.pose.R[:, 2].tolist())
        shapes: list[Shape] = [Cylinder(size[0], 2.0 * size[1], axis, p, color)]
        if geom.kind == "capsule":
            ends = (geom.pose.p + sign * size[1] * geom.pose.R[:, 2] for sign in (-1.0, 1.0))
            shapes += [Sphere(size[0], tuple(end.tolist()), color) for end in ends]
        return shapes
    return []


def mesh_picture(geom: Geom, assets: Mapping[str, Any], color: Any, body: str, notes: Notes) -> list[Shape]:
    """The mesh of a file; notes say which are missing."""
    name = geom.given.get("mesh", "")
    asset = assets.get(name, {})
    if "place" not in asset:
        notes.add("meshes without a file are not drawn", f"{name!r} of body {body!r}")
        return []
    R = orientation({"quat": asset["refquat"]} if "refquat" in asset else {}, True, "xyz")
    scale = vector_of(asset, "scale", (1.0, 1.0, 1.0))
    if np.ptp(scale) and not np.array_equal(R, np.eye(3)):
        notes.add(
            "meshes that are turned and then scaled differently along their axes are not drawn", f"{name!r} of body {body!r}"
        )
        return []
    pose = geom.pose @ Pose(-scale * (R.T @ vector_of(asset, "refpos")), R.T)
    try:
        mesh = Mesh(asset["place"], tuple(scale.tolist()), tuple(pose.p.tolist()), rows(pose.R), color)
        _ = mesh.triangles
    except (ModelError, MissingExtraError) as error:
        notes.add("meshes that cannot be read are not drawn", f"{name!r} of body {body!r} ({str(error)[:80]})")
        return []
    return [mesh]


def touching_shape(geom: Geom) -> Sphere | Box | Capsule | None:
    """The shape with which a geom touches others, where contact elements have it."""
    p, size = geom.pose.p, geom.size
    if geom.kind == "sphere" and size:
        return Sphere(size[0], tuple(p.tolist()))
    if geom.kind == "box" and len(size) == 3:
        return Box(tuple(2.0 * x for x in size), tuple(p.tolist()), rows(geom.pose.R))
    if geom.kind == "capsule" and len(size) >= 2:
        ends = [tuple((p + sign * size[1] * geom.pose.R[:, 2]).tolist()) for sign in (-1.0, 1.0)]
        return Capsule(ends[0], ends[1], size[0])
    return None
