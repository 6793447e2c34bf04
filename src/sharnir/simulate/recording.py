"""States on the output grid → a Result with named channels; what is not a coordinate is computed when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate import Solution
from sharnir.model import UserForce
from sharnir.results import Channel, Result
from sharnir.simulate.observer import Observer
from sharnir.simulate.scene import scene_of

XYZ = ("x", "y", "z")
BODY_CHANNELS = {  # unit, place among the observed numbers, labels
    "position": ("m", slice(0, 3), XYZ),
    "rotation": ("1", slice(3, 7), ("w", *XYZ)),
    "velocity": ("m/s", slice(7, 10), XYZ),
    "angular_velocity": ("rad/s", slice(10, 13), XYZ),
    "acceleration": ("m/s²", slice(13, 16), XYZ),
    "angular_acceleration": ("rad/s²", slice(16, 19), XYZ),
}
SIX = ("fx", "fy", "fz", "tx", "ty", "tz")
SIX_UNITS = ("N", "N", "N", "N m", "N m", "N m")


def record(system: System, solution: Solution, seconds: float, failure: str | None) -> Result:
    """The result of a run with all its channels."""
    observer = Observer(system, solution.t, solution.y)
    stats = {"method": system.method, **solution.stats, "seconds": seconds}
    if len(solution.t):
        total = observer.energy()[0].sum(axis=1)
        known = bool(np.isfinite(total).all())  # a force such as 1/q has no potential that starts at zero
        stats["energy_change"] = float(np.abs(total - total[0]).max()) if known else float("nan")
    scene = partial(scene_of, system)
    return Result(solution.t, RunChannels(observer), title=system.model.name, scene=scene, stats=stats, failure=failure)


class RunChannels(Mapping[str, Channel]):
    """The channels of a run by name, "<element>.<quantity>", made when asked for: a cable of 10⁵ links has a million."""

    def __init__(self, observer: Observer) -> None:
        self._observer, self._made = observer, {}  # type: Observer, dict[str, Channel]
        s = observer.system
        self._joints = {joint.name: (joint, body) for joint, body in zip(s.tree.joints, s.tree.bodies, strict=True)}
        self._bodies = {name: i for name, i in s.assembly.placement.number.items() if i >= 0}
        self._whole = {channel.name: channel for channel in _whole_channels(observer)}

    def __iter__(self) -> Iterator[str]:
        for name, (joint, _) in self._joints.items():
            yield from (f"{name}.{key}" for key in _joint_keys(joint))
        for name in self._bodies:
            yield from (f"{name}.{key}" for key in BODY_CHANNELS)
        yield from (f"{name}.reaction" for name in self._joints)
        for name in self._observer.system.assembly.force_outputs:
            yield from (channel.name for channel in _force_channels(self._observer, name))
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
        element, _, key = name.rpartition(".")
        joint, body = self._joints.get(element, (None, ""))
        if joint is not None and key in _joint_keys(joint):
            made = _quaternion_channel if joint.coordinates != "angles" else _angle_channel
            return made(self._observer, joint, key)
        if joint is not None and key == "reaction":
            return Channel(name, partial(_reaction_values, self._observer, joint, body), SIX_UNITS, SIX)
        if element in self._bodies and key in BODY_CHANNELS:
            unit, part, labels = BODY_CHANNELS[key]
            return Channel(name, partial(_motion_values, self._observer, self._bodies[element], part), unit, labels)
        if element in self._observer.system.assembly.force_outputs:
            for channel in _force_channels(self._observer, element):
                if channel.name == name:
                    return channel
        raise KeyError(name)


def _joint_keys(joint: Any) -> tuple[str, ...]:
    if joint.n_v == 0:
        return ()
    return ("q", "v", "a", "drive") if any(joint.driven) else ("q", "v", "a")


def _quaternion_channel(o: Observer, joint: Any, key: str) -> Channel:
    """Coordinates with a quaternion among them, speeds and accelerations in body axes."""
    q0, n_q, v0, n_v = o.system.assembly.coordinates.ranges[joint.name]
    name = f"{joint.name}.{key}"
    if key == "q":
        return Channel(name, o.y[:, q0 : q0 + n_q], joint.coordinate_units, joint.coordinate_names)
    if key == "v":
        v0 += o.system.n_q
        return Channel(name, o.y[:, v0 : v0 + n_v], [f"{u}/s" for u in joint.units], joint.freedom_names)
    return Channel(name, partial(_columns, o.accelerations, v0, v0 + n_v), [f"{u}/s²" for u in joint.units], joint.freedom_names)


def _columns(compute: Any, first: int, last: int) -> np.ndarray:
    return compute()[:, first:last]


def _angle_channel(o: Observer, joint: Any, key: str) -> Channel:
    """Coordinates, speeds, accelerations of elementary freedoms, free or prescribed, or the force of prescribed ones."""
    c = o.system.assembly.coordinates
    rows = [c.freedoms[f] for f in c.joint_freedoms[joint.name]]
    if key == "drive":
        compute, units = partial(_drive_values, o, rows), ["N" if u == "m" else "N m" for u in joint.units]
    else:
        k, per = {"q": (0, ""), "v": (1, "/s"), "a": (2, "/s²")}[key]
        compute, units = partial(_freedom_values, o, rows, k), [u + per for u in joint.units]
    several = joint.n_v > 1
    return Channel(f"{joint.name}.{key}", compute, units if several else units[0], joint.freedom_names if several else None)


def _freedom_values(o: Observer, rows: list[Any], k: int) -> np.ndarray:
    """Coordinate (k = 0), speed (1) or acceleration (2) of some freedoms."""
    columns = []
    for row in rows:
        if row.motion is not None:
            columns.append(o.motions()[:, o.motion_number(row), k])
        elif k == 2:
            columns.append(o.accelerations()[:, row.speed])
        else:
            columns.append(o.y[:, row.coordinate if k == 0 else o.system.n_q + row.speed])
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def _drive_values(o: Observer, rows: list[Any]) -> np.ndarray:
    """Force or torque that prescribed freedoms need; zero for free ones."""
    zero = np.zeros(len(o.t))
    columns = [o.drives()[:, o.motion_number(row)] if row.motion is not None else zero for row in rows]
    return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)


def _motion_values(o: Observer, i: int, part: slice) -> np.ndarray:
    return o.body(i)[0][:, part]


def _reaction_values(o: Observer, joint: Any, body: str) -> np.ndarray:
    """Force and torque on the joint's child, about its own joint point, whichever way the tree goes."""
    place = o.system.assembly.placement
    i = place.number[body]
    reaction = o.body(i)[1]
    if joint.child == body:
        return reaction
    force, at = -reaction[:, :3], place.position[i]
    arm = _point_values(o, body, at) - _point_values(o, joint.child, at)
    return np.hstack([force, np.cross(arm, force) - reaction[:, 3:]])


def _point_values(o: Observer, body: str, drawn: np.ndarray) -> np.ndarray:
    """World positions of a point that is fixed in a body, given where it is in the drawing."""
    place = o.system.assembly.placement
    i = place.number[body]
    if i < 0:
        return np.broadcast_to(drawn, (len(o.t), 3))
    motion, r = o.body(i)[0], place.user_rotation[i].T @ (drawn - place.user_position[i])
    w, u = motion[:, 3:4], motion[:, 4:7]
    return motion[:, :3] + r + 2.0 * (w * np.cross(u, r) + np.cross(u, np.cross(u, r)))


def _force_channels(o: Observer, name: str) -> list[Channel]:
    """What a spring, bushing or user force tells about itself."""
    kind, at = o.system.assembly.force_outputs[name]
    if kind == "spring":
        keys = (("length", "m"), ("rate", "m/s"), ("force", "N"))
        return [Channel(f"{name}.{key}", partial(_element_number, o, at + k), unit) for k, (key, unit) in enumerate(keys)]
    if kind == "bushing":
        return [Channel(f"{name}.force", partial(o.force, at, 6), SIX_UNITS, SIX)]
    force = o.system.model.forces[name]
    bodies = force.bodies if isinstance(force, UserForce) else ()
    labels = [f"{name}.force"] if len(bodies) == 1 else [f"{name}.force_{body}" for body in bodies]
    return [Channel(label, partial(_user_values, o, at, len(bodies), k), SIX_UNITS, SIX) for k, label in enumerate(labels)]


def _element_number(o: Observer, at: int) -> np.ndarray:
    return o.force(at, 1)[:, 0]


def _user_values(o: Observer, at: int, n: int, k: int) -> np.ndarray:
    return np.hstack([o.force(at + 18 * n + 3 * k, 3), o.force(at + 21 * n + 3 * k, 3)])


def _whole_channels(o: Observer) -> list[Channel]:
    return [
        Channel("energy.kinetic", lambda: o.energy()[0][:, 0], "J"),
        Channel("energy.potential", lambda: o.energy()[0][:, 1], "J"),
        Channel("energy.total", lambda: o.energy()[0].sum(axis=1), "J"),
        Channel("system.center_of_mass", lambda: o.energy()[1][:, 1:4], "m", XYZ),
        Channel("system.momentum", lambda: o.energy()[1][:, 4:7], "N s", XYZ),
        Channel("system.angular_momentum", lambda: o.energy()[1][:, 7:10], "N m s", XYZ),
    ]
