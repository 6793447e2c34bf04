"""States on the output grid → a Result with named channels; what is not a coordinate is computed when asked for."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate import Solution
from sharnir.model import UserForce
from sharnir.results import Channel, Result
from sharnir.simulate.observer import Observer
from sharnir.simulate.scene import scene_of

BODY_CHANNELS = (
    ("position", "m", slice(0, 3)),
    ("rotation", "1", slice(3, 7)),
    ("velocity", "m/s", slice(7, 10)),
    ("angular_velocity", "rad/s", slice(10, 13)),
    ("acceleration", "m/s²", slice(13, 16)),
    ("angular_acceleration", "rad/s²", slice(16, 19)),
)
SIX = ("fx", "fy", "fz", "tx", "ty", "tz")
SIX_UNITS = ("N", "N", "N", "N m", "N m", "N m")


def record(system: System, solution: Solution, seconds: float, failure: str | None) -> Result:
    """All channels of a run."""
    observer = Observer(system, solution.t, solution.y)
    channels = [*_joint_channels(observer), *_body_channels(observer), *_force_channels(observer), *_whole_channels(observer)]
    stats = {"method": system.method, **solution.stats, "seconds": seconds}
    if len(solution.t):
        total = observer.energy()[0].sum(axis=1)
        stats["energy_change"] = float(np.abs(total - total[0]).max())
    return Result(solution.t, channels, title=system.model.name, scene=partial(scene_of, system), stats=stats, failure=failure)


def _joint_channels(o: Observer) -> list[Channel]:
    channels: list[Channel] = []
    for joint in o.system.tree.joints:
        if joint.n_v == 0:
            continue
        channels += _quaternion_channels(o, joint) if joint.coordinates != "angles" else _angle_channels(o, joint)
    return channels


def _quaternion_channels(o: Observer, joint: Any) -> list[Channel]:
    """Coordinates with a quaternion among them, speeds and accelerations in body axes."""
    q0, n_q, v0, n_v = o.system.assembly.coordinates.ranges[joint.name]
    speeds = o.y[:, o.system.n_q + v0 : o.system.n_q + v0 + n_v]
    names = joint.freedom_names
    return [
        Channel(f"{joint.name}.q", o.y[:, q0 : q0 + n_q], joint.coordinate_units, joint.coordinate_names),
        Channel(f"{joint.name}.v", speeds, [f"{u}/s" for u in joint.units], names),
        Channel(f"{joint.name}.a", partial(_columns, o.accelerations, v0, v0 + n_v), [f"{u}/s²" for u in joint.units], names),
    ]


def _columns(compute: Any, first: int, last: int) -> np.ndarray:
    return compute()[:, first:last]


def _angle_channels(o: Observer, joint: Any) -> list[Channel]:
    """Coordinates, speeds, accelerations of elementary freedoms, free or prescribed, and the force of prescribed ones."""
    c = o.system.assembly.coordinates
    rows = [c.freedoms[f] for f in c.joint_freedoms[joint.name]]
    driven = any(row.motion is not None for row in rows)
    several = joint.n_v > 1
    names = joint.freedom_names if several else None

    def channel(key: str, values: Any, units: list[str]) -> Channel:
        return Channel(f"{joint.name}.{key}", values, units if several else units[0], names)

    channels = []
    for k, (key, per) in enumerate((("q", ""), ("v", "/s"), ("a", "/s²"))):
        compute = partial(_freedom_values, o, rows, k)
        channels.append(channel(key, compute if driven or k == 2 else compute(), [u + per for u in joint.units]))
    if driven:
        channels.append(channel("drive", partial(_drive_values, o, rows), ["N" if u == "m" else "N m" for u in joint.units]))
    return channels


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


def _body_channels(o: Observer) -> list[Channel]:
    channels = []
    number = o.system.assembly.placement.number
    for name, i in number.items():
        if i < 0:
            continue
        for key, unit, part in BODY_CHANNELS:
            labels = ("w", "x", "y", "z") if key == "rotation" else ("x", "y", "z")
            channels.append(Channel(f"{name}.{key}", partial(_motion_values, o, i, part), unit, labels))
    for joint, body in zip(o.system.tree.joints, o.system.tree.bodies, strict=True):
        sign = 1.0 if joint.child == body else -1.0  # the reaction on the child, whichever way the tree goes
        channels.append(Channel(f"{joint.name}.reaction", partial(_reaction_values, o, number[body], sign), SIX_UNITS, SIX))
    return channels


def _motion_values(o: Observer, i: int, part: slice) -> np.ndarray:
    return o.body(i)[0][:, part]


def _reaction_values(o: Observer, i: int, sign: float) -> np.ndarray:
    return sign * o.body(i)[1]


def _force_channels(o: Observer) -> list[Channel]:
    channels = []
    for name, (kind, at) in o.system.assembly.force_outputs.items():
        if kind == "spring":
            for k, (key, unit) in enumerate((("length", "m"), ("rate", "m/s"), ("force", "N"))):
                channels.append(Channel(f"{name}.{key}", partial(_element_number, o, at + k), unit))
        elif kind == "bushing":
            channels.append(Channel(f"{name}.force", partial(o.force, at, 6), SIX_UNITS, SIX))
        else:
            force = o.system.model.forces[name]
            bodies = force.bodies if isinstance(force, UserForce) else ()
            for k, body in enumerate(bodies):
                label = f"{name}.force" if len(bodies) == 1 else f"{name}.force_{body}"
                channels.append(Channel(label, partial(_user_values, o, at, len(bodies), k), SIX_UNITS, SIX))
    return channels


def _element_number(o: Observer, at: int) -> np.ndarray:
    return o.force(at, 1)[:, 0]


def _user_values(o: Observer, at: int, n: int, k: int) -> np.ndarray:
    return np.hstack([o.force(at + 18 * n + 3 * k, 3), o.force(at + 21 * n + 3 * k, 3)])


def _whole_channels(o: Observer) -> list[Channel]:
    return [
        Channel("energy.kinetic", lambda: o.energy()[0][:, 0], "J"),
        Channel("energy.potential", lambda: o.energy()[0][:, 1], "J"),
        Channel("energy.total", lambda: o.energy()[0].sum(axis=1), "J"),
        Channel("system.center_of_mass", lambda: o.energy()[1][:, 1:4], "m", ("x", "y", "z")),
        Channel("system.momentum", lambda: o.energy()[1][:, 4:7], "N s", ("x", "y", "z")),
        Channel("system.angular_momentum", lambda: o.energy()[1][:, 7:10], "N m s", ("x", "y", "z")),
    ]
