"""Numbers of expressions: every shared node is computed once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from sharnir.errors import FormulaError
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.functions import ROWS
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


class Evaluator:
    """Expressions that are evaluated many times, as one Python function.

    >>> Evaluator([2 * Name("x") + 1], ["x"])([3.0])
    [7.0]
    """

    def __init__(
        self, roots: Iterable[Node], names: Sequence[str], functions: Mapping[str, Callable[..., float]] | None = None
    ) -> None:
        roots, lines = list(roots), list[str]()
        texts: dict[Node, str] = {Name(name): f"x[{k}]" for k, name in enumerate(names)}
        self._scope: dict[str, Any] = {"sin": math.sin, "cos": math.cos}
        for k, node in enumerate(ordered(roots)):
            if isinstance(node, Number):
                texts[node] = repr(float(node.value))
            elif isinstance(node, Call):
                parts = [texts[argument] for argument in node.arguments]
                lines.append(f"    v{k} = {self._source(node.function, parts, functions or {})}")
                texts[node] = f"v{k}"
            elif node not in texts:
                raise FormulaError(f"no value given for {node.name}")
        body = "\n".join(lines)
        exec(f"def values(x):\n{body}\n    return [{', '.join(texts[root] for root in roots)}]", self._scope)
        self._values: Callable[[Sequence[float]], list[float]] = self._scope["values"]

    def _source(self, function: str, parts: list[str], functions: Mapping[str, Callable[..., float]]) -> str:
        if function in ("+", "*"):
            return f" {function} ".join(parts)
        if function == "neg":
            return f"-{parts[0]}"
        if function in ("sin", "cos"):
            return f"{function}({parts[0]})"
        name = f"f{len(self._scope)}"
        self._scope[name] = partial(_value, function, functions=functions)
        return f"{name}([{', '.join(parts)}])"

    def __call__(self, values: Sequence[float]) -> list[float]:
        return self._values(values)


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
