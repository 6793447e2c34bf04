"""Where the engine puts its body frames in the reference drawing, and the mass properties of bodies there.

The engine's frame of a body stands at the joint that leads to it; for revolute and prismatic joints its z axis is the joint's
axis, for joints by formulas its axes are those of the formulas, otherwise it is turned as the user's body frame. `P_FRAME` keeps
the way back to the user's frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import and_
from typing import Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.errors import ModelError
from sharnir.model import FormulaJoint, Joint, Model
from sharnir.model.frames import Frame
from sharnir.topology import Tree

SIX = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])  # entries of an inertia matrix among the six numbers that bodies store


@dataclass
class Placement:
    """Engine frames at zero coordinates (rotation engine → world, origin), the user's frames, and masses, per body."""

    parent: list[int]
    rotation: np.ndarray  # (n, 3, 3)
    position: np.ndarray  # (n, 3)
    user_rotation: np.ndarray
    user_position: np.ndarray
    mass: np.ndarray
    com: np.ndarray  # (n, 3) in the user's body axes
    inertia: np.ndarray  # (n, 3, 3) about com, user's body axes
    joint_axes: np.ndarray  # (n, 3, 3) axes in which a free joint measures displacement -> world
    number: dict[str, int]  # engine number of every body, ground among them

    def body_params(self) -> np.ndarray:
        """P_BODY: tree transforms and inertias in engine frames."""
        n, parent = len(self.parent), np.array(self.parent)
        Rp = np.where((parent >= 0)[:, None, None], self.rotation[parent], np.eye(3))
        rp = np.where((parent >= 0)[:, None], self.position[parent], 0.0)
        out = np.zeros((n, L.P_BODY_SIZE))
        out[:, L.TREE_ROTATION : L.TREE_ROTATION + 9] = np.einsum("nji,njk->nik", self.rotation, Rp).reshape(n, 9)
        out[:, L.TREE_POSITION : L.TREE_POSITION + 3] = np.einsum("nji,nj->ni", Rp, self.position - rp)
        turn = self.user_to_engine()
        c = np.einsum("nij,nj->ni", turn, self.com) + self.user_origin()
        J = np.einsum("nij,nkj->nik", np.einsum("nij,njk->nik", turn, self.inertia), turn)
        J += self.mass[:, None, None] * (np.einsum("ni,ni->n", c, c)[:, None, None] * np.eye(3) - np.einsum("ni,nj->nij", c, c))
        out[:, L.MASS] = self.mass
        out[:, L.FIRST_MOMENT : L.FIRST_MOMENT + 3] = self.mass[:, None] * c
        out[:, L.INERTIA : L.INERTIA + 6] = J[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        return out

    def user_to_engine(self) -> np.ndarray:
        """Rotations from the user's body axes to engine axes."""
        return np.einsum("nji,njk->nik", self.rotation, self.user_rotation)

    def user_origin(self) -> np.ndarray:
        """Origins of the user's body frames in engine frames."""
        return np.einsum("nji,nj->ni", self.rotation, self.user_position - self.position)

    def frame_params(self) -> np.ndarray:
        """P_FRAME: the user's frame in the engine's."""
        return np.concatenate([self.user_to_engine().reshape(-1, 9), self.user_origin()], axis=1)

    def point(self, body: int, world: np.ndarray) -> np.ndarray:
        """A point of the drawing in the engine frame of a body (-1: the fixed base)."""
        return world if body < 0 else in_axes(self.rotation[body], np.asarray(world, float) - self.position[body])


def in_axes(R: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Rᵀ x of a vector or of columns, summed in a fixed order; BLAS takes others, depending on where arrays lie in memory.

    >>> in_axes(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), np.array([1.0, 2.0, 3.0]))
    array([ 2., -1.,  3.])
    """
    return np.multiply.outer(R[0], x[0]) + np.multiply.outer(R[1], x[1]) + np.multiply.outer(R[2], x[2])


def in_many_axes(R: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The same of many vectors, each with a matrix of its own.

    >>> in_many_axes(np.array([np.eye(3), -np.eye(3)]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).tolist()
    [[1.0, 2.0, 3.0], [-4.0, -5.0, -6.0]]
    """
    return R[:, 0] * x[:, 0, None] + R[:, 1] * x[:, 1, None] + R[:, 2] * x[:, 2, None]


def settled(axis: np.ndarray) -> np.ndarray:
    """A direction without rounding: what is an axis of the frame but for that is one.

    >>> settled(np.array([1e-17, -1e-16, 0.9999999999999999])).tolist()
    [0.0, 0.0, 1.0]
    """
    whole = np.round(axis)
    return np.where(np.abs(axis - whole) < 1e-15, whole, axis) + 0.0


def place_bodies(model: Model, tree: Tree, placed: dict[str, Frame]) -> Placement:
    """Engine frames, user frames and masses of all bodies of the tree; a moving ground is body 0."""
    moving = int(model.base_motion is not None)
    bodies = [model.bodies[name] for name in tree.bodies]
    frames = [placed[name] for name in tree.bodies]
    user_R = np.tile(np.eye(3), (len(bodies), 1, 1))
    turned_frames = [i for i, frame in enumerate(frames) if frame.rotation is not None]
    user_R[turned_frames] = np.array([frames[i].rotation_matrix for i in turned_frames]).reshape(-1, 3, 3)
    user_p = stacked([f.position for f in frames], 3)
    R, p, axes = user_R.copy(), user_p.copy(), np.tile(np.eye(3), (len(bodies), 1, 1))
    joints = elementary_joints(tree.joints)
    plain = [not back and is_hinge(joint) and joint.at is not None for joint, back in zip(joints, tree.reversed, strict=True)]
    framed = [joint.uses_frames for joint in joints]
    far = any(map(and_, framed, tree.reversed))
    at, points = [], []  # bodies whose joints say where they are, and where
    along: dict[tuple[float, ...], list[int]] = {}  # bodies by the axes of their hinges and slides
    for i, joint in enumerate(joints):
        if plain[i]:  # as most joints of large models: what follows, in short
            at.append(i)
            points.append(joint.at)
            along.setdefault(joint.freedoms[0].axis, []).append(i)
            continue
        turned = tree.reversed[i]
        if framed[i]:
            world = placed[joint.parent] @ joint.parent_frame if joint.parent_frame else placed[joint.parent]
            axes[i] = world.rotation_matrix
            if far:
                _check_frames(joint, world, placed)
        if joint.coordinates == "free":
            continue  # its speeds are those of the body's own origin
        if joint.at is not None or framed[i] or turned:
            at.append(i)
            points.append(world.position if framed[i] else joint.at or placed[joint.child].position)
        if single_axis(joint):
            axis = joint.freedoms[0].axis
            if framed[i] or turned:
                axis = axes[i] @ np.array(axis)
                axis = tuple((-axis if turned else axis).tolist())
            along.setdefault(axis, []).append(i)
        elif isinstance(joint, FormulaJoint):
            R[i] = axes[i]  # those in which its formulas are written
    for axis, turning in along.items():
        R[turning] = _axes_with_z(*axis)
    p[at] = stacked(points, 3)
    parent = [x + moving for x in tree.parent]
    number = {name: i + moving for i, name in enumerate(tree.bodies)}
    number["ground"] = 0 if moving else -1
    parent = [-1, *parent] if moving else parent
    still, origin = np.tile(np.eye(3), (moving, 1, 1)), np.zeros((moving, 3))
    return Placement(
        parent,
        np.concatenate([still, R]),
        np.concatenate([origin, p]),
        np.concatenate([still, user_R]),
        np.concatenate([origin, user_p]),
        np.array([0.0] * moving + [float(b.mass) for b in bodies]),
        np.concatenate([origin, stacked([b.com for b in bodies], 3)]),
        np.concatenate([0.0 * still, stacked([b.inertia for b in bodies], 6)[:, SIX]]),
        np.concatenate([still, axes]),
        number,
    )


def stacked(rows: Sequence[tuple[float, ...]], width: int) -> np.ndarray:
    """Tuples of so many numbers as the rows of an array, several times faster than `np.array`.

    >>> stacked([(1.0, 2.0), (3.0, 4.0)], 2).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return np.fromiter(chain.from_iterable(rows), float, width * len(rows)).reshape(-1, width)


def _check_frames(joint: Joint, world: Frame, placed: dict[str, Frame]) -> None:
    """Frames place the child; where another joint has placed it, or it is the ground, they must meet there."""
    other = placed[joint.child] @ joint.child_frame if joint.child_frame else placed[joint.child]
    gap = np.abs(np.array(other.position) - np.array(world.position)).max()
    turn = np.abs(np.array(other.rotation_matrix) - np.array(world.rotation_matrix)).max()
    if gap > 1e-9 * (1.0 + np.abs(world.position).max()) or turn > 1e-9:
        raise ModelError(
            f"joint '{joint.name}': its frames on '{joint.parent}' and '{joint.child}' do not meet, because "
            f"'{joint.child}' is placed elsewhere; exchange parent and child, so that '{joint.parent}' is placed by "
            "this joint, or give `at`"
        )


def elementary_joints(joints: Sequence[Any]) -> Sequence[Any]:
    """The joints, those by formulas that are a hinge or a slide as that.

    >>> type(elementary_joints([FormulaJoint("S", "ground", "b", variables={"s": "m"}, position=(0, 0, "s"))])[0]).__name__
    'Prismatic'
    """
    by_formulas = {kind for kind in set(map(type, joints)) if issubclass(kind, FormulaJoint)}
    return [joint.built_in if type(joint) in by_formulas else joint for joint in joints] if by_formulas else joints


def single_axis(joint: Joint) -> bool:
    """True for a joint that the engine treats as revolute or prismatic: one free rotation or translation."""
    return len(joint.freedoms) == 1 and joint.freedoms[0].kind in ("rotation", "translation") and joint.motion[0] is None


def is_hinge(joint: Any) -> bool:
    """Whether a joint is one free hinge or slide in world axes, as most joints of large models are."""
    return joint.coordinates == "angles" and single_axis(joint) and not joint.uses_frames


def axes_with_z(axis: np.ndarray) -> np.ndarray:
    """A rotation matrix whose third column is the axis; x is the coordinate direction farthest from it, made orthogonal."""
    return _axes_with_z(*axis.tolist()).copy()


@lru_cache(maxsize=1000)
def _axes_with_z(*axis: float) -> np.ndarray:
    """The same, kept: many joints have the same axis."""
    z = np.array(axis) / np.linalg.norm(axis)
    x = np.zeros(3)
    x[np.argmin(np.abs(z))] = 1.0
    x -= (x @ z) * z
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z]).T
