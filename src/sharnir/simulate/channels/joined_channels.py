"""Results of a run in several parts, between which the mechanism has changed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from sharnir.results import Channel

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
        if loop.stopped_at is not None and loop.stopped_at[0] > loop.kept[-1][1]:
            loop.kept.append((loop.parts[-1], *loop.stopped_at))
        for _, group in groupby(loop.kept, lambda x: id(x[0])):
            parts, times, states = zip(*group, strict=True)
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
