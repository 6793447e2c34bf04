"""Cut joints as constraint equations: the frame on the child, seen from the frame on the parent, moves as the joint allows.

A joint without forces of its own needs no coordinates; its equations say which displacements and rotations it forbids. Any other
one keeps its coordinates as unknowns without inertia, and its frames are held together by six equations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.equations.bodies import joint_vector, points_per_body
from sharnir.equations.joint_motion import Elementary, sequence_motion, small_turn
from sharnir.equations.letters import settled_entry
from sharnir.model import FormulaJoint
from sharnir.model.placement import joint_frames
from sharnir.symbolic.matrices import Matrix, Vector, add, dot, multiply, multiply_back, nodes, rotate, rotate_back, sub
from sharnir.symbolic.nodes import Node, Number, minus, times

if TYPE_CHECKING:
    from sharnir.equations.mechanism import Mechanism

HALF = Number(0.5)


def close_loops(m: Mechanism) -> None:
    """Equations of all cut joints."""
    outgoing = points_per_body(m.tree)
    for joint in m.tree.cuts:
        p, R = relative_frame(m, joint, outgoing)
        if joint.name in m.followed:
            rows = [*forbidden(joint, p, R), *given_rows(m, joint, p)]
        else:
            rows = kept_coordinates(m, joint, p, R) if joint.name in m.joints else forbidden(joint, p, R)
        m.positions += [(joint.name, row) for row in rows]


def given_rows(m: Mechanism, joint: Any, p: Vector) -> list[Node]:
    """Of a joint whose coordinates follow from the bodies: prescribed ones are as given, and a screw advances as it turns."""
    tracks = m.followed[joint.name]
    found = zip(tracks, m.coordinates_of[joint.name], joint.motion, strict=True)
    rows = [minus(track.value, x.value) for track, x, motion in found if motion is not None]
    if type(joint).__name__ == "Screw":
        rows.append(minus(dot(nodes(joint.axis), p), times(Number(joint.freedoms[0].pitch), tracks[0].value)))
    return rows


def relative_frame(m: Mechanism, joint: Any, outgoing: dict[int, int]) -> tuple[Vector, Matrix]:
    """Position and rotation of the joint's frame on the child in its frame on the parent."""
    sides = []
    for body, frame in zip((joint.parent, joint.child), joint_frames(joint, m.placed), strict=True):
        i = m.bodies.number(str(body))
        world = m.placed[str(body)] @ frame
        point = joint_vector(m.bodies, i, m.bodies.local(i, np.array(world.position)), joint.name, outgoing)
        sides.append((i, m.bodies.axes(i, np.array(world.rotation_matrix)), point))
    (a, A, start), (b, B, end) = sides
    R, r = m.recursion.relative_pose(a, b)
    p, R = rotate_back(A, sub(add(r, rotate(R, end)), start)), multiply_back(A, multiply(R, B))
    if joint.name in m.opened:
        shift, turned = ([x.value for x in part] for part in (m.opened[joint.name][:3], m.opened[joint.name][3:]))
        return add(p, rotate(R, tuple(shift))), multiply(R, small_turn(tuple(turned)))
    return p, R


def across(axis: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors at right angles to an axis and to each other; coordinate directions where they are."""
    z = np.array(axis)
    x = np.zeros(3)
    x[(int(np.argmax(np.abs(z))) + 1) % 3] = 1.0
    x -= (x @ z) * z
    x /= np.linalg.norm(x)
    return np.array([settled_entry(e) for e in x]), np.array([settled_entry(e) for e in np.cross(z, x)])


def turn(R: Matrix) -> list[Node]:
    """Zero for no rotation: the skew part, which is the sine of the angle about the axis of rotation."""
    return [times(HALF, minus(R[i], R[j])) for i, j in ((7, 5), (2, 6), (3, 1))]


def forbidden(joint: Any, p: Vector, R: Matrix) -> list[Node]:
    """Displacements and rotations that a joint without coordinates of its own forbids."""
    kind = type(joint).__name__
    if kind == "Free":
        return []
    if kind == "Ball":
        return list(p)
    if kind == "Fixed":
        return [*p, *turn(R)]
    if kind == "Universal":
        a, b = nodes(joint.axis), nodes(joint.axis2)
        return [*p, minus(dot(a, rotate(R, b)), dot(a, b))]
    x, y = (nodes(side) for side in across(joint.axis))
    axis = nodes([settled_entry(e) for e in joint.axis])
    tilt = [dot(x, rotate(R, axis)), dot(y, rotate(R, axis))]
    if kind == "Revolute":
        return [*p, *tilt]
    if kind == "Planar":
        return [dot(axis, p), *tilt]
    sideways = [dot(x, p), dot(y, p)]
    return [*sideways, *(turn(R) if kind == "Prismatic" else tilt)]


def kept_coordinates(m: Mechanism, joint: Any, p: Vector, R: Matrix) -> list[Node]:
    """Six equations: position and rotation are those of the joint at its coordinates."""
    if isinstance(joint, FormulaJoint):
        moved = m.by_formulas(joint)
        return [*sub(p, moved.r), *turn(multiply_back(moved.E, R))]
    freedoms = [
        Elementary(f.kind, tuple(settled_entry(e) for e in f.axis), f.pitch, x)
        for f, x in zip(joint.freedoms, m.coordinates_of[joint.name], strict=True)
    ]
    x = sequence_motion(freedoms)
    return [*sub(p, x.r), *turn(multiply_back(x.E, R))]
