"""Inverse kinematics: the position nearest to a given one in which bodies are where they should be, loops and limits included.

First a position is searched that meets loops and targets, by damped Newton's method whose steps stay within the limits. From
there the motion is made least along the positions that meet them: every step solves a small quadratic problem in the null space
of their Jacobian, and is then brought back onto them. Motion is measured in radians, and in sizes of the mechanism.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sharnir.arguments import sequence
from sharnir.dynamics.bodies.coordinate_steps import RATES
from sharnir.dynamics.evaluation import python_entries
from sharnir.dynamics.evaluation.python_entries import call_once, point_jacobian
from sharnir.dynamics.initial.bounded_steps import nearest_within
from sharnir.dynamics.initial.loop_closure import CLOSED, EXACT, elastic_speeds
from sharnir.dynamics.initial.user_conditions import turn_vector
from sharnir.dynamics.memory.records import user_frame, world_pose
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at
from sharnir.dynamics.mobility.joint_coordinates import (
    JointFreedoms,
    coordinate_values,
    find_freedoms,
    freedoms_of,
    speed_rows,
)
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales
from sharnir.errors import ModelError
from sharnir.model.forces import JointLimit
from sharnir.model.frames import quaternion, rotation_matrix
from sharnir.model.initial import Target

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

STEPS, LESS_STEPS = 100, 200
LONGEST = 0.7  # of one step: radians, or sizes of the mechanism
DAMPING = (1e-6, 1e-3, 0.01, 0.1, 1.0)  # of the largest singular value
CUTS = (1.0, 0.5, 0.25, 0.1, 0.03)
TRIES, ENOUGH = 24, 3  # further starts, and how many of them must arrive
RANK = 1e-8
STILL = 1e-9  # steps below this are none


class Bound(NamedTuple):
    """The range of one freedom of a joint."""

    freedoms: JointFreedoms
    lower: float
    upper: float


@dataclass(frozen=True)
class Aim:
    """A target in the engine's terms: a point and axes on a body, and where they should be; NaN where that is open."""

    body: int
    point: np.ndarray
    axes: np.ndarray
    position: np.ndarray
    rotation: np.ndarray | None
    target: Target


class Place(NamedTuple):
    """A state with its equations: residuals and rows of loops, targets, followers, held joints and passed limits."""

    y: np.ndarray
    r: np.ndarray
    A: np.ndarray
    ranges: np.ndarray  # rows of the limits' coordinates
    low: np.ndarray  # how far they may still go down, at most zero within the limits
    high: np.ndarray

    @property
    def closed(self) -> bool:
        """True if all equations hold."""
        return float(np.abs(self.r).max(initial=0.0)) <= CLOSED


def inverse_kinematics(
    system: Equations, targets: Sequence[Target], start: np.ndarray, hold: Sequence[str], limits: bool, t: float
) -> np.ndarray:
    """Coordinates near `start` at which all targets are met; an error says how near they can come."""
    search = PoseSearch(system, targets, start, hold, limits, t)
    found = search.nearest()
    if found is None:
        raise search.failure()
    return found.y[: system.n_q].copy()


class PoseSearch:
    """The search for one position."""

    def __init__(
        self, system: Equations, targets: Sequence[Target], start: np.ndarray, hold: Sequence[str], limits: bool, t: float
    ) -> None:
        self.system, self.t = system, t
        self.reach = size_of(system)
        self.y0 = np.concatenate([start, np.zeros(system.n_v), system.z0])
        self.scales = speed_scales(system) / self.reach
        self.aims = [aim_of(system, target) for target in targets]
        held = elastic_speeds(system)
        self.kept: list[JointFreedoms] = []
        for name in sequence(hold, "inverse_kinematics", "hold", "names of joints"):
            f = find_freedoms(system, name)
            if f.element < 0:
                held[f.speeds(system)] = True
            else:
                self.kept.append(f)
        for follower in system.assembly.coordinates.mimics:
            held[follower.speed] = True
        self.free = np.flatnonzero(~held)
        self.steps = np.eye(system.n_v)[:, self.free] / self.scales[self.free]  # of the state per unit of what is searched
        for follower in system.assembly.coordinates.mimics:
            self.steps[follower.speed] = follower.multiplier * self.steps[follower.leader]
        self.bounds = bounds_of(system) if limits else []
        self.limits = limits
        self.kept_at: list[np.ndarray] = []
        self.y0 = self._at(self._with_followers(self.y0))
        self.kept_at = [self._coordinates(f) for f in self.kept]
        self.best: Place | None = None

    # ---- equations at a state

    def _coordinates(self, f: JointFreedoms) -> np.ndarray:
        return np.array(coordinate_values(self.system, f, self.y0))

    def _at(self, y: np.ndarray) -> np.ndarray:
        """The state with its tracked coordinates; the engine's memory holds its kinematics afterwards."""
        s = self.system
        found = constraints_at(s, y, self.t)
        self.found = found
        python_entries.prepare_state(self.t, found.y[: s.n_q], np.zeros(s.n_v), s.table, s.params, s.work)
        return found.y

    def place(self, y: np.ndarray) -> Place:
        """All equations at a state."""
        s, y = self.system, self._at(y)
        keep = self.found.holonomic
        size = np.maximum(self.found.size[keep], 1e-3 * self.found.size.max(initial=1.0)) * self.reach
        r, rows = [self.found.g[keep] / size], [self.found.C[keep] / size[:, None]]
        for f, value in zip(self.kept, self.kept_at, strict=True):
            r.append(np.array(coordinate_values(s, f, y)) - value)
            rows.append(speed_rows(s, f))
        for aim in self.aims:
            miss, own = self._target(aim)
            r.append(miss)
            rows.append(own)
        ranges = np.zeros((len(self.bounds), s.n_v))
        low, high = np.zeros(len(self.bounds)), np.zeros(len(self.bounds))
        for k, bound in enumerate(self.bounds):
            now = float(coordinate_values(s, bound.freedoms, y)[0])
            ranges[k] = speed_rows(s, bound.freedoms)[0]
            low[k], high[k] = bound.lower - now, bound.upper - now
        passed = np.where(low > 0.0, -low, np.where(high < 0.0, -high, 0.0))
        outside = np.flatnonzero(passed)
        r.append(passed[outside])
        rows.append(ranges[outside])
        return Place(y, np.concatenate(r), np.vstack(rows) @ self.steps, ranges @ self.steps, low, high)

    def _target(self, aim: Aim) -> tuple[np.ndarray, np.ndarray]:
        """What is missing at a target, in sizes of the mechanism and radians, and its rates."""
        s = self.system
        pose, J = world_pose(s, aim.body), np.zeros((6, s.n_v))
        R = pose[:9].reshape(3, 3)
        point = pose[9:12] + R @ aim.point
        point_jacobian(aim.body, *(float(x) for x in point), J, s.table, s.work)
        given = np.flatnonzero(np.isfinite(aim.position))
        r, rows = (point - aim.position)[given] / self.reach, J[:3][given] / self.reach
        if aim.rotation is None:
            return r, rows
        four = quaternion((R @ aim.axes @ aim.rotation.T).tolist())
        return np.concatenate([r, turn_vector(four[0], np.array(four[1:]))]), np.vstack([rows, J[3:]])

    def displacement(self, y: np.ndarray) -> np.ndarray:
        """How far a state is from the start, as a step in scaled speeds: the gradient of half its square is itself."""
        s, n = self.system, self.system.n_q
        difference = y[:n] - self.y0[:n]
        turns = s.assembly.coordinates.quaternions
        for k in turns:
            difference[k : k + 4] = 0.0
        out = np.zeros(s.n_v)
        state, rates = y.copy(), np.zeros(len(y))
        for k in self.free.tolist():
            state[n : n + s.n_v] = 0.0
            state[n + k] = 1.0
            call_once(RATES.address, 0.0, state, rates, s.table, s.params, s.work)
            out[k] = rates[:n] @ difference
            for at in turns:
                out[k] += _turn_rate(y[at : at + 4], self.y0[at : at + 4], rates[at : at + 4])
        return (out * self.scales)[self.free]

    # ---- the search

    def nearest(self) -> Place | None:
        """The place of least motion that is found from the start; from elsewhere only if there is none."""
        first = self._reached(self._within(self.y0))
        if first.closed:
            return self._least(first)
        self.best = first
        arrived = []
        rng = np.random.default_rng(0)
        for k in range(TRIES):
            end = self._reached(self._within(self._elsewhere(rng, 0.1 + 0.9 * k / (TRIES - 1))))
            if end.closed:
                arrived.append(self._least(end))
                if len(arrived) == ENOUGH:
                    break
            elif end.r @ end.r < self.best.r @ self.best.r:
                self.best = end
        return min(arrived, key=lambda place: self._size(place.y), default=None)

    def _size(self, y: np.ndarray) -> float:
        return float(np.linalg.norm(self.displacement(y)))

    def _elsewhere(self, rng: np.random.Generator, part: float) -> np.ndarray:
        """A random state: up to `part` of half a turn, or of the size of the mechanism, away."""
        step = np.zeros(self.system.n_v)
        span = np.where(self.scales == 1.0, np.pi, 1.0)  # radians, sizes of the mechanism
        step[self.free] = (rng.uniform(-part, part, self.system.n_v) * span / self.scales)[self.free]
        return moved(self.system, self.y0, step)

    def _within(self, y: np.ndarray) -> np.ndarray:
        """The state with coordinates of the tree moved to the nearest ends of their ranges, where they are outside."""
        y = y.copy()
        for bound in self.bounds:
            if bound.freedoms.element < 0:
                k = self.system.assembly.coordinates.ranges[bound.freedoms.joint.name][0] + bound.freedoms.parts[0]
                if bound.freedoms.speeds(self.system)[0] in self.free:
                    y[k] = min(max(y[k], bound.lower), bound.upper)
        return self._with_followers(y)

    def _with_followers(self, y: np.ndarray) -> np.ndarray:
        """The state with mimic joints where their leaders want them."""
        y, ranges = y.copy(), self.system.assembly.coordinates.ranges
        for joint in self.system.tree.joints:
            if joint.mimic is not None and joint.name in ranges and joint.mimic[0] in ranges:
                leader, factor, offset = joint.mimic
                y[ranges[joint.name][0]] = factor * y[ranges[leader][0]] + offset
        return y

    def _moved(self, y: np.ndarray, x: np.ndarray) -> np.ndarray:
        return moved(self.system, y, self.steps @ x)

    def _reached(self, y: np.ndarray) -> Place:
        """The end of Newton's method from a state."""
        here = self.place(y)
        for _ in range(STEPS):
            worst = np.abs(here.r).max(initial=0.0)
            if worst <= EXACT or not np.isfinite(worst) or not len(self.free):
                break
            better = self._improved(here)
            if better is None:
                break
            done = worst <= CLOSED and not np.abs(better.r).max() < 0.5 * worst
            here = better
            if done:
                break
        return here

    def _improved(self, here: Place) -> Place | None:
        """The first of some steps that lowers the residual, or None."""
        before = float(here.r @ here.r)
        U, s, Vt = np.linalg.svd(here.A, full_matrices=False)
        largest = s.max(initial=0.0)
        if not largest > 0.0:
            return None
        for damping in DAMPING:
            shift = (damping * largest) ** 2
            x = -Vt.T @ (s / (s * s + shift) * (U.T @ here.r))
            if len(self.bounds):
                H = np.linalg.cholesky(here.A.T @ here.A + max(shift, (1e-5 * largest) ** 2) * np.eye(len(x)))
                inverse = np.linalg.inv(H.T)
                z = nearest_within(H.T @ x, here.ranges @ inverse, np.minimum(here.low, 0.0), np.maximum(here.high, 0.0))
                x = x if z is None else inverse @ z
            longest = float(np.abs(x).max()) / LONGEST
            if not np.isfinite(longest) or longest == 0.0:
                continue
            for cut in CUTS:
                part = cut / max(1.0, longest)
                trial = self.place(self._moved(here.y, part * x))
                if float(trial.r @ trial.r) < before * (1.0 - 1e-3 * part):
                    return trial
        return None

    def _least(self, here: Place) -> Place:
        """The place of least motion along all places that meet the equations: the end of a descent."""
        d = self.displacement(here.y)
        for _ in range(LESS_STEPS):
            _, s, Vt = np.linalg.svd(here.A)
            N = Vt[int((s > RANK * s.max(initial=0.0)).sum()) :].T
            if not N.shape[1]:
                break
            low, high = np.minimum(here.low, 0.0), np.maximum(here.high, 0.0)
            z = nearest_within(-(N.T @ d), here.ranges @ N, low, high)
            if z is None or np.abs(z).max() < STILL:
                break
            x, before, better = N @ z, d @ d, None
            for cut in (*CUTS, 0.01, 0.003):
                trial = self._reached(self._moved(here.y, cut / max(1.0, np.abs(x).max() / LONGEST) * x))
                if trial.closed:
                    d = self.displacement(trial.y)
                    if d @ d < before - 1e-14 * (1.0 + before):
                        better = trial
                        break
            if better is None:
                break
            here = better
        return here._replace(y=self._at(self._within(here.y)))

    # ---- why it failed

    def failure(self) -> ModelError:
        """How near the targets can be reached, and whether limits are the reason."""
        assert self.best is not None
        self._at(self.best.y)
        misses = []
        for aim in self.aims:
            r, _ = self._target(aim)
            turn = 0.0 if aim.rotation is None else float(np.linalg.norm(r[-3:]))
            shift = float(np.linalg.norm(r if aim.rotation is None else r[:-3])) * self.reach
            if max(shift / self.reach, turn) > CLOSED:
                parts = [f"{shift:.3g} m"] * (shift > CLOSED * self.reach) + [f"{turn:.3g} rad"] * (turn > CLOSED)
                misses.append(f"{aim.target.body!r} stays {' and '.join(parts)} away from {aim.target.described()}")
        text = "; ".join(misses) or "the loops and constraints of the mechanism cannot be closed"
        if self.limits and self.bounds:
            loose = PoseSearch(self.system, [a.target for a in self.aims], self.y0[: self.system.n_q], (), False, self.t)
            loose.free, loose.kept, loose.kept_at = self.free, self.kept, self.kept_at
            if loose.nearest() is not None:
                text += "; it could be reached beyond the limits of joints (limits=False)"
        return ModelError(f"inverse_kinematics: no position was found: {text}")


def _turn_rate(four: np.ndarray, start: np.ndarray, rate: np.ndarray) -> float:
    """Rate of half the squared angle between two unit quaternions."""
    cosine = float(four @ start)
    sign = 1.0 if cosine >= 0.0 else -1.0
    angle = 2.0 * np.arctan2(np.linalg.norm(four - cosine * start), abs(cosine))
    sine = np.sin(0.5 * angle)
    return float(-2.0 * angle / sine * sign * (start @ rate)) if sine > 1e-12 else 0.0


def aim_of(system: Equations, target: Target) -> Aim:
    """A target with the number of its body."""
    i = system.number(target.body)
    if i < 0:
        raise ModelError(f"inverse_kinematics: {target.body!r} does not move; give the body that should reach a position")
    axes, origin = user_frame(system, i)
    position = (
        np.full(3, np.nan) if target.position is None else np.array([np.nan if x is None else x for x in target.position], float)
    )
    rotation = None if target.rotation is None else np.array(rotation_matrix(target.rotation))
    return Aim(i, axes @ np.array(target.point) + origin, axes.copy(), position, rotation, target)


def bounds_of(system: Equations) -> list[Bound]:
    """Ranges of all freedoms that have one: `limits` of joints, and stops."""
    stops: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for stop in system.model.forces.values():
        if isinstance(stop, JointLimit):
            stops.setdefault((str(stop.joint), int(stop.freedom)), []).append(stop.bounds(system.model.joints))
    found = []
    for joint in (*system.tree.joints, *system.tree.cuts):
        free = [k for k, motion in enumerate(joint.motion) if motion is None]
        for part, k in enumerate(free):
            limit = joint.limits[k] if joint.limits else None
            ranges = [*stops.get((joint.name, k), ()), *([(limit.lower, limit.upper)] if limit is not None else ())]
            lower, upper = max((x for x, _ in ranges), default=-np.inf), min((x for _, x in ranges), default=np.inf)
            if joint.coordinates == "angles" and (np.isfinite(lower) or np.isfinite(upper)):
                found.append(Bound(freedoms_of(system, joint, (part,)), float(lower), float(upper)))
    return found
