"""Channels of a run in several parts, between which the mechanism has changed, as one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from sharnir.dynamics.signals.late_sensor_records import force_numbers
from sharnir.model import Attach, FreedomSequence, Join, Joint, Lock, Model, SetMotion
from sharnir.model.events import StructureAction
from sharnir.model.joints.freedom import SIX_FREEDOMS
from sharnir.results import Channel
from sharnir.simulate.channels.joint_channels import component_labels


class JoinedChannels(Mapping[str, Channel]):
    """Channels of the parts, one behind the other; where a part has no such channel, the values are not-a-number.

    So they are where another joint of the same name has other components.
    """

    def __init__(self, parts: Sequence[tuple[Mapping[str, Channel], int]]) -> None:
        self._parts = parts  # channels, and how many output times they have
        self._names = dict.fromkeys(name for channels, _ in parts for name in channels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, name: str) -> Channel:
        if name not in self._names:
            raise KeyError(name)
        first = next(channels[name] for channels, _ in self._parts if name in channels)
        return Channel(name, partial(self._values, name), first.unit, first.labels)

    def _values(self, name: str) -> np.ndarray:
        given = [channels.get(name) for channels, _ in self._parts]
        labels = next(channel.labels for channel in given if channel is not None)
        found = [channel.values if channel is not None and channel.labels == labels else None for channel in given]
        shape = next(values.shape[1:] for values in found if values is not None)
        counts = (count for _, count in self._parts)
        return np.concatenate(
            [np.full((n, *shape), np.nan) if values is None else values for values, n in zip(found, counts, strict=True)]
        )


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
        yield from ((force.name, key, ()) for key in force.freedom_outputs)
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
