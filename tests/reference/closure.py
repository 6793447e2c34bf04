"""Whether bodies and joint coordinates of a result fit together, from the declared joints alone."""

from __future__ import annotations

import numpy as np

from agree.by_hand import across, pose, quaternion_matrix
from sharnir.model.placement import placements

FORMULATIONS = ("joint", "absolute")


def body_pose(result, name, k):
    """4×4 matrix of a body at the k-th output."""
    if name == "ground":
        return np.eye(4)
    return pose(quaternion_matrix(result[f"{name}.rotation"][k]), result[f"{name}.position"][k])


def gap(model, result, every=1):
    """The largest entry of child - parent · joint(q) over all joints, cut or not, and every so many outputs."""
    placed, worst = placements(model), 0.0
    for joint in model.joints.values():
        q = np.reshape(result[f"{joint.name}.q"], (len(result.t), -1)) if joint.n_q else np.zeros((len(result.t), 0))
        for k in range(0, len(result.t), every):
            expected = body_pose(result, joint.parent, k) @ across(joint, q[k], placed)
            worst = max(worst, np.abs(body_pose(result, joint.child, k) - expected).max())
    return worst


def energy_change(result):
    """The largest change of the energy, relative to how much kinetic energy there ever was."""
    return np.abs(result.energy.total - result.energy.total[0]).max() / result.energy.kinetic.max()
