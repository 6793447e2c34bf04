"""Coordinates in which small motions are measured: those of the joints of the tree, in both formulations.

In joint coordinates the state holds them. In absolute coordinates they are those of cut joints, so that axes that go round with a
mechanism (a hinge on a turntable) go round in both. Turns of ball and free joints are measured in axes of the parent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.constraints.cut_joint_motion import CUT_OUT
from sharnir.dynamics.initial.absolute_state import with_turned_joints
from sharnir.dynamics.inverse.constraint_histories import cut_motion
from sharnir.dynamics.mobility.constraint_jacobian import constraints_at
from sharnir.dynamics.mobility.joint_coordinates import JointFreedoms, freedoms_of, speed_rows
from sharnir.dynamics.mobility.state_steps import size_of
from sharnir.model.frames import rotation_matrix
from sharnir.model.placement import open_joints
from sharnir.topology import Tree, build_tree

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

CUT_RATE, CUT_ACCELERATION = 7, 13  # where these stand among the numbers of a cut joint


@dataclass(frozen=True)
class Block:
    """Speeds of one joint among the measured ones: the first, how many, and whether three or six of them are vectors."""

    freedoms: JointFreedoms
    first: int
    count: int

    @property
    def vectors(self) -> tuple[int, ...]:
        """First speeds of the vectors in it: velocity and angular velocity of a free joint, or the latter of a ball."""
        kind = self.freedoms.joint.coordinates
        return () if kind == "angles" else tuple(range(self.first, self.first + self.count, 3))


class MotionCoordinates:
    """Measured speeds u and accelerations u̇ of a system, u = S J v: J rows of joints, S turns vectors into axes of parents.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "bob", axis="y", v=2.0))
    >>> s = m.compile("absolute")
    >>> MotionCoordinates(s).rates(s.y0, 0.0)[0]
    array([2.])
    """

    def __init__(self, system: Equations, own: bool = False) -> None:
        self.system, self.blocks = system, []
        first, cuts = 0, list[int]()
        state, cut = list[tuple[int, int]](), list[tuple[int, int]]()  # measured speed, where it stands: state, cut joints
        for joint in system.tree.joints if own else _tree(system).joints:
            count = _speeds(joint)
            if count:
                freedoms = freedoms_of(system, _declared(system, joint), tuple(range(count)))
                self.blocks.append(Block(freedoms, first, count))
                if freedoms.element >= 0:
                    cut += [(first + k, CUT_OUT * len(cuts) + k) for k in range(count)]
                    cuts.append(freedoms.element)
                else:
                    state += [(first + k, at) for k, at in enumerate(freedoms.speeds(system))]
                first += count
        self.elastic = [v + k for _, v, h in system.assembly.coordinates.elastic.values() for k in range(h)]
        state += [(first + k, at) for k, at in enumerate(self.elastic)]
        first += len(self.elastic)
        self.count, self.cuts = first, np.array(cuts, int)
        self._state, self._cut = (np.array(pairs, int).reshape(-1, 2).T for pairs in (state, cut))
        self.vectors = np.array([k for block in self.blocks for k in block.vectors], int)
        size = size_of(system)
        angles = [size if unit.startswith("rad") else 1.0 for b in self.blocks for unit in _units(b.freedoms.joint)]
        self.scale = np.array(angles + [1.0] * len(self.elastic))

    @property
    def turning(self) -> list[int]:
        """First speeds of the vectors that are angular velocities."""
        return [b.vectors[-1] for b in self.blocks if b.vectors]

    def rates(self, y: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
        """u and u̇ at a state."""
        s, time = self.system, np.array([t])
        v, vdot = np.zeros(self.count), np.zeros(self.count)
        cut = cut_motion(s, time, y[None], self.cuts)[0] if len(self.cuts) else np.zeros((0, CUT_OUT))
        if self._state.size:
            yd = s.observe_rates(time, y[None])[0]
            v[self._state[0]], vdot[self._state[0]] = (x[s.n_q + self._state[1]] for x in (y, yd))
        v[self._cut[0]], vdot[self._cut[0]] = (cut.ravel()[k + self._cut[1]] for k in (CUT_RATE, CUT_ACCELERATION))
        for b in self.blocks:
            if len(b.vectors) == 2:  # of a free joint the velocity is given in axes that turn with the body
                k = b.first
                vdot[k : k + 3] += np.cross(v[k + 3 : k + 6], v[k : k + 3])
        turns = self._turns(y, cut)
        return _turned(turns, v), _turned(turns, vdot)

    def rows(self, y: np.ndarray, t: float) -> np.ndarray:
        """S J: measured speeds per speed of the state."""
        constraints_at(self.system, y, t)
        J = np.vstack([*(speed_rows(self.system, b.freedoms) for b in self.blocks), np.eye(self.system.n_v)[self.elastic]])
        cut = cut_motion(self.system, np.array([t]), y[None], self.cuts)[0] if len(self.cuts) else np.zeros((0, CUT_OUT))
        return _turned(self._turns(y, cut), J)

    def _turns(self, y: np.ndarray, cut: np.ndarray) -> list[tuple[int, np.ndarray]]:
        """Per vector: its first speed, and the rotation from the child's axes to those of the parent."""
        found, place = [], 0
        for b in self.blocks if len(self.vectors) else ():
            is_cut = b.freedoms.element >= 0
            if b.vectors:
                at = 3 if b.count == 6 else 0
                if not is_cut:
                    at += self.system.assembly.coordinates.ranges[b.freedoms.joint.name][0]
                numbers = cut[place] if is_cut else y
                E = np.array(rotation_matrix(tuple(numbers[at : at + 4])))
                found += [(k, E) for k in b.vectors]
            place += is_cut
        return found

    def carried(self, u: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Ω × φ of the turns φ in the columns of x: φ̇ = δω + Ω × φ."""
        out = np.zeros_like(x)
        for k in self.turning:
            out[k : k + 3] = cross_matrix(u[k : k + 3]) @ x[k : k + 3]
        return out


def cross_matrix(a: Any) -> np.ndarray:
    """[a] with [a] b = a × b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _turned(turns: list[tuple[int, np.ndarray]], x: np.ndarray) -> np.ndarray:
    x = x.copy()
    for k, E in turns:
        x[k : k + 3] = E @ x[k : k + 3]
    return x


def _tree(system: Equations) -> Tree:
    """The tree in joint coordinates."""
    if system.formulation == "joint":
        return system.tree
    model = system.model
    tree = build_tree(model, open_joints(model))
    return build_tree(with_turned_joints(model), open_joints(model)) if tree.opposed else tree


def _declared(system: Equations, joint: Any) -> Any:
    return system.model.joints.get(joint.name, joint)


def _speeds(joint: Any) -> int:
    """How many speeds of its own a joint has."""
    return joint.n_v if joint.coordinates != "angles" else sum(motion is None for motion in joint.motion)


def _units(joint: Any) -> list[str]:
    """Of the free speeds."""
    if joint.coordinates != "angles":
        return ["m"] * (joint.n_v - 3) + ["rad"] * 3
    return [unit for unit, motion in zip(joint.units, joint.motion, strict=True) if motion is None]
