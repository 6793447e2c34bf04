"""When something happens: conditions as functions that rise through zero."""

from __future__ import annotations

from collections.abc import Mapping

from sharnir.errors import FormulaError
from sharnir.model.formula import Expression, parse
from sharnir.model.formula.functions import COMPARISONS
from sharnir.model.formula.nodes import Call, Node

GREATER, LESS = (">", ">="), ("<", "<=")


def rising_function(text: str, label: str, field: str, tables: Mapping[str, int] | None = None) -> tuple[str, bool]:
    """A formula g that rises through zero when the condition `text` becomes true, and whether it was a condition.

    Comparisons are joined by * (both) and + (one of them). A formula without a comparison is g itself. tables : how many
    arguments tables have that the condition calls.

    >>> rising_function("ball.z < 0.1", "Event 'e'", "when")
    ('0.1 + (-ball.z)', True)
    >>> rising_function("(F > 100)*(t > 1)", "Event 'e'", "when")[0]
    'min((F + (-100.0)), (t + (-1.0)))'
    >>> rising_function("ball.z", "Event 'e'", "when")
    ('ball.z', False)
    """
    try:
        expression = parse(text, (), None, dotted=True, tables=tables)
    except FormulaError as error:
        raise FormulaError(f"{label}: {field}: {error.reason}", text=error.text, position=error.position, field=field) from None
    found = _rising(expression.node)
    return (text, False) if found is None else (str(Expression(found)), True)


def _rising(node: Node) -> Node | None:
    """The function of a condition; None if the node is no condition."""
    if not isinstance(node, Call):
        return None
    if node.function in COMPARISONS:
        left, right = node.arguments
        a, b = (left, right) if node.function in GREATER else (right, left)
        if node.function not in (*GREATER, *LESS):
            return None
        return Call("+", (a, Call("neg", (b,))))
    if node.function in ("*", "+"):
        parts = [_rising(part) for part in node.arguments]
        if all(part is not None for part in parts):
            return Call("min" if node.function == "*" else "max", tuple(part for part in parts if part is not None))
    return None
