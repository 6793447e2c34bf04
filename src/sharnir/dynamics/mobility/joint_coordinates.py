"""Coordinates and speeds of any joint, whether the state holds them or the joint is cut, as functions of the state.

Of a cut joint they follow from the positions of its two bodies; a row says how its speed depends on the speeds of the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.bodies.coordinate_steps import RATES
from sharnir.dynamics.evaluation.python_entries import call_once, point_jacobian
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import world_pose
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at, elements
from sharnir.dynamics.mobility.state_steps import moved, speed_scales
from sharnir.errors import ModelError
from sharnir.model import FlexibleBody, Model
from sharnir.model.frames import quaternion

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


@dataclass(frozen=True)
class JointFreedoms:
    """Chosen free freedoms of one joint; `parts` count the freedoms that have a speed of their own."""

    joint: Any
    parts: tuple[int, ...]
    element: int  # number of the constraint element of a cut joint, -1 if the state holds its speeds

    def speeds(self, system: Equations) -> list[int]:
        """Numbers of its speeds in the state."""
        first = system.assembly.coordinates.ranges[self.joint.name][2]
        return [first + k for k in self.parts]

    def labels(self, letter: str) -> list[str]:
        """Names such as "O.v" or "planar.v.x"."""
        free = [name for name, motion in zip(self.joint.freedom_names, self.joint.motion, strict=True) if motion is None]
        return [f"{self.joint.name}.{letter}" + (f".{free[k]}" if free[k] else "") for k in self.parts]


def find_freedoms(system: Equations, name: str) -> JointFreedoms:
    """The freedoms that a name means: "O" all of joint O, "O.v" or "O.q" the same, "planar.v.x" or "planar.x" one of them."""
    model = system.model
    parts = str(name).split(".")
    joint = parts[0]
    while joint not in model.joints and joint not in system.assembly.coordinates.ranges and len(parts) > 1:
        joint, parts = f"{joint}.{parts[1]}", [joint, *parts[2:]]
    own = next((x for x in (*system.tree.joints, *system.tree.cuts) if x.name == joint), None)
    if own is None:
        raise ModelError(f"'{name}': there is no joint '{parts[0]}'; joints are {', '.join(_joints_of_user(model)[:10])}")
    rest = [x for x in parts[1:] if x not in ("q", "v")]
    free = [label for label, motion in zip(own.freedom_names, own.motion, strict=True) if motion is None]
    if not free:
        raise ModelError(
            f"'{name}': joint '{joint}' has no freedom that could be chosen; its motion is prescribed, or it is fixed"
        )
    if rest and rest[0] not in free:
        raise ModelError(f"'{name}': joint '{joint}' has no free freedom '{rest[0]}'; it has {', '.join(free)}")
    chosen = tuple(range(len(free))) if not rest else (free.index(rest[0]),)
    return freedoms_of(system, own, chosen)


def _joints_of_user(model: Model) -> list[str]:
    """Names of joints without those, called as nodes, that hold the nodes of flexible bodies."""
    nodes = {node.name for body in model.bodies.values() if isinstance(body, FlexibleBody) for node in body.nodes()}
    return [name for name in model.joints if name not in nodes]


def freedoms_of(system: Equations, joint: Any, parts: tuple[int, ...]) -> JointFreedoms:
    """Freedoms of a joint by their numbers."""
    number = -1
    if joint.name in system.assembly.coordinates.cuts:
        number = _element_numbers(system)[joint.name]
    return JointFreedoms(joint, parts, number)


def _element_numbers(system: Equations) -> dict[str, int]:
    """Constraint elements by name, listed once: a large mechanism asks for every joint."""
    if "_element_numbers" not in system.__dict__:
        system.__dict__["_element_numbers"] = {e.name: k for k, e in enumerate(system.assembly.elements)}
    return system.__dict__["_element_numbers"]


def speed_rows(system: Equations, f: JointFreedoms) -> np.ndarray:
    """Speeds of the freedoms per unit speed of the state; of cut joints at the state where constraints_at was called last."""
    if f.element < 0:
        return np.eye(system.n_v)[f.speeds(system)]
    record = elements(system)[f.element]
    _, FB, b, bodies = _frames(system, record)
    J = np.zeros((6, system.n_v))
    for body, sign in zip(bodies, (-1.0, 1.0), strict=True):
        own = np.zeros((6, system.n_v))
        if body >= 0:
            point_jacobian(int(body), *(float(x) for x in b), own, system.table, system.work)
        J += sign * own
    twist = np.vstack([FB.T @ J[:3], FB.T @ J[3:]])
    if record[L.E_KIND] == L.CUT_JOINT:
        n, Q, T = _basis(system, record)
        return np.linalg.solve(T, Q @ twist)[list(f.parts)] if n else np.zeros((0, system.n_v))
    return (_to_child(system, record, FB.shape) @ _quaternion_part(record, twist))[list(f.parts)]


def speed_values(system: Equations, f: JointFreedoms, v: np.ndarray) -> np.ndarray:
    """Present speeds of the freedoms, prescribed motions included; needs constraints_at."""
    if f.element < 0:
        return np.asarray(v)[f.speeds(system)]
    record = elements(system)[f.element]
    if record[L.E_KIND] == L.CUT_JOINT:
        at = record[L.E_WORK] + L.CUT_RATE
        return system.work[at : at + 6][list(f.parts)]
    _, FB, b, bodies = _frames(system, record)
    twist = np.zeros(6)
    for body, sign in zip(bodies, (-1.0, 1.0), strict=True):
        if body >= 0:
            pose = world_pose(system, body)
            twist[:3] += sign * (pose[12:15] + np.cross(pose[15:], b - pose[9:12]))
            twist[3:] += sign * pose[15:]
    twist = np.concatenate([FB.T @ twist[:3], FB.T @ twist[3:]])
    return (_to_child(system, record, FB.shape) @ _quaternion_part(record, twist))[list(f.parts)]


def coordinate_values(system: Equations, f: JointFreedoms, y: np.ndarray) -> np.ndarray:
    """Present coordinates of the joint: angles and shifts, or those with a quaternion; needs constraints_at."""
    c = system.assembly.coordinates
    if f.element < 0:
        first, count, *_ = c.ranges[f.joint.name]
        own = np.asarray(y)[first : first + count]
        return own[list(f.parts)] if f.joint.coordinates == "angles" else own
    record = elements(system)[f.element]
    if record[L.E_KIND] == L.CUT_JOINT:
        at = record[L.E_WORK] + L.CUT_U
        return system.work[at : at + 6][list(f.parts)]
    FA, FB, b, _ = _frames(system, record)
    turn = _to_child(system, record, FB.shape)[-3:, -3:]
    four = quaternion(turn @ FA.T @ FB @ turn.T)
    if record[L.E_KIND] == L.CUT_BALL:
        return np.array(four)
    place = system.assembly.placement
    parent, child = place.number[str(f.joint.parent)], place.number[str(f.joint.child)]
    drawn = np.eye(3) if child < 0 else place.user_rotation[child]
    axes = np.eye(3)
    if f.joint.uses_frames:
        own = np.eye(3) if parent < 0 else place.user_rotation[parent]
        axes = own @ np.array(f.joint.parent_frame.rotation_matrix if f.joint.parent_frame else np.eye(3))
    return np.concatenate([axes.T @ drawn @ FA.T @ (b - _origin(system, record, 0)), four])


def _origin(system: Equations, record: np.ndarray, side: int) -> np.ndarray:
    body = int(system.table[record[L.E_TERM] + 2 * side])
    p = system.params[record[L.E_PARAMS] + 12 * side + 9 :][:3]
    if body < 0:
        return p
    pose = world_pose(system, body)
    return pose[9:12] + pose[:9].reshape(3, 3) @ p


def _frames(system: Equations, record: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]:
    """Axes of the joint's frames on both bodies, the point on the second (world), and the bodies' numbers."""
    found, bodies = [], []
    for side in (0, 1):
        body = int(system.table[record[L.E_TERM] + 2 * side])
        R = system.params[record[L.E_PARAMS] + 12 * side :][:9].reshape(3, 3)
        if body >= 0:
            R = world_pose(system, body)[:9].reshape(3, 3) @ R
        found.append(R)
        bodies.append(body)
    return found[0], found[1], _origin(system, record, 1), (bodies[0], bodies[1])


def _basis(system: Equations, record: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
    """Number of free freedoms of a cut joint, orthonormal basis Q of its motion axes (rows) and triangular T."""
    at, n = record[L.E_WORK], 6 - int(record[L.E_COUNT])
    Q = system.work[at + L.CUT_Q : at + L.CUT_Q + 36].reshape(6, 6)[:n]
    T = np.triu(system.work[at + L.CUT_T : at + L.CUT_T + 36].reshape(6, 6)[:n, :n])
    return n, Q, T + np.diag(np.where(np.diag(T) == 0.0, np.inf, 0.0))


def _to_child(system: Equations, record: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Axes of the joint on the child → the child's own, for the speeds of a ball (3 × 3) or a free joint (6 × 6)."""
    turn = system.params[record[L.E_PARAMS] + 24 :][:9].reshape(shape)
    if record[L.E_KIND] == L.CUT_BALL:
        return turn
    return np.block([[turn, np.zeros((3, 3))], [np.zeros((3, 3)), turn]])


def _quaternion_part(record: np.ndarray, twist: np.ndarray) -> np.ndarray:
    return twist[3:] if record[L.E_KIND] == L.CUT_BALL else twist


DIFFERENCE = 1e-6  # m, or sizes of the mechanism


def displacement_rows(system: Equations, f: JointFreedoms, y: np.ndarray) -> np.ndarray:
    """Rates of chosen displacements per unit speed of the state.

    >>> import sharnir as sr
    >>> from sharnir.dynamics.mobility.joint_coordinates import find_freedoms
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)))
    >>> s = m.compile(initial=sr.Initial(q={"stone": (0, 0, 0, 0, 0, 0, 1)}))  # half a turn about z
    >>> (displacement_rows(s, find_freedoms(s, "stone.x"), s.y0) + 0.0)[0, :3]
    array([-1.,  0.,  0.])
    """
    rows, n = np.zeros((len(f.parts), system.n_v)), system.n_q
    if f.element < 0:
        q, _, v, _ = system.assembly.coordinates.ranges[f.joint.name]
        for k in range(v, v + 3):  # q̇ = Dᵀ E(q) v, column by column
            state, rates = y.copy(), np.zeros(len(y))
            state[n : n + system.n_v] = 0.0
            state[n + k] = 1.0
            call_once(RATES.address, 0.0, state, rates, system.table, system.params, system.work)
            rows[:, k] = rates[[q + part for part in f.parts]]
        return rows
    for k in range(system.n_v):  # a free joint that is cut: between bodies whose positions hold many coordinates
        step = np.zeros(system.n_v)
        step[k] = DIFFERENCE / speed_scales(system)[k]
        ends = []
        for sign in (1.0, -1.0):
            there = moved(system, y, sign * step)
            constraints_at(system, there)
            ends.append(coordinate_values(system, f, there)[list(f.parts)])
        rows[:, k] = (ends[0] - ends[1]) / (2.0 * step[k])
    constraints_at(system, y)
    return rows
