"""What must hold for any graph: a spanning tree, regular numbering, one loop per cut, shortest paths, sums that add up."""

from __future__ import annotations

from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

import sharnir as sr
from sharnir.topology import build_tree, free_tree
from sharnir.topology.cut_cost import LIGHT_END
from sharnir.topology.exchange import _Exchange, improve
from sharnir.topology.graph import graph_of, loose_roots
from sharnir.topology.spanning_tree import shortest_paths

HEAVY, LIGHT = sr.Body("heavy", mass=1, inertia=(1, 1, 1)), sr.Body("light")
KINDS = {
    "hinge": lambda *names: sr.Revolute(*names, axis="z"),
    "used": lambda *names: sr.Revolute(*names, axis="z", damping=1.0),
    "universal": lambda *names: sr.Universal(*names, axis="x", axis2="y"),
    "weld": lambda *names: sr.Fixed(*names),
    "angles": lambda *names: sr.FreedomSequence(*names, freedoms=(sr.Rotation("x"), sr.Rotation("y"), sr.Rotation("z"))),
}


@st.composite
def models(draw, kinds=tuple(KINDS), light=True):
    """Any graph of up to 12 bodies, connected or not, with joints of these kinds, even several between two bodies."""
    n = draw(st.integers(1, 12))
    m = sr.Model()
    for i in range(n):
        m._bodies[f"b{i}"] = LIGHT if light and draw(st.booleans()) else HEAVY
    pairs = st.tuples(st.integers(-1, n - 1), st.integers(-1, n - 1)).filter(lambda pair: pair[0] != pair[1])
    for k, pair in enumerate(draw(st.lists(pairs, max_size=24))):
        names = ("ground" if end < 0 else f"b{end}" for end in pair)
        m._joints[f"j{k}"] = KINDS[draw(st.sampled_from(kinds))](f"j{k}", *names)
    return m


def ends(joint):
    return {joint.parent, joint.child}


def distances(m, loose):
    """Joints between the ground and every body, by breadth-first search over all joints and the free joints of loose parts."""
    links = [(joint.parent, joint.child) for joint in m.joints.values()] + [("ground", name) for name in loose]
    found, queue = {"ground": 0}, deque(["ground"])
    while queue:
        name = queue.popleft()
        for a, b in links:
            for far in ({a, b} - {name}) if name in (a, b) else ():
                if far not in found:
                    found[far] = found[name] + 1
                    queue.append(far)
    return found


@given(models())
@settings(max_examples=150, deadline=None)
def test_spanning_tree(m):
    """One joint into every body, parent < body, all other joints are cut, and the same again for the same model."""
    tree = build_tree(m)
    assert sorted(tree.bodies) == sorted(m.bodies)
    assert all(p < i for i, p in enumerate(tree.parent))
    for i, joint in enumerate(tree.joints):
        above = "ground" if tree.parent[i] < 0 else tree.bodies[tree.parent[i]]
        assert ends(joint) == {above, tree.bodies[i]}
        assert tree.reversed[i] == (joint.parent == tree.bodies[i])
    own = [joint.name for joint in tree.joints if joint.name in m.joints]
    assert len(own) == len(m.bodies) - len(tree.loose)
    assert [joint.name for joint in tree.cuts] == [name for name in m.joints if name not in own]
    assert tree == build_tree(m)


@given(models())
@settings(max_examples=150, deadline=None)
def test_every_cut_closes_one_loop(m):
    """A loop is a closed way without repetition through tree joints and one cut joint."""
    for tree in (build_tree(m), free_tree(m)):
        joints = {joint.name: joint for joint in (*tree.joints, *tree.cuts)}
        cuts = {joint.name for joint in tree.cuts}
        for joint, loop in zip(tree.cuts, tree.loops, strict=True):
            assert set(loop) & cuts == {joint.name} and loop[0] == joint.name
            assert len(set(loop)) == len(loop)
            visited = [joint.parent]
            for name in loop:
                assert visited[-1] in ends(joints[name])
                visited += ends(joints[name]) - {visited[-1]}
            assert visited[-1] == joint.parent
            assert len(set(visited[:-1])) == len(loop)


@given(models(kinds=("hinge",), light=False))
@settings(max_examples=150, deadline=None)
def test_shallowest(m):
    """Where all joints cost the same to cut, every body is as near to the ground as it can be."""
    tree = build_tree(m)
    found = distances(m, tree.loose)
    assert {name: tree.depth[i] for i, name in enumerate(tree.bodies)} == {name: found[name] for name in m.bodies}


def cost(tree):
    """The cost of a tree by its definition, apart from all updating."""
    graph = tree.graph
    below = [sum(v == above for above in tree.above) for v in range(len(tree.above))]
    light = sum(graph.light[v] and below[v] == 0 for v in range(1, len(below)))
    spoiled = sum(graph.reluctance[e] for e in tree.cuts()) + LIGHT_END * light
    loops = sum(graph.rows[e] ** 2 * len(tree.loop(e)) for e in tree.cuts())
    depth = 0
    for v in range(len(tree.above)):
        while tree.above[v] >= 0:
            v, depth = tree.above[v], depth + 1
    return spoiled, loops, depth


@given(models())
@settings(max_examples=150, deadline=None)
def test_exchanges_lower_the_cost(m):
    """Predicted changes have the sign they promise, and what is kept up to date equals what is computed afresh."""
    graph = graph_of(m)
    tree = shortest_paths(graph, loose_roots(graph))
    exchange = _Exchange(tree, tree.cuts())
    now = cost(tree)
    for cut in tree.cuts():
        choice = exchange.best(cut)
        if choice is not None:
            exchange.apply(cut, choice)
            before, now = now, cost(tree)
            assert now < before
            fresh = _Exchange(tree, tree.cuts())
            assert exchange.size == fresh.size and exchange.degree == fresh.degree
            assert exchange.cuts == fresh.cuts and exchange.loops == fresh.loops
            assert {e: c for e, c in exchange.through.items() if c} == fresh.through
    improve(tree)
    assert cost(tree) <= now


@given(models(kinds=("hinge", "angles"), light=False), st.data())
@settings(max_examples=80, deadline=None)
def test_forced_cuts(m, data):
    """Any joint of a loop may be cut by wish; the number of cuts stays."""
    tree = build_tree(m)
    for loop in tree.loops:
        name = data.draw(st.sampled_from(loop))
        other = build_tree(m, cut=[name])
        assert name in {joint.name for joint in other.cuts}
        assert len(other.cuts) == len(tree.cuts) and other.loose == tree.loose
