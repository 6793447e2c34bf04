"""Expressions as assignments in a language with infix operators: every shared part is computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from sharnir.symbolic.expression_graph import ordered, uses
from sharnir.symbolic.nodes import Call, Name, Node, Number, Value

LONG = 100  # characters beyond which a part gets a name of its own
LARGEST_POWER = 16  # whole exponents up to here are products
SUM, PRODUCT, ATOM = 1, 2, 3  # how tightly a piece of text holds together

Text = tuple[str, int]
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def number(value: Value) -> Text:
    """A number in C and Python, exact to the last bit.

    >>> number(2), number(-0.1), number(Fraction(1, 3))
    (('2.0', 3), ('-0.1', 1), ('1.0/3.0', 2))
    """
    if isinstance(value, Fraction):
        text = f"{float(value.numerator)!r}/{float(value.denominator)!r}"
        return text, SUM if value < 0 else PRODUCT
    return repr(float(value)), SUM if value < 0 else ATOM


class Assignments:
    """Assignments to z1, z2, …, and texts of expressions by their means.

    known : texts of names.   called : text of a call from the function's name and the texts of its arguments.

    >>> x = Name("x")
    >>> a = Assignments({"x": "x"}, lambda f, args: f"{f}({', '.join(args)})")
    >>> a.texts([x*x + 2, 1/(x*x)]), a.lines
    (['z1 + 2.0', '1.0/z1'], [('z1', 'x*x')])
    """

    def __init__(self, known: Mapping[str, str], called: Callable[[str, list[str]], str]) -> None:
        self._known, self._called = known, called
        self._done: dict[Node, Text] = {}
        self.lines: list[tuple[str, str]] = []

    def texts(self, roots: Iterable[Node]) -> list[str]:
        """Texts of expressions, behind the assignments."""
        roots = list(roots)
        count = uses(roots)
        order = ordered(roots, self._done)
        for node in reversed(order):  # what has a minus is used as often as with it: sums take it off
            if is_negative(node):
                count[node.arguments[0]] += count[node] - 1
        for node in order:
            text = self._text(node)
            if node.arguments and not is_negative(node) and (count[node] > 1 or len(text[0]) > LONG):
                text = self.named(text[0])
            self._done[node] = text
        return [self._done[root][0] for root in roots]

    def named(self, text: str) -> Text:
        """A text under a name."""
        name = f"z{len(self.lines) + 1}"
        self.lines.append((name, text))
        return name, ATOM

    def _text(self, node: Node) -> Text:
        if isinstance(node, Number):
            return number(node.value)
        if isinstance(node, Name):
            return self._known[node.name], ATOM
        assert isinstance(node, Call)
        function, parts = node.function, [self._done[argument] for argument in node.arguments]
        if function == "+":
            return self._sum(node)
        if function == "*":
            return "*".join(within(part, PRODUCT if k == 0 else ATOM) for k, part in enumerate(parts)), PRODUCT
        if function == "/":
            return f"{within(parts[0], PRODUCT)}/{within(parts[1], ATOM)}", PRODUCT
        if function == "neg":
            return f"-{within(parts[0], PRODUCT)}", SUM
        if function == "^":
            return self._power(node, parts)
        if function == "smooth":
            return parts[0]
        return self._called(function, [part[0] for part in parts]), ATOM

    def _sum(self, node: Call) -> Text:
        """Terms with a minus are taken off."""
        found = ""
        for term in node.arguments:
            minus = is_negative(term)
            part = self._done[term.arguments[0] if minus else term]
            if not found:
                found = f"-{within(part, PRODUCT)}" if minus else part[0]
            else:
                found += f" {'-' if minus else '+'} {within(part, PRODUCT)}"
        return found, SUM

    def _power(self, node: Call, parts: list[Text]) -> Text:
        exponent = node.arguments[1]
        if not (isinstance(exponent, Number) and isinstance(exponent.value, int) and 0 < abs(exponent.value) <= LARGEST_POWER):
            return self._called("^", [part[0] for part in parts]), ATOM
        base = parts[0] if parts[0][1] == ATOM and len(parts[0][0]) < 8 else self.named(parts[0][0])
        found, square, left = "", base, abs(exponent.value)
        while left:
            if left & 1:
                found = f"{found}*{within(square, ATOM)}" if found else square[0]
            left >>= 1
            if left:
                square = self.named(f"{within(square, PRODUCT)}*{within(square, ATOM)}")
        return (found, PRODUCT) if exponent.value > 0 else (f"1.0/({found})", PRODUCT)


def is_negative(node: Node) -> bool:
    """Whether it is -x."""
    return isinstance(node, Call) and node.function == "neg"


def within(text: Text, least: int) -> str:
    """A piece as an operand: in parentheses if it does not hold together tightly enough.

    >>> within(("a + b", SUM), PRODUCT)
    '(a + b)'
    """
    return text[0] if text[1] >= least else f"({text[0]})"
