"""Which loops are planar: all their joints turn about one direction and slide at right angles to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from sharnir.model.frames import Frame
from sharnir.model.placement import placements

if TYPE_CHECKING:
    from sharnir.model import Joint, Model

PARALLEL = 1e-9  # sine of the angle between directions that count as parallel
Axes = tuple[np.ndarray, np.ndarray] | None


def planar_loops(model: Model, loops: Iterable[Iterable[str]]) -> tuple[bool, ...]:
    """For every loop (names of its joints) whether it is planar; axes are compared in the reference drawing.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1), sr.Revolute("A", "ground", "a", axis="z"), sr.Prismatic("B", "ground", "a", axis="x"))
    >>> planar_loops(m, [("A", "B")])
    (True,)
    """
    placed = placements(model)
    motions = {name: _axes(joint, placed) for name, joint in model.joints.items()}
    rings = [[motions[name] for name in loop if name in motions] for loop in loops]
    if _planar(list(motions.values())):
        return (True,) * len(rings)  # a planar mechanism has planar loops only
    return tuple(_planar(ring) for ring in rings)


def _axes(joint: Joint, placed: Mapping[str, Frame]) -> Axes:
    """Axes of rotations and of translations in the drawing; None for joints that leave every plane."""
    if joint.coordinates != "angles" or any(freedom.kind in ("screw", "formula") for freedom in joint.freedoms):
        return None
    turn = np.eye(3)
    if joint.uses_frames:
        turn = np.array((placed[joint.parent] @ (joint.parent_frame or Frame())).rotation_matrix)
    kinds = [freedom.kind == "rotation" for freedom in joint.freedoms]
    axes = np.array([freedom.axis for freedom in joint.freedoms]).reshape(-1, 3) @ turn.T
    return axes[kinds], axes[np.logical_not(kinds)]


def _planar(joints: list[Axes]) -> bool:
    moving = [axes for axes in joints if axes is not None]
    if len(moving) < len(joints):
        return False
    rotations = np.concatenate([np.zeros((0, 3)), *(axes[0] for axes in moving)])
    translations = np.concatenate([np.zeros((0, 3)), *(axes[1] for axes in moving)])
    normal = rotations[0] if len(rotations) else _normal(translations)
    across = np.linalg.norm(np.cross(rotations, normal), axis=1)
    return bool(np.all(across < PARALLEL) and np.all(np.abs(translations @ normal) < PARALLEL))


def _normal(axes: np.ndarray) -> np.ndarray:
    """A direction at right angles to the first two different axes (to all of them, if they lie in one plane)."""
    for axis in axes:
        normal = np.cross(axes[0], axis)
        if np.linalg.norm(normal) > PARALLEL:
            return np.asarray(normal / np.linalg.norm(normal))
    return np.zeros(3)
