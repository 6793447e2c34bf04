"""Contacts of a model → their records: which shape gives points, which the boundary, and their numbers."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from sharnir.dynamics.contact import contact_laws
from sharnir.dynamics.contact import contact_pair as C
from sharnir.dynamics.contact import distance_fields as F
from sharnir.dynamics.contact.box_box import BOX_SCRATCH
from sharnir.dynamics.contact.contact_horizon import CONTACT_HORIZON
from sharnir.dynamics.contact.mesh_tree import mesh_numbers
from sharnir.dynamics.contact.shape_extents import body_point, pair_extents, user_frame
from sharnir.dynamics.forces.force_records import force_record
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.drawing import Drawing
from sharnir.dynamics.memory.engine_frames import axes_with_z
from sharnir.dynamics.memory.memory_builder import Blocks
from sharnir.errors import ModelError
from sharnir.model.bodies.mesh import Mesh
from sharnir.model.bodies.shapes import Box, Cylinder, Sphere
from sharnir.model.constraints.geometry import curve_formula, surface_formula
from sharnir.model.contact import Bore, Capsule, Plane, Point, Profile, Revolution, Slot, Surface
from sharnir.model.forces import Contact, ContactGroup
from sharnir.model.formula import parse
from sharnir.model.frames import rotation_matrix
from sharnir.model.given_functions import formulas

LAWS = {"power": contact_laws.POWER, "linear": contact_laws.LINEAR, "exponential": contact_laws.EXPONENTIAL}
SAMPLES = 128  # of a curve, from which the nearest point is looked for
MOST_TRIANGLES = 200_000
CONVEX = 1e-6  # part of a hull's volume that a convex mesh may leave out
ROUND = (Sphere, Capsule, Point)
# which shapes can give the points that touch a boundary
TOUCHING: dict[type, tuple[type, ...]] = {
    Plane: (Sphere, Point, Capsule, Box, Cylinder, Mesh),
    Bore: (Cylinder, Sphere, Point, Capsule, Box),
    Slot: (Cylinder, Sphere, Point),
    Profile: (Sphere, Point, Cylinder),
    Revolution: (Sphere, Point, Capsule, Box),
    Surface: (Sphere, Point, Capsule, Box),
    Sphere: (Sphere, Point, Capsule),
    Capsule: (Sphere, Point, Capsule),
    Box: (Sphere, Point, Box),
    Cylinder: (Sphere, Point),
    Mesh: (Sphere, Point),
}


@force_record(Contact, C.CONTACT, horizon=CONTACT_HORIZON)
def contact_row(blocks: Blocks, row: np.ndarray, force: Contact, drawing: Drawing) -> None:
    """The record of a contact."""
    shapes, names = force.shapes(drawing.model), (str(force.a), str(force.b))
    turned = swapped(force, *shapes)
    probe, boundary = shapes[::-1] if turned else shapes
    a, b = names[::-1] if turned else names
    kind, count, numbers = probe_numbers(drawing, a, probe, boundary)
    row[L.BODY_A], row[L.BODY_B] = drawing.number(a), drawing.number(b)
    row[L.F_PARAMS] = blocks.append("params", None, [*law_numbers(force), -1.0 if turned else 1.0, *numbers])
    field, function, entries = boundary_numbers(force, boundary, b, drawing)
    offset = blocks.append("params", None, entries)
    space = blocks.append("work", None, np.zeros(BOX_SCRATCH if kind == C.BOX else F.SCRATCH))
    extents = blocks.append("params", None, pair_extents(drawing, (a, probe), (b, boundary)))
    row[L.F_DATA] = blocks.append("table", None, [kind, count, field, offset, function, space, extents])


def law_numbers(force: Contact | ContactGroup) -> list[float]:
    """Law and friction."""
    law, friction = [LAWS[force.law.kind], *force.law.numbers], force.friction
    if friction is None:
        return [*law, 0.0, 0.0, 1.0, 1.0, 0.0]
    return [*law, friction.static, friction.kinetic, friction.stribeck_speed, friction.speed, friction.viscous]


def probe_numbers(drawing: Drawing, body: str, shape: Any, boundary: Any) -> tuple[int, int, list[float]]:
    """Kind of the points that touch a boundary, how many, and numbers in engine axes: their radius first."""
    kind, count, radius, (points, axes, others) = _probe(shape, boundary)
    placed = [x for point in points for x in body_point(drawing, body, point)]
    turn = user_frame(drawing, body)[0]
    turned = [x for axis in axes for x in drawing.direction(body, turn @ np.array(axis)).ravel()]
    return kind, count, [radius, *placed, *turned, *others]


def swapped(force: Contact | ContactGroup, a: Any, b: Any) -> bool:
    """Whether b gives the points; an error if neither can."""
    if type(a) in TOUCHING.get(type(b), ()) and not (isinstance(a, Box) and isinstance(b, ROUND)):
        return False
    if type(b) in TOUCHING.get(type(a), ()):
        return True
    known = ", ".join(sorted(f"{one.__name__}-{two.__name__}" for two, ones in TOUCHING.items() for one in ones))
    raise ModelError(
        f"{force.label}: contact of {type(a).__name__} and {type(b).__name__} is not implemented; available pairs are {known}",
        field="shape_a",
    )


def _probe(shape: Any, boundary: Any) -> tuple[int, int, float, tuple[list[Any], list[Any], list[float]]]:
    """Kind of the points, how many, their radius; points and axes in axes of the body, other numbers."""
    if isinstance(shape, Cylinder):
        if isinstance(boundary, Profile):
            return C.POINTS, 1, shape.radius, ([shape.center], [], [])
        extent = [shape.radius, 0.5 * shape.length]
        if isinstance(boundary, Plane):
            return C.RIM, 6, 0.0, ([shape.center], [shape.axis], extent)
        return C.JOURNAL, 2, shape.radius, ([shape.center], [shape.axis], extent)
    if isinstance(shape, Box):
        R = np.array(rotation_matrix(shape.rotation))
        half = 0.5 * np.array(shape.size)
        if isinstance(boundary, Box):
            return C.BOX, 0, 0.0, ([shape.center], [R], half.tolist())
        corners = [np.array(shape.center) + R @ (half * signs) for signs in product((-1, 1), repeat=3)]
        return C.POINTS, 8, 0.0, (corners, [], [])
    if isinstance(shape, Mesh):
        around = shape.hull()[0]
        return C.POINTS, len(around), 0.0, (list(around), [], [])
    radius = 0.0 if isinstance(shape, Point) else shape.radius
    if not isinstance(shape, Capsule):
        center = shape.at if isinstance(shape, Point) else shape.center
        return C.POINTS, 1, radius, ([center], [], [])
    ends = [shape.start, shape.end]
    if isinstance(boundary, ROUND):
        return C.SEGMENT, 1, radius, (ends, [], [])
    return C.POINTS, 2, radius, (ends, [], [])


def boundary_numbers(force: Contact | ContactGroup, shape: Any, body: str, drawing: Drawing) -> tuple[int, int, list[float]]:
    """Kind of the boundary, address of its formula, and its numbers: frame first."""
    if isinstance(shape, Plane):
        return F.PLANE, 0, _frame(drawing, body, shape.point, axes_with_z(np.array(shape.normal)))
    if isinstance(shape, (Sphere, Point, Capsule)):
        return F.ROUND, 0, _round(drawing, body, shape)
    if isinstance(shape, Bore):
        half = np.inf if shape.length is None else 0.5 * shape.length
        return F.HOLE, 0, [*_frame(drawing, body, shape.center, axes_with_z(np.array(shape.axis))), 0.0, shape.radius, half]
    if isinstance(shape, Slot):
        start, end, z = np.array(shape.start), np.array(shape.end), np.array(shape.axis)
        span = float(np.linalg.norm(end - start))
        x = (end - start) / span
        axes, half = np.array([x, np.cross(z, x), z]).T, np.inf if shape.length is None else 0.5 * shape.length
        return F.HOLE, 0, [*_frame(drawing, body, 0.5 * (start + end), axes), 0.5 * span, shape.radius, half]
    if isinstance(shape, Box):
        axes = np.array(rotation_matrix(shape.rotation))
        return F.BLOCK, 0, [*_frame(drawing, body, shape.center, axes), *(0.5 * x for x in shape.size)]
    if isinstance(shape, Cylinder):
        axes = axes_with_z(np.array(shape.axis))
        return F.DRUM, 0, [*_frame(drawing, body, shape.center, axes), shape.radius, 0.5 * shape.length]
    if isinstance(shape, Mesh):
        return _mesh(force, shape, body, drawing)
    return _given_boundary(force, shape, body, drawing)


def _round(drawing: Drawing, body: str, shape: Any) -> list[float]:
    """A sphere or capsule about the z axis of a frame."""
    if not isinstance(shape, Capsule):
        center, radius = (shape.at, 0.0) if isinstance(shape, Point) else (shape.center, shape.radius)
        return [*_frame(drawing, body, center, np.eye(3)), 0.0, radius]
    start, end = np.array(shape.start), np.array(shape.end)
    span = float(np.linalg.norm(end - start))
    return [*_frame(drawing, body, 0.5 * (start + end), axes_with_z((end - start) / span)), 0.5 * span, shape.radius]


def _mesh(force: Contact | ContactGroup, shape: Mesh, body: str, drawing: Drawing) -> tuple[int, int, list[float]]:
    """The surface of a closed mesh."""
    surface = shape.outside(force.label)
    if len(surface.faces) > MOST_TRIANGLES:
        raise ModelError(
            f"{force.label}: mesh {shape.file!r} has {len(surface.faces)} triangles, contacts take at most {MOST_TRIANGLES}; "
            "export it coarser"
        )
    hull = surface.hull()[1]
    convex = hull - surface.integrals()[0] <= CONVEX * hull
    numbers = [*_frame(drawing, body, (0.0, 0.0, 0.0), np.eye(3)), *mesh_numbers(surface)]
    return F.CONVEX_MESH if convex else F.MESH, 0, numbers


def _given_boundary(force: Contact | ContactGroup, shape: Any, body: str, drawing: Drawing) -> tuple[int, int, list[float]]:
    """A surface or a curve by its formulas."""
    parameters = drawing.model.parameters
    curved = not isinstance(shape, Surface)
    entries, names = (shape.curve, ("s",)) if curved else ((shape.formula,), ("x", "y", "z"))
    for text in formulas(tuple(entries)):
        changing = parse(text, names, None).names & set(drawing.functions.signals)
        if changing:
            raise ModelError(
                f"{force.label}: {shape.label} names '{min(changing)}', which changes during the run; a boundary is made once, "
                "from numbers and parameters that no event sets"
            )
    axis = axes_with_z(np.array(shape.axis)) if isinstance(shape, Revolution) else np.array(rotation_matrix(shape.rotation))
    frame = _frame(drawing, body, shape.center, axis)
    if not curved:
        formula = surface_formula(shape, parameters)
        return F.SURFACE, drawing.functions.keep(formula.compiled(force.label), force.label), frame
    formula = curve_formula(shape, parameters)
    function = drawing.functions.keep(formula.compiled(force.label), force.label)
    kind = F.REVOLUTION if isinstance(shape, Revolution) else F.PROFILE
    return kind, function, [*frame, *_curve_numbers(force, shape, formula)]


def _curve_numbers(force: Contact | ContactGroup, shape: Any, formula: Any) -> list[float]:
    """Span, closed or not, free side, samples."""
    closed = isinstance(shape, Profile)
    first, last = shape.span
    s = np.linspace(first, last, SAMPLES + 1)
    points = np.array([formula.evaluate((x,))[:2] for x in s])
    if not np.isfinite(points).all():
        raise ModelError(f"{force.label}: {shape.label} has no value at s = {s[~np.isfinite(points).all(axis=1)][0]:g}")
    side = 1.0
    if closed:
        gap, size = np.abs(points[0] - points[-1]).max(), np.abs(points - points.mean(axis=0)).max()
        if gap > 1e-6 * size:
            raise ModelError(
                f"{force.label}: {shape.label} is not closed: its ends at s = {first:g} and {last:g} are {gap:.3g} m apart; "
                "give the span of one turn, or use Surface"
            )
        points = points[:-1]
        x, y = points.T
        side = float(np.sign(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y)))  # counterclockwise: inside is to the left
    elif points[:, 0].min() < 0.0:
        raise ModelError(f"{force.label}: {shape.label} has a radius below zero within its span")
    return [first, last, float(closed), side if shape.inside else -side, float(len(points)), *points.ravel()]


def _frame(drawing: Drawing, body: str, origin: Any, axes: Any) -> list[float]:
    """A frame given in axes of a body, in engine axes: rotation 9, position 3."""
    R, p = user_frame(drawing, body)
    return drawing.frame(body, p + R @ np.array(origin, float), R @ np.array(axes, float))
