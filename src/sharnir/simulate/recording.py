"""States on the output grid → a Result with named channels; what is not a coordinate is computed when asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sharnir.dynamics import layout as L
from sharnir.dynamics import observation
from sharnir.dynamics.batch import accelerate
from sharnir.dynamics.system import System
from sharnir.integrate import Solution
from sharnir.results import Channel, Result
from sharnir.simulate.scene import scene_of

BODY_CHANNELS = (
    ("position", "m", slice(0, 3)),
    ("rotation", "1", slice(3, 7)),
    ("velocity", "m/s", slice(7, 10)),
    ("angular_velocity", "rad/s", slice(10, 13)),
    ("acceleration", "m/s²", slice(13, 16)),
    ("angular_acceleration", "rad/s²", slice(16, 19)),
)
ALL_AT_ONCE = 2e8  # bytes of body channels that may be computed together


class Observer:
    """Computes groups of channels from the states of a run, each group once."""

    def __init__(self, system: System, t: np.ndarray, y: np.ndarray) -> None:
        self.system, self.t, self.y = system, t, y
        self._kept: dict[Any, Any] = {}

    def _once(self, key: Any, compute: Callable[[], Any]) -> Any:
        if key not in self._kept:
            self._kept[key] = compute()
        return self._kept[key]

    def body(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Motion (nt, 19) and joint reaction (nt, 6) of body i; of all bodies in one pass where they fit in memory."""
        n = self.system.assembly.count
        if len(self.t) * n * 25 * 8 <= ALL_AT_ONCE:
            out, reactions, _ = self._once("bodies", lambda: self.system.observe(self.t, self.y, np.arange(n)))
            return out[:, i], reactions[:, i]
        out, reactions, _ = self._once(i, lambda: self.system.observe(self.t, self.y, np.array([i])))
        return out[:, 0], reactions[:, 0]

    def drives(self) -> np.ndarray:
        """Forces of prescribed motions, (nt, motions)."""
        return self._once("drives", lambda: self.system.observe(self.t, self.y, np.array([0]))[2])

    def accelerations(self) -> np.ndarray:
        """v̇, (nt, n_v)."""
        s = self.system
        q, v = np.ascontiguousarray(self.y[:, : s.n_q]), np.ascontiguousarray(self.y[:, s.n_q :])
        return self._once("vdot", lambda: accelerate(s, self.t, q, v))

    def motions(self) -> np.ndarray:
        """Value, rate, acceleration of prescribed freedoms, (nt, motions, 3)."""

        def compute() -> np.ndarray:
            s = self.system
            out = np.zeros((len(self.t), int(s.table[L.N_MOTION]), 3))
            observation.observe_motions(self.t, out, s.table, s.work)
            return out

        return self._once("motions", compute)

    def energy(self) -> tuple[np.ndarray, np.ndarray]:
        """Energies (nt, 2) and momenta (nt, 10)."""
        return self._once("energy", lambda: self.system.observe_energy(self.t, self.y))

    def force(self, first: int, count: int) -> np.ndarray:
        """A force element's own numbers, (nt, count)."""
        s = self.system
        out = np.zeros((len(self.t), count))
        observation.observe_forces(self.t, np.ascontiguousarray(self.y), first, count, out, s.table, s.params, s.work)
        return out


def record(system: System, solution: Solution, seconds: float, failure: str | None) -> Result:
    """All channels of a run."""
    observer = Observer(system, solution.t, solution.y)
    channels = [*_joint_channels(observer), *_body_channels(observer), *_force_channels(observer), *_whole_channels(observer)]
    stats = {"method": system.method, **solution.stats, "seconds": seconds}
    if len(solution.t):
        total = observer.energy()[0].sum(axis=1)
        stats["energy_change"] = float(np.abs(total - total[0]).max())
    return Result(solution.t, channels, title=system.model.name, scene=scene_of(system), stats=stats, failure=failure)


def _joint_channels(o: Observer) -> list[Channel]:
    s = o.system
    c, channels = s.assembly.coordinates, []
    for joint in s.tree.joints:
        q0, nq, v0, nv = c.ranges[joint.name]
        names = None if joint.n_v == 1 else list(joint.freedom_names)
        if joint.n_v == 0:
            continue
        speeds = [f"{u}/s" for u in joint.units]
        rates = [f"{u}/s²" for u in joint.units]
        if joint.coordinates != "angles":
            parts = [("q", o.y[:, q0 : q0 + nq], joint.coordinate_units, joint.coordinate_names), ("v", o.y[:, s.n_q + v0 :][:, :nv], speeds, names)]
            channels += [Channel(f"{joint.name}.{key}", values, units, labels) for key, values, units, labels in parts]
            channels.append(Channel(f"{joint.name}.a", lambda v0=v0, nv=nv: o.accelerations()[:, v0 : v0 + nv], rates, names))
            continue
        for k, (key, units) in enumerate((("q", joint.units), ("v", speeds), ("a", rates))):
            values = _freedom_values(o, joint, k)
            channels.append(Channel(f"{joint.name}.{key}", values, units if names else units[0], names))
        driven = [c.freedoms[f] for f in c.joint_freedoms[joint.name] if c.freedoms[f].motion is not None]
        if driven:
            channels.append(_drive_channel(o, joint, names))
    return channels


def _freedom_values(o: Observer, joint: Any, k: int) -> Any:
    """Coordinate (k = 0), speed (1) or acceleration (2) of every freedom of a joint, free or prescribed."""
    s = o.system
    c = s.assembly.coordinates
    rows = [c.freedoms[f] for f in c.joint_freedoms[joint.name]]
    motion_of = {id(row): j for j, row in enumerate(row for row in c.freedoms if row.motion is not None)}

    def values() -> np.ndarray:
        columns = []
        for row in rows:
            if row.motion is not None:
                columns.append(o.motions()[:, motion_of[id(row)], k])
            elif k == 2:
                columns.append(o.accelerations()[:, row.speed])
            else:
                columns.append(o.y[:, row.coordinate if k == 0 else s.n_q + row.speed])
        return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)

    return values if k == 2 or any(row.motion is not None for row in rows) else values()


def _drive_channel(o: Observer, joint: Any, names: list[str] | None) -> Channel:
    """Force or torque that the prescribed freedoms of a joint need; zero for its free ones."""
    c = o.system.assembly.coordinates
    rows = [c.freedoms[f] for f in c.joint_freedoms[joint.name]]
    motion_of = {id(row): j for j, row in enumerate(row for row in c.freedoms if row.motion is not None)}
    units = ["N" if u == "m" else "N m" for u in joint.units]

    def values() -> np.ndarray:
        all_drives = o.drives()
        columns = [all_drives[:, motion_of[id(row)]] if row.motion is not None else np.zeros(len(o.t)) for row in rows]
        return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)

    return Channel(f"{joint.name}.drive", values, units if names else units[0], names)


def _body_channels(o: Observer) -> list[Channel]:
    channels = []
    number = o.system.assembly.placement.number
    for name, i in number.items():
        if i < 0:
            continue
        for key, unit, part in BODY_CHANNELS:
            labels = ("w", "x", "y", "z") if key == "rotation" else ("x", "y", "z")
            channels.append(Channel(f"{name}.{key}", lambda i=i, part=part: o.body(i)[0][:, part], unit, labels))
    units = ("N",) * 3 + ("N m",) * 3
    for joint, body in zip(o.system.tree.joints, o.system.tree.bodies, strict=True):
        turned = -1.0 if joint.child != body else 1.0  # the reaction on the child, whichever way the tree goes
        values = lambda i=number[body], sign=turned: sign * o.body(i)[1]  # noqa: E731
        channels.append(Channel(f"{joint.name}.reaction", values, units, ("fx", "fy", "fz", "tx", "ty", "tz")))
    return channels


def _force_channels(o: Observer) -> list[Channel]:
    channels = []
    six = ("fx", "fy", "fz", "tx", "ty", "tz")
    for name, (kind, at) in o.system.assembly.force_outputs.items():
        if kind == "spring":
            for k, (key, unit) in enumerate((("length", "m"), ("rate", "m/s"), ("force", "N"))):
                channels.append(Channel(f"{name}.{key}", lambda at=at, k=k: o.force(at + k, 1)[:, 0], unit))
        elif kind == "bushing":
            channels.append(Channel(f"{name}.force", lambda at=at: o.force(at, 6), ("N",) * 3 + ("N m",) * 3, six))
        else:
            n = len(o.system.model.forces[name].bodies)
            for k, body in enumerate(o.system.model.forces[name].bodies):
                values = lambda at=at, n=n, k=k: np.hstack([o.force(at + 18 * n + 3 * k, 3), o.force(at + 21 * n + 3 * k, 3)])  # noqa: E731
                label = f"{name}.force" if n == 1 else f"{name}.force_{body}"
                channels.append(Channel(label, values, ("N",) * 3 + ("N m",) * 3, six))
    return channels


def _whole_channels(o: Observer) -> list[Channel]:
    return [
        Channel("energy.kinetic", lambda: o.energy()[0][:, 0], "J"),
        Channel("energy.potential", lambda: o.energy()[0][:, 1], "J"),
        Channel("energy.total", lambda: o.energy()[0].sum(axis=1), "J"),
        Channel("system.center_of_mass", lambda: o.energy()[1][:, 1:4], "m", ("x", "y", "z")),
        Channel("system.momentum", lambda: o.energy()[1][:, 4:7], "N s", ("x", "y", "z")),
        Channel("system.angular_momentum", lambda: o.energy()[1][:, 7:10], "N m s", ("x", "y", "z")),
    ]
