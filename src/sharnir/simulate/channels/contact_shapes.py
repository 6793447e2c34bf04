"""Contact shapes as an animation shows them: shapes that belong to contacts rather than to bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.memory.engine_frames import axes_with_z
from sharnir.model import Bore, Capsule, Model, Profile, Revolution, Rod, Slot, Sphere
from sharnir.model.bodies.shapes import Shape
from sharnir.model.constraints.geometry import curve_formula
from sharnir.model.frames import rotation_matrix
from sharnir.results.scene import shape_record

WALL = "#adb5bd"
AROUND, ALONG = 48, 24  # points of a wall


def contact_shapes(model: Model) -> dict[str, list[dict[str, Any]]]:
    """Records of shapes by body; planes and surfaces have no end and are not drawn."""
    found: dict[str, list[dict[str, Any]]] = {}
    drawn = set()
    for force in model.forces.values():
        for body, shape in force.drawn_shapes(model):
            if shape is not None and shape not in model.body(body).shapes and (body, shape) not in drawn:
                drawn.add((body, shape))
                found.setdefault(body, []).extend(records(shape, model))
    return found


def records(shape: Any, model: Model) -> list[dict[str, Any]]:
    """One shape as things to draw.

    >>> from sharnir.model import Plane
    >>> records(Plane(), Model()), len(records(Capsule((0, 0, 0), (1, 0, 0), 0.1), Model()))
    ([], 3)
    """
    if isinstance(shape, Shape):
        return [{"color": WALL} | shape_record(part) for part in shape.picture()]
    if isinstance(shape, Capsule):
        ends = [Sphere(shape.radius, end, WALL) for end in (shape.start, shape.end)]
        return [shape_record(part) for part in (Rod(shape.start, shape.end, shape.radius, WALL), *ends)]
    if isinstance(shape, (Bore, Slot)):
        return [_hole(shape)]
    if isinstance(shape, Profile):
        s = np.linspace(shape.span[0], shape.span[1], 2 * AROUND + 1)[:-1]
        outline = _points(shape, s, model)
        width = 0.1 * float(np.ptp(outline, axis=0).max())
        return [_tube(outline, width, np.array(rotation_matrix(shape.rotation)), shape.center)]
    if isinstance(shape, Revolution):
        return [
            _turned(
                _points(shape, np.linspace(shape.span[0], shape.span[1], ALONG), model),
                axes_with_z(np.array(shape.axis)),
                shape.center,
            )
        ]
    return []


def _points(shape: Profile | Revolution, s: np.ndarray, model: Model) -> np.ndarray:
    formula = curve_formula(shape, model.parameters)  # type: ignore[arg-type]
    return np.array([formula.evaluate((x,))[:2] for x in s])


def _hole(shape: Bore | Slot) -> dict[str, Any]:
    """The wall of a bore or slot."""
    angle = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    outline = shape.radius * np.column_stack([np.cos(angle), np.sin(angle)])
    width = shape.radius if shape.length is None else shape.length
    if isinstance(shape, Bore):
        return _tube(outline, width, axes_with_z(np.array(shape.axis)), shape.center)
    start, end, z = np.array(shape.start), np.array(shape.end), np.array(shape.axis)
    span = float(np.linalg.norm(end - start))
    outline[:, 0] += np.where(np.cos(angle) >= 0.0, 0.5 * span, -0.5 * span)
    x = (end - start) / span
    return _tube(outline, width, np.array([x, np.cross(z, x), z]).T, tuple(0.5 * (start + end)))


def _tube(outline: np.ndarray, width: float, axes: np.ndarray, center: Any) -> dict[str, Any]:
    """A closed outline, drawn along the third axis."""
    n = len(outline)
    ring = [np.column_stack([outline, np.full(n, z)]) for z in (-0.5 * width, 0.5 * width)]
    return _mesh(np.concatenate(ring), n, 2, axes, center)


def _turned(meridian: np.ndarray, axes: np.ndarray, center: Any) -> dict[str, Any]:
    """A meridian (distance, height), turned about the third axis."""
    angle = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    rings = [np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(AROUND, z)]) for r, z in meridian]
    return _mesh(np.concatenate(rings), AROUND, len(meridian), axes, center)


def _mesh(points: np.ndarray, around: int, rings: int, axes: np.ndarray, center: Any) -> dict[str, Any]:
    """Triangles between rings of points; both sides are seen."""
    faces = []
    for i in range(rings - 1):
        for j in range(around):
            a, b = i * around + j, i * around + (j + 1) % around
            faces += [(a, b, a + around), (b, b + around, a + around)]
    faces += [face[::-1] for face in faces]
    vertices = points @ axes.T + np.array(center)
    return shape_record({"kind": "mesh", "vertices": vertices.tolist(), "faces": faces, "color": WALL})
