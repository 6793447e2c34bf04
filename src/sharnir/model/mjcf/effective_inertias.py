"""The mass matrix in the drawing, for numbers that MuJoCo derives from it: inertia that a force along a joint or tendon meets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sharnir.model.mjcf.body_tree import BodyTree
from sharnir.model.mjcf.geom_inertias import Inertia
from sharnir.model.mjcf.mjcf_numbers import Pose, number_of, unit_of, vector_of

SPEEDS = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}
LEAST = 1e-15


def motion_axes(given: Mapping[str, str], kind: str, pose: Pose) -> np.ndarray:
    """Columns (velocity of what is at the world's origin, angular velocity), world axes, of a joint's speeds."""
    point = pose.p + pose.R @ (np.zeros(3) if kind == "free" else vector_of(given, "pos"))
    turns = pose.R
    if kind in ("hinge", "slide"):
        turns = (pose.R @ unit_of(vector_of(given, "axis", (0.0, 0.0, 1.0)), "axis"))[:, None]
    if kind == "slide":
        return np.vstack([turns, np.zeros_like(turns)])
    turning = np.vstack([np.cross(point, turns.T).T, turns])  # v = -ω × p = p × ω
    return turning if kind != "free" else np.hstack([np.vstack([np.eye(3), np.zeros((3, 3))]), turning])


def inertia_at_origin(x: Inertia, pose: Pose) -> np.ndarray:
    """6×6 inertia of a body about the world's origin, world axes."""
    c = pose.p + pose.R @ x.center
    cross = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    J = pose.R @ x.J @ pose.R.T + x.mass * cross @ cross.T
    return np.block([[x.mass * np.eye(3), -x.mass * cross], [x.mass * cross, J]])


class EffectiveInertias:
    """M⁻¹ in the drawing; joints by the names of the model.

    >>> from sharnir.model.mjcf.mjcf_source import source_of
    >>> body = '<body><joint name="x" type="slide" armature="1"/><geom mass="3" size="1"/></body>'
    >>> tree = BodyTree(source_of(f"<mujoco><worldbody>{body}</worldbody></mujoco>"))
    >>> mass = Inertia(3.0, np.zeros(3), np.eye(3))
    >>> EffectiveInertias(tree, [mass, mass], tree.world_poses()).along({"x": 1.0})
    4.0
    """

    def __init__(self, tree: BodyTree, inertias: list[Inertia], poses: list[Pose]) -> None:
        whole = [inertia_at_origin(x, pose) for x, pose in zip(inertias, poses, strict=True)]
        for k in range(len(tree.parts) - 1, 0, -1):
            whole[tree.parts[k].parent] = whole[tree.parts[k].parent] + whole[k]
        self.place: dict[str, int] = {}
        columns: list[np.ndarray] = []
        of_part: list[list[int]] = []
        rotors: list[float] = []
        for part, pose in zip(tree.parts, poses, strict=True):
            of_part.append([])
            for given in part.joints:
                self.place[given["model name"]] = len(columns)
                for column in motion_axes(given, given.get("type", "hinge"), pose).T:
                    of_part[-1].append(len(columns))
                    columns.append(column)
                    rotors.append(number_of(given, "armature", 0.0))
        M = np.diag(rotors)
        for k, own in enumerate(of_part):
            force = {i: whole[k] @ columns[i] for i in own}
            above = k
            while above >= 0:
                for i in own:
                    for j in of_part[above]:
                        if above < k or j <= i:
                            value = columns[j] @ force[i]
                            M[i, j] += value
                            M[j, i] += value if i != j else 0.0
                above = tree.parts[above].parent
        self.inverse = np.linalg.pinv(M) if len(M) else M

    def along(self, coefficients: Mapping[str, float]) -> float:
        """1/(c M⁻¹ cᵀ) of joints with one speed each."""
        c = np.zeros(len(self.inverse))
        for joint, value in coefficients.items():
            c[self.place[joint]] += value
        return float(1.0 / max(float(c @ self.inverse @ c), LEAST))
