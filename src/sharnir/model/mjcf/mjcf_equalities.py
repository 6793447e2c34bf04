"""Equalities: connect and weld as joints that close loops, relations of joints as mimic joints or constraints."""

from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from sharnir.model.constraints import Constraint
from sharnir.model.constraints.variables import JointCoordinate
from sharnir.model.joints import Ball, Fixed, Joint
from sharnir.model.mjcf.body_tree import BodyTree, all_of
from sharnir.model.mjcf.mjcf_joints import KINDS, JointRows
from sharnir.model.mjcf.mjcf_numbers import Pose, numbers_of, orientation, vector_of
from sharnir.model.model import Model

MEETS = 1e-9  # m: how near two places are that a joint puts together


def followers(tree: BodyTree, joints: JointRows) -> dict[str, tuple[str, float, float]]:
    """Joints that are linear functions of another one: (leader, multiplier, offset); each follows one, and leads none."""
    found: dict[str, tuple[str, float, float]] = {}
    leaders: set[str] = set()
    for element in all_of(tree.source.root, "equality"):
        if element.tag != "joint":
            continue
        given = tree.defaults.attributes(element, "", "equality")
        if given.get("active") == "false" or "joint2" not in given:
            continue
        a, b = (tree.joint_called(given.get(key, "")) for key in ("joint1", "joint2"))
        c = polynomial(given)
        kinds = {joints.by_name[name].kind for name in (a, b)}
        if any(c[2:]) or not c[1] or kinds - {"hinge", "slide"} or a in found or a in leaders or b in found or a == b:
            continue
        found[a] = (b, c[1], c[0])
        leaders.add(b)
    return found


def polynomial(given: dict[str, str]) -> tuple[float, ...]:
    """c₀ … c₄ of q₁ - ref₁ = Σ c_k (q₂ - ref₂)^k."""
    c = numbers_of(given.get("polycoef", "0 1 0 0 0"), "polycoef", 1, 5)
    return (*c, *(0.0,) * (5 - len(c)))


def with_leaders(joint: Joint, mimics: dict[str, tuple[str, float, float]]) -> Joint:
    """The joint, following its leader if it has one."""
    return replace(joint, mimic=mimics[joint.name]) if joint.name in mimics else joint


def add_equalities(model: Model, tree: BodyTree, joints: JointRows, mimics: dict[str, tuple[str, float, float]]) -> None:
    """All that are not mimic joints."""
    for k, element in enumerate(all_of(tree.source.root, "equality")):
        given = tree.defaults.attributes(element, "", "equality")
        name = tree._usable("joint", "", given.get("name") or f"{element.tag}_{k}")
        if given.get("active") == "false":
            tree.notes.add("equalities that are not active", name)
        elif element.tag in ("connect", "weld"):
            _close(model, tree, joints, element, given, name)
        elif element.tag == "joint":
            _relate(model, tree, joints, given, name, mimics)
        else:
            tree.notes.add(f"<{element.tag}> equalities", name)


def _relate(
    model: Model, tree: BodyTree, joints: JointRows, given: dict[str, str], name: str, mimics: dict[str, tuple[str, float, float]]
) -> None:
    """A polynomial between two joints, or a joint that stands still, as a constraint."""
    a, c = tree.joint_called(given.get("joint1", "")), polynomial(given)
    b = tree.joint_called(given["joint2"]) if "joint2" in given else None
    if b is not None and mimics.get(a) == (b, c[1], c[0]):
        return
    if any(KINDS[joints.by_name[x].kind] > 1 for x in (a, b) if x is not None):
        tree.notes.add("equalities of ball and free joints", name)
        return
    variables = {"y": JointCoordinate(a)}
    terms = [f"{c[0]!r}"] * bool(c[0])
    if b is not None:
        terms += [f"{value!r}*x^{k}" if k > 1 else f"{value!r}*x" for k, value in enumerate(c) if k and value]
        if any(c[1:]):
            variables["x"] = JointCoordinate(b)
    model.add(Constraint(name, f"y - ({' + '.join(terms) or '0'})", variables))


def _close(model: Model, tree: BodyTree, joints: JointRows, element: Element, given: dict[str, str], name: str) -> None:
    """A ball joint or a fixed joint between two bodies, where they are in the drawing."""
    ends = _ends(tree, given)
    if ends is None:
        tree.notes.add(f"<{element.tag}> equalities without bodies or sites", name)
        return
    (a, on_a), (b, on_b) = ends
    poses = joints.poses
    world = poses[a] @ on_a
    drawn = poses[b].inverse() @ world
    if on_b is not None and np.abs(drawn.p - on_b.p).max() > MEETS:
        tree.notes.add("sites that do not meet in the drawing are joined where the first one is", name)
    if a == b or _carrier(tree, a) == _carrier(tree, b):
        tree.notes.add("equalities between bodies that do not move against each other", name)
        return
    names = [model.ground.name if i == 0 else tree.parts[i].name for i in (a, b)]
    kind = Ball if element.tag == "connect" else Fixed
    model.add(kind(name, *names, parent_frame=on_a.frame(), child_frame=drawn.frame()))


def _carrier(tree: BodyTree, k: int) -> int:
    """The body with joints that carries a body."""
    while k > 0 and not tree.parts[k].joints:
        k = tree.parts[k].parent
    return k


def _ends(tree: BodyTree, given: dict[str, str]) -> tuple[tuple[int, Pose], tuple[int, Pose | None]] | None:
    """The two parts and places on them; the second place may follow from the first one."""
    if "site1" in given and "site2" in given:
        return tree.site_called(given["site1"]), tree.site_called(given["site2"])
    if "body1" not in given:
        return None
    a, b = tree.body_called(given["body1"]), tree.body_called(given.get("body2", "world"))
    if "relpose" in given:
        numbers = numbers_of(given["relpose"], "relpose", 7)
        if any(numbers[3:]):
            R = orientation({"quat": " ".join(map(repr, numbers[3:]))}, True, "xyz")
            return (a, Pose(np.array(numbers[:3]), R)), (b, Pose(np.zeros(3), np.eye(3)))
    return (a, Pose(vector_of(given, "anchor") if "anchor" in given else np.zeros(3), np.eye(3))), (b, None)
