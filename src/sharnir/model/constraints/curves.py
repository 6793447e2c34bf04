"""A point that stays on a curve or a surface."""

from __future__ import annotations

from typing import ClassVar

from sharnir.arguments import shown
from sharnir.errors import FormulaError
from sharnir.model.checks import fail, number, point, sequence, settle, vector
from sharnir.model.constraints.constraint_element import ConstraintElement
from sharnir.model.constraints.profiles import stored_profile
from sharnir.model.element import check_ends
from sharnir.model.formula import parse
from sharnir.model.frames import stored_rotation
from sharnir.model.given_functions import stored_entry
from sharnir.model.values import BodyName, CurveFunctions, Number, OptionalVector, Orientation, Text, Vector, default, element

SURFACE = ("x", "y", "z")  # variables of a surface's formula


@element
class PointOnCurve(ConstraintElement):
    """A point of `b` stays on a curve (x(s), y(s), z(s)) fixed in `a`.

    at : the point in the drawing (world axes); default: the position of b.
    curve : three entries, each number, formula of s, cubic Table of s, or triple (value, slope, curvature) of these or of
        Python functions of s.
    s : where on the curve the point is at the start, approximately.
    origin, axes : the curve's frame in the drawing: its origin, and its rotation as a quaternion or matrix.

    Three equations with the unknown s, so two restrict the motion.

    >>> PointOnCurve("wire", "ground", "bead", curve=("cos(s)", "sin(s)", "0.1*s")).n_equations
    2
    """

    name: str
    a: BodyName
    b: BodyName
    at: OptionalVector = default(None)
    curve: CurveFunctions = default(("cos(s)", "sin(s)", "0"))
    s: Number = default(0.0)
    origin: Vector = default((0.0, 0.0, 0.0))
    axes: Orientation = default(None)
    n_holonomic: ClassVar[int] = 2
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"curve": ("s",)}

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_ends(self.a, self.b, label)
        settle(self, at=point(self.at, label, "at"), origin=vector(self.origin, 3, label, "origin"))
        settle(self, s=number(self.s, label, "s"), axes=stored_rotation(self.axes, label, "axes"))
        entries = sequence(self.curve, label, "curve", "three entries (x, y, z): formulas of s, cubic Tables or numbers")
        if len(entries) != 3:
            fail(label, "curve", f"= {shown(self.curve)} has {len(entries)} entries; 3 are needed: x, y and z as functions of s")
        settle(self, curve=tuple(stored_profile(entry, "s", label, f"curve[{k}]") for k, entry in enumerate(entries)))
        if all(isinstance(entry, float) for entry in self.curve):
            fail(label, "curve", f"= {shown(self.curve)} does not depend on s, so it is a point; use a Ball joint")


@element
class PointOnSurface(ConstraintElement):
    """A point of `b` stays on the surface F(x, y, z) = 0 fixed in `a`.

    at : the point in the drawing (world axes); default: the position of b.
    surface : formula F of x, y, z; its gradient must not vanish on the surface.
    origin, axes : the surface's frame in the drawing: its origin, and its rotation as a quaternion or matrix.

    >>> PointOnSurface("bowl", "ground", "ball", surface="x**2 + y**2 - z").n_equations
    1
    """

    name: str
    a: BodyName
    b: BodyName
    at: OptionalVector = default(None)
    surface: Text = default("x**2 + y**2 - z")
    origin: Vector = default((0.0, 0.0, 0.0))
    axes: Orientation = default(None)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"surface": SURFACE}

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_ends(self.a, self.b, label)
        settle(self, at=point(self.at, label, "at"), origin=vector(self.origin, 3, label, "origin"))
        settle(self, axes=stored_rotation(self.axes, label, "axes"))
        if not isinstance(self.surface, str):
            fail(label, "surface", f"= {shown(self.surface)} must be a formula of x, y, z, such as 'x**2 + y**2 - z'")
        check_equation(self.surface, label, "surface")
        stored_entry(self.surface, SURFACE, label, "surface")
        if not parse(self.surface, SURFACE, None).names & set(SURFACE):
            fail(label, "surface", f"= {shown(self.surface)} contains none of x, y, z")


def check_equation(text: str, label: str, field: str) -> None:
    """An equation sign is refused with what to write instead."""
    for k, letter in enumerate(text):
        alone = letter == "=" and text[k + 1 : k + 2] != "=" and (k == 0 or text[k - 1] not in "=<>!")
        if alone:
            remedy = f"write {text[:k].strip()} - ({text[k + 1 :].strip()}), which is held at zero"
            raise FormulaError(f"{label}: {field}: an equation has two sides; {remedy}", text=text, position=k, field=field)
