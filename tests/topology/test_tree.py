"""Regular numbering, paths, loose parts, loops, and messages for what cannot be numbered."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.topology import build_tree, free_tree


def model(*joints, bodies="abcdef"):
    """Bodies a, b, … and revolute joints "name: parent-child"; "0" is the ground."""
    m = sr.Model()
    m.add(*(sr.Body(name, mass=1, inertia=(1, 1, 1)) for name in bodies))
    for text in joints:
        name, ends = text.split(": ")
        parent, child = ("ground" if end == "0" else end for end in ends.split("-"))
        m.add(sr.Revolute(name, parent, child, axis="z"))
    return m


def test_numbering():
    """Depth first, sisters in the order of their joints; the joint into body i has number i."""
    tree = build_tree(model("A: 0-a", "D: 0-d", "C: b-c", "B: a-b", "E: a-e", "F: d-f"))
    assert tree.bodies == ("a", "b", "c", "e", "d", "f")
    assert tree.parent == (-1, 0, 1, 0, -1, 4)
    assert [j.name for j in tree.joints] == ["A", "B", "C", "E", "D", "F"]
    assert tree.children == ((1, 3), (2,), (), (), (5,), ())
    assert tree.depth == (1, 2, 3, 2, 1, 2)
    assert tree.path(2) == (0, 1, 2)
    assert tree.path(5) == (4, 5)
    assert tree.number == {"ground": -1, "a": 0, "b": 1, "c": 2, "e": 3, "d": 4, "f": 5}
    assert not any(tree.reversed)


@pytest.mark.parametrize("name", zoo.ZOO)
def test_regular(name):
    """parent < body, joint i leads to body i, one joint for every body."""
    tree, m = build_tree(zoo.model(name)), zoo.model(name)
    assert all(p < i for i, p in enumerate(tree.parent))
    assert sorted(tree.bodies) == sorted(m.bodies)
    for i, joint in enumerate(tree.joints):
        above = "ground" if tree.parent[i] < 0 else tree.bodies[tree.parent[i]]
        ends = (above, tree.bodies[i])
        assert (joint.parent, joint.child) == (ends[::-1] if tree.reversed[i] else ends)
        assert tree.path(i)[-1] == i
        assert len(tree.path(i)) == tree.depth[i]
    assert tree == build_tree(m)


def test_order_of_bodies_does_not_matter():
    joints = ("A: 0-a", "B: a-b", "C: b-c", "D: a-d", "E: 0-e", "F: e-f")
    assert build_tree(model(*joints, bodies="fedcba")).bodies == build_tree(model(*joints)).bodies


def test_far_side():
    tree = build_tree(model("A: a-0", "B: b-a", "C: b-c", bodies="abc"))
    assert tree.reversed == (True, True, False)
    assert "A (Revolute, declared from the far side) -> a" in tree.describe()


def test_describe():
    text = build_tree(model("A: 0-a", "B: a-b", bodies="abc")).describe()
    assert text.splitlines()[:3] == ["ground", "  A (Revolute) -> a", "    B (Revolute) -> b"]
    assert text.splitlines()[3].startswith("  c (Free, added")


def test_loose_parts_get_a_free_joint():
    """On the first body that is nobody's child; named as the body, or so that it is new."""
    tree = build_tree(model("A: 0-a", "C: b-c", "c: d-e", bodies="abcdef"))
    free = {tree.bodies[i]: j.name for i, j in enumerate(tree.joints) if isinstance(j, sr.Free)}
    assert free == {"b": "b", "d": "d", "f": "f"}
    tree = build_tree(model("b: 0-a", "b_free: a-c", bodies="abc"))
    assert [j.name for j in tree.joints if isinstance(j, sr.Free)] == ["b_free_free"]


LOOPS = {
    "triangle": (("A: 0-a", "B: a-b", "C: b-c", "D: c-a"), ("C", "D", "B")),
    "through the ground": (("A: 0-a", "B: a-b", "C: 0-b"), ("B", "C", "A")),
    "twice between two": (("A: 0-a", "B: a-b", "C: b-a"), ("C", "B")),
    "loose ring": (("A: 0-d", "B: a-b", "C: b-c", "D: c-a"), ("C", "D", "B")),
    "on a stem": (("A: 0-a", "B: a-b", "C: b-c", "D: c-d", "E: d-e", "F: e-c"), ("E", "F", "D")),
    "two arms": (("A: 0-a", "B: a-b", "C: a-c", "D: b-d", "E: c-d"), ("E", "D", "B", "C")),
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_cut_far_from_the_ground(name):
    """The loop is named from the cut joint on, in order around it: on from its child, back to its parent."""
    joints, ring = LOOPS[name]
    tree = build_tree(model(*joints))
    assert tree.loops == (ring,)
    assert [joint.name for joint in tree.cuts] == [ring[0]]
    assert f"cut: {ring[0]} (Revolute)" in tree.describe()


def test_every_body_free():
    m = model("a: 0-a", "B: a-b", "C: b-0", bodies="cab")
    tree = free_tree(m)
    assert tree.bodies == ("c", "a", "b") and tree.parent == (-1, -1, -1)
    assert [joint.name for joint in tree.joints] == ["c", "a_free", "b"]
    assert all(isinstance(joint, sr.Free) and joint.parent == "ground" for joint in tree.joints)
    assert tree.cuts == tuple(m.joints.values())
    assert tree.loops == (("a", "a_free"), ("B", "b", "a_free"), ("C", "b"))


def test_names_of_free_joints_are_new():
    tree = free_tree(model("a: 0-a", bodies=("a", "a_free")))
    assert len({joint.name for joint in (*tree.joints, *tree.cuts)}) == 3


@pytest.mark.parametrize("kind", [sr.Ball, sr.Free])
def test_quaternions_belong_to_the_child(kind):
    m = model("A: 0-a", bodies="ab")
    m.add(kind("B", "b", "a"))
    tree = build_tree(m)
    assert tree.opposed == ("B",) and tree.loose == ("b",) and tree.loops == (("B", "A", "b"),)


def test_of_opposed_joints_only_the_first_is_cut():
    """The others are passed from the other end."""
    m = model("A: 0-a", bodies="abcd")
    m.add(sr.Ball("B", "b", "a"), sr.Ball("C", "c", "b"), sr.Ball("D", "c", "d"))
    tree = build_tree(m)
    assert tree.opposed == ("B",) and tree.loose == ("c",) and [joint.name for joint in tree.cuts] == ["B"]


def test_long_chains_without_recursion():
    """10⁵ bodies, declared in random order."""
    n = 100_000
    m = sr.Model()
    for i in range(n):
        m._bodies[f"b{i}"] = BODY
    order = np.random.default_rng(1).permutation(n)
    for i in order:
        m._joints[f"j{i}"] = sr.Fixed(f"j{i}", "ground" if i == 0 else f"b{i - 1}", f"b{i}")
    tree = build_tree(m)
    assert tree.bodies[-1] == f"b{n - 1}"
    assert tree.depth[-1] == n
    assert len(tree.path(n - 1)) == n


BODY = sr.Body("shared", mass=1)
