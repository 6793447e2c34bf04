"""Actions that change the structure: joints and constraints are released and joined; joints are locked, freed or moved."""

from __future__ import annotations

from typing import Any, ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import element_name, fail, number, reference, settle
from sharnir.model.constraints.variables import stored_coordinate
from sharnir.model.events.actions import Action
from sharnir.model.events.effects import Effect
from sharnir.model.given_functions import stored_motion
from sharnir.model.joints import Joint
from sharnir.model.values import (
    BodyName,
    Coordinate,
    JoinedJoint,
    JointName,
    Motion,
    NamingFields,
    Number,
    OptionalFreedomChoice,
    Reference,
    default,
    element,
)

START = ("t0", "q0", "v0")  # of a new motion: when it begins, and the coordinate and its speed then


class StructureAction(Action, listed=False):
    """An action after which the equations of motion are others."""

    body_fields: ClassVar[Any] = NamingFields("body")
    joint_fields: ClassVar[Any] = NamingFields("joint")
    noun: ClassVar[str] = "joint"  # what the name is of

    def effects(self) -> tuple[Effect, ...]:
        """None: the structure changes instead, in Python."""
        return ()

    def _settle_names(self) -> None:
        for field in self.body_fields:
            settle(self, **{field: reference(getattr(self, field), self.label, field)})
        for field in self.joint_fields:
            settle(self, **{field: reference(getattr(self, field), self.label, field, self.noun)})


@element
class Release(StructureAction):
    """Release a joint or constraint: what it held moves on freely with its current speeds.

    Forces in the joint and constraints on its coordinates end as well. Formulas see its last coordinates; its channels become
    not-a-number.

    joint : a joint, or a constraint (a rope that goes slack, a wheel that lifts off), or its name.

    >>> Release("hook").joint
    'hook'
    """

    joint: JointName
    noun: ClassVar[str] = "joint or constraint"

    def __post_init__(self) -> None:
        self._settle_names()


@element
class FreedomAction(StructureAction, listed=False):
    """An action on a joint, or on one freedom of it."""

    joint: JointName
    freedom: OptionalFreedomChoice = default(None)

    def __post_init__(self) -> None:
        self._settle_names()


@element
class Lock(FreedomAction):
    """Lock the joint in its current position: a plastic impact stops it, and its momentum passes to the connected bodies.

    freedom : number or name of one freedom; None: all of them.

    >>> Lock("hinge").freedom is None
    True
    """


@element
class Unlock(FreedomAction):
    """Free a joint that was locked, or whose motion was prescribed.

    >>> Unlock("hinge").joint
    'hinge'
    """


@element
class Attach(StructureAction):
    """Attach two bodies rigidly in their current relative position; a plastic impact makes their motion equal.

    joint : name of the new rigid joint, for its reactions and for Release; default: "<a>_<b>".

    >>> Attach("station", "shuttle").joint
    'station_shuttle'
    """

    a: BodyName
    b: BodyName
    joint: Reference = default("")

    def __post_init__(self) -> None:
        self._settle_names()
        if self.a == self.b:
            fail(self.label, "b", f"= {shown(self.b)} is also a; two different bodies are needed")
        if not isinstance(self.joint, str):
            fail(self.label, "joint", f"= {shown(self.joint)} must be the name of the new joint")
        settle(self, joint=self.joint or f"{self.a}_{self.b}".replace(":", "_"))
        element_name(self.joint, self.label)


@element
class Join(StructureAction):
    """Join a joint or constraint: one that was released, by its name, or a new joint.

    joint : name of a joint or constraint of the model that was released before; or a joint, drawn as all others in the
        reference drawing.
    gap : how far its two sides may be apart at that moment, or its equations from zero [m, rad]; they are drawn together, with
        the least motion in the metric of the masses. A plastic impact removes the speeds that it does not allow.

    >>> Join("hook", gap=0.01).gap
    0.01
    """

    joint: JoinedJoint
    gap: Number = default(1e-3)
    noun: ClassVar[str] = "joint or constraint"

    def __post_init__(self) -> None:
        if not isinstance(self.joint, Joint):
            settle(self, joint=reference(self.joint, self.label, "joint", self.noun))
        settle(self, gap=number(self.gap, self.label, "gap", low=0))

    @property
    def joint_name(self) -> str:
        """Name of the joint."""
        return str(getattr(self.joint, "name", self.joint))


@element
class SetMotion(StructureAction):
    """Prescribe the motion of a joint's freedom from the event on.

    coordinate : a joint, or JointCoordinate(joint, freedom).
    motion : formula of t, cubic Table or function of t, or a triple (position, speed, acceleration) of these. In formulas t0, q0
        and v0 are the time, the coordinate and its speed at the beginning: "q0 + v0*(t - t0)". It must begin where the
        joint is; a jump of the speed is an impact. None: the freedom is no longer prescribed.
    relative : time and position are counted from the event: tables and functions of t - t0.

    >>> SetMotion("O", "q0 + 0.5*(t - t0)^2").motion
    'q0 + 0.5*(t - t0)^2'
    """

    coordinate: Coordinate
    motion: Motion = default(None)
    relative: bool = False

    def __post_init__(self) -> None:
        settle(self, coordinate=stored_coordinate(self.coordinate, self.label, "coordinate"))
        settle(self, motion=stored_motion(self.motion, self.label, "motion"))
