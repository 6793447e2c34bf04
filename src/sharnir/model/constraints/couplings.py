"""Relations between coordinates of joints: gears, racks, cams, couplers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import fail, number, sequence, settle
from sharnir.model.constraints.constraint_element import ScalarConstraint, unit_along
from sharnir.model.constraints.constraint_equation import ScalarEquation, cam_equation, check_rack, linear_equation
from sharnir.model.constraints.profiles import stored_profile
from sharnir.model.constraints.variables import JointCoordinate, stored_coordinate
from sharnir.model.joints import Joint
from sharnir.model.values import Coordinate, Number, OptionalNumber, ProfileFunction, Terms, default, element

if TYPE_CHECKING:
    from sharnir.model.contents import Contents


class Coupling(ScalarConstraint, listed=False):
    """One equation between coordinates of joints."""

    @property
    def joint_references(self) -> list[tuple[str, str]]:
        """(field, name) of every joint that is named."""
        values = [(field.name, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        return [(field, value.joint) for field, value in values if isinstance(value, JointCoordinate)]

    def _settle_pair(self, first: str, second: str) -> str:
        """Check the name and the two coordinates; returns the label for messages."""
        label = self._settle_names()
        for field in (first, second):
            settle(self, **{field: stored_coordinate(getattr(self, field), label, field)})
        if getattr(self, first) == getattr(self, second):
            fail(label, second, f"= {getattr(self, second).joint!r} is also {first}; name two different coordinates")
        return label


@element
class Gear(Coupling):
    """Two wheels in mesh: q_b = ratio · q_a + offset.

    joint_a, joint_b : joint, its name, or (joint, freedom).
    ratio : negative for wheels that mesh outside and turn about parallel axes of the same sense.
    offset : default: chosen to fit the joints' initial values.

    >>> Gear("gear", "motor", "wheel", ratio=-0.2).joints
    ('motor', 'wheel')
    """

    name: str
    joint_a: Coordinate
    joint_b: Coordinate
    ratio: Number
    offset: OptionalNumber = default(None)

    def __post_init__(self) -> None:
        label = self._settle_pair("joint_a", "joint_b")
        settle(self, ratio=number(self.ratio, label, "ratio"))
        settle(self, offset=None if self.offset is None else number(self.offset, label, "offset"))
        if self.ratio == 0.0:
            fail(label, "ratio", "= 0.0 would hold joint_b still; use a Fixed joint, or motion in the joint")

    def equation(self, model: Contents) -> ScalarEquation:
        terms = [("joint_a", self.joint_a, -self.ratio), ("joint_b", self.joint_b, 1.0)]
        return linear_equation(self.label, terms, self.offset, model)

    def force_unit(self, joints: Mapping[str, Joint]) -> str:
        return unit_along(self.joint_b, joints, self.label)


@element
class Rack(Coupling):
    """A rack moved by a pinion: x_rack = radius · q_pinion + offset.

    pinion : joint that turns; rack : joint that shifts; each also as (joint, freedom).
    offset : default: chosen to fit the joints' initial values [m].

    >>> Rack("steering", "pinion", "rack", radius=0.01).radius
    0.01
    """

    name: str
    pinion: Coordinate
    rack: Coordinate
    radius: Number
    offset: OptionalNumber = default(None)

    def __post_init__(self) -> None:
        label = self._settle_pair("pinion", "rack")
        settle(self, radius=number(self.radius, label, "radius"))
        settle(self, offset=None if self.offset is None else number(self.offset, label, "offset"))
        if self.radius <= 0.0:
            fail(
                label,
                "radius",
                f"= {shown(self.radius)} must be positive; to reverse the direction, reverse the axis of one joint",
            )

    def equation(self, model: Contents) -> ScalarEquation:
        check_rack(self, model)
        return linear_equation(self.label, [("pinion", self.pinion, -self.radius), ("rack", self.rack, 1.0)], self.offset, model)


@element
class Cam(Coupling):
    """A cam moves its follower: q_follower = profile(q_cam).

    profile : number, formula of q, cubic Table of q, or a triple (profile, slope, curvature) of these or of Python functions.

    >>> Cam("valve", "shaft", "tappet", "0.01*(1 - cos(q))").profile
    '0.01*(1 - cos(q))'
    """

    name: str
    cam: Coordinate
    follower: Coordinate
    profile: ProfileFunction
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"profile": ("q",)}

    def __post_init__(self) -> None:
        label = self._settle_pair("cam", "follower")
        settle(self, profile=stored_profile(self.profile, "q", label, "profile"))

    def equation(self, model: Contents) -> ScalarEquation:
        return cam_equation(self, model)

    @property
    def described(self) -> str:
        return f"profile = {self.profile!r}"

    def force_unit(self, joints: Mapping[str, Joint]) -> str:
        return unit_along(self.follower, joints, self.label)


@element
class Coupler(Coupling):
    """A linear relation of coordinates: Σ c_i q_i = constant.

    terms : pairs (joint, c) with a joint, its name, or (joint, freedom).
    constant : default: chosen to fit the joints' initial values.

    >>> Coupler("differential", (("left", 1), ("right", 1), ("shaft", -2))).joints
    ('left', 'right', 'shaft')
    """

    name: str
    terms: Terms
    constant: OptionalNumber = default(None)

    def __post_init__(self) -> None:
        label = self._settle_names()
        pairs = []
        for k, entry in enumerate(sequence(self.terms, label, "terms", "pairs (joint, coefficient)")):
            pair = sequence(entry, label, f"terms[{k}]", "a pair (joint, coefficient)")
            if len(pair) != 2:
                fail(label, f"terms[{k}]", f"= {shown(entry)} must be a pair (joint, coefficient)")
            factor = number(pair[1], label, f"terms[{k}] coefficient")
            if factor == 0.0:
                fail(label, f"terms[{k}]", f"= {shown(entry)} has the coefficient 0; leave the term out")
            pairs.append((stored_coordinate(pair[0], label, f"terms[{k}]"), factor))
        coordinates = [coordinate for coordinate, _ in pairs]
        if not pairs or len(set(coordinates)) < len(coordinates):
            fail(label, "terms", f"= {shown(self.terms)} must have at least one term, and each coordinate once")
        settle(self, terms=tuple(pairs))
        settle(self, constant=None if self.constant is None else number(self.constant, label, "constant"))

    @property
    def joint_references(self) -> list[tuple[str, str]]:
        """("terms", name) of every joint that is named."""
        return [("terms", coordinate.joint) for coordinate, _ in self.terms]

    def equation(self, model: Contents) -> ScalarEquation:
        terms = [("terms", coordinate, factor) for coordinate, factor in self.terms]
        return linear_equation(self.label, terms, self.constant, model)

    def force_unit(self, joints: Mapping[str, Joint]) -> str:
        """Where lengths and angles are mixed, coefficients ±1 are taken for pure numbers, others for lengths per radian."""
        units = {unit_along(coordinate, joints, self.label) for coordinate, _ in self.terms}
        if len(units) > 1:
            units = {unit_along(coordinate, joints, self.label) for coordinate, factor in self.terms if abs(factor) == 1.0}
        return units.pop() if len(units) == 1 else "J"
