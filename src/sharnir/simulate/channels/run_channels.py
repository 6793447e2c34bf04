"""States on the output grid → channels by name; what is not a coordinate is computed when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from sharnir.dynamics.inverse.joint_reactions import CUT_KINDS, shown_joints
from sharnir.model.signals.signal_units import signal_unit
from sharnir.results import Channel
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.flexible_channels import FlexibleChannels
from sharnir.simulate.channels.joint_channels import (
    XYZ,
    freedom_channel,
    held_channel,
    joint_channel,
    joint_keys,
)

BODY_CHANNELS = {  # unit, place among the observed numbers, labels
    "position": ("m", slice(0, 3), XYZ),
    "rotation": ("1", slice(3, 7), ("w", *XYZ)),
    "velocity": ("m/s", slice(7, 10), XYZ),
    "angular_velocity": ("rad/s", slice(10, 13), XYZ),
    "acceleration": ("m/s²", slice(13, 16), XYZ),
    "angular_acceleration": ("rad/s²", slice(16, 19), XYZ),
}


class RunChannels(Mapping[str, Channel]):
    """The channels of a run by name, "<element>.<quantity>", made when asked for: a cable of 10⁵ links has a million."""

    def __init__(self, observer: Observer) -> None:
        self._observer, self._made = observer, {}  # type: Observer, dict[str, Channel]
        s = observer.system
        self._joints = {joint.name: (joint, body) for joint, body in shown_joints(s)}
        self._bodies = {name: i for name, i in s.assembly.placement.number.items() if i >= 0}
        self._constraints = {e.name: e for e in s.assembly.elements if e.name in s.model.constraints and e.kind not in CUT_KINDS}
        self._along = {name: force for name, force in s.model.forces.items() if force.freedom_outputs}
        self.flexible = FlexibleChannels(observer, self._joints, lambda name: self[name].values)
        self._whole = {channel.name: channel for channel in _whole_channels(observer)}

    def __iter__(self) -> Iterator[str]:
        for name, (joint, _) in self._joints.items():
            yield from (f"{name}.{key}" for key in joint_keys(joint))
        for name in self._bodies:
            yield from (f"{name}.{key}" for key in BODY_CHANNELS)
        for name in self._joints:
            if name not in self.flexible.nodes:  # what passes there is the force at an interface
                yield from (f"{name}.reaction", f"{name}.reaction_local")
        for name in self._observer.system.assembly.force_outputs:
            yield from (channel.name for channel in _force_channels(self._observer, name))
        yield from (f"{name}.{key}" for name, force in self._along.items() for key in force.freedom_outputs)
        yield from (f"{name}.force" for name in self._constraints)
        yield from self._observer.system.model.signals
        yield from self.flexible
        yield from self._whole

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, name: str) -> Channel:
        if name not in self._made:
            self._made[name] = self._channel(name)
        return self._made[name]

    def _channel(self, name: str) -> Channel:
        if name in self._whole:
            return self._whole[name]
        if name in self.flexible:
            return self.flexible[name]
        if name in self._observer.system.model.signals:
            model = self._observer.system.model
            unit = signal_unit(model.signals[name], model.original.joints)
            return Channel(name, partial(_signal_values, self._observer, name), unit)
        element, _, key = name.rpartition(".")
        joint, body = self._joints.get(element, (None, ""))
        if joint is not None and element not in self.flexible.nodes and key in (*joint_keys(joint), "reaction", "reaction_local"):
            free = self._observer.system.model.original.joints.get(element, joint)
            if free.coordinates != joint.coordinates and all(joint.driven) and key in ("q", "v", "a"):  # it is locked
                return held_channel(self._observer, free, key)
            return joint_channel(self._observer, joint, body, key)
        if element in self._bodies and key in BODY_CHANNELS:
            unit, part, labels = BODY_CHANNELS[key]
            return Channel(name, partial(_motion_values, self._observer, self._bodies[element], part), unit, labels)
        if element in self._observer.system.assembly.force_outputs:
            for channel in _force_channels(self._observer, element):
                if channel.name == name:
                    return channel
        if element in self._along and key in self._along[element].freedom_outputs:
            return freedom_channel(self._observer.system.model, self._along[element], key, lambda other: self[other].values)
        if element in self._constraints and key == "force":
            return _constraint_channel(self._observer, self._constraints[element])
        raise KeyError(name)


def _constraint_channel(o: Observer, element: Any) -> Channel:
    """Multipliers of a constraint: the force along what each of its equations holds, in units of energy per unit of it."""
    labels = tuple(element.labels) if len(element.labels) == element.count else tuple(f"{k + 1}" for k in range(element.count))
    compute, unit = (
        partial(_multiplier_values, o, element.row, element.count),
        o.system.model.constraints[element.name].force_unit(o.system.model.joints),
    )
    return Channel(f"{element.name}.force", compute, unit, labels if element.count > 1 else None)


def _multiplier_values(o: Observer, row: int, count: int) -> np.ndarray:
    values = o.multipliers()[:, row : row + count]
    return values[:, 0] if count == 1 else values


def _signal_values(o: Observer, name: str) -> np.ndarray:
    return o.signals()[:, o.system.assembly.program.signals.index(name)]


def _motion_values(o: Observer, i: int, part: slice) -> np.ndarray:
    return o.body(i)[0][:, part]


def _force_channels(o: Observer, name: str) -> list[Channel]:
    """What a force reports about itself."""
    at, found = o.system.assembly.force_outputs[name], []
    for key, unit, labels in o.system.model.forces[name].outputs:
        compute = partial(o.force, at, len(labels)) if labels else partial(_element_number, o, at)
        found.append(Channel(f"{name}.{key}", compute, unit, labels))
        at += len(labels) or 1
    return found


def _element_number(o: Observer, at: int) -> np.ndarray:
    return o.force(at, 1)[:, 0]


def _whole_channels(o: Observer) -> list[Channel]:
    return [
        Channel("energy.kinetic", lambda: o.energy()[0][:, 0], "J"),
        Channel("energy.potential", lambda: o.energy()[0][:, 1], "J"),
        Channel("energy.total", lambda: o.energy()[0].sum(axis=1), "J"),
        Channel("system.center_of_mass", lambda: o.energy()[1][:, 1:4], "m", XYZ),
        Channel("system.momentum", lambda: o.energy()[1][:, 4:7], "N s", XYZ),
        Channel("system.angular_momentum", lambda: o.energy()[1][:, 7:10], "N m s", XYZ),
    ]
