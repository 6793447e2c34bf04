"""Derivatives on the graph: along given rates (forward) and with respect to many names at once (backward)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sharnir.errors import FormulaError
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.nodes import ONE, ZERO, Call, Node, choice, minus, negative, plus, product, quotient, times

Opaque = Mapping[str, Sequence[str]]  # function -> for each argument the function that is its partial derivative


def partials(node: Call, opaque: Opaque) -> tuple[Node, ...]:
    """∂node/∂argument for every argument."""
    a = node.arguments
    if node.function == "+":
        return (ONE,) * len(a)
    if node.function == "neg":
        return (negative(ONE),)
    if node.function == "*" and len(a) == 2:
        return a[1], a[0]
    if node.function == "/":
        return quotient(ONE, a[1]), negative(quotient(node, a[1]))
    if node.function == "sqrt":
        return (quotient(ONE, product(ONE + ONE, node)),)
    if node.function in ROWS:
        return ROWS[node.function].partials(*a)
    if node.function in opaque:
        return tuple(Call(name, a) for name in opaque[node.function])
    raise FormulaError(f"the derivative of {node.function}(…) is not known; give it as a formula, or as a cubic Table")


def rates(roots: Iterable[Node], of: Mapping[Node, Node], opaque: Opaque | None = None) -> list[Node]:
    """Σ ∂root/∂x · of[x]: how fast expressions change when the nodes x change at given rates.

    >>> from sharnir.symbolic.nodes import Name
    >>> x, v = Name("x"), Name("v")
    >>> str(rates([x**2], {x: v})[0])
    '2*x*v'
    """
    roots = list(roots)
    rate: dict[Node, Node] = dict(of)
    for node in ordered(roots):
        if node in rate:
            continue
        parts = [rate[argument] for argument in node.arguments]
        if not isinstance(node, Call) or all(part is ZERO for part in parts):
            rate[node] = ZERO
        elif node.function == "if":  # a kept branch must not be multiplied by the other's NaN
            rate[node] = choice(node.arguments[0], parts[1], parts[2])
        else:
            found = ZERO
            for slope, part in zip(partials(node, opaque or {}), parts, strict=True):
                if part is not ZERO:
                    found = plus(found, times(slope, part))
            rate[node] = found
    return [rate[root] for root in roots]


def gradient(root: Node, by: Sequence[Node], opaque: Opaque | None = None) -> list[Node]:
    """∂root/∂x for every x in `by`, in one pass from the root down.

    >>> from sharnir.symbolic.nodes import Name
    >>> x, y = Name("x"), Name("y")
    >>> [str(g) for g in gradient(x*x*y, [x, y])]
    ['x*y + x*y', 'x*x']
    """
    order = ordered((root,))
    touched = set(by)  # nodes that depend on one of them
    for node in order:
        if any(argument in touched for argument in node.arguments):
            touched.add(node)
    slope: dict[Node, Node] = {root: ONE}
    for node in reversed(order):
        above = slope.get(node, ZERO)
        if above is ZERO or node not in touched or not isinstance(node, Call):
            continue
        if node.function == "+":
            for argument in node.arguments:
                slope[argument] = plus(slope.get(argument, ZERO), above)
        elif node.function == "neg":
            slope[node.arguments[0]] = minus(slope.get(node.arguments[0], ZERO), above)
        elif node.function == "if":
            condition, yes, no = node.arguments
            slope[yes] = plus(slope.get(yes, ZERO), choice(condition, above, ZERO))
            slope[no] = plus(slope.get(no, ZERO), choice(condition, ZERO, above))
        else:
            for argument, part in zip(node.arguments, partials(node, opaque or {}), strict=True):
                if argument in touched:
                    slope[argument] = plus(slope.get(argument, ZERO), times(above, part))
    return [slope.get(x, ZERO) for x in by]
