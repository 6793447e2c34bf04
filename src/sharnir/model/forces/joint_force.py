"""Forces along one freedom of a joint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from sharnir.errors import ModelError
from sharnir.model.checks import number, settle
from sharnir.model.element import COORDINATE, check_freedom
from sharnir.model.forces.force_element import ForceElement, FreedomForce
from sharnir.model.formula import parse
from sharnir.model.given_functions import stored_entry
from sharnir.model.joints import Joint
from sharnir.model.values import FreedomChoice, FunctionValue, JointName, Number, OptionalFunctionValue, default, element


@element
class JointForce(ForceElement):
    """A force or torque along one freedom of a joint: number, formula of (q, v, t), Table of q or function f(q, v, t).

    freedom : its number from 0, or its name, such as "angle" of a Planar joint; a model keeps the number.

    >>> JointForce("motor", "O", "5 - 0.1*v").freedom
    0
    """

    name: str
    joint: JointName
    torque: FunctionValue
    freedom: FreedomChoice = default(0)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"torque": COORDINATE}

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, torque=stored_entry(self.torque, COORDINATE, label, "torque"))
        check_freedom(self.freedom, label)

    def along_freedom(self, joints: Mapping[str, Joint]) -> FreedomForce:
        return FreedomForce(self.label, str(self.joint), self.freedom, self.torque)

    def check_joint(self, joint: Joint) -> None:
        check_torque(self, joint)


@element
class TorsionSpring(ForceElement):
    """A spring-damper along one freedom of a joint: -stiffness (q - angle) - damping v + torque(q, v, t).

    freedom : its number from 0, or its name; a model keeps the number.

    >>> TorsionSpring("hairspring", "balance", stiffness=0.01).angle
    0.0
    """

    name: str
    joint: JointName
    stiffness: Number = default(0.0)
    damping: Number = default(0.0)
    angle: Number = default(0.0)
    torque: OptionalFunctionValue = default(None)
    freedom: FreedomChoice = default(0)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"torque": COORDINATE}

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, stiffness=number(self.stiffness, label, "stiffness", low=0))
        settle(self, damping=number(self.damping, label, "damping", low=0), angle=number(self.angle, label, "angle"))
        if self.torque is not None:
            settle(self, torque=stored_entry(self.torque, COORDINATE, label, "torque"))
        check_freedom(self.freedom, label)

    @property
    def conservative(self) -> bool:
        return not self.damping and self.torque is None

    def along_freedom(self, joints: Mapping[str, Joint]) -> FreedomForce:
        numbers = (self.stiffness, self.damping, self.angle)
        return FreedomForce(self.label, str(self.joint), self.freedom, self.torque, *numbers)

    def check_joint(self, joint: Joint) -> None:
        check_angle(self, joint)


def check_angle(force: ForceElement, joint: Joint) -> None:
    """A force that depends on a coordinate needs one: a quaternion has no single angle."""
    if joint.coordinates != "angles":
        message = f"{force.label}: joint = {joint.name!r} has no angle to measure; use Bushing, or a FreedomSequence joint"
        raise ModelError(message, field="joint")


def check_torque(force: JointForce, joint: Joint) -> None:
    """In a joint with a quaternion a torque may depend on speed and time only."""
    entry = force.torque
    if joint.coordinates == "angles":
        return
    if not isinstance(entry, (float, str)) or (isinstance(entry, str) and "q" in parse(entry, COORDINATE, None).names):
        message = f"{force.label}: torque = {entry!r} depends on q, but {joint.label} has no single angle"
        raise ModelError(f"{message}; use a number, a formula of (v, t), or a FreedomSequence joint", field="torque")
