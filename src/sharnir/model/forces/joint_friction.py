"""Friction in a joint under its actual load."""

from __future__ import annotations

from typing import ClassVar, Literal

from sharnir.arguments import shown
from sharnir.errors import ModelError
from sharnir.model.checks import choice, fail, number, settle
from sharnir.model.forces.force_element import ForceElement
from sharnir.model.joints import Ball, Cylindrical, FormulaJoint, Joint, Prismatic, Revolute
from sharnir.model.values import DerivedNumber, JointName, Number, OptionalNumber, default, element

JOINTS = {Revolute: "revolute", Prismatic: "prismatic", Cylindrical: "cylindrical", Ball: "ball"}
ROUND = ("revolute", "cylindrical", "ball")
STIFFNESS, DAMPING = 1e5, 300.0  # of bristles, if not given


@element
class JointFriction(ForceElement):
    """Friction in a Revolute, Prismatic, Cylindrical or Ball joint: coefficient × the load from the joint's reaction.

    A FormulaJoint with one coordinate is a guide, too, as a Prismatic joint along the path of its point.

    coefficient : of sliding friction.   static : the larger coefficient at rest (Stribeck); default: the same.
    stribeck_speed : sliding speed of the transition between the two [m/s].   viscous : force per sliding speed [N s/m].
    radius : of the pin, shaft or ball; all but Prismatic need it [m].   axial_radius : of the ring that carries the axial force
        in a Revolute; default: radius.
    length : distance of the two bearings or pads that carry bending moments [m]; default: moments cause no friction.
    width : of a Prismatic guide, for the moment about its axis [m]; default: it causes no friction.
    preload : load that is always present [N].
    law : "coulomb", smoothed below the sliding speed `smoothing` [m/s]: creeps at rest; "lugre", bristles that stick.
    stiffness, damping : of the bristles per unit of load, [1/m] and [s/m]; default 1e5 and 300.

    The load is the instantaneous one: friction and reaction are solved together. The result has channels `<name>.load`,
    `.force`, `.torque`, `.slip`, `.power`. The reaction of the joint does not contain the friction.

    >>> JointFriction("bearing", "O", coefficient=0.1, radius=0.02).static
    0.1
    """

    name: str
    joint: JointName
    coefficient: Number
    static: DerivedNumber = default(None)
    stribeck_speed: Number = default(0.01)
    viscous: Number = default(0.0)
    radius: OptionalNumber = default(None)
    axial_radius: OptionalNumber = default(None)
    length: OptionalNumber = default(None)
    width: OptionalNumber = default(None)
    preload: Number = default(0.0)
    law: Literal["coulomb", "lugre"] = "coulomb"
    smoothing: Number = default(1e-3)
    stiffness: OptionalNumber = default(None)
    damping: OptionalNumber = default(None)
    outputs: ClassVar[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
        ("load", "N", ()),
        ("force", "N", ()),
        ("torque", "N m", ()),
        ("slip", "m/s", ()),
        ("power", "W", ()),
    )

    def __post_init__(self) -> None:
        label = self._settle_names()
        for field in ("coefficient", "viscous", "preload"):
            settle(self, **{field: number(getattr(self, field), label, field, low=0)})
        for field in ("stribeck_speed", "smoothing"):
            settle(self, **{field: number(getattr(self, field), label, field, above=0)})
        for field in ("radius", "axial_radius", "length", "width"):
            value = getattr(self, field)
            settle(self, **{field: None if value is None else number(value, label, field, above=0)})
        settle(self, static=number(self.coefficient if self.static is None else self.static, label, "static", low=0))
        choice(self.law, ("coulomb", "lugre"), label, "law")
        if self.static < self.coefficient:
            fail(
                label,
                "static",
                f"= {shown(self.static)} is below coefficient = {shown(self.coefficient)}; static friction must not be "
                "smaller than kinetic friction",
            )
        if self.law == "coulomb" and (self.stiffness is not None or self.damping is not None):
            fail(label, "law", "= 'coulomb' has no bristles; leave stiffness and damping out, or use law='lugre'")
        if self.law == "lugre":
            settle(self, stiffness=number(STIFFNESS if self.stiffness is None else self.stiffness, label, "stiffness", above=0))
            settle(self, damping=number(DAMPING if self.damping is None else self.damping, label, "damping", low=0))
            if self.coefficient == 0.0:
                fail(label, "coefficient", "= 0.0: bristles without friction never slide; give a coefficient above zero")

    def kind(self, joint: Joint) -> str:
        """Which of the four joints it is; refused if it is none of them, or if a dimension is missing."""
        found = JOINTS.get(type(joint))
        if isinstance(joint, FormulaJoint):
            return self._kind_by_formulas(joint)
        if found is None:
            raise ModelError(
                f"{self.label}: joint = {joint.name!r} is a {type(joint).__name__}; friction is for {_listed()}", field="joint"
            )
        if found in ROUND and self.radius is None:
            raise ModelError(
                f"{self.label}: radius is missing; {joint.label} turns, so friction acts at the radius of its pin or ball",
                field="radius",
            )
        return found

    def _kind_by_formulas(self, joint: FormulaJoint) -> str:
        """A joint by formulas with one coordinate is a guide along the path of its point."""
        if joint.n_v != 1 or any(joint.driven) or joint.depends_on_time or not joint.slides:
            raise ModelError(
                f"{self.label}: joint = {joint.name!r} has other formulas than those of a guide: friction is for one free "
                "coordinate that moves the joint's point, without t; write it as a torque of v instead",
                field="joint",
            )
        return "prismatic"

    def accepts(self, joint: Joint) -> bool:
        """Whether it can act in a joint."""
        return type(joint) in JOINTS or isinstance(joint, FormulaJoint)

    def check_joint(self, joint: Joint) -> None:
        """Refused where friction is not for the joint."""
        self.kind(joint)

    @property
    def sliding_speeds(self) -> tuple[float, ...]:
        return (self.stribeck_speed,) if self.bristles else (self.smoothing, self.stribeck_speed)

    @property
    def bristles(self) -> bool:
        """True if it has states of its own."""
        return self.law == "lugre"


def _listed() -> str:
    return ", ".join(kind.__name__ for kind in JOINTS)
