"""Numbers of expressions: every shared node is computed once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sharnir.errors import FormulaError
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.graph import ordered
from sharnir.symbolic.nodes import Call, Name, Node, Number


def evaluated(
    roots: Iterable[Node], values: Mapping[str, float], functions: Mapping[str, Callable[..., float]] | None = None
) -> list[float]:
    """Numbers of expressions for given numbers of their names; `functions` are those that only users know.

    >>> evaluated([2 * Name("x") + 1], {"x": 3.0})
    [7.0]
    """
    roots = list(roots)
    found: dict[Node, Any] = {}
    for node in ordered(roots):
        if isinstance(node, Number):
            found[node] = float(node.value)
        elif isinstance(node, Name):
            if node.name not in values:
                raise FormulaError(f"no value given for {node.name}")
            found[node] = float(values[node.name])
        else:
            assert isinstance(node, Call)
            parts = [found[argument] for argument in node.arguments]
            found[node] = _value(node.function, parts, functions or {})
    return [found[root] for root in roots]


def _value(function: str, parts: list[float], functions: Mapping[str, Callable[..., float]]) -> float:
    if function == "+":
        return sum(parts)
    if function == "*":
        return math.prod(parts)
    if function == "neg":
        return -parts[0]
    if function == "sin":
        return math.sin(parts[0])
    if function == "cos":
        return math.cos(parts[0])
    if function in ROWS:
        return float(ROWS[function].value(*parts))
    if function in functions:
        return float(functions[function](*parts))
    raise FormulaError(f"the function {function} has no numbers here; pass it in `functions`")
