"""Forces along one freedom of a joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sharnir.model.checks import Reference, number, settle
from sharnir.model.element import COORDINATE, Element, check_freedom
from sharnir.model.functions import stored_entry


@dataclass(frozen=True)
class JointForce(Element):
    """A force or torque along one freedom of a joint: number, formula of (q, v, t), Table of q or function f(q, v, t).

    freedom : its number from 0, or its name, such as "angle" of a Planar joint; a model keeps the number.

    >>> JointForce("motor", "O", "5 - 0.1*v").freedom
    0
    """

    name: str
    joint: Reference
    torque: Any
    freedom: Any = 0
    joint_fields: ClassVar[tuple[str, ...]] = ("joint",)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"torque": COORDINATE}

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, torque=stored_entry(self.torque, COORDINATE, label, "torque"))
        check_freedom(self.freedom, label)


@dataclass(frozen=True)
class TorsionSpring(Element):
    """A spring-damper along one freedom of a joint: -stiffness (q - angle) - damping v + torque(q, v, t).

    freedom : its number from 0, or its name; a model keeps the number.

    >>> TorsionSpring("hairspring", "balance", stiffness=0.01).angle
    0.0
    """

    name: str
    joint: Reference
    stiffness: float = 0.0
    damping: float = 0.0
    angle: float = 0.0
    torque: Any = None
    freedom: Any = 0
    joint_fields: ClassVar[tuple[str, ...]] = ("joint",)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"torque": COORDINATE}

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, stiffness=number(self.stiffness, label, "stiffness", low=0))
        settle(self, damping=number(self.damping, label, "damping", low=0), angle=number(self.angle, label, "angle"))
        if self.torque is not None:
            settle(self, torque=stored_entry(self.torque, COORDINATE, label, "torque"))
        check_freedom(self.freedom, label)
