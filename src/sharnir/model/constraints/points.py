"""A point that stays on a plane or a line."""

from __future__ import annotations

from typing import ClassVar

from sharnir.model.checks import point, settle, unit_axis
from sharnir.model.constraints.constraint_element import ConstraintElement
from sharnir.model.element import check_ends
from sharnir.model.values import Axis, BodyName, OptionalVector, default, element


@element
class PointOnPlane(ConstraintElement):
    """A point of `b` stays on a plane fixed in `a`.

    at : the point in the drawing (world axes); default: the position of b.
    normal : direction of the plane's normal in the drawing.
    through : a point of the plane in the drawing; default: `at`.

    >>> PointOnPlane("table", "ground", "foot", normal="z", through=(0, 0, 0)).bodies
    ('ground', 'foot')
    """

    name: str
    a: BodyName
    b: BodyName
    at: OptionalVector = default(None)
    normal: Axis = default("z")
    through: OptionalVector = default(None)

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_ends(self.a, self.b, label)
        settle(self, at=point(self.at, label, "at"), through=point(self.through, label, "through"))
        settle(self, normal=unit_axis(self.normal, label, "normal"))


@element
class PointOnLine(ConstraintElement):
    """A point of `b` stays on a straight line fixed in `a`.

    at : the point in the drawing (world axes); default: the position of b.
    axis : direction of the line in the drawing.
    through : a point of the line in the drawing; default: `at`.

    >>> PointOnLine("slot", "ground", "pin", axis="x").n_equations
    2
    """

    name: str
    a: BodyName
    b: BodyName
    at: OptionalVector = default(None)
    axis: Axis = default("x")
    through: OptionalVector = default(None)
    n_holonomic: ClassVar[int] = 2

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_ends(self.a, self.b, label)
        settle(self, at=point(self.at, label, "at"), through=point(self.through, label, "through"))
        settle(self, axis=unit_axis(self.axis, label))
