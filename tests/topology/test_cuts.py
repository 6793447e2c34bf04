"""Which joint of a loop is cut: few equations, nothing in use, no quaternion backwards, no light body at an end."""

from __future__ import annotations

import pytest

import sharnir as sr
from sharnir.topology import build_tree
from sharnir.topology.cut_cost import reluctances
from sharnir.topology.exchange import improve
from sharnir.topology.graph import graph_of, loose_roots
from sharnir.topology.spanning_tree import shortest_paths

RING = (("ground", "a"), ("a", "b"), ("b", "c"), ("c", "d"), ("ground", "d"))


def body(name, **options):
    return sr.Body(name, **({"mass": 1, "inertia": (1, 1, 1)} | options))


def hinge(name, parent, child, **options):
    return sr.Revolute(name, parent, child, axis="z", **options)


def ring(changes=None, bodies=None):
    """Ground and bodies a … d closed by hinges A … E; `changes` replaces some: name -> kind of joint or options of the hinge."""
    m = sr.Model("ring")
    m.add(*(body(name, **(bodies or {}).get(name, {})) for name in "abcd"))
    for name, ends in zip("ABCDE", RING, strict=True):
        change = (changes or {}).get(name, {})
        m.add(change(name, *ends) if callable(change) else hinge(name, *ends, **change))
    return m


def cut(m, **options):
    return [joint.name for joint in build_tree(m, **options).cuts]


def test_balanced():
    tree = build_tree(ring())
    assert cut(ring()) == ["C"]
    assert max(tree.depth) == 2


@pytest.mark.parametrize("place", "ABCDE")
def test_ball_joints_leave_the_fewest_equations(place):
    assert cut(ring({place: sr.Ball})) == [place]


def test_the_more_balanced_of_two_balls():
    assert cut(ring({"A": sr.Ball, "D": sr.Ball})) == ["D"]


@pytest.mark.parametrize(
    "use",
    [
        {"damping": 0.1},
        {"stiffness": 2.0},
        {"torque": "sin(t)"},
        {"limits": (-1, 1)},
        {"motion": "t"},
        {"q": 0.1},
        {"v": 0.1},
        {"mimic": ("A", 2.0)},
    ],
    ids=lambda use: next(iter(use)),
)
def test_joints_in_use_stay_in_the_tree(use):
    """C would be cut, if nothing acted in it; a neighbour is cut instead. What is worse to lose stays first."""
    assert cut(ring({"C": use}))[0] in ("B", "D")
    everywhere = {name: {"v": 0.3} for name in "ABDE"}
    if set(use) - {"q", "v"}:
        assert cut(ring(everywhere | {"C": use})) != ["C"]
    else:
        assert cut(ring(everywhere | {"C": use})) == ["C"]


def test_welded_joints_stay_in_the_tree():
    assert cut(ring({"C": sr.Fixed})) != ["C"]


def test_followed_joints_stay_in_the_tree():
    m = ring()
    m.add(body("e"), sr.Revolute("F", "ground", "e", axis="z", mimic=("C", 1.0)))
    assert cut(m) != ["C"]
    assert reluctances(m) == [0, 0, 8, 0, 0, 8]


@pytest.mark.parametrize("element", [sr.JointForce("drive", "C", "t"), sr.TorsionSpring("spring", "C", stiffness=2.0)])
def test_joints_named_by_forces_stay_in_the_tree(element):
    m = ring()
    m.add(element)
    assert cut(m) != ["C"]


def test_joints_named_by_constraints_stay_in_the_tree():
    m = ring()
    m.add(body("e"), hinge("F", "ground", "e"))
    m.add(sr.Gear("gear", "C", "F", 2.0))
    assert cut(m) != ["C"]


def test_light_bodies_are_no_ends():
    """Cutting B or C makes b an end, cutting C or D makes c one."""
    massless = {"mass": 0, "inertia": (0, 0, 0)}
    assert cut(ring(bodies={"b": massless})) == ["D"]
    assert cut(ring(bodies={"b": massless, "c": massless})) == ["A"]
    assert cut(ring({"B": sr.Ball}, bodies={"b": {"inertia": None}})) != ["B"]


def test_quaternions_are_passed_forward():
    """The ball is the cheapest to cut and is cut; a second one may stay only if it is passed from its parent."""
    m = ring({"B": sr.Ball, "C": sr.Ball}, bodies={"b": {"mass": 0}})
    tree = build_tree(m)
    assert [joint.name for joint in tree.cuts] not in (["B"], ["C"])
    tree = build_tree(m, cut=["A"])  # then b is reached from c, against C
    assert tree.opposed == ("C",) and tree.loose == ("a",)
    assert build_tree(m, cut=["E"]).reversed == (False,) * 4


def test_a_joint_against_its_quaternion_is_cut():
    """Declared from b to a, the only ball of the loop must not be in the tree, although cutting it costs most."""
    m = ring()
    m._joints["B"] = sr.Ball("B", "b", "a", v=(1, 0, 0), damping=0.1)
    m._joints["A"] = sr.Revolute("A", "ground", "a", axis="z", torque=1.0)
    for name in "CDE":
        m._joints[name] = hinge(name, *dict(zip("ABCDE", RING, strict=True))[name], motion="t")
    tree = build_tree(m)
    for joint, turned in zip(tree.joints, tree.reversed, strict=True):
        assert joint.coordinates == "angles" or not turned


def test_another_body_carries_the_free_joint_if_quaternions_ask_for_it():
    m = sr.Model()
    m.add(body("b"), body("c"), body("a"), hinge("H", "b", "c"), sr.Ball("S", "a", "c"))
    tree = build_tree(m)
    assert tree.loose == ("a",)
    assert tree.bodies == ("a", "c", "b")


@pytest.mark.parametrize("name", "ABCDE")
def test_the_user_may_choose(name):
    tree = build_tree(ring(), cut=[name])
    assert [joint.name for joint in tree.cuts] == [name]
    assert set(tree.loops[0]) == set("ABCDE")
    assert build_tree(ring(), cut=name) == tree


def test_wrong_choices_are_refused():
    m = ring()
    m.add(body("e"), hinge("F", "d", "e"))
    with pytest.raises(sr.TopologyError, match=r"'F' cannot be cut.*'d' with 'e'"):
        build_tree(m, cut=["F"])
    with pytest.raises(sr.TopologyError, match=r"'[AC]' cannot be cut.*one joint of each loop"):
        build_tree(m, cut=["A", "C"])
    with pytest.raises(sr.TopologyError, match="'X' is not a joint of the model"):
        build_tree(m, cut=["X"])


def test_giving_up_on_loops_still_spares_joints_in_use(monkeypatch):
    """With hardly any effort allowed, the index of loops is not made; reluctances count nevertheless."""
    monkeypatch.setattr("sharnir.topology.exchange.EFFORT", 0.1)
    graph = graph_of(ring({"C": {"motion": "t"}}))
    tree = shortest_paths(graph, loose_roots(graph))
    tree.edge, tree.above = [-1, 0, 1, 3, 4], [-1, 0, 1, 4, 0]  # C cut
    assert tree.cuts() == [2]
    improve(tree)
    assert tree.cuts() in ([1], [3])
