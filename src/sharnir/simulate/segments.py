"""Results of a run in several parts, between which parameters (or the mechanism) have changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from sharnir.results import Channel


class JoinedChannels(Mapping[str, Channel]):
    """Channels of the parts, one behind the other; where a part has no such channel, the values are not-a-number."""

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
        found = [channels[name].values if name in channels else None for channels, _ in self._parts]
        shape = next(values.shape[1:] for values in found if values is not None)
        counts = (count for _, count in self._parts)
        return np.concatenate(
            [np.full((n, *shape), np.nan) if values is None else values for values, n in zip(found, counts, strict=True)]
        )
