"""Rolling without slipping, and the knife edge."""

from __future__ import annotations

from dataclasses import field
from typing import ClassVar

from sharnir.model.checks import number, point, settle, unit_axis, vector
from sharnir.model.constraints.constraint_element import ConstraintElement
from sharnir.model.plane_checks import check_pair, check_side, settle_wheel
from sharnir.model.values import Axis, BodyName, Number, OptionalVector, Vector, default, element


@element
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
    wheel: BodyName
    center: OptionalVector = default(None)
    axis: Axis = default("y")
    radius: Number = field(kw_only=True)
    surface: BodyName = default("ground")
    normal: Axis = default("z")
    through: Vector = default((0.0, 0.0, 0.0))
    tube: Number = default(0.0)
    n_nonholonomic: ClassVar[int] = 2

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle_wheel(self, label, "; use RollingBall for a sphere")

    @property
    def ring_radius(self) -> float:
        """Radius of the circle in the middle of the edge."""
        return self.radius - self.tube


@element
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
    ball: BodyName
    radius: Number
    center: OptionalVector = default(None)
    surface: BodyName = default("ground")
    normal: Axis = default("z")
    through: Vector = default((0.0, 0.0, 0.0))
    n_nonholonomic: ClassVar[int] = 2

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_pair(self.ball, self.surface, label)
        settle(self, center=point(self.center, label, "center"), through=vector(self.through, 3, label, "through"))
        settle(self, radius=number(self.radius, label, "radius", above=0), normal=unit_axis(self.normal, label, "normal"))
        check_side(self.center, self.through, self.normal, label)


@element
class KnifeEdge(ConstraintElement):
    """A point of the body does not move sideways: its velocity relative to `surface` is perpendicular to `direction`.

    at : the point in the drawing (world axes); default: the body's position.
    direction : the blade's sideways direction in the drawing, fixed in the body.

    >>> KnifeEdge("blade", "sleigh", direction="y").nonholonomic
    True
    """

    name: str
    body: BodyName
    at: OptionalVector = default(None)
    direction: Axis = default("y")
    surface: BodyName = default("ground")
    n_holonomic: ClassVar[int] = 0
    n_nonholonomic: ClassVar[int] = 1

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_pair(self.body, self.surface, label)
        settle(self, at=point(self.at, label, "at"), direction=unit_axis(self.direction, label, "direction"))
