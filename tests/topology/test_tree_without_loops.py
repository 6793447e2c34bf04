"""A graph without loops has one tree: found along the joints, it is that of the search for shortest paths."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.topology import spanning_tree
from sharnir.topology.graph import graph_of, loose_roots


def forest(seed: int) -> sr.Model:
    """A random forest: joints of three kinds in random order and direction, some bodies without a way to the ground."""
    random = np.random.default_rng(seed)
    m = sr.Model("forest")
    count = 25
    m.add(*(sr.Body(f"b{i}", mass=1, inertia=(1, 1, 1), position=(0.1 * i, 0, 0)) for i in range(count)))
    joints = []
    for i in range(count):
        above = int(random.integers(-2, i)) if i else -1
        if above == -2:
            continue  # a loose part begins
        ends = ["ground" if above < 0 else f"b{above}", f"b{i}"]
        kind = random.choice(3)
        if random.random() < 0.4:
            ends.reverse()
        at = (0.1 * i, 0, 0)
        joints.append(
            (sr.Revolute(f"j{i}", *ends, axis="z", at=at), sr.Ball(f"j{i}", *ends, at=at), sr.Fixed(f"j{i}", *ends))[kind]
        )
    m.add(*(joints[k] for k in random.permutation(len(joints))))
    return m


@pytest.mark.parametrize("seed", range(12))
def test_same_tree(seed, monkeypatch):
    graph = graph_of(forest(seed))
    roots = loose_roots(graph)
    short = spanning_tree.shortest_paths(graph, roots)
    assert short.cuts() == []
    monkeypatch.setattr(spanning_tree, "_follow_joints", lambda tree: pytest.fail("the search was to be used"))
    monkeypatch.setattr(spanning_tree, "sum", lambda flags: -1, raising=False)
    long = spanning_tree.shortest_paths(graph, roots)
    assert (short.edge, short.above) == (long.edge, long.above)
