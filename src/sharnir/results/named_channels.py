"""Channels by name: looking them up, one component of them, and those of nodes, which are computed on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from sharnir.arguments import fail, numbers, sequence, shown
from sharnir.errors import ModelError
from sharnir.results.channel import Channel, UnknownChannelError
from sharnir.results.flexible_shapes import FlexibleShapes
from sharnir.results.node_motion import node_channel


class NamedChannels:
    """The part of Result that finds channels.

    t : times (nt,).   flexible : nodes and shapes of flexible bodies by name.
    """

    def __init__(
        self,
        t: np.ndarray,
        channels: Iterable[Channel] | Mapping[str, Channel],
        flexible: Mapping[str, FlexibleShapes],
    ) -> None:
        self.t = Channel("t", numbers(t, "Result", "t", shape=(None,)), "s").values
        self.flexible: dict[str, FlexibleShapes] = dict(flexible)
        self._channels: Mapping[str, Channel] = channels if isinstance(channels, Mapping) else self._by_name(channels)
        self._nodes: dict[str, Channel] = {}  # channels of nodes that somebody asked for

    def _by_name(self, channels: Iterable[Channel]) -> dict[str, Channel]:
        found: dict[str, Channel] = {}
        for channel in sequence(channels, "Result", "channels", "a list of Channel objects, or a mapping from names to them"):
            if not isinstance(channel, Channel):
                fail("Result", "channels", f"holds {shown(channel)}, which is not a Channel")
            if channel.name in found or channel.name == "t":
                raise ModelError(f"channel {channel.name!r} is given twice")
            if channel.is_computed:
                check_rows(channel.name, channel.values, self.t)
            found[channel.name] = channel
        return found

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of all channels; a component of one is named with its label, such as "tip.position.x".

        >>> from sharnir.results import Result
        >>> Result([0.0], [Channel("a.q", [1.0]), Channel("a.v", [2.0])]).channels
        ('a.q', 'a.v')
        """
        return tuple(self._channels)

    def __getitem__(self, name: str) -> np.ndarray:
        if isinstance(name, str) and name == "t":
            return self.t
        channel, column = self._find(name)
        values = channel.values
        check_rows(channel.name, values, self.t)
        return values if column is None else values[:, column]

    def __contains__(self, name: object) -> bool:
        try:
            return isinstance(name, str) and (name == "t" or self._find(name) is not None)
        except UnknownChannelError:
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self._channels)

    def channel(self, name: str) -> Channel:
        """The channel itself, with labels and unit.

        >>> from sharnir.results import Result
        >>> Result([0.0], [Channel("tip.position", [[1.0, 2.0, 3.0]], "m")]).channel("tip.position").labels
        ('x', 'y', 'z')
        """
        channel, column = self._find(name)
        if column is None:
            return channel
        return Channel(name, channel.values[:, column], channel.component_units()[column])

    def unit(self, name: str) -> str | tuple[str, ...]:
        """Unit of a channel; one for each component where they differ.

        >>> from sharnir.results import Result
        >>> Result([0.0], [Channel("screw.q", [[0.1, 0.2]], ("m", "rad"), ("slide", "angle"))]).unit("screw.q.angle")
        'rad'
        """
        if isinstance(name, str) and name == "t":
            return "s"
        channel, column = self._find(name)
        return channel.unit if column is None else channel.component_units()[column]

    def components(self, name: str) -> tuple[str, ...]:
        """Names of the scalar channels in a channel: its own if it is a scalar.

        >>> from sharnir.results import Result
        >>> Result([0.0], [Channel("tip.position", [[1.0, 2.0, 3.0]], "m")]).components("tip.position")
        ('tip.position.x', 'tip.position.y', 'tip.position.z')
        """
        channel, column = self._find(name)
        return channel.components if column is None else (name,)

    def shapes_of(self, body: str) -> FlexibleShapes:
        """Nodes and shapes of a flexible body.

        >>> from sharnir.results import Result
        >>> Result([0.0]).shapes_of("beam")
        Traceback (most recent call last):
        sharnir.errors.ModelError: the result has no flexible body 'beam'; it has none
        """
        if not isinstance(body, str) or body not in self.flexible:
            raise ModelError(
                f"the result has no flexible body {shown(body)}; it has {', '.join(self.flexible) or 'none'}", field="body"
            )
        return self.flexible[body]

    def _find(self, name: str) -> tuple[Channel, int | None]:
        """A channel, and the column if `name` means one of its components."""
        if not isinstance(name, str):
            raise UnknownChannelError(shown(name), self._channels, "channels are named by text, such as 'hinge.q'")
        whole, _, label = str(name).rpartition(".")
        try:
            channel = self._whole(name)
            if channel is not None:
                return channel, None
            channel = self._whole(whole)
            if channel is not None and label in channel.labels:
                return channel, channel.labels.index(label)
        except ModelError as error:  # no such node
            raise UnknownChannelError(name, hint=str(error)) from None
        known = list(self._channels)
        if isinstance(self._channels, dict):
            known += [c for channel in self._channels.values() for c in channel.known_components]
        raise UnknownChannelError(name, dict.fromkeys(known))

    def _whole(self, name: str) -> Channel | None:
        """The channel of this name, if there is one; those of nodes are made now."""
        if name in self._channels:
            return self._channels[name]
        if name not in self._nodes:
            moving = {body: shapes for body, shapes in self.flexible.items() if f"{body}.w" in self._channels}
            made = node_channel(moving, name, self.__getitem__)
            if made is None:
                return None
            self._nodes[name] = made
        return self._nodes[name]


def check_rows(name: str, values: np.ndarray, t: np.ndarray) -> None:
    """Raise an error unless a channel has one row for each time."""
    if len(values) != len(t):
        raise ModelError(f"channel {name!r} has {len(values)} rows, but there are {len(t)} times")
