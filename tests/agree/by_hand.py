"""Positions of bodies straight from what the user declared, in plain NumPy: a second opinion on the engine's frames.

Nothing here knows the engine: joints are products of 4×4 matrices, velocities and accelerations are differences.
"""

from __future__ import annotations

import numpy as np

from sharnir.model.placement import joint_frames, placements


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def quaternion_matrix(e):
    w, *u = np.array(e) / np.linalg.norm(e)
    x, y, z = u
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def pose(R=None, p=(0.0, 0.0, 0.0)):
    X = np.eye(4)
    X[:3, :3] = np.eye(3) if R is None else R
    X[:3, 3] = p
    return X


def matrix(frame):
    return pose(np.array(frame.rotation_matrix), frame.position)


def elementary(freedom, q):
    shift = {"translation": 1.0, "rotation": 0.0, "screw": freedom.pitch}[freedom.kind]
    turn = 0.0 if freedom.kind == "translation" else q
    return pose(rotation(freedom.axis, turn), shift * q * np.array(freedom.axis))


def formulas(joint, q, t):
    """A joint by formulas: its entries evaluated one by one."""
    from sharnir.model.formula import parse

    given = dict(zip(joint.variables, q, strict=True)) | {"t": t}

    def value(entry):
        return parse(entry, tuple(given), ()).evaluate(**given) if isinstance(entry, str) else entry

    X = pose(p=[value(x) for x in joint.position])
    if joint.rotation is not None and len(joint.rotation[0]) == 3:
        return X @ pose(np.array([[value(x) for x in row] for row in joint.rotation]))
    for axis, angle in joint.rotation or ():
        X = X @ pose(rotation([value(x) for x in axis], value(angle)))
    return X


def across(joint, q, placed, t=0.0):
    """Child in parent, as 4×4 matrix, at coordinates q."""
    on_parent, on_child = (matrix(frame) for frame in joint_frames(joint, placed))
    if hasattr(joint, "variables"):
        return on_parent @ formulas(joint, q, t) @ np.linalg.inv(on_child)
    if joint.coordinates == "angles":
        X = np.eye(4)
        for freedom, value in zip(joint.freedoms, q, strict=True):
            X = X @ elementary(freedom, value)
        return on_parent @ X @ np.linalg.inv(on_child)
    at_zero = on_parent @ np.linalg.inv(on_child)
    turned = at_zero[:3, :3] @ quaternion_matrix(q[-4:])
    if joint.coordinates == "free":
        return pose(turned, at_zero[:3, 3] + on_parent[:3, :3] @ np.array(q[:3]))
    point = on_child[:3, 3]  # of the ball, in the child
    return pose(turned, on_parent[:3, 3] - turned @ point)


def base(model, t):
    """The ground at time t: shifted, then turned about x, y', z''; formulas only."""
    from sharnir.model.formula import parse

    if model.base_motion is None:
        return np.eye(4)
    x, y, z, rx, ry, rz = (
        0.0 if text is None else parse(text, ("t",), model.parameters).evaluate(t=t)
        for text in (getattr(model.base_motion, name) for name in ("x", "y", "z", "rx", "ry", "rz"))
    )
    X = pose(p=(x, y, z))
    for axis, angle in zip(np.eye(3), (rx, ry, rz), strict=True):
        X = X @ pose(rotation(axis, angle))
    return X


def body_poses(model, coordinates, t=0.0):
    """World pose (4×4) of every body; `coordinates` maps joints to their values, prescribed ones among them."""
    placed = placements(model)
    found = {"ground": base(model, t)}
    waiting = [(j, np.atleast_1d(coordinates[j.name])) for j in model.joints.values()]
    carried = {j.child for j in model.joints.values()} | {j.parent for j in model.joints.values()}
    for name in model.bodies:
        if name not in carried:
            waiting.append((_free(name), np.atleast_1d(coordinates[name])))
    while waiting:
        rest = []
        for joint, q in waiting:
            if joint.parent in found:
                found[joint.child] = found[joint.parent] @ across(joint, q, placed, t)
            elif joint.child in found:
                found[joint.parent] = found[joint.child] @ np.linalg.inv(across(joint, q, placed, t))
            else:
                rest.append((joint, q))
        if len(rest) == len(waiting):  # a loose part: its first body that is nobody's child flies
            children = {j.child for j, _ in rest}
            name = next(n for n in model.bodies if n not in found and n not in children)
            rest.append((_free(name), np.atleast_1d(coordinates[name])))
        waiting = rest
    return found


def _free(name):
    import sharnir as sr

    return sr.Free(name, "ground", name)


def coordinates_of(system, q, t):
    """Joint name → its coordinates, from a state and the prescribed motions at time t."""
    out, table = {}, system.assembly.coordinates
    from sharnir.dynamics.evaluation.python_entries import observe_motions
    from sharnir.dynamics.memory import layout as L

    motions = np.zeros((1, int(system.table[L.N_MOTION]), 3))
    observe_motions(np.array([float(t)]), motions, system.table, system.work.copy())
    prescribed = [row for row in table.freedoms if row.motion is not None]
    for joint in system.tree.joints:
        first, count, _, _ = table.ranges[joint.name]
        if joint.coordinates != "angles":
            out[joint.name] = q[first : first + count]
            continue
        rows = [table.freedoms[k] for k in table.joint_freedoms[joint.name]]
        out[joint.name] = [
            q[row.coordinate] if row.motion is None else motions[0, next(k for k, r in enumerate(prescribed) if r is row), 0]
            for row in rows
        ]
    return out
