"""When something happens: conditions as functions that rise through zero."""

from __future__ import annotations

from collections.abc import Mapping

from sharnir.errors import FormulaError
from sharnir.model.formula import Expression, parse
from sharnir.symbolic.functions import COMPARISONS
from sharnir.symbolic.nodes import ONE, Call, Node, Number

GREATER, LESS = (">", ">="), ("<", "<=")


def rising_function(text: str, label: str, field: str, tables: Mapping[str, int] | None = None) -> tuple[str, bool]:
    """A formula g that rises through zero when the condition `text` becomes true, and whether it was a condition.

    Comparisons are joined by * (both) and + (one of them); 1 - (…) is the opposite of a condition. A formula without a
    comparison is g itself. tables : how many arguments tables have that the condition calls.

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
    if found is None and _holds_or_not(expression.node):
        raise FormulaError(
            f"{label}: {field}: a condition consists of comparisons by < and >, joined by * (both) and + (one of them), or "
            "1 - (…) for the opposite; equality holds only for an instant, so give a formula that crosses zero there",
            text=text,
            position=0,
            field=field,
        )
    return (text, False) if found is None else (str(Expression(found)), True)


def _rising(node: Node) -> Node | None:
    """The function of a condition; None if the node is not a condition."""
    if not isinstance(node, Call):
        return None
    if node.function in COMPARISONS:
        left, right = node.arguments
        a, b = (left, right) if node.function in GREATER else (right, left)
        if node.function not in (*GREATER, *LESS):
            return None
        return Call("+", (a, Call("neg", (b,))))
    if node.function == "+" and len(node.arguments) == 2 and ONE in node.arguments:
        other = next(part for part in node.arguments if part != ONE)
        opposite = _rising(other.arguments[0]) if isinstance(other, Call) and other.function == "neg" else None
        return None if opposite is None else Call("neg", (opposite,))
    if node.function in ("*", "+"):
        parts = [_rising(part) for part in node.arguments]
        if all(part is not None for part in parts):
            return Call("min" if node.function == "*" else "max", tuple(part for part in parts if part is not None))
    return None


def _holds_or_not(node: Node) -> bool:
    """Whether a formula consists of comparisons and numbers only, so that it has no zero to be crossed."""
    if not isinstance(node, Call):
        return False
    if node.function in COMPARISONS:
        return True
    parts = [part for part in node.arguments if not isinstance(part, Number)]
    return node.function in ("*", "+", "neg") and bool(parts) and all(_holds_or_not(part) for part in parts)
