"""Solid shapes of bodies: they give mass distribution and picture alike."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from sharnir.families import Family, Registered
from sharnir.model.checks import Rows, Triple, colour, number, settle, unit_axis, vector
from sharnir.model.frames import IDENTITY, rotation_matrix, rows, stored_rotation, triple
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import Axis, Colour, DerivedNumber, Number, Orientation, Vector, default, element


class Shape(Registered, Parametric, ABC, listed=False):
    """A solid shape of a body, in the axes of the body. Defining a subclass lists it among the shapes.

    center : its centre of mass; `color`: of the picture, or None.

    >>> Sphere(1).unit_inertia()[0][0]
    0.4
    """

    family: ClassVar[Family] = Family("shape")
    elsewhere: ClassVar[dict[str, str]] = {
        word: f"give it to the body: sr.Body(…, {word}=…, shape=…)" for word in ("density", "mass", "com", "inertia")
    }
    center: Any
    color: Any

    @property
    @abstractmethod
    def volume(self) -> float:
        """Volume [m³]."""

    @abstractmethod
    def unit_inertia(self) -> Rows:
        """Inertia about the centre per unit mass [m²], body axes."""

    @property
    def closed(self) -> bool:
        """Whether it has an inside, and so a volume."""
        return True

    def picture(self) -> list[Any]:
        """What an animation draws of it: shapes that it knows, or meshes {"kind": "mesh", "vertices": …, "faces": …}."""
        return [self]


@element
class Box(Shape):
    """A solid block of edge lengths `size`, its edges along the body axes unless turned by `rotation`.

    >>> Box((2, 1, 1)).volume
    2.0
    """

    size: Vector
    center: Vector = default((0.0, 0.0, 0.0))
    rotation: Orientation = default(None)
    color: Colour = default(None)

    def __post_init__(self) -> None:
        settle(self, size=vector(self.size, 3, "Box", "size", above=0), rotation=stored_rotation(self.rotation, "Box"))
        settle(self, center=vector(self.center, 3, "Box", "center"), color=colour(self.color, "Box"))

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return float(math.prod(self.size))

    def unit_inertia(self) -> Rows:
        """Inertia about the centre per unit mass [m²], body axes."""
        x, y, z = self.size
        J = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) / 12
        R = np.array(rotation_matrix(self.rotation))
        return rows(J if self.rotation is None else symmetric(R @ J @ R.T))


@element
class Cylinder(Shape):
    """A solid cylinder along `axis` ("x", "y", "z" or three numbers, body axes).

    >>> Cylinder(radius=1, length=2).unit_inertia()[2][2]
    0.5
    """

    radius: Number
    length: Number
    axis: Axis = default("z")
    center: Vector = default((0.0, 0.0, 0.0))
    color: Colour = default(None)

    def __post_init__(self) -> None:
        settle(self, radius=number(self.radius, "Cylinder", "radius", above=0))
        settle(self, length=number(self.length, "Cylinder", "length", above=0), axis=unit_axis(self.axis, "Cylinder"))
        settle(self, center=vector(self.center, 3, "Cylinder", "center"), color=colour(self.color, "Cylinder"))

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return math.pi * self.radius**2 * self.length

    def unit_inertia(self) -> Rows:
        """Inertia about the centre per unit mass [m²], body axes."""
        return cylinder_inertia(self.radius, self.length, self.axis)


@element
class Sphere(Shape):
    """A solid ball.

    >>> Sphere(0.5).unit_inertia()[0]
    (0.1, 0.0, 0.0)
    """

    radius: Number
    center: Vector = default((0.0, 0.0, 0.0))
    color: Colour = default(None)

    def __post_init__(self) -> None:
        settle(self, radius=number(self.radius, "Sphere", "radius", above=0))
        settle(self, center=vector(self.center, 3, "Sphere", "center"), color=colour(self.color, "Sphere"))

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return 4 / 3 * math.pi * self.radius**3

    def unit_inertia(self) -> Rows:
        """Inertia about the centre per unit mass [m²], body axes."""
        return rows(0.4 * self.radius**2 * np.eye(3))


@element
class Rod(Shape):
    """A slender solid cylinder from `start` to `end` (body axes).

    The radius is 2 % of the length by default.

    >>> Rod((0, 0, 0), (1, 0, 0), radius=0.01).center
    (0.5, 0.0, 0.0)
    """

    start: Vector
    end: Vector
    radius: DerivedNumber = default(None)
    color: Colour = default(None)
    slenderness: ClassVar[float] = 0.02

    def __post_init__(self) -> None:
        start, end = vector(self.start, 3, "Rod", "start"), vector(self.end, 3, "Rod", "end")
        length = number(math.dist(start, end), "Rod", "length (start to end)", above=0)
        radius = self.slenderness * length if self.radius is None else number(self.radius, "Rod", "radius", above=0)
        settle(self, start=start, end=end, radius=radius, color=colour(self.color, "Rod"))

    @property
    def center(self) -> tuple[float, float, float]:
        """Middle of the rod."""
        return triple(0.5 * (np.array(self.start) + np.array(self.end)))

    @property
    def length(self) -> float:
        """Distance from start to end [m]."""
        return math.dist(self.start, self.end)

    @property
    def axis(self) -> tuple[float, float, float]:
        """Unit vector from start to end."""
        return unit_axis(tuple(b - a for a, b in zip(self.start, self.end, strict=True)), "Rod")

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return math.pi * self.radius**2 * self.length

    def unit_inertia(self) -> Rows:
        """Inertia about the centre per unit mass [m²], body axes."""
        return cylinder_inertia(self.radius, self.length, self.axis)


def cylinder_inertia(radius: float, length: float, axis: Triple) -> Rows:
    """Inertia of a solid cylinder about its centre per unit mass: J = a 1 + (c - a) n nᵀ."""
    across = radius**2 / 4 + length**2 / 12
    along = radius**2 / 2
    n = np.array(axis)
    return rows(across * np.array(IDENTITY) + (along - across) * np.outer(n, n))


def symmetric(matrix: Any) -> Any:
    """The symmetric part of a matrix, to remove rounding."""
    return 0.5 * (matrix + matrix.T)


def solid(shapes: tuple[Shape, ...]) -> tuple[float, tuple[float, float, float], Rows]:
    """Volume, centre and inertia per unit mass of several solids of equal density (overlaps count twice).

    >>> volume, center, J = solid((Sphere(1, (-1, 0, 0)), Sphere(1, (1, 0, 0))))
    >>> center, round(J[1][1], 12)
    ((0.0, 0.0, 0.0), 1.4)
    """
    if len(shapes) == 1:
        return shapes[0].volume, triple(shapes[0].center), shapes[0].unit_inertia()
    volumes = np.array([shape.volume for shape in shapes])
    shares = volumes / volumes.sum()
    centers = np.array([shape.center for shape in shapes], float)
    center = shares @ centers
    J = np.zeros((3, 3))
    for share, shape, offset in zip(shares, shapes, centers - center, strict=True):
        steiner = offset @ offset * np.eye(3) - np.outer(offset, offset)
        J += share * (np.array(shape.unit_inertia()) + steiner)
    return float(volumes.sum()), triple(center), rows(symmetric(J))
