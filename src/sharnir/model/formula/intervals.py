"""Interval arithmetic on formulas: bounds of a formula over many intervals of its variables at once.

Bounds are widened by some roundings, so that what they exclude is excluded. Functions without a rule are unbounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np

from sharnir.model.formula.expression import Expression
from sharnir.symbolic.expression_graph import walk
from sharnir.symbolic.nodes import Call, Name, Node, Number

Bounds = tuple[Any, Any]  # from, to: numbers or arrays of one shape
WIDER = 8.0 * np.finfo(float).eps
TURN = 2.0 * np.pi


def bounds(expression: Expression, **intervals: Bounds) -> Bounds:
    """Between which numbers a formula stays while its variables are in given intervals; parameters have their values.

    >>> from sharnir.model.formula import parse
    >>> low, high = bounds(parse("2*t - 1", ("t",)), t=(np.array([0.0, 1.0]), np.array([1.0, 3.0])))
    >>> low.round(9).tolist(), high.round(9).tolist()
    ([-1.0, 1.0], [1.0, 5.0])
    """
    known: Mapping[str, Any] = {**{name: (value, value) for name, value in expression.parameters.items()}, **intervals}

    def visit(node: Node, parts: list[Bounds]) -> Bounds:
        if isinstance(node, Number):
            return np.float64(node.value), np.float64(node.value)
        if isinstance(node, Name):
            low, high = known.get(node.name, (-np.inf, np.inf))
            return np.asarray(low, float), np.asarray(high, float)
        assert isinstance(node, Call)
        low, high = RULES.get(node.function, _anything)(*parts)
        exact = np.where(np.isfinite(low) & np.isfinite(high), WIDER * np.maximum(np.abs(low), np.abs(high)), 0.0)
        return np.where(np.isnan(low), -np.inf, low - exact), np.where(np.isnan(high), np.inf, high + exact)

    with np.errstate(all="ignore"):
        low, high = walk(expression.node, visit)
    shape = np.broadcast_shapes(*(np.shape(x) for pair in intervals.values() for x in pair))
    return np.broadcast_to(low, shape), np.broadcast_to(high, shape)


def _anything(*parts: Bounds) -> Bounds:
    shape = np.broadcast_shapes(*(np.shape(x) for pair in parts for x in pair))
    return np.full(shape, -np.inf), np.full(shape, np.inf)


def _sum(*parts: Bounds) -> Bounds:
    return sum(low for low, _ in parts), sum(high for _, high in parts)


def _times(a: Bounds, b: Bounds) -> Bounds:
    ends = np.stack(np.broadcast_arrays(*(np.where(x == 0.0, 0.0, np.where(y == 0.0, 0.0, x * y)) for x in a for y in b)))
    return ends.min(axis=0), ends.max(axis=0)


def _product(*parts: Bounds) -> Bounds:
    found = parts[0]
    for other in parts[1:]:
        found = _times(found, other)
    return found


def _quotient(a: Bounds, b: Bounds) -> Bounds:
    low, high = b
    crosses = (low <= 0.0) & (high >= 0.0)
    found = _times(a, (1.0 / np.where(crosses, 1.0, high), 1.0 / np.where(crosses, 1.0, low)))
    return np.where(crosses, -np.inf, found[0]), np.where(crosses, np.inf, found[1])


def _power(a: Bounds, b: Bounds) -> Bounds:
    """A whole exponent, or a positive base."""
    (low, high), (n, m) = a, b
    if np.all(n == m) and np.ndim(n) == 0 and float(n) == int(n):
        k = int(n)
        if k < 0:
            return _quotient((np.float64(1.0), np.float64(1.0)), _power(a, (np.float64(-k), np.float64(-k))))
        x, y = low**k, high**k
        if k % 2:
            return x, y
        least = np.where((low <= 0.0) & (high >= 0.0), 0.0, np.minimum(x, y))
        return least, np.maximum(x, y)
    positive = low > 0.0
    safe = (np.log(np.where(positive, low, 1.0)), np.log(np.where(positive, high, 1.0)))
    exponent = _times(safe, b)
    return np.where(positive, np.exp(exponent[0]), -np.inf), np.where(positive, np.exp(exponent[1]), np.inf)


def _rising(function: Callable[[Any], Any]) -> Callable[[Bounds], Bounds]:
    return lambda a: (function(a[0]), function(a[1]))


def _cosine(a: Bounds) -> Bounds:
    low, high = a
    whole = ~(high - low < TURN)
    x, y = np.cos(low), np.cos(high)
    top = whole | (np.floor(high / TURN) != np.floor(low / TURN))
    bottom = whole | (np.floor((high - np.pi) / TURN) != np.floor((low - np.pi) / TURN))
    return np.where(bottom, -1.0, np.minimum(x, y)), np.where(top, 1.0, np.maximum(x, y))


def _sine(a: Bounds) -> Bounds:
    return _cosine((a[0] - 0.5 * np.pi, a[1] - 0.5 * np.pi))


def _tangent(a: Bounds) -> Bounds:
    low, high = a
    pole = np.floor(low / np.pi + 0.5) != np.floor(high / np.pi + 0.5)
    return np.where(pole, -np.inf, np.tan(low)), np.where(pole, np.inf, np.tan(high))


def _hyperbolic_cosine(a: Bounds) -> Bounds:
    x, y = np.cosh(a[0]), np.cosh(a[1])
    return np.where((a[0] <= 0.0) & (a[1] >= 0.0), 1.0, np.minimum(x, y)), np.maximum(x, y)


def _absolute(a: Bounds) -> Bounds:
    x, y = np.abs(a[0]), np.abs(a[1])
    return np.where((a[0] <= 0.0) & (a[1] >= 0.0), 0.0, np.minimum(x, y)), np.maximum(x, y)


def _hypotenuse(a: Bounds, b: Bounds) -> Bounds:
    x, y = _absolute(a), _absolute(b)
    return np.hypot(x[0], y[0]), np.hypot(x[1], y[1])


def _choice(c: Bounds, a: Bounds, b: Bounds) -> Bounds:
    never, always = (c[0] == 0.0) & (c[1] == 0.0), (c[0] > 0.0) | (c[1] < 0.0)
    low, high = np.minimum(a[0], b[0]), np.maximum(a[1], b[1])
    return np.where(never, b[0], np.where(always, a[0], low)), np.where(never, b[1], np.where(always, a[1], high))


def _comparison(holds: Callable[[Any, Any], Any], greater: bool) -> Callable[[Bounds, Bounds], Bounds]:
    """1 where it holds for all pairs of numbers, 0 where for none."""

    def rule(a: Bounds, b: Bounds) -> Bounds:
        worst, best = (holds(a[0], b[1]), holds(a[1], b[0])) if greater else (holds(a[1], b[0]), holds(a[0], b[1]))
        return np.where(worst, 1.0, 0.0), np.where(best, 1.0, 0.0)

    return rule


RULES: dict[str, Callable[..., Bounds]] = {
    "+": _sum,
    "*": _product,
    "/": _quotient,
    "^": _power,
    "neg": lambda a: (-a[1], -a[0]),
    "sin": _sine,
    "cos": _cosine,
    "tan": _tangent,
    "asin": _rising(np.arcsin),
    "acos": lambda a: (np.arccos(a[1]), np.arccos(a[0])),
    "atan": _rising(np.arctan),
    "sinh": _rising(np.sinh),
    "cosh": _hyperbolic_cosine,
    "tanh": _rising(np.tanh),
    "exp": _rising(np.exp),
    "log": _rising(np.log),
    "sqrt": _rising(np.sqrt),
    "abs": _absolute,
    "hypot": _hypotenuse,
    "sign": _rising(np.sign),
    "step": lambda a: (np.where(a[0] >= 0.0, 1.0, 0.0), np.where(a[1] >= 0.0, 1.0, 0.0)),
    "floor": _rising(np.floor),
    "smooth": lambda a: a,
    "min": lambda *p: (reduce(np.minimum, [low for low, _ in p]), reduce(np.minimum, [high for _, high in p])),
    "max": lambda *p: (reduce(np.maximum, [low for low, _ in p]), reduce(np.maximum, [high for _, high in p])),
    "if": _choice,
    ">": _comparison(np.greater, True),
    ">=": _comparison(np.greater_equal, True),
    "<": _comparison(np.less, False),
    "<=": _comparison(np.less_equal, False),
}
