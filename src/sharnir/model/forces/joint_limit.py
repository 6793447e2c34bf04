"""Stops at the ends of a joint's range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from sharnir.arguments import shown, with_advice
from sharnir.model.checks import fail, joints_of, number, settle
from sharnir.model.constraints.variables import JointCoordinate
from sharnir.model.contact import ContactLaw, check_law
from sharnir.model.element import check_freedom
from sharnir.model.events import Event, Rebound, SetSpeed
from sharnir.model.forces.force_element import ForceElement, FreedomForce
from sharnir.model.forces.joint_force import check_angle
from sharnir.model.joints import Joint
from sharnir.model.values import FreedomChoice, JointName, Number, OptionalLaw, OptionalNumber, default, element

if TYPE_CHECKING:
    from sharnir.model.model import Model


@element
class JointLimit(ForceElement):
    """Stops that keep one freedom of a joint between `lower` and `upper`.

    lower, upper : bounds [m or rad]; one may be left out; without both, those of the joint's own `limits` hold.
    law : force of the stop by its depth: ExponentialLaw, HuntCrossley, … as in Contact, with N m and rad for an angle.
    restitution : impacts at the bounds as events, 0 … 1. With a `law` too, only impacts faster than `rest_speed` [m/s or rad/s]
        rebound as events, and slower ones are left to the law, so that the joint can come to rest at its stop.
    freedom : its number from 0, or its name, such as "y"; a model keeps the number.

    The result has `<name>.force` (along the freedom; without a law there is none) and `<name>.depth` (below zero the distance).

    >>> from sharnir.model import ExponentialLaw
    >>> JointLimit("stop", "O", -1, 1, law=ExponentialLaw(stiffness=1, steepness=200)).freedom
    0
    """

    name: str
    joint: JointName
    lower: OptionalNumber = default(None)
    upper: OptionalNumber = default(None)
    law: OptionalLaw = default(None)
    restitution: OptionalNumber = default(None)
    rest_speed: Number = default(0.01)
    freedom: FreedomChoice = default(0)
    freedom_outputs: ClassVar[Mapping[str, str]] = {"force": "force", "depth": "position"}
    always_written: ClassVar[tuple[str, ...]] = ("law", "restitution")

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_freedom(self.freedom, label)
        for side in ("lower", "upper"):
            if getattr(self, side) is not None:
                settle(self, **{side: number(getattr(self, side), label, side)})
        if self.lower is not None and self.upper is not None and not self.lower < self.upper:
            fail(label, "lower", f"= {shown(self.lower)} must be below upper = {shown(self.upper)}")
        if self.law is None and self.restitution is None:
            fail(label, "law", "is missing: give a law for the force of the stop, or restitution, or both")
        if self.law is not None:
            check_law(self.law, label)
        settle(self, rest_speed=number(self.rest_speed, label, "rest_speed", low=0))
        if self.restitution is not None:
            settle(self, restitution=number(self.restitution, label, "restitution", low=0))
            if self.restitution > 1.0:
                fail(label, "restitution", f"= {shown(self.restitution)} must not be above 1: an impact cannot create energy")

    def bounds(self, joints: Mapping[str, Any]) -> tuple[float, float]:
        """Lower and upper bound, infinite where there is none."""
        lower, upper = self.lower, self.upper
        if lower is None and upper is None:
            joint = joints[str(self.joint)]
            own = None if joint.limits is None else joint.limits[self.freedom]
            if own is None or (math.isinf(own.lower) and math.isinf(own.upper)):
                fail(self.label, "lower", f"and upper are missing, and joint '{joint.name}' has no limits; give one of them")
            return own.lower, own.upper
        return -math.inf if lower is None else lower, math.inf if upper is None else upper

    def check_joint(self, joint: Joint) -> None:
        check_angle(self, joint)

    def along_freedom(self, joints: Mapping[str, Any]) -> FreedomForce:
        return FreedomForce(self.label, str(self.joint), self.freedom, self.torque(joints))

    def torque(self, joints: Mapping[str, Any]) -> Any:
        """The law's force as a formula of q and v."""
        lower, upper = self.bounds(joints)
        parts = [] if self.law is None else ["0"]
        if self.law is not None and math.isfinite(lower):
            parts.append(f"+ {self.law.formula(f'{lower!r} - q', '-v')}")
        if self.law is not None and math.isfinite(upper):
            parts.append(f"- {self.law.formula(f'q - ({upper!r})', 'v')}")
        return " ".join(parts) if len(parts) > 1 else 0.0

    def freedom_formula(self, key: str, joints: Mapping[str, Any]) -> str:
        if key == "force":
            return str(self.torque(joints))
        lower, upper = self.bounds(joints)
        sides = [f"{lower!r} - q"] * math.isfinite(lower) + [f"q - ({upper!r})"] * math.isfinite(upper)
        return f"max({', '.join(sides)})" if len(sides) > 1 else sides[0]

    def events(self, joints: Mapping[str, Any]) -> list[Event]:
        """Impacts at the bounds."""
        if self.restitution is None:
            return []
        lower, upper = self.bounds(joints)
        single = joints[str(self.joint)].n_v == 1
        q = JointCoordinate(str(self.joint), None if single else self.freedom)
        found = []
        for side, bound, sign in (("lower", lower, "<"), ("upper", upper, ">")):
            if math.isfinite(bound):
                action: Any = Rebound(q, self.restitution)
                if self.law is not None:
                    action = SetSpeed(q, f"if(abs(q_dot) > {self.rest_speed!r}, -{self.restitution!r}*q_dot, q_dot)")
                found.append(Event(f"{self.name} {side}", f"q {sign} ({bound!r})", action, variables={"q": q}))
        return found


@with_advice
def joint_limits(
    model: Model, law: ContactLaw | None = None, restitution: float | None = None, rest_speed: float = 0.01
) -> list[JointLimit]:
    """Stops for all limits that the joints of a model have, such as those from URDF: `m.add(*joint_limits(m, law=…))`.

    >>> from sharnir.model import Body, Hertz, Model, Revolute
    >>> m = Model()
    >>> _ = m.add(Body("arm", mass=1, com=(1, 0, 0)), Revolute("O", "ground", "arm", axis="y", limits=(-1, 1)))
    >>> [stop.name for stop in joint_limits(m, law=Hertz(1e4))]
    ['O stop']
    """
    stops = []
    for joint in joints_of(model, "joint_limits").values():
        for k, limits in enumerate(joint.limits or ()):
            if limits is None or (math.isinf(limits.lower) and math.isinf(limits.upper)) or joint.driven[k]:
                continue
            name = f"{joint.name} stop" if joint.n_v == 1 else f"{joint.name} stop {joint.freedom_names[k]}"
            given: dict[str, Any] = {"law": law, "restitution": restitution, "rest_speed": rest_speed, "freedom": k}
            stops.append(JointLimit(name, joint.name, **given))
    return stops
