"""Channels that a mechanism has only in another structure: not-a-number while a joint is apart, or before it takes hold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from sharnir.dynamics.signals.late_sensor_records import STOP_OUTPUTS, force_numbers
from sharnir.model import Attach, FreedomSequence, Join, Joint, JointLimit, Lock, Model, SetMotion
from sharnir.model.events import StructureAction
from sharnir.model.joints.freedom import SIX_FREEDOMS
from sharnir.simulate.channels.joint_channels import component_labels

Labels = tuple[str, ...]


def absent_value(model: Model, name: str) -> Any:
    """Not-a-number in the shape of a channel that events may take away or bring; None: the model never has such a channel.

    >>> from sharnir.model import Body, Event, Release, Revolute
    >>> m = Model()
    >>> _ = m.add(Body("bob", mass=1, inertia=(1, 1, 1)), Revolute("O", "ground", "bob", axis="y"))
    >>> _ = m.add(Event("cut", at=1, actions=Release("O")))
    >>> absent_value(m, "O.v"), absent_value(m, "O.reaction").shape, absent_value(m, "O.reaction.fx"), absent_value(m, "O.b")
    (nan, (6,), nan, None)
    """
    whole, _, component = name.rpartition(".")
    for element, key, labels in _channels_that_change(model):
        if name == f"{element}.{key}":
            return np.full(len(labels), math.nan) if labels else math.nan
        if whole == f"{element}.{key}" and component in labels:
            return math.nan
    return None


def _channels_that_change(model: Model) -> Iterator[tuple[str, str, Labels]]:
    """Element, quantity, names of components."""
    actions = [action for event in model.events.values() for action in event.actions if isinstance(action, StructureAction)]
    if not actions:
        return
    held = {str(x.joint) for x in actions if isinstance(x, Lock)}
    held |= {x.coordinate.joint for x in actions if isinstance(x, SetMotion)}
    for joint in _joints(model, actions):
        moving = ("q", "v", "a") if joint.n_v else ()
        driven = ("drive",) if any(joint.driven) or joint.name in held else ()
        for key in (*moving, *driven, "reaction", "reaction_local"):
            yield joint.name, key, component_labels(joint, key)
    for force in model.forces.values():
        if isinstance(force, JointLimit):
            yield from ((force.name, key, ()) for key in STOP_OUTPUTS)
        else:
            yield from ((force.name, key, labels) for key, labels, _ in force_numbers(force))
    for constraint in model.constraints.values():
        n = constraint.n_holonomic + constraint.n_nonholonomic
        yield constraint.name, "force", tuple(f"{k + 1}" for k in range(n)) if n > 1 else ()


def _joints(model: Model, actions: list[StructureAction]) -> Iterator[Joint]:
    """Those of the model, and those that actions make."""
    yield from model.joints.values()
    for action in actions:
        if isinstance(action, Attach):
            yield FreedomSequence(action.joint, str(action.a), str(action.b), freedoms=SIX_FREEDOMS, motion=(0.0,) * 6)
        elif isinstance(action, Join) and isinstance(action.joint, Joint):
            yield action.joint
