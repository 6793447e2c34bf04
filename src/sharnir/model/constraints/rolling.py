"""Rolling without slipping, and the knife edge."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sharnir.model.checks import Reference, Triple, fail, number, point, settle, unit_axis, vector
from sharnir.model.constraints.element import ConstraintElement

FLAT = 1e-9  # sine of the angle between a wheel's axis and the normal below which it lies on its side


def check_pair(body: str, surface: str, label: str) -> None:
    """A body cannot roll or slide on itself."""
    if body == surface:
        fail(label, "surface", f"= {surface!r} is the body itself; name the body that carries the surface")


def check_side(center: Triple | None, through: Triple, normal: Triple, label: str) -> None:
    """The centre must lie on the side of the plane to which the normal points."""
    if center is None:
        return
    height = math.fsum(n * (c - p) for n, c, p in zip(normal, center, through, strict=True))
    if height <= 0.0:
        fail(
            label, "center", f"= {center!r} is {-height:g} m below the plane; reverse the normal, or move the centre or the plane"
        )


@dataclass(frozen=True)
class RollingDisc(ConstraintElement):
    """A wheel rolls without slipping on a plane fixed in `surface`.

    center : centre of the wheel in the drawing (world axes); default: the wheel's position.
    axis : direction of the wheel's axis in the drawing.
    radius : from the centre to the plane when the wheel is upright [m].
    normal, through : the plane in the drawing; the normal points towards the wheel.
    tube : radius of the rounded edge, less than `radius`; 0: a thin disc. The middle of the edge is a circle of
        `ring_radius` = radius - tube.

    One equation keeps the wheel on the plane, two its lowest point at rest.

    >>> RollingDisc("coin", "coin", axis="y", radius=0.1).n_equations
    3
    """

    name: str
    wheel: Reference
    center: Any = None
    axis: Any = "y"
    radius: float = field(kw_only=True)
    surface: Reference = "ground"
    normal: Any = "z"
    through: Any = (0.0, 0.0, 0.0)
    tube: float = 0.0
    body_fields: ClassVar[tuple[str, ...]] = ("wheel", "surface")
    n_nonholonomic: ClassVar[int] = 2

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_pair(self.wheel, self.surface, label)
        settle(self, center=point(self.center, label, "center"), through=vector(self.through, 3, label, "through"))
        settle(self, axis=unit_axis(self.axis, label), normal=unit_axis(self.normal, label, "normal"))
        settle(self, radius=number(self.radius, label, "radius", above=0), tube=number(self.tube, label, "tube", low=0))
        if self.tube >= self.radius:
            fail(label, "tube", f"= {self.tube!r} must be less than radius = {self.radius!r}; use RollingBall for a sphere")
        (a, b, c), (x, y, z) = self.axis, self.normal
        if math.hypot(b * z - c * y, c * x - a * z, a * y - b * x) < FLAT:
            fail(label, "axis", f"= {self.axis!r} is parallel to the normal: the wheel lies on its side; tilt axis or normal")
        check_side(self.center, self.through, self.normal, label)

    @property
    def ring_radius(self) -> float:
        """Radius of the circle in the middle of the edge."""
        return self.radius - self.tube


@dataclass(frozen=True)
class RollingBall(ConstraintElement):
    """A ball rolls without slipping on a plane fixed in `surface`.

    radius : of the ball [m].
    center : centre of the ball in the drawing (world axes); default: the ball's position.
    normal, through : the plane in the drawing; the normal points towards the ball.

    One equation keeps the ball on the plane, two its lowest point at rest.

    >>> RollingBall("marble", "marble", 0.01).bodies
    ('marble', 'ground')
    """

    name: str
    ball: Reference
    radius: float
    center: Any = None
    surface: Reference = "ground"
    normal: Any = "z"
    through: Any = (0.0, 0.0, 0.0)
    body_fields: ClassVar[tuple[str, ...]] = ("ball", "surface")
    n_nonholonomic: ClassVar[int] = 2

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_pair(self.ball, self.surface, label)
        settle(self, center=point(self.center, label, "center"), through=vector(self.through, 3, label, "through"))
        settle(self, radius=number(self.radius, label, "radius", above=0), normal=unit_axis(self.normal, label, "normal"))
        check_side(self.center, self.through, self.normal, label)


@dataclass(frozen=True)
class KnifeEdge(ConstraintElement):
    """A point of the body does not move sideways: its velocity relative to `surface` is perpendicular to `direction`.

    at : the point in the drawing (world axes); default: the body's position.
    direction : the blade's sideways direction in the drawing, fixed in the body.

    >>> KnifeEdge("blade", "sleigh", direction="y").nonholonomic
    True
    """

    name: str
    body: Reference
    at: Any = None
    direction: Any = "y"
    surface: Reference = "ground"
    body_fields: ClassVar[tuple[str, ...]] = ("body", "surface")
    n_holonomic: ClassVar[int] = 0
    n_nonholonomic: ClassVar[int] = 1

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_pair(self.body, self.surface, label)
        settle(self, at=point(self.at, label, "at"), direction=unit_axis(self.direction, label, "direction"))
