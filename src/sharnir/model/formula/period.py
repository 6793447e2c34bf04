"""The period of a formula: of sines, cosines and floors of one variable, found in its tree."""

from __future__ import annotations

import math
from typing import NamedTuple

from sharnir.model.formula.expression import Expression
from sharnir.symbolic.expression_graph import walk
from sharnir.symbolic.nodes import Call, Name, Node, Number

TURNS = {"sin": 2.0 * math.pi, "cos": 2.0 * math.pi, "tan": math.pi, "floor": 1.0}  # of their argument
WHOLE = 1e-9  # relative distance from a whole number that counts as rounding
MOST = 1000  # periods of the slowest part in one of the whole formula


class Period(NamedTuple):
    """f(x + length) = f(x) + drift, for all x."""

    length: float
    drift: float


def period(expression: Expression, variable: str) -> Period | None:
    """The period of a formula in one variable, others held; None: there is none that its form would show.

    >>> from sharnir.model.formula import parse
    >>> period(parse("3*sin(4*q) + cos(6*q)^2 - 2*q", ("q",)), "q")
    Period(length=3.141592653589793, drift=-6.283185307179586)
    >>> period(parse("q - 5*floor(q/5)", ("q",)), "q")
    Period(length=5.0, drift=0.0)
    >>> period(parse("q*sin(q)", ("q",)), "q") is None
    True
    """
    lengths: list[float] = []

    def collect(node: Node, _parts: list[None]) -> None:
        if isinstance(node, Call) and node.function in TURNS:
            slope = _change(Expression(node.arguments[0], expression.variables, expression.parameters), variable, 1.0, {})
            if slope:
                lengths.append(TURNS[node.function] / abs(slope))

    walk(expression.node, collect)
    if not lengths:
        return None
    longest = max(lengths)
    for k in range(1, MOST + 1):
        if all(_is_whole(k * longest / x) for x in lengths):
            drift = _change(expression, variable, k * longest, TURNS)
            if drift is not None and math.isfinite(drift):
                return Period(k * longest, drift if abs(drift) > WHOLE * k * longest else 0.0)
    return None


def _is_whole(x: float) -> bool:
    return abs(x - round(x)) <= WHOLE * max(1.0, abs(x))


def _change(expression: Expression, variable: str, step: float, turns: dict[str, float]) -> float | None:
    """By how much the value changes if the variable grows by `step`, wherever that is; None: it depends on where.

    turns : functions that come back to where they were when their argument changes by whole multiples of a number.
    """

    def change(node: Node, parts: list[float | None]) -> float | None:
        if isinstance(node, Number):
            return 0.0
        if isinstance(node, Name):
            return step if node.name == variable else 0.0
        if any(part is None for part in parts):
            return None
        known = [part for part in parts if part is not None]
        if not any(known):
            return 0.0
        if node.function == "+":
            return math.fsum(known)
        if node.function == "neg":
            return -known[0]
        if node.function in ("*", "/"):
            return _scaled(node, known, expression)
        if node.function in turns and _is_whole(known[0] / turns[node.function]):
            return float(round(known[0])) if node.function == "floor" else 0.0
        return None

    return walk(expression.node, change)


def _scaled(node: Call, changes: list[float], expression: Expression) -> float | None:
    """Change of a product or quotient of which one part changes and the others are numbers."""
    moving = [k for k, x in enumerate(changes) if x != 0.0]
    if len(moving) > 1 or (node.function == "/" and moving != [0]):
        return None
    factor = changes[moving[0]]
    for k, part in enumerate(node.arguments):
        if k != moving[0]:
            other = Expression(part, (), expression.parameters)
            if other.names - set(expression.parameters):
                return None
            value = other.evaluate()
            factor = factor * value if node.function == "*" else factor / value if value else math.nan
    return factor if math.isfinite(factor) else None
