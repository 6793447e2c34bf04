"""Positions of bodies and joints in the reference drawing, however they were specified."""

from __future__ import annotations

from typing import Any

from sharnir.errors import ModelError
from sharnir.model.frames import Frame
from sharnir.model.joints import Joint
from sharnir.model.model import Model

ROUNDED = 1e-6  # places that differ by no more are the same, written with rounded numbers


def placements(model: Model) -> dict[str, Frame]:
    """Frame of every body (and "ground") in world axes at zero joint coordinates.

    A body is where it says, unless it is the child of a joint given by frames; then it follows from its parent. Where
    several such joints lead to a body, the first one that starts from a placed parent places it. The others close loops;
    whether they meet is for the assembly to say. A ring of frames without a beginning begins with its first body where it
    says.

    >>> from sharnir.model import Body, Revolute
    >>> m = Model()
    >>> m.add(Body("arm", mass=1), Revolute("O", "ground", "arm", axis="z", parent_frame=Frame((0, 0, 2))))[0].name
    'arm'
    >>> placements(m)["arm"].position
    (0.0, 0.0, 2.0)
    """
    leading: dict[str, list[Joint]] = {}
    for joint in model.joints.values():
        if joint.uses_frames and joint.child != model.ground.name:
            leading.setdefault(joint.child, []).append(joint)
    result = {model.ground.name: Frame()}
    result |= {name: body.frame for name, body in model.bodies.items() if name not in leading}
    _place_children(result, {child: joints[:1] for child, joints in leading.items()})
    while len(result) <= len(model.bodies):  # what is left hangs on rings
        if not _place_children(result, leading):
            start = next(name for name in model.bodies if name not in result)
            result[start] = model.bodies[start].frame
    return result


def _place_children(placed: dict[str, Frame], leading: dict[str, list[Joint]]) -> bool:
    """Place every body that one of its `leading` joints reaches from a placed one; says whether there was any."""
    waiting: dict[str, list[Joint]] = {}  # joints by the parent that they wait for
    for child, joints in leading.items():
        for joint in joints if child not in placed else ():
            waiting.setdefault(joint.parent, []).append(joint)
    ready = [joint for parent in list(waiting) if parent in placed for joint in waiting[parent]]
    found = False
    while ready:
        reached = []
        for joint in ready:
            if joint.child not in placed:
                local = (joint.parent_frame or Frame()) @ (joint.child_frame or Frame()).inverse()
                placed[joint.child] = placed[joint.parent] @ local
                reached += waiting.get(joint.child, [])
                found = True
        ready = reached
    return found


def check_placements(model: Model) -> None:
    """Refuse bodies that say where they are, and whose joints say otherwise by their frames.

    >>> from sharnir.model import Body, Revolute
    >>> m = Model()
    >>> _ = m.add(Body("arm", mass=1, position=(1, 0, 0)))
    >>> _ = m.add(Revolute("O", "ground", "arm", axis="z", parent_frame=Frame((0, 0, 2))))
    >>> check_placements(m)
    Traceback (most recent call last):
    sharnir.errors.ModelError: Body 'arm': position = (1.0, 0.0, 0.0), but the frames of Revolute 'O' place it at (0, 0, 2); \
leave position out, or change parent_frame or child_frame
    """
    if not any(joint.uses_frames for joint in model.joints.values()):
        return
    said = {name for name, body in model.bodies.items() if body.frame != Frame()}
    led = [joint for joint in model.joints.values() if joint.uses_frames and joint.child in said]
    if not led:
        return
    placed = placements(model)
    for joint in led:
        body, there = model.bodies[joint.child], placed[str(joint.child)]
        by_joint = placed[str(joint.parent)] @ (joint.parent_frame or Frame()) @ (joint.child_frame or Frame()).inverse()
        if not _same_place(by_joint, there) or body.frame == there:
            continue  # another joint has placed it
        for field, same in (("position", _same_position(body.frame, there)), ("rotation", _same_rotation(body.frame, there))):
            if not same and getattr(body, field) != getattr(model.ground, field):
                at = ", ".join(f"{x:.6g}" for x in there.position)
                where = f"place it at ({at})" if field == "position" else "turn it otherwise"
                raise ModelError(
                    f"{body.label}: {field} = {getattr(body, field)!r}, but the frames of {joint.label} {where}; leave {field} "
                    "out, or change parent_frame or child_frame",
                    field=field,
                )


def _same_place(a: Frame, b: Frame) -> bool:
    return _same_position(a, b) and _same_rotation(a, b)


def _same_position(a: Frame, b: Frame) -> bool:
    gap = max(abs(x - y) for x, y in zip(a.position, b.position, strict=True))
    return gap <= ROUNDED * (1.0 + max(map(abs, a.position)))


def _same_rotation(a: Frame, b: Frame) -> bool:
    pairs = zip(a.rotation_matrix, b.rotation_matrix, strict=True)
    return max(abs(x - y) for p, q in pairs for x, y in zip(p, q, strict=True)) <= ROUNDED


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


def open_joints(model: Model) -> tuple[str, ...]:
    """Joints that close a loop and whose frames do not meet in the drawing, because another joint has placed the child.

    They cannot lead to a body, for a joint of the tree holds its child where its frames say; the assembly closes them.

    >>> from sharnir.model import Body, Revolute
    >>> m = Model()
    >>> _ = m.add(Body("a", mass=1), Revolute("A", "ground", "a", axis="z", parent_frame=Frame((1, 0, 0))))
    >>> _ = m.add(Revolute("C", "ground", "a", axis="z", parent_frame=Frame((3, 0, 0))))
    >>> open_joints(m)
    ('C',)
    """
    if not any(joint.uses_frames for joint in model.joints.values()):
        return ()
    placed = placements(model)
    apart = {joint.name: joint for joint in model.joints.values() if joint.uses_frames and not _meet(joint, placed)}
    part = {name: name for name in placed}  # bodies that are connected have the same root

    def root(name: str) -> str:
        while part[name] != name:
            part[name] = part[part[name]]
            name = part[name]
        return name

    for joint in model.joints.values():
        if joint.name not in apart:
            part[root(str(joint.parent))] = root(str(joint.child))
    found = []
    for joint in apart.values():
        a, b = root(str(joint.parent)), root(str(joint.child))
        if a == b:
            found.append(joint.name)
        part[a] = b
    return tuple(found)


def _meet(joint: Joint, placed: dict[str, Frame]) -> bool:
    a, b = (placed[str(body)] @ (frame or Frame()) for body, frame in _sides(joint))
    gap = max(abs(x - y) for x, y in zip(a.position, b.position, strict=True))
    pairs = zip(a.rotation_matrix, b.rotation_matrix, strict=True)
    turn = max(abs(x - y) for p, q in pairs for x, y in zip(p, q, strict=True))
    return gap <= 1e-9 * (1.0 + max(map(abs, a.position))) and turn <= 1e-9


def _sides(joint: Joint) -> tuple[tuple[Any, Frame | None], tuple[Any, Frame | None]]:
    return (joint.parent, joint.parent_frame), (joint.child, joint.child_frame)
