"""Freedoms whose force or motion is given: names, values, and the forces of prescribed motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.joint_coordinates import JointFreedoms, find_freedoms
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def prescribed_forces(system: Equations, drives: np.ndarray) -> dict[str, Any]:
    """Forces of joints with motion=, from those of all prescribed freedoms; "joint.freedom" where only some are prescribed."""
    if not system.table[L.N_MOTION]:
        return {}
    c = system.assembly.coordinates
    numbers = np.cumsum([row.motion is not None for row in c.freedoms]) - 1
    found: dict[str, Any] = {}
    for joint in (*system.tree.joints, *system.tree.cuts):
        driven = getattr(joint, "driven", ())
        if any(driven):
            values = [(k, float(drives[numbers[row]])) for k, row in enumerate(c.joint_freedoms[joint.name]) if driven[k]]
            if all(driven):
                found[joint.name] = values[0][1] if len(values) == 1 else np.array([x for _, x in values])
            else:
                found |= {f"{joint.name}.{joint.freedom_names[k]}": x for k, x in values}
    return found


def mixed_freedoms(system: Equations, name: Any) -> JointFreedoms:
    """find_freedoms, at once for a joint of the tree that is named as a whole."""
    text = str(getattr(name, "name", name))
    record = _tree_joints(system).get(text)
    if record is None or any(x is not None for x in record.motion):
        return find_freedoms(system, text)
    return JointFreedoms(record, tuple(range(system.assembly.coordinates.ranges[text][3])), -1)


def _tree_joints(system: Equations) -> dict[str, Any]:
    """Joints of the tree with speeds, by name, listed once."""
    if "_tree_joints" not in system.__dict__:
        ranges = system.assembly.coordinates.ranges
        system.__dict__["_tree_joints"] = {x.name: x for x in system.tree.joints if ranges[x.name][3]}
    return system.__dict__["_tree_joints"]


def given_numbers(f: JointFreedoms, name: str, given: Any, what: str) -> np.ndarray:
    """Forces or accelerations of one joint, a number per freedom; `what` they are, for messages."""
    try:
        values = np.atleast_1d(np.asarray(given, float))
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.shape != (len(f.parts),) or not np.isfinite(values).all():
        needs = "a finite number" if len(f.parts) == 1 else f"{len(f.parts)} finite numbers ({', '.join(f.labels('v'))})"
        raise ModelError(f"{what} of '{name}' is {given!r}; it needs {needs}")
    return values
