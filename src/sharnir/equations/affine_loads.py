"""Friction whose loads follow from reactions: accelerations, multipliers and reactions as affine functions of the loads.

Who computes with these expressions solves for the loads first: what reactions are without friction, and per unit of every load,
is left in `LeftForces.reactions` and `.responses`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sharnir.equations.elements.left_forces import LeftForces, LeftFriction
from sharnir.equations.mechanism import Mechanism
from sharnir.equations.opened_joints import OpenedJoints
from sharnir.equations.recursion import Wrench
from sharnir.symbolic.matrices import NOTHING, Matrix, Vector, add, cross, opposite, rotate_back, sub
from sharnir.symbolic.nodes import ZERO, Node, negative, plus, times

MOST = 16  # joints whose loads the engine solves for at once
# accelerations and multipliers of forces: along the speeds, as wrenches on bodies
Solver = Callable[[list[Node], list[Wrench]], tuple[list[Node], list[Node]]]


def why_whole(m: Mechanism, dropped: int) -> str:
    """Why loads cannot be written down: too many of them, or reactions that the motion does not determine."""
    frictions = [] if m.engine is None else m.engine.frictions
    if len(frictions) > MOST:
        return f"friction in more than {MOST} joints"
    return "friction beside redundant constraints, whose reactions are chosen" if frictions and dropped else ""


def pose_in_world(m: Mechanism, i: int) -> tuple[Matrix, Vector]:
    """Rotation and position of a body."""
    return m.recursion.pose(i, -2 if m.recursion.moving else -1)


def unit_wrenches(m: Mechanism, friction: LeftFriction) -> list[Wrench]:
    """What a unit of its load does to all bodies: on the child, and the opposite on the parent."""
    found = [(NOTHING, NOTHING)] * len(m.tree.bodies)
    force, torque, point = (friction.vector(what) for what in ("force", "torque", "point"))
    for i, turned in ((friction.child, False), (friction.parent, True)):
        if i >= 0:
            R, r = pose_in_world(m, i)
            f, n = rotate_back(R, force), rotate_back(R, add(torque, cross(sub(point, r), force)))
            found[i] = (opposite(f), opposite(n)) if turned else (f, n)
    return found


def with_loads(
    m: Mechanism,
    reactions: OpenedJoints,
    solver: Solver,
    found: tuple[Sequence[Node], Sequence[Node]],
    applied: Sequence[Node],
) -> tuple[list[Node], list[Node], list[Node]]:
    """Accelerations, multipliers and applied forces with loads in them.

    found : accelerations and multipliers without friction.   applied : forces along the speeds without it.
    """
    engine = m.engine
    assert isinstance(engine, LeftForces)
    points = [friction.vector("point") for friction in engine.frictions]

    def reactions_of(a: Sequence[Node], multipliers: Sequence[Node], given: Sequence[Node]) -> list[list[Node]]:
        return reactions.of(a, multipliers, given, lambda i: pose_in_world(m, i), points)

    parts = [list(found[0]), list(found[1]), list(applied)]
    engine.reactions = reactions_of(found[0], found[1], reactions.held)
    engine.responses = []
    for friction in engine.frictions:
        wrenches = unit_wrenches(m, friction)
        along = m.recursion.generalized(wrenches, len(m.speeds))
        a, multipliers = solver(along, wrenches)
        engine.responses.append(reactions_of(a, multipliers, [negative(x) for x in reactions.along(wrenches)]))
        for total, more in zip(parts, (a, multipliers, along), strict=True):
            total[:] = [plus(x, times(friction.load, y)) if y is not ZERO else x for x, y in zip(total, more, strict=True)]
    return parts[0], parts[1], parts[2]
