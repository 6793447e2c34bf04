"""Results of a run in several parts, between which the mechanism has changed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.signals.late_sensor_records import force_numbers
from sharnir.model import Attach, FreedomSequence, Join, Joint, Lock, Model, SetMotion
from sharnir.model.events import StructureAction
from sharnir.model.joints.freedom import SIX_FREEDOMS
from sharnir.results import Channel
from sharnir.simulate.channels.joint_channels import component_labels

if TYPE_CHECKING:
    from sharnir.dynamics.system import System
    from sharnir.simulate.events.event_loop import EventLoop


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


def recorded_parts(loop: EventLoop) -> list[tuple[System, np.ndarray, np.ndarray]]:
    """The parts of a run with events that have outputs (the first if none has): system, times, states."""
    found: list[tuple[System, np.ndarray, np.ndarray]] = []
    if loop.kept is not None:
        if loop.stopped_at is not None and loop.stopped_at[0] > loop.kept[-1].t:
            end, state = loop.stopped_at
            loop.kept.append(loop.kept[-1]._replace(part=loop.parts[-1], t=end, y=state, work=loop.run.integral))
        for _, group in groupby(loop.kept, lambda x: id(x.part)):
            parts, times, states, _ = zip(*group, strict=True)
            found.append((parts[0].system, np.array(times), np.array(states)))
        return found
    for part, after in zip(loop.parts, [*loop.parts[1:], None], strict=True):
        end = after.first if after is not None and after.run is part.run else part.run.outputs
        solution = part.run.solution()
        found.append((part.system, solution.t[part.first : end], solution.y[part.first : end]))
    if loop.stopped_at is not None and loop.stopped_at[0] > found[-1][1][-1:].max(initial=-math.inf):
        system, t, y = found[-1]
        found[-1] = (system, np.append(t, loop.stopped_at[0]), np.vstack([y, loop.stopped_at[1][None]]))
    return [x for x in found if len(x[1])] or found[:1]


def available_parts(loop: EventLoop, final: bool) -> list[tuple[System, np.ndarray, np.ndarray]]:
    """All parts of a run that may still go on, one for each of `loop.parts`: system, times, states.

    The last output may change as long as the run stands at its time; it is there at the end (`final`) only.
    """
    found: list[tuple[System, np.ndarray, np.ndarray]] = []
    for part, after in zip(loop.parts, [*loop.parts[1:], None], strict=True):
        end = after.first if after is not None and after.run is part.run else part.run.outputs
        end = end if final or after is not None else max(part.first, end - 1)
        t, y = part.run.rows(part.first, end)
        found.append((part.system, t, y))
    if (
        final
        and loop.stopped_at is not None
        and loop.stopped_at[0] > max((x[1][-1] for x in found if len(x[1])), default=-math.inf)
    ):
        system, t, y = found[-1]
        found[-1] = (system, np.append(t, loop.stopped_at[0]), np.vstack([y, loop.stopped_at[1][None]]))
    return found


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
