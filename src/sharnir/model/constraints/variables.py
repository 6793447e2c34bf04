"""Scalars of a mechanism that a constraint may refer to: a joint's coordinate, a point's coordinate, a distance, …"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.errors import ModelError
from sharnir.families import Family, Registered
from sharnir.model.checks import fail, point, reference, settle, unit_axis
from sharnir.model.joints import Joint
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import (
    Axis,
    BodyName,
    JointName,
    NamingFields,
    OptionalBodyName,
    OptionalFreedomChoice,
    OptionalVector,
    default,
    element,
)

RATE = "_dot"  # x_dot is the rate of the variable x


class Variable(Registered, Parametric, listed=False):
    """A scalar of the mechanism that formulas may name. Defining a subclass lists it.

    elementary : constraints and impacts may refer to it; others are for signals and events only.
    is_rate : True: it is a velocity, so a formula with it is nonholonomic; 2: an acceleration.
    bodies, joints : names of those it is measured on, each once.

    >>> PointCoordinate("bob", axis="z").bodies
    ('bob', 'ground')
    """

    family: ClassVar[Family] = Family("variable")
    elementary: ClassVar[bool] = True
    is_rate: ClassVar[bool] = False

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies it is measured on, each once."""
        return ()

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints it is measured on."""
        return ()

    def unit(self, rate: int, joints: Mapping[str, Joint]) -> str:
        """Its unit, or that of its first or second rate; "": not known."""
        return "m" + PER[rate]


PER = ("", "/s", "/s²")  # per rate


def unit_of_freedom(joint: str, freedom: Any, joints: Mapping[str, Joint]) -> str:
    """Unit of a coordinate of a joint, by the number or name of its freedom; "": there is none."""
    names = () if joint not in joints else joints[joint].freedom_names
    k = names.index(freedom) if freedom in names else freedom or 0
    return joints[joint].units[k] if isinstance(k, int) and k < len(names) else ""


class Measured(Variable, listed=False):
    """A variable measured on bodies; fields annotated BodyName name them."""

    body_fields: ClassVar[Any] = NamingFields("body")

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies it is measured on, each once."""
        return tuple(dict.fromkeys(getattr(self, field) for field in self.body_fields))

    def _settle_bodies(self) -> str:
        """Turn references into names; returns the label for messages."""
        label = type(self).__name__
        for field in self.body_fields:
            settle(self, **{field: reference(getattr(self, field), label, field)})
        return label


@element
class JointCoordinate(Variable):
    """A coordinate of a joint, zero in the drawing.

    freedom : its number from 0, or its name (Planar: "x", "y", "angle"); None: the only one of the joint.

    >>> JointCoordinate("table", "angle").joints
    ('table',)
    """

    joint: JointName
    freedom: OptionalFreedomChoice = default(None)

    def __post_init__(self) -> None:
        settle(self, joint=reference(self.joint, "JointCoordinate", "joint", "joint"))
        number = isinstance(self.freedom, int) and not isinstance(self.freedom, bool) and 0 <= self.freedom < 6
        if not (self.freedom is None or number or (isinstance(self.freedom, str) and self.freedom)):
            remedy = "must be a number 0 … 5, or the name of a freedom"
            fail("JointCoordinate", "freedom", f"= {shown(self.freedom)} of joint {self.joint!r} {remedy}")

    @property
    def joints(self) -> tuple[str, ...]:
        """The joint's name."""
        return (self.joint,)

    def unit(self, rate: int, joints: Mapping[str, Joint]) -> str:
        unit = unit_of_freedom(str(self.joint), self.freedom, joints)
        return unit + PER[rate] if unit else ""

    def resolved(self, joints: Mapping[str, Joint], label: str, field: str) -> JointCoordinate:
        """The same with the number of the freedom; refused if the joint has no such scalar coordinate.

        >>> from sharnir.model import Planar
        >>> JointCoordinate("table", "angle").resolved({"table": Planar("table", "ground", "puck", axis="z")}, "Gear 'g'", "a")
        JointCoordinate(joint='table', freedom=2)
        """
        joint = joints[self.joint]
        if joint.coordinates != "angles":
            remedy = "use a FreedomSequence joint, or measure on the bodies with PointCoordinate, DirectionCosine, PointVelocity"
            message = f"{label}: {field}: {joint.label} has no scalar coordinate, its orientation is a quaternion; {remedy}"
            raise ModelError(message, field=field)
        names = joint.freedom_names
        listed = ", ".join(f"{k}{f' ({name})' if name else ''}" for k, name in enumerate(names)) or "none"
        if self.freedom is None and joint.n_v == 1:
            return JointCoordinate(self.joint, 0)
        if self.freedom is None:
            message = f"{label}: {field}: {joint.label} has {joint.n_v} freedoms; name one: {listed}"
            raise ModelError(message, field=field)
        number = names.index(self.freedom) if self.freedom in names else self.freedom
        if not isinstance(number, int) or number >= joint.n_v:
            message = f"{label}: {field}: freedom {self.freedom!r} does not exist in {joint.label}; it has: {listed}"
            raise ModelError(message, field=field)
        return JointCoordinate(self.joint, number)


@element
class PointCoordinate(Measured):
    """A coordinate of a point of `body`: axis · r, in the drawing's coordinate system carried along by `relative_to`.

    In the drawing it is the point's world coordinate, whatever `relative_to` is.

    at : the point in the drawing; default: the body's position.
    axis : world direction of the drawing, fixed in `relative_to`.

    >>> PointCoordinate("rod", axis="z").bodies
    ('rod', 'ground')
    """

    body: BodyName
    at: OptionalVector = default(None)
    axis: Axis = default("x")
    relative_to: BodyName = default("ground")

    def __post_init__(self) -> None:
        label = self._settle_bodies()
        settle(self, at=point(self.at, label, "at"), axis=unit_axis(self.axis, label))
        if self.body == self.relative_to:
            fail(
                label, "relative_to", f"= {shown(self.body)} is the body itself, so the coordinate is constant; name another body"
            )


@element
class PointDistance(Measured):
    """The distance of a point of `a` from a point of `b` (default: the positions of the bodies).

    >>> PointDistance("ground", "ball", at_a=(0, 0, 1)).at_a
    (0.0, 0.0, 1.0)
    """

    a: BodyName
    b: BodyName
    at_a: OptionalVector = default(None)
    at_b: OptionalVector = default(None)

    def __post_init__(self) -> None:
        label = self._settle_bodies()
        settle(self, at_a=point(self.at_a, label, "at_a"), at_b=point(self.at_b, label, "at_b"))
        if self.a == self.b:
            fail(label, "b", f"= {shown(self.b)} is also a, so the distance is constant; name two different bodies")


@element
class DirectionCosine(Measured):
    """The cosine of the angle between a direction fixed in `a` and one fixed in `b`, both given in the drawing.

    >>> DirectionCosine("ground", "z", "top", "z").axis_b
    (0.0, 0.0, 1.0)
    """

    a: BodyName
    axis_a: Axis
    b: BodyName
    axis_b: Axis

    def __post_init__(self) -> None:
        label = self._settle_bodies()
        settle(self, axis_a=unit_axis(self.axis_a, label, "axis_a"), axis_b=unit_axis(self.axis_b, label, "axis_b"))
        if self.a == self.b:
            fail(label, "b", f"= {shown(self.b)} is also a, so the angle is constant; name two different bodies")

    def unit(self, rate: int, joints: Mapping[str, Joint]) -> str:
        return ("1", "1/s", "1/s²")[rate]


@element
class PointVelocity(Measured):
    """A component of a point's velocity as seen from `relative_to`.

    at : the point in the drawing; default: the body's position.
    axis : world direction of the drawing, fixed in the body `axes_of` (default: `relative_to`).

    >>> PointVelocity("sleigh", axis="y", axes_of="sleigh").is_rate
    True
    """

    body: BodyName
    at: OptionalVector = default(None)
    axis: Axis = default("x")
    relative_to: BodyName = default("ground")
    axes_of: OptionalBodyName = default(None)
    is_rate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.axes_of is None:
            settle(self, axes_of=self.relative_to)
        label = self._settle_bodies()
        settle(self, at=point(self.at, label, "at"), axis=unit_axis(self.axis, label))
        if self.body == self.relative_to:
            fail(label, "relative_to", f"= {shown(self.body)} is the body itself, so the velocity is zero; name another body")


ALL_VARIABLES: tuple[type[Variable], ...] = Variable.family.own()


def stored_coordinate(value: Any, label: str, field: str) -> JointCoordinate:
    """A JointCoordinate from itself, a joint, its name, or (joint, freedom).

    >>> stored_coordinate(("table", "x"), "Gear 'g'", "joint_a")
    JointCoordinate(joint='table', freedom='x')
    """
    if isinstance(value, JointCoordinate):
        return value
    try:
        if isinstance(value, (tuple, list)) and len(value) == 2:
            return JointCoordinate(*value)
        return JointCoordinate(value)
    except ModelError:
        fail(label, field, f"= {shown(value)} must be a joint, its name, or (joint, freedom)")
