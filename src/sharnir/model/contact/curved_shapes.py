"""Boundaries given by formulas: a curve in a plane, a surface, a surface of revolution; in the axes of their body."""

from __future__ import annotations

from typing import Any

from sharnir.arguments import shown
from sharnir.model.checks import fail, number, sequence, settle, unit_axis, vector
from sharnir.model.contact.touching_shapes import ContactShape
from sharnir.model.formula import parse
from sharnir.model.frames import stored_rotation
from sharnir.model.given_functions import stored_entry
from sharnir.model.values import Axis, NumberList, Orientation, ProfileFunction, Vector, default, element

ORIGIN = (0.0, 0.0, 0.0)
XYZ = ("x", "y", "z")


@element
class Surface(ContactShape):
    """The surface F(x, y, z) = 0; bodies are free where F > 0. Its gradient must not vanish there.

    >>> Surface("z - 0.1*sin(10*x)").formula
    'z - 0.1*sin(10*x)'
    """

    formula: str
    center: Vector = default(ORIGIN)
    rotation: Orientation = default(None)

    def __post_init__(self) -> None:
        from sharnir.model.constraints.curves import check_equation

        settle(self, center=vector(self.center, 3, "Surface", "center"), rotation=stored_rotation(self.rotation, "Surface"))
        if not isinstance(self.formula, str):
            fail("Surface", "formula", f"= {shown(self.formula)} must be a formula of x, y, z, such as 'z - 0.1*sin(x)'")
        check_equation(self.formula, "Surface", "formula")
        stored_entry(self.formula, XYZ, "Surface", "formula")
        if not parse(self.formula, XYZ, None).names & set(XYZ):
            fail("Surface", "formula", f"= {shown(self.formula)} contains none of x, y, z")

    @property
    def surface(self) -> str:
        return self.formula

    @property
    def label(self) -> str:
        return "Surface"


@element
class Profile(ContactShape):
    """A closed curve x(s), y(s) in the plane across `axis`, the wall of a hole for a pin (inside) or of a cam (not inside).

    x, y : formula of s or cubic Table.   span : s from … to, once around.   inside : where the other body is free to move.

    x and y are measured along the first two of the axes that `rotation` turns, from `center`.

    >>> Profile("0.1*cos(s)", "0.05*sin(s)", span=(0, 6.283185307179586)).inside
    True
    """

    x: ProfileFunction
    y: ProfileFunction
    span: NumberList
    inside: bool = True
    center: Vector = default(ORIGIN)
    rotation: Orientation = default(None)

    def __post_init__(self) -> None:
        settle(self, center=vector(self.center, 3, "Profile", "center"), rotation=stored_rotation(self.rotation, "Profile"))
        settle_curve(self, "Profile", "x", "y")

    @property
    def curve(self) -> tuple[Any, ...]:
        """As PointOnCurve takes it."""
        return self.x, self.y, 0.0

    @property
    def label(self) -> str:
        return "Profile"


@element
class Revolution(ContactShape):
    """A surface of revolution about `axis`: at the height s above the center its radius is radius(s).

    radius : formula of s or cubic Table.   span : from which s to which.   inside : where the other body is free to move.

    >>> Revolution("0.01 + 0.2*s**2", span=(-0.02, 0.02)).axis
    (0.0, 0.0, 1.0)
    """

    radius: ProfileFunction
    span: NumberList
    inside: bool = True
    axis: Axis = default("z")
    center: Vector = default(ORIGIN)

    def __post_init__(self) -> None:
        settle(self, center=vector(self.center, 3, "Revolution", "center"), axis=unit_axis(self.axis, "Revolution"))
        settle_curve(self, "Revolution", "radius")

    @property
    def curve(self) -> tuple[Any, ...]:
        """The meridian: distance from the axis, height."""
        return self.radius, "s", 0.0

    @property
    def label(self) -> str:
        return "Revolution"


def settle_curve(shape: Any, label: str, *fields: str) -> None:
    """Check functions of s, and their span."""
    from sharnir.model.constraints.profiles import stored_profile

    settle(shape, **{field: stored_profile(getattr(shape, field), "s", label, field) for field in fields})
    span = sequence(shape.span, label, "span", "two numbers (from, to)")
    if len(span) != 2:
        fail(label, "span", f"= {shown(shape.span)} must be two numbers (from, to)")
    settle(shape, span=tuple(number(x, label, "span") for x in span))
    if not shape.span[1] > shape.span[0]:
        fail(label, "span", f"= {shown(shape.span)} must increase")
    if not isinstance(shape.inside, bool):
        fail(label, "inside", f"= {shown(shape.inside)} must be True or False")
