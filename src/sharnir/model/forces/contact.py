"""Contact of two bodies."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.model.bodies.mesh import Mesh
from sharnir.model.bodies.shapes import Box, Cylinder, Sphere
from sharnir.model.checks import fail, settle
from sharnir.model.contact import CONTACT_SHAPES, Friction, Profile, Revolution, Surface, check_law
from sharnir.model.element import XYZ, check_ends
from sharnir.model.forces.force_element import ForceElement
from sharnir.model.values import BodyName, FrictionValue, Law, OptionalTouchingShape, default, element


def friction_of(value: Any, label: str) -> Friction | None:
    """Friction, also from a coefficient alone."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Friction(value)
    if value is not None and not isinstance(value, Friction):
        fail(label, "friction", f"= {shown(value)} must be Friction(…) or a coefficient")
    return value


def curve_formulas(shapes: list[Any]) -> tuple[str, ...]:
    """Formulas of s in profiles and surfaces of revolution."""
    return tuple(entry for shape in shapes for entry in shape.curve if isinstance(entry, str))


@element
class Contact(ForceElement):
    """Two bodies that touch: a force along the normal by `law`, friction in the tangent plane.

    shape_a, shape_b : what touches, in the axes of its body: Sphere, Box, Cylinder, Capsule, Point, Plane, Bore, Slot, Profile,
        Surface, Revolution, Mesh. Default: the body's own shape.
    law : HuntCrossley, Hertz, LankaraniNikravesh, Flores, LinearLaw or ExponentialLaw.
    friction : Friction, or a coefficient; none by default.

    The result has `<name>.depth` (deepest point; below zero: distance), `.force` (normal), `.friction` (on a, world axes),
    `.point`, `.energy` (elastic, part of the potential energy) and `.loss` (dissipated power).

    >>> from sharnir.model import HuntCrossley, Plane
    >>> Contact("floor", "ball", "ground", Sphere(0.1), Plane(), law=HuntCrossley(1e7, damping=0.2)).friction is None
    True
    """

    name: str
    a: BodyName
    b: BodyName
    shape_a: OptionalTouchingShape = default(None)
    shape_b: OptionalTouchingShape = default(None)
    law: Law = field(kw_only=True)
    friction: FrictionValue = default(None)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"surfaces": XYZ, "curves": ("s",)}
    outputs: ClassVar[Any] = (
        ("depth", "m", ()),
        ("force", "N", ()),
        ("energy", "J", ()),
        ("loss", "W", ()),
        ("friction", "N", XYZ),
        ("point", "m", XYZ),
    )

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_ends(self.a, self.b, label)
        for side in ("shape_a", "shape_b"):
            shape = getattr(self, side)
            if shape is not None and not isinstance(shape, CONTACT_SHAPES):
                fail(label, side, f"= {shown(shape)} must be one of {', '.join(kind.__name__ for kind in CONTACT_SHAPES)}")
        check_law(self.law, label)
        settle(self, friction=friction_of(self.friction, label))

    @property
    def surfaces(self) -> tuple[str, ...]:
        """Formulas of x, y, z."""
        return tuple(shape.formula for shape in (self.shape_a, self.shape_b) if isinstance(shape, Surface))

    @property
    def curves(self) -> tuple[Any, ...]:
        """Formulas of s."""
        return curve_formulas([shape for shape in (self.shape_a, self.shape_b) if isinstance(shape, (Profile, Revolution))])

    @property
    def sliding_speeds(self) -> tuple[float, ...]:
        return () if self.friction is None else (self.friction.speed, self.friction.stribeck_speed)

    def drawn_shapes(self, model: Any) -> list[tuple[str, Any]]:
        return [(str(self.a), self.shape_a), (str(self.b), self.shape_b)]

    def shapes(self, model: Any) -> tuple[Any, Any]:
        """The shapes of both bodies; those not given are the bodies' own."""
        pair = []
        for side, name, shape in (("shape_a", self.a, self.shape_a), ("shape_b", self.b, self.shape_b)):
            own = model.body(str(name)).shapes
            if shape is None and (len(own) != 1 or not isinstance(own[0], (Sphere, Box, Cylinder, Mesh))):
                count = f"{len(own)} shapes" if len(own) != 1 else f"a {type(own[0]).__name__}"
                fail(self.label, side, f"is missing, and body {name!r} has {count}; give {side}=")
            pair.append(own[0] if shape is None else shape)
        return pair[0], pair[1]
