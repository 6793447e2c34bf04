"""Shapes that touch other shapes, besides the solids of bodies; all in the axes of the body that carries them."""

from __future__ import annotations

import math
from typing import ClassVar

from sharnir.arguments import shown
from sharnir.families import Family, Registered
from sharnir.model.bodies.mesh import Mesh
from sharnir.model.bodies.shapes import Box, Cylinder, Sphere
from sharnir.model.checks import fail, number, settle, unit_axis, vector
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import Axis, Number, OptionalNumber, Vector, default, element

ORIGIN = (0.0, 0.0, 0.0)


class ContactShape(Registered, Parametric, listed=False):
    """A shape that touches others."""

    family: ClassVar[Family] = Family("contact shape")


for solid in (Sphere, Box, Cylinder, Mesh):
    ContactShape.family.add(solid)


@element
class Plane(ContactShape):
    """The surface of a half-space: a point of it, and its normal away from the solid.

    >>> Plane().normal
    (0.0, 0.0, 1.0)
    """

    point: Vector = default(ORIGIN)
    normal: Axis = default("z")

    def __post_init__(self) -> None:
        settle(self, point=vector(self.point, 3, "Plane", "point"), normal=unit_axis(self.normal, "Plane", "normal"))


@element
class Point(ContactShape):
    """A point of a body, such as the tip of a follower.

    >>> Point((0, 0, -0.1)).at
    (0.0, 0.0, -0.1)
    """

    at: Vector = default(ORIGIN)

    def __post_init__(self) -> None:
        settle(self, at=vector(self.at, 3, "Point", "at"))


@element
class Capsule(ContactShape):
    """A cylinder with round ends: all points within `radius` of the line from `start` to `end`.

    >>> Capsule((0, 0, 0), (1, 0, 0), 0.1).radius
    0.1
    """

    start: Vector
    end: Vector
    radius: Number

    def __post_init__(self) -> None:
        settle(self, start=vector(self.start, 3, "Capsule", "start"), end=vector(self.end, 3, "Capsule", "end"))
        settle(self, radius=number(self.radius, "Capsule", "radius", above=0))
        if self.start == self.end:
            fail("Capsule", "end", f"= {shown(self.end)} is also the start; use Sphere")


@element
class Bore(ContactShape):
    """A round hole along `axis`: the bearing of a journal. Without a length it is infinitely long.

    >>> Bore(0.0105, length=0.02).radius
    0.0105
    """

    radius: Number
    length: OptionalNumber = default(None)
    axis: Axis = default("z")
    center: Vector = default(ORIGIN)

    def __post_init__(self) -> None:
        settle(self, radius=number(self.radius, "Bore", "radius", above=0), axis=unit_axis(self.axis, "Bore"))
        settle(self, center=vector(self.center, 3, "Bore", "center"))
        if self.length is not None:
            settle(self, length=number(self.length, "Bore", "length", above=0))


@element
class Slot(ContactShape):
    """A straight slot with round ends, for a pin: from `start` to `end`, `radius` wide to both sides; the pin is along `axis`.

    >>> Slot((0, 0, 0), (0.1, 0, 0), radius=0.006).length is None
    True
    """

    start: Vector
    end: Vector
    radius: Number
    axis: Axis = default("z")
    length: OptionalNumber = default(None)

    def __post_init__(self) -> None:
        settle(self, start=vector(self.start, 3, "Slot", "start"), end=vector(self.end, 3, "Slot", "end"))
        settle(self, radius=number(self.radius, "Slot", "radius", above=0), axis=unit_axis(self.axis, "Slot"))
        if self.length is not None:
            settle(self, length=number(self.length, "Slot", "length", above=0))
        along = [b - a for a, b in zip(self.start, self.end, strict=True)]
        span = math.hypot(*along)
        if span == 0.0:
            fail("Slot", "end", f"= {shown(self.end)} is also the start; use Bore")
        if abs(sum(x * y for x, y in zip(along, self.axis, strict=True))) > 1e-9 * span:
            fail("Slot", "axis", f"= {shown(self.axis)} must be perpendicular to the line from start to end")
