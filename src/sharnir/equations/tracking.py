"""Coordinates of joints that close loops, as expressions: they follow from the motion of the bodies."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sharnir.equations.bodies import points_per_body
from sharnir.equations.closure import across, relative_frame
from sharnir.equations.mechanism import FOLLOWED, Mechanism
from sharnir.errors import ModelError
from sharnir.model.placement import joint_frames
from sharnir.symbolic.matrices import Matrix, Vector, cross, dot, nodes, rotate, rotate_back
from sharnir.symbolic.nodes import Call, Name, Node, Number, minus, plus, quotient, times

TURN = Number(2.0 * math.pi)


class Track(NamedTuple):
    """A tracked coordinate: the channel it has, its symbol, its value near the one before, its rate."""

    channel: str
    symbol: Name
    value: Node
    rate: Node


def tracks_of(m: Mechanism) -> list[Track]:
    """Coordinates of all cut joints, in their order."""
    found: list[Track] = []
    outgoing = points_per_body(m.tree)
    for joint in m.tree.cuts:
        if joint.coordinates == "angles" and joint.freedoms:
            if type(joint).__name__ not in FOLLOWED:
                raise ModelError(f"{joint.label} closes a loop; method 'symbolic' follows {', '.join(FOLLOWED)} joints only")
            found += m.followed[joint.name] if joint.name in m.followed else joint_tracks(m, joint, outgoing)
    return [*found, *m.curve_tracks]


def follow_cuts(m: Mechanism) -> None:
    """Coordinates of cut joints that forces, drives or constraints need, as expressions of the motion of the bodies.

    For code: they are in the engine's state, which follows the motion, so that no unknowns are added.
    """
    outgoing = points_per_body(m.tree)
    for joint in m.to_follow:
        m.joints[joint.name] = joint
        m.coordinates_of[joint.name] = [m.given_coordinate(joint, k) for k in range(joint.n_v)]
        m.followed[joint.name] = joint_tracks(m, joint, outgoing)
        for k, (track, start) in enumerate(zip(m.followed[joint.name], joint.q, strict=True)):
            if joint.motion[k] is None:
                m.coordinates_of[joint.name][k] = m.followed_coordinate(track.symbol, track.rate, start)


def joint_tracks(m: Mechanism, joint: Any, outgoing: dict[int, int]) -> list[Track]:
    """Displacements along axes on the parent, and angles about axes that both bodies share; of a universal joint about both."""
    p, R = relative_frame(m, joint, outgoing)
    a, b = m.bodies.number(str(joint.parent)), m.bodies.number(str(joint.child))
    world = m.placed[str(joint.parent)] @ joint_frames(joint, m.placed)[0]
    turning = rotate_back(m.bodies.axes(a, np.array(world.rotation_matrix)), m.turning(a, b))
    names = [f"{joint.name}.q" + (f".{name}" if name else "") for name in joint.freedom_names]
    near: list[Node] = [
        Name(name) if motion is None else m.coordinates_of[joint.name][k].value
        for k, (name, motion) in enumerate(zip(names, joint.motion, strict=True))
    ]
    if type(joint).__name__ == "Universal":
        turns = universal_angles(joint, R, turning)
        return [Track(x, Name(x), nearest(*turn[:2], at), turn[2]) for x, turn, at in zip(names, turns, near, strict=True)]
    found = []
    for f, channel, at in zip(joint.freedoms, names, near, strict=True):
        axis = nodes(f.axis)
        if f.kind == "translation":
            value = dot(axis, p)
            found.append(Track(channel, Name(channel), value, m.rate(value)))
            continue
        x, y = (nodes(side) for side in across(f.axis))
        turned = rotate(R, x)
        found.append(Track(channel, Name(channel), nearest(dot(y, turned), dot(x, turned), at), dot(axis, turning)))
    return found


def nearest(sine: Node, cosine: Node, at: Node) -> Node:
    """The angle with these, up to a common factor, that is nearest to another one."""
    angle = Call("atan2", (sine, cosine))
    turns = Call("floor", (plus(times(Number(1.0 / (2.0 * math.pi)), minus(at, angle)), Number(0.5)),))
    return plus(angle, times(TURN, turns))


def universal_angles(joint: Any, R: Matrix, turning: Vector) -> list[tuple[Node, Node, Node]]:
    """Sine and cosine, up to a common factor, and rate of both angles.

    R = A(α) B(β) about a on the parent and b on the child: A turns b to R b, and B turns Rᵀ a to a; ω = a α̇ + R b β̇.
    """
    a, b = (nodes(f.axis) for f in joint.freedoms)
    lean = dot(a, b)
    share = minus(Number(1), times(lean, lean))
    u, w = rotate(R, b), rotate_back(R, a)
    along_a, along_u = dot(a, turning), dot(u, turning)
    first = quotient(minus(along_a, times(lean, along_u)), share)
    second = quotient(minus(along_u, times(lean, along_a)), share)
    return [
        (dot(a, cross(b, u)), minus(dot(b, u), times(lean, dot(a, u))), first),
        (dot(b, cross(w, a)), minus(dot(a, w), times(lean, dot(b, w))), second),
    ]
