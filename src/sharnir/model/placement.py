"""Where bodies and joints are in the reference drawing, whichever way the user has given it."""

from __future__ import annotations

from sharnir.errors import ModelError
from sharnir.model.frames import Frame
from sharnir.model.joints import Joint
from sharnir.model.model import Model


def placements(model: Model) -> dict[str, Frame]:
    """Frame of every body (and "ground") in world axes at zero joint coordinates.

    A body is where it says, unless it is the child of a joint given by frames; then it follows from its parent. Where
    several such joints lead to a body, the first one places it.

    >>> from sharnir.model import Body, Revolute
    >>> m = Model()
    >>> m.add(Body("arm", mass=1), Revolute("O", "ground", "arm", axis="z", parent_frame=Frame((0, 0, 2))))[0].name
    'arm'
    >>> placements(m)["arm"].position
    (0.0, 0.0, 2.0)
    """
    placing: dict[str, Joint] = {}
    for joint in model.joints.values():
        if joint.uses_frames and joint.child != model.ground.name:
            placing.setdefault(joint.child, joint)
    result = {model.ground.name: Frame()}
    result |= {name: body.frame for name, body in model.bodies.items() if name not in placing}
    for name in placing:
        waiting = [name]
        while placing[waiting[-1]].parent not in result:
            parent = placing[waiting[-1]].parent
            if parent in waiting:
                raise ModelError(f"Body {parent!r}: its joint frames form a ring {waiting}; place one of these bodies by `at`")
            waiting.append(parent)
        for child in reversed(waiting):
            joint = placing[child]
            result[child] = result[joint.parent] @ (joint.parent_frame or Frame()) @ (joint.child_frame or Frame()).inverse()
    return result


def joint_frames(joint: Joint, placed: dict[str, Frame]) -> tuple[Frame, Frame]:
    """The joint's frame in the parent and in the child, each in that body's axes; axes of freedoms are in this frame.

    A joint given by `at` has its frame there, along the world axes of the drawing.

    >>> from sharnir.model import Revolute
    >>> placed = {"ground": Frame(), "arm": Frame((1, 0, 0))}
    >>> [frame.position for frame in joint_frames(Revolute("O", "ground", "arm", axis="z", at=(3, 0, 0)), placed)]
    [(3.0, 0.0, 0.0), (2.0, 0.0, 0.0)]
    """
    if joint.uses_frames:
        return joint.parent_frame or Frame(), joint.child_frame or Frame()
    world = Frame(placed[joint.child].position if joint.at is None else joint.at)
    return placed[joint.parent].inverse() @ world, placed[joint.child].inverse() @ world
