"""Contacts of many bodies among each other."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.model.bodies.shapes import Box, Cylinder, Sphere
from sharnir.model.checks import fail, reference, sequence, settle
from sharnir.model.contact import CONTACT_SHAPES, Capsule, Point, Profile, Revolution, Surface, check_law
from sharnir.model.element import XYZ
from sharnir.model.forces.contact import curve_formulas, friction_of
from sharnir.model.forces.force_element import ForceElement
from sharnir.model.values import (
    BodyName,
    DerivedBodyNames,
    FrictionValue,
    Law,
    OptionalTouchingShape,
    TouchingShapes,
    default,
    element,
)

SOLID = (Sphere, Box, Cylinder, Capsule, Point)  # shapes with an end, which a body of a group may have


@element
class ContactGroup(ForceElement):
    """Bodies of which any two may touch, and walls that all of them may touch; the same as one Contact for each pair, but faster.

    bodies : their names; by default all bodies with shapes, except the one with the walls.
    walls : shapes of one more body, given in its axes: Plane, Box, Bore, …
    walls_of : the body that has the walls; the ground by default.
    law, friction : as in Contact, the same for all pairs.
    shape : of every body (Sphere, Box, Cylinder, Capsule, Point); by default each has its own shapes.

    Bodies that a joint connects do not touch each other. Pairs that are far apart cost nothing: neighbours are searched again
    only when a body has moved by a fraction of its size. The result has `<name>.depth` (deepest of all, 0 if nothing touches),
    `.force` (sum of normal forces), `.energy`, `.loss` and `.touching` (number of pairs that touch).

    >>> from sharnir.model import HuntCrossley, Plane
    >>> ContactGroup("pile", ("b1", "b2", "b3"), walls=Plane(), law=HuntCrossley(1e6, damping=0.2)).walls_of
    'ground'
    """

    name: str
    bodies: DerivedBodyNames = default(None)
    walls: TouchingShapes = default(())
    walls_of: BodyName = default("ground")
    law: Law = field(kw_only=True)
    friction: FrictionValue = default(None)
    shape: OptionalTouchingShape = default(None)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"surfaces": XYZ, "curves": ("s",)}
    outputs: ClassVar[Any] = (
        ("depth", "m", ()),
        ("force", "N", ()),
        ("energy", "J", ()),
        ("loss", "W", ()),
        ("touching", "", ()),
    )

    def __post_init__(self) -> None:
        label = self._settle_names()
        if self.bodies is not None:
            given = (self.bodies,) if isinstance(self.bodies, str) or hasattr(self.bodies, "name") else self.bodies
            names = tuple(reference(body, label, "bodies") for body in sequence(given, label, "bodies", "bodies or their names"))
            if not names or len(set(names)) != len(names):
                fail(label, "bodies", f"= {names!r} must name at least one body, and each once")
            if self.walls_of in names:
                fail(label, "bodies", f"= {names!r} names {self.walls_of!r}, which has the walls; leave it out")
            settle(self, bodies=names)
        walls = (self.walls,) if isinstance(self.walls, CONTACT_SHAPES) else self.walls
        settle(self, walls=tuple(sequence(walls, label, "walls", "shapes such as Plane()")))
        for wall in self.walls:
            if not isinstance(wall, CONTACT_SHAPES):
                fail(label, "walls", f"= {shown(wall)} must be one of {', '.join(kind.__name__ for kind in CONTACT_SHAPES)}")
        if self.shape is not None and not isinstance(self.shape, SOLID):
            fail(label, "shape", f"= {shown(self.shape)} must be one of {', '.join(kind.__name__ for kind in SOLID)}")
        check_law(self.law, label)
        settle(self, friction=friction_of(self.friction, label))

    @property
    def surfaces(self) -> tuple[str, ...]:
        """Formulas of x, y, z."""
        return tuple(wall.formula for wall in self.walls if isinstance(wall, Surface))

    @property
    def curves(self) -> tuple[Any, ...]:
        """Formulas of s."""
        return curve_formulas([wall for wall in self.walls if isinstance(wall, (Profile, Revolution))])

    @property
    def sliding_speeds(self) -> tuple[float, ...]:
        return () if self.friction is None else (self.friction.speed, self.friction.stribeck_speed)

    def drawn_shapes(self, model: Any) -> list[tuple[str, Any]]:
        return self.members(model)

    def members(self, model: Any) -> list[tuple[str, Any]]:
        """Every shape that takes part, with the body that has it; the walls come last."""
        names = self.bodies
        if names is None:
            names = [name for name, body in model.bodies.items() if name != self.walls_of and (self.shape or body.shapes)]
        found = []
        for name in names:
            shapes = model.body(name).shapes if self.shape is None else (self.shape,)
            if not shapes:
                fail(self.label, "bodies", f"= {names!r}: body {name!r} has no shape; give it one, or shape= for all")
            for shape in shapes:
                if not isinstance(shape, SOLID):
                    fail(
                        self.label,
                        "bodies",
                        f": {type(shape).__name__} of body {name!r} is not a contact shape; give shape=, or leave the body out",
                    )
                found.append((name, shape))
        return [*found, *((str(self.walls_of), wall) for wall in self.walls)]
