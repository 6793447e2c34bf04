"""Mass, centre of mass and inertia of a body: those of <inertial>, or those of its geoms."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sharnir.errors import MissingExtraError, ModelError
from sharnir.model.bodies.mesh import Mesh
from sharnir.model.bodies.triangles import Triangles
from sharnir.model.mjcf.body_tree import Geom, Part
from sharnir.model.mjcf.first_object import first_object
from sharnir.model.mjcf.kept_inertia import kept_inertia
from sharnir.model.mjcf.mjcf_numbers import number_of, numbers_of, orientation, vector_of
from sharnir.model.mjcf.mjcf_source import Compiler
from sharnir.model.urdf.urdf_notes import Notes

DENSITY = 1000.0  # kg/m³, of geoms that do not say it
LEAST = 1e-15


class Inertia(NamedTuple):
    """Mass, centre, and inertia about the centre, in the axes of the body."""

    mass: float
    center: np.ndarray
    J: np.ndarray


def nothing() -> Inertia:
    """No mass."""
    return Inertia(0.0, np.zeros(3), np.zeros((3, 3)))


def body_inertia(part: Part, compiler: Compiler, meshes: Mapping[str, Mapping[str, str]], notes: Notes) -> Inertia:
    """That of <inertial> or of the geoms, as `inertiafromgeom` decides, within the bounds of the compiler."""
    if part.inertial is not None and compiler.from_geoms != "true":
        found = inertial_of(part, compiler)
    elif compiler.from_geoms == "false":
        found = nothing()
    else:
        found = of_geoms(part, compiler, meshes, notes)
    return bounded(found, compiler)


def inertial_of(part: Part, compiler: Compiler) -> Inertia:
    """<inertial> with diaginertia and an orientation, or with fullinertia."""
    given = part.inertial or {}
    if "mass" not in given:
        raise ModelError(f"<inertial> of body {part.name!r} has no mass")
    R = orientation(given, compiler.degrees, compiler.sequence)
    if "fullinertia" in given:
        xx, yy, zz, xy, xz, yz = numbers_of(given["fullinertia"], "fullinertia", 6)
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        J = np.diag(vector_of(given, "diaginertia"))
    return Inertia(number_of(given, "mass", 0.0), vector_of(given, "pos"), R @ J @ R.T)


def of_geoms(part: Part, compiler: Compiler, meshes: Mapping[str, Mapping[str, str]], notes: Notes) -> Inertia:
    """All geoms of the groups that count, as one body."""
    found = []
    for geom in part.geoms:
        group = number_of(geom.given, "group", 0.0)
        if compiler.groups[0] <= group <= compiler.groups[1]:
            one = geom_inertia(geom, meshes, part.name, notes)
            if one.mass > 0.0:
                found.append(one)
    return summed(found)


def summed(parts: list[Inertia]) -> Inertia:
    """Several as one.

    >>> two = [Inertia(1.0, np.array([x, 0.0, 0.0]), np.zeros((3, 3))) for x in (0.0, 2.0)]
    >>> summed(two).J.diagonal().tolist()
    [0.0, 2.0, 2.0]
    """
    mass = sum(x.mass for x in parts)
    if mass <= 0.0:
        return nothing()
    center = sum((x.mass * x.center for x in parts), np.zeros(3)) / mass
    J = np.zeros((3, 3))
    for x in parts:
        r = x.center - center
        J += x.J + x.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return Inertia(mass, center, J)


def bounded(x: Inertia, compiler: Compiler) -> Inertia:
    """With the least mass and inertia, and with equal moments where a triangle inequality fails and that is asked for."""
    values, axes = np.linalg.eigh(x.J)
    if compiler.least_inertia > 0.0:
        values = np.maximum(values, compiler.least_inertia)
    if compiler.balance and values[0] + values[1] < values[2]:
        values = np.full(3, values.mean())
    changed = compiler.least_inertia > 0.0 or compiler.balance
    return Inertia(max(x.mass, compiler.least_mass), x.center, (axes * values) @ axes.T if changed else x.J)


def geom_inertia(geom: Geom, meshes: Mapping[str, Mapping[str, str]], body: str, notes: Notes) -> Inertia:
    """A geom of constant density, or with a mass of its own, in the axes of the body."""
    given = geom.given
    density, mass = number_of(given, "density", DENSITY), number_of(given, "mass", -1.0)
    if mass == 0.0 or (mass < 0.0 and density == 0.0) or geom.kind in ("plane", "hfield", "sdf"):
        return nothing()
    if geom.kind == "mesh":
        solid = mesh_solid(given, meshes, body, notes)
    elif "mesh" in given:
        notes.add("geoms that are fitted to meshes have no mass here", f"{geom.kind} of body {body!r}")
        return nothing()
    else:
        if given.get("shellinertia") == "true":
            notes.add("shells have the inertia of solids", f"{geom.kind} of body {body!r}")
        solid = primitive(geom.kind, geom.size, body)
    if solid is None:
        return nothing()
    volume, center, J = solid
    mass = mass if mass > 0.0 else density * volume
    return Inertia(mass, geom.pose.p + geom.pose.R @ center, mass * (geom.pose.R @ J @ geom.pose.R.T))


Solid = tuple[float, np.ndarray, np.ndarray]  # volume, centre, inertia about it per unit mass


def primitive(kind: str, size: tuple[float, ...], body: str) -> Solid:
    """Sphere, capsule, ellipsoid, cylinder or box with its half sizes.

    >>> primitive("box", (1.0, 2.0, 3.0), "b")[0]
    48.0
    """
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}.get(kind)
    if needed is None:
        raise ModelError(f"body {body!r} has a geom of type {kind!r}, which is unknown")
    if len(size) < needed:
        raise ModelError(f"body {body!r} has a geom of type {kind!r} with {len(size)} sizes; it needs {needed}")
    a, b, c = (*size, 0.0, 0.0)[:3]
    if kind == "sphere":
        volume, moments = 4.0 / 3.0 * math.pi * a**3, (0.4 * a * a,) * 3
    elif kind == "ellipsoid":
        volume, moments = 4.0 / 3.0 * math.pi * a * b * c, ((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5)
    elif kind == "box":
        volume, moments = 8.0 * a * b * c, ((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3)
    elif kind == "cylinder":
        across = (3 * a * a + 4 * b * b) / 12
        volume, moments = 2.0 * math.pi * a * a * b, (across, across, 0.5 * a * a)
    else:
        middle, ends = 2.0 * math.pi * a * a * b, 4.0 / 3.0 * math.pi * a**3
        volume = middle + ends
        # two half spheres, each with its centre 3/8 a beyond the end of the cylinder
        across = middle * (3 * a * a + 4 * b * b) / 12 + ends * (0.4 * a * a + b * b + 0.75 * a * b)
        along = middle * 0.5 * a * a + ends * 0.4 * a * a
        moments = (across / volume, across / volume, along / volume)
    return volume, np.zeros(3), np.diag(moments)


def mesh_solid(given: Mapping[str, str], meshes: Mapping[str, Mapping[str, str]], body: str, notes: Notes) -> Solid | None:
    """The inside of a mesh, as its attribute `inertia` says; None if the file is not there."""
    name = given.get("mesh", "")
    if name not in meshes:
        raise ModelError(f"body {body!r} has a geom with mesh {name!r}, which does not exist")
    asset = meshes[name]
    surface = mesh_surface(asset)
    if surface is None:
        notes.add("meshes that give inertia and cannot be read: their geoms have no mass", f"{name!r} of body {body!r}")
        return None
    rule = asset.get("inertia", "legacy")
    if rule == "shell":
        solid = shell_integrals(surface)
    else:
        solid = cone_integrals(convex_hull(surface) if rule == "convex" else surface, overlapping=rule == "legacy")
    return None if solid is None else (solid[0], solid[1], kept_inertia(solid[2]))


def mesh_surface(asset: Mapping[str, str]) -> Triangles | None:
    """The surface of a mesh asset: seen from its reference frame, then scaled; the convex hull of vertices without faces.

    Vertices are those that MuJoCo keeps, in single precision.
    """
    try:
        scale = vector_of(asset, "scale", (1.0, 1.0, 1.0))
        if "place" in asset and asset["place"].lower().endswith(".obj"):
            surface = first_object(asset["place"])
        elif "place" in asset:
            surface = Mesh(asset["place"]).triangles
        elif "vertex" in asset:
            points = np.array([float(x) for x in asset["vertex"].split()], np.float32).reshape(-1, 3)
            faces = np.array([int(x) for x in asset.get("face", "").split()], int).reshape(-1, 3)
            surface = Triangles(points.astype(float), faces, np.full(len(faces), -1))
        else:
            return None
    except (ModelError, MissingExtraError, ValueError):
        return None
    if not len(surface.faces):
        surface = convex_hull(surface)
    R = orientation({"quat": asset["refquat"]} if "refquat" in asset else {}, True, "xyz")
    seen = surface.moved(np.ones(3), R.T, -R.T @ vector_of(asset, "refpos"))
    return seen.moved(scale, np.eye(3), np.zeros(3))


def convex_hull(surface: Triangles) -> Triangles:
    """The hull, its triangles counterclockwise as seen from outside."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(surface.vertices)
    faces, corners = hull.simplices, surface.vertices
    normals = np.cross(corners[faces[:, 1]] - corners[faces[:, 0]], corners[faces[:, 2]] - corners[faces[:, 0]])
    wrong = np.einsum("ij,ij->i", normals, hull.equations[:, :3]) < 0
    faces = np.where(wrong[:, None], faces[:, ::-1], faces)
    return Triangles(corners, faces, np.full(len(faces), -1))


def cone_integrals(surface: Triangles, overlapping: bool) -> Solid | None:
    """Tetrahedra between a point and all triangles: exact for closed surfaces.

    `overlapping`: all of them count positive, MuJoCo's "legacy": from the centre of the surface to find the centre, then from
    there to find volume and inertia.
    """
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    if not areas.sum() > 0.0:
        return None
    middle = areas @ (a + b + c) / 3.0 / areas.sum()
    volumes = cone_volumes(a - middle, b - middle, c - middle, overlapping)
    volume = float(volumes.sum())
    if abs(volume) < LEAST:
        return None
    center = middle + volumes @ (a + b + c - 3.0 * middle) / 4.0 / volume
    a, b, c, second = a - center, b - center, c - center, np.zeros((3, 3))
    volumes = cone_volumes(a, b, c, overlapping)
    volume = float(volumes.sum())
    for x in (a, b, c, a + b + c):  # ∫ x xᵀ over each tetrahedron with a corner in the centre
        second += np.einsum("n,ni,nj->ij", volumes / 20.0, x, x)
    second /= volume
    return abs(volume), center, np.trace(second) * np.eye(3) - second


def cone_volumes(a: np.ndarray, b: np.ndarray, c: np.ndarray, overlapping: bool) -> np.ndarray:
    """Volumes of the tetrahedra between the origin and triangles."""
    found = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    return np.abs(found) if overlapping else found


def shell_integrals(surface: Triangles) -> Solid | None:
    """A thin surface: its area in the place of the volume."""
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    if not areas.sum() > 0.0:
        return None
    share = areas / areas.sum()
    center = share @ (a + b + c) / 3.0
    a, b, c, second = a - center, b - center, c - center, np.zeros((3, 3))
    for x in (a, b, c, a + b + c):
        second += np.einsum("n,ni,nj->ij", share / 12.0, x, x)
    return float(areas.sum()), center, np.trace(second) * np.eye(3) - second
