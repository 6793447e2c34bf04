"""A rod without mass, or a rope that stays tight."""

from __future__ import annotations

from typing import ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import fail, point, settle
from sharnir.model.constraints.constraint_element import ConstraintElement
from sharnir.model.element import check_ends
from sharnir.model.given_functions import stored_motion
from sharnir.model.values import BodyName, OptionalProfileFunction, OptionalVector, default, element


@element
class Distance(ConstraintElement):
    """The distance of two points is `length`.

    at_a, at_b : points in the drawing (world axes); default: the positions of the bodies.
    length : number > 0, or formula, cubic Table or function of t, or a triple (length, rate, second rate) of these [m];
        default: the distance in the drawing.

    >>> Distance("rod", "ground", "ball", at_a=(0, 0, 1), length="1 + 0.1*sin(t)").n_equations
    1
    """

    name: str
    a: BodyName
    b: BodyName
    at_a: OptionalVector = default(None)
    at_b: OptionalVector = default(None)
    length: OptionalProfileFunction = default(None)

    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"length": ("t",)}

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_ends(self.a, self.b, label)
        settle(self, at_a=point(self.at_a, label, "at_a"), at_b=point(self.at_b, label, "at_b"))
        settle(self, length=stored_motion(self.length, label, "length"))
        if isinstance(self.length, float) and self.length <= 0.0:
            fail(label, "length", f"= {shown(self.length)} must be positive; for points that coincide use a Ball joint")

    @property
    def driven(self) -> tuple[bool, ...]:
        return (self.length is not None and not isinstance(self.length, float),)
