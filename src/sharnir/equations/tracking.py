"""Coordinates of joints that close loops, as expressions: they follow from the motion of the bodies."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sharnir.equations.bodies import points_per_body
from sharnir.equations.closure import across, relative_frame
from sharnir.equations.mechanism import Mechanism
from sharnir.errors import ModelError
from sharnir.model.placement import joint_frames
from sharnir.symbolic.matrices import dot, nodes, rotate, rotate_back
from sharnir.symbolic.nodes import Call, Name, Node, Number, minus, plus, times

TURN = Number(2.0 * math.pi)
FOLLOWED = ("Revolute", "Prismatic", "Cylindrical", "Planar")


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
            found += joint_tracks(m, joint, outgoing)
    return found


def joint_tracks(m: Mechanism, joint: Any, outgoing: dict[int, int]) -> list[Track]:
    """Displacements along axes on the parent, and the angle about an axis that both bodies share."""
    p, R = relative_frame(m, joint, outgoing)
    a, b = m.bodies.number(str(joint.parent)), m.bodies.number(str(joint.child))
    world = m.placed[str(joint.parent)] @ joint_frames(joint, m.placed)[0]
    turning = rotate_back(m.bodies.axes(a, np.array(world.rotation_matrix)), m.turning(a, b))
    found = []
    for f, name in zip(joint.freedoms, joint.freedom_names, strict=True):
        channel = f"{joint.name}.q" + (f".{name}" if name else "")
        own, axis = Name(channel), nodes(f.axis)
        if f.kind == "translation":
            value = dot(axis, p)
            found.append(Track(channel, own, value, m.rate(value)))
            continue
        x, y = (nodes(side) for side in across(f.axis))
        turned = rotate(R, x)
        angle = Call("atan2", (dot(y, turned), dot(x, turned)))
        turns = Call("floor", (plus(times(Number(1.0 / (2.0 * math.pi)), minus(own, angle)), Number(0.5)),))
        found.append(Track(channel, own, plus(angle, times(TURN, turns)), dot(axis, turning)))
    return found
