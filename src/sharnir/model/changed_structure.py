"""Joints and constraints as events have changed them, and the resulting model.

The changed model is derived from the original one: bodies stay where they are in the drawing, joints that have come apart are
left out with the forces and constraints that need them, freedoms that are held have a constant motion, constraints that were let
go are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sharnir.errors import ModelError
from sharnir.model.constraints import ConstraintElement
from sharnir.model.events import Join, Release, SetMotion, Unlock
from sharnir.model.joints import Joint
from sharnir.model.links import referenced_joints
from sharnir.model.model import Model
from sharnir.model.placement import placements

Freedom = tuple[str, int]


@dataclass(frozen=True)
class Structure:
    """How joints and constraints differ from those of the model.

    released : joints that have come apart, with the coordinates that they had.
    motions : freedoms whose motion is another: a number holds them where they are, None sets them free.
    added : joints that have taken hold; one of the name of a joint stands in its place.
    slack : constraints that were let go; a point on a curve with the place where it left it.
    """

    released: Mapping[str, Joint] = field(default_factory=dict)
    motions: Mapping[Freedom, Any] = field(default_factory=dict)
    added: Mapping[str, Joint] = field(default_factory=dict)
    slack: Mapping[str, ConstraintElement] = field(default_factory=dict)

    def joints(self, model: Model) -> dict[str, Joint]:
        """The joints that there are, without changed motions."""
        return {name: joint for name, joint in (dict(model.joints) | dict(self.added)).items() if name not in self.released}

    def model(self, original: Model) -> Model:
        """The model with these changes.

        >>> from sharnir.model import Body, Revolute
        >>> m = Model()
        >>> _ = m.add(Body("arm", mass=1, inertia=(1, 1, 1)), Revolute("O", "ground", "arm", axis="z"))
        >>> Structure(motions={("O", 0): 0.5}).model(m).joints["O"].motion
        (0.5,)
        >>> Structure(released={"O": m.joints["O"]}).model(m).joints
        mappingproxy({})
        """
        other = original.copy()
        joints = self.joints(original)
        other._joints = {name: self._changed(joint, joints) for name, joint in joints.items()}
        other._released, other._original = dict(self.released), original
        if any(joint.uses_frames for joint in original.joints.values()):
            other._bodies = _placed_bodies(original)
        driven = {(x.name, k) for x in other._joints.values() for k, motion in enumerate(x.motion) if motion is not None}
        held = driven & (_free(original) | _freed(original))
        other._forces = {name: x for name, x in original.forces.items() if not _needs(x, joints, held)}
        other._resting_joints = {name: joint for name, joint in joints.items() if other._joints[name] != joint}
        other._resting_joints |= {name: original.joints[name] for name in self.added if name in original.joints}
        other._resting_forces = {name: x for name, x in original.forces.items() if name not in other._forces}
        kept = {name: x for name, x in original.constraints.items() if name not in self.slack}
        other._constraints = {name: x for name, x in kept.items() if not _needs(x, joints, set())}
        return other

    def held_constraint(self, original: Model, name: str, label: str, t: float) -> ConstraintElement | None:
        """The constraint that is to take hold again; None if it holds already."""
        constraint, there = original.constraints[name], self.joints(original)
        gone = [joint for _, joint in referenced_joints(constraint) if joint not in there]
        if gone:
            raise ModelError(
                f"{label}: Join({name!r}) at t = {t:.6g}: {constraint.label} needs joint '{gone[0]}', which is "
                "released; join it first"
            )
        return self.slack.get(name)

    def check_joint(self, original: Model, name: str, action: Any, label: str, t: float) -> None:
        """An action on a joint needs it: one that has come apart, or has not taken hold yet, is none."""
        if name not in self.joints(original):
            state = "has come apart" if name in original.joints else "is not together"
            raise ModelError(
                f"{label}: {action.label}({name!r}) at t = {t:.6g}: this joint {state}; join it first, or Disable the "
                "event while it is released"
            )

    def strikes(self, original: Model, event: Any, action: Any, moved: Any, t: float) -> bool:
        """Whether an impulse along `moved` has something to act on; stops of a joint end with it, others need the joint."""
        apart = [name for name in moved.joints if name in self.released]
        stop = original.forces.get(event.name.rpartition(" ")[0])
        along = None if stop is None else stop.along_freedom(original.joints)
        if along is None:
            if apart:
                self.check_joint(original, apart[0], action, event.label, t)
            return True
        return not apart and not self.is_held(original, along.joint, along.freedom or 0)

    def is_held(self, original: Model, name: str, freedom: int) -> bool:
        """Whether a freedom follows a motion, or is locked: stops in it rest."""
        joint = self.joints(original).get(name)
        given = None if joint is None or freedom >= len(joint.motion) else joint.motion[freedom]
        return self.motions.get((name, freedom), given) is not None

    def _changed(self, joint: Joint, joints: Mapping[str, Joint]) -> Joint:
        """A joint with the motions that it has now; what acts in freedoms that are held has no effect."""
        if joint.mimic is not None and joint.mimic[0] not in joints:
            joint = replace(joint, mimic=None)
        keys = [(joint.name, k) for k in range(joint.n_v)]
        if not any(key in self.motions for key in keys):
            return joint
        motion = [self.motions.get(key, joint.motion[k]) for k, key in enumerate(keys)]
        given: dict[str, Any] = {"motion": tuple(motion), "mimic": None}
        for name in ("q", "v", "torque", "damping", "stiffness", "rest"):
            values = getattr(joint, name)
            given[name] = tuple(0.0 if motion[k] is not None else value for k, value in enumerate(values))
        return replace(joint, **given)


def at_start(model: Model) -> Model:
    """The model as its events find it at the beginning: constraints that are let go at t = 0 do not hold, forces in freedoms
    that are held until an event frees them rest.

    >>> at_start(Model()).forces
    mappingproxy({})
    """
    held = {(x.name, k) for x in model.joints.values() for k, motion in enumerate(x.motion) if motion is not None} & _freed(model)
    resting = held and any(_needs(force, model.joints, held) for force in model.forces.values())
    slack = _slack_at_start(model)
    return Structure(slack=slack).model(model) if resting or slack else model


def _slack_at_start(model: Model) -> dict[str, ConstraintElement]:
    """Constraints that events of the first moment let go."""
    slack: dict[str, ConstraintElement] = {}
    for event in model.events.values():
        due = event.enabled and event.when is None and event.at is not None and event.at <= 0.0
        for action in event.actions if due else ():
            if isinstance(action, Release) and action.joint in model.constraints:
                slack[action.joint] = model.constraints[action.joint]
            elif isinstance(action, Join):
                slack.pop(action.joint_name, None)
    return slack


def _freed(model: Model) -> set[Freedom]:
    """Freedoms of joints that an event may set free."""
    actions = [action for event in model.events.values() for action in event.actions]
    names = {action.joint for action in actions if isinstance(action, Unlock)}
    names |= {action.coordinate.joint for action in actions if isinstance(action, SetMotion) and action.motion is None}
    return {(name, k) for name in names if name in model.joints for k in range(model.joints[name].n_v)}


def _free(model: Model) -> set[Freedom]:
    """Freedoms that the model itself leaves free."""
    return {(joint.name, k) for joint in model.joints.values() for k, motion in enumerate(joint.motion) if motion is None}


def _needs(element: Any, joints: Mapping[str, Joint], held: set[Freedom]) -> bool:
    """Whether an element acts in a joint that is not there or has become another, or in a freedom that is held."""
    names = [name for _, name in referenced_joints(element)]
    accepts, freedom = getattr(element, "accepts", None), getattr(element, "freedom", None)
    return any(name not in joints or (name, freedom) in held or (accepts and not accepts(joints[name])) for name in names)


def _placed_bodies(model: Model) -> dict[str, Any]:
    """The bodies where they are in the drawing, without the joints that have placed them there."""
    placed = placements(model)
    return {
        name: body
        if placed[name] == body.frame
        else replace(body, position=placed[name].position, rotation=placed[name].rotation)
        for name, body in model.bodies.items()
    }
