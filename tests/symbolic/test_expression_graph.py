"""Walks: each shared node once, any depth."""

from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.expression_graph import Swapped, ordered, substituted, uses, walk
from sharnir.symbolic.functions import sin
from sharnir.symbolic.nodes import Name

from .random_expressions import expression, values

x, y = Name("x"), Name("y")


def test_a_deep_graph_does_not_reach_the_recursion_limit():
    deep = x
    for _ in range(20_000):
        deep = sin(deep) + y
    assert len(ordered([deep])) == 40_002
    assert walk(deep, lambda node, parts: 1 + max(parts, default=0)) == 40_001
    assert substituted([deep], {x: y})[0] is not deep
    assert abs(evaluated([deep], {"x": 0.1, "y": 0.0})[0]) < 0.1


def test_shared_nodes_are_counted_once():
    doubled = x
    for _ in range(50):
        doubled = sin(doubled) * sin(doubled)
    assert len(ordered([doubled])) == 101
    assert doubled.size > 2.0**50
    assert max(uses([doubled]).values()) == 2


def test_substitution_is_simultaneous():
    assert substituted([x + 2 * y], {x: y, y: x})[0] is (y + 2 * x)
    for seed in range(20):
        node, at = expression(seed), values(seed)
        swapped = substituted([node], {Name("a"): Name("b"), Name("b"): Name("a")})[0]
        assert evaluated([swapped], at | {"a": at["b"], "b": at["a"]}) == evaluated([node], at)


def test_other_names_change_nothing_else():
    for seed in range(20):
        node, at = expression(seed), values(seed)
        renamed = Swapped({Name("a"): Name("alpha")})(node)
        assert len(ordered([renamed])) == len(ordered([node]))
        assert evaluated([renamed], at | {"alpha": at["a"]}) == evaluated([node], at)
