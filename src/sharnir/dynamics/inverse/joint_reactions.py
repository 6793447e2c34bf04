"""Reactions in joints, in the tree or cut: always on the joint's child, at the joint's point of the child.

A free joint has no point that stays in both bodies; its reaction (of damping and stiffness in it) is at the child's origin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.inverse.least_norm_reactions import states_of
from sharnir.dynamics.memory import layout as L
from sharnir.topology.tree import loose_bodies

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

CUT_KINDS = (L.CUT_BALL, L.CUT_JOINT, L.CUT_FREE_JOINT)
Bodies = Callable[[int], tuple[np.ndarray, np.ndarray]]  # of a body: motion (nt, 19), reaction in the tree's joint (nt, 6)


def cut_numbers(system: Equations) -> dict[str, int]:
    """Which constraint element a cut joint is, by its name."""
    return {e.name: e.number for e in system.assembly.elements if e.kind in CUT_KINDS}


def tree_reaction(system: Equations, joint: Any, body: str, bodies: Bodies, count: int) -> np.ndarray:
    """Force and torque on the joint's child, about its own joint point, whichever way the tree goes; world axes, (nt, 6)."""
    place = system.assembly.placement
    i = place.number[body]
    reaction = bodies(i)[1]
    if joint.child == body:
        return reaction
    force, at = -reaction[:, :3], place.position[i]
    arm = _point(system, body, at, bodies, count) - _point(system, joint.child, at, bodies, count)
    return np.hstack([force, np.cross(arm, force) - reaction[:, 3:]])


def _point(system: Equations, body: str, drawn: np.ndarray, bodies: Bodies, count: int) -> np.ndarray:
    """World positions of a point that is fixed in a body, given where it is in the drawing."""
    place = system.assembly.placement
    i = place.number[body]
    if i < 0:
        return np.broadcast_to(drawn, (count, 3))
    motion, r = bodies(i)[0], place.user_rotation[i].T @ (drawn - place.user_position[i])
    w, u = motion[:, 3:4], motion[:, 4:7]
    return motion[:, :3] + r + 2.0 * (w * np.cross(u, r) + np.cross(u, np.cross(u, r)))


def in_joint_axes(system: Equations, joint: Any, reaction: np.ndarray, bodies: Bodies) -> np.ndarray:
    """A reaction in axes of the joint's frame on the child (given by `at`: axes of the drawing, carried by it)."""
    place = system.assembly.placement
    i = place.number[str(joint.child)]
    if joint.uses_frames:
        turn = np.array(joint.child_frame.rotation_matrix) if joint.child_frame else np.eye(3)
    else:
        turn = place.user_rotation[i].T if i >= 0 else np.eye(3)
    axes = rotations(bodies(i)[0][:, 3:7]) @ turn if i >= 0 else np.broadcast_to(turn, (len(reaction), 3, 3))
    parts = np.einsum("tji,tkj->tki", axes, reaction.reshape(-1, 2, 3))
    return parts.reshape(-1, 6)


def rotations(quaternions: np.ndarray) -> np.ndarray:
    """Rotation matrices (nt, 3, 3) of unit quaternions (nt, 4).

    >>> rotations(np.array([[0.0, 0.0, 0.0, 1.0]]))[0].diagonal()
    array([-1., -1.,  1.])
    """
    w, x, y, z = quaternions.T
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    return np.moveaxis(np.array(rows), 2, 0)


def all_reactions(system: Equations, t: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
    """Reactions of every joint of the model, and of those that were added for loose bodies; name -> (nt, 6).

    Where equations are redundant, the ones of least norm; see least_reactions.
    """
    twin = system.least_norm_twin
    if twin is not None:
        system, y = twin, states_of(system, twin, t, y)
    out, reactions, _, cuts = system.observe(t, y, np.arange(system.assembly.count))
    numbers = cut_numbers(system)

    def bodies(i: int) -> tuple[np.ndarray, np.ndarray]:
        return out[:, i], reactions[:, i]

    found = {}
    for joint, body in shown_joints(system):
        found[joint.name] = tree_reaction(system, joint, body, bodies, len(t)) if body else cuts[:, numbers[joint.name]]
    return found


def shown_joints(system: Equations) -> list[tuple[Any, str]]:
    """Joints of the model and those of loose bodies, each with the body that the tree reaches by it, or "" if it is cut.

    Absolute coordinates have a free joint for every body; only those that joint coordinates have too are shown, so that
    both formulations know the same names.
    """
    tree = system.tree
    pairs = list(zip(tree.joints, tree.bodies, strict=True))
    if system.formulation == "absolute":
        loose = loose_bodies(system.model)
        pairs = [(joint, body) for joint, body in pairs if body in loose or joint.name in system.model.joints]
    return pairs + [(joint, "") for joint in tree.cuts]
