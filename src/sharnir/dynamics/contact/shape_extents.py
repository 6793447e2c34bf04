"""Sizes of shapes: the bounding sphere, and the smallest thickness."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sharnir.dynamics.memory.drawing import Drawing
from sharnir.model.bodies.mesh import Mesh
from sharnir.model.bodies.shapes import Box, Cylinder, Sphere
from sharnir.model.constraints.geometry import curve_formula
from sharnir.model.contact import Bore, Capsule, Point, Profile, Slot

ROUNDING = 1e-9  # of a radius: balls are larger by this


def ball(shape: Any) -> tuple[Any, float]:
    """Centre and radius of the ball around a shape; what has no end has none.

    >>> round(ball(Box((2, 1, 2)))[1], 6)
    1.5
    >>> from sharnir.model.contact import Plane
    >>> ball(Plane())[1]
    inf
    """
    if isinstance(shape, Point):
        center, radius = shape.at, 0.0
    elif isinstance(shape, Capsule):
        start, end = np.array(shape.start), np.array(shape.end)
        center, radius = tuple(0.5 * (start + end)), shape.radius + 0.5 * float(np.linalg.norm(end - start))
    elif isinstance(shape, Box):
        center, radius = shape.center, 0.5 * float(np.linalg.norm(shape.size))
    elif isinstance(shape, Cylinder):
        center, radius = shape.center, float(np.hypot(shape.radius, 0.5 * shape.length))
    elif isinstance(shape, Sphere):
        center, radius = shape.center, shape.radius
    elif isinstance(shape, Mesh):
        low, high = shape.triangles.vertices.min(axis=0), shape.triangles.vertices.max(axis=0)
        center = tuple(0.5 * (low + high))
        radius = float(np.linalg.norm(shape.triangles.vertices - center, axis=1).max())
    else:
        center, radius = getattr(shape, "center", (0.0, 0.0, 0.0)), math.inf
    return center, radius * (1.0 + ROUNDING)


def half_thickness(shape: Any, parameters: Any = None) -> float:
    """Half of what a body has to penetrate to come out on the other side; infinite: there is none.

    >>> half_thickness(Box((2, 1, 0.2))), half_thickness(Point())
    (0.1, inf)
    """
    if isinstance(shape, Box):
        return 0.5 * min(shape.size)
    if isinstance(shape, Cylinder):
        return min(shape.radius, 0.5 * shape.length)
    if isinstance(shape, (Sphere, Capsule, Bore, Slot)):
        return float(shape.radius)
    if isinstance(shape, Mesh):  # of a plate: half its thickness
        return (shape.volume if shape.closed else shape.hull()[1]) / shape.triangles.area()
    if isinstance(shape, Profile) and not shape.inside:
        return profile_radius(shape, parameters)
    return math.inf


def profile_radius(shape: Any, parameters: Any) -> float:
    """Half of the smaller side of a rectangle around the curve of a Profile, by some of its points."""
    points = np.array(
        [curve_formula(shape, parameters).evaluate((s,))[:2] for s in np.linspace(shape.span[0], shape.span[1], 65)]
    )
    return 0.5 * float(np.ptp(points, axis=0).min())


def pair_extents(drawing: Drawing, first: tuple[str, Any], second: tuple[str, Any]) -> list[float]:
    """Of two bodies with their shapes: centre (engine axes) and radius of the ball around each; half thickness of the thinner."""
    numbers: list[float] = []
    for body, shape in (first, second):
        center, radius = ball(shape)
        numbers += [*body_point(drawing, body, center), radius]
    return [*numbers, min(half_thickness(shape, drawing.model.parameters) for _, shape in (first, second))]


def body_point(drawing: Drawing, body: str, at: Any) -> np.ndarray:
    """A point in axes of a body, in its engine axes."""
    R, p = user_frame(drawing, body)
    return drawing.point(body, p + R @ np.array(at, float))


def user_frame(drawing: Drawing, body: str) -> tuple[np.ndarray, np.ndarray]:
    """The frame of a body in the drawing."""
    i, place = drawing.number(body), drawing.place
    return (np.eye(3), np.zeros(3)) if i < 0 else (place.user_rotation[i], place.user_position[i])
