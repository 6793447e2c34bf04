"""Formulas whose switches keep their sides within a step of a run: their text with calls of the functions of switch_memory.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sharnir.dynamics.memory.narrow_peaks import is_line, peaked_nodes
from sharnir.dynamics.memory.switch_memory import FIRST, SIZE
from sharnir.model.formula import Expression
from sharnir.model.formula.expression import call_source, literal
from sharnir.model.formula.shared_parts import text_with_parts
from sharnir.model.formula.switches import smoothed_nodes
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.nodes import Call, Name, Node, Number

PLACES = 4  # of the argument of a peak; other peaks have two
LONGEST = 2000  # characters of a choice that may be written out three times


@dataclass
class HeldSides:
    """Switches of a model's formulas: memory for `capacity` of them stands right behind that of signals, which ends at `base`."""

    capacity: int = 0
    base: int = 0
    labels: list[str] = field(default_factory=list)  # of the elements that they belong to
    whole: list[bool] = field(default_factory=list)  # which of them are floors
    bends: list[bool] = field(default_factory=list)  # at which of them nothing jumps
    followed: bool = True  # derived code may know where all of them are: there are no tables and no peaks
    gentle: bool = True  # all of them move like polynomials of low degree of what they depend on, tables and waves do not

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """Numbers of memory."""
        return FIRST + SIZE * self.capacity if self.capacity else 0

    def source(
        self,
        expression: Expression,
        texts: Mapping[str, str],
        label: str,
        tables: Mapping[str, int] | None = None,
        feeds: bool = False,
    ) -> str:
        """Python text of a formula whose switches of the state keep their sides; `texts` are codes of names.

        tables : those that the formula calls and whose pieces are held, with the number of their arguments.
        feeds : other formulas may switch with this one.

        >>> from sharnir.model.formula import parse
        >>> sides = HeldSides(2)
        >>> sides.source(parse("t*sign(q - 1)", ("q", "t")), {}, "force")
        '(t * held_sign(s, 1, (q + (-1.0))))'
        """
        known = {name: literal(value) for name, value in expression.parameters.items()} | dict(texts)
        varies = set(expression.names) - set(expression.parameters) - {"t"}
        smoothed = smoothed_nodes(expression.node)
        peaked = peaked_nodes(expression.node, varies) if self.capacity else set()
        moving: dict[Node, bool] = {}
        if self.capacity and not is_gentle(expression.node, set(expression.parameters), feeds):
            self.gentle = False

        def visit(node: Node, codes: list[str]) -> str:
            moving[node] = node.name in varies if isinstance(node, Name) else any(moving[part] for part in node.arguments)
            if isinstance(node, Number):
                return literal(float(node.value))
            if isinstance(node, Name):
                return known.get(node.name, node.name)
            moves, inside = moving[node], id(node) in smoothed
            if tables and node.function in tables and moves and not inside:
                return self.table(known[node.function], codes, label)
            if node.function not in ROWS:  # a table
                return f"{known[node.function]}({', '.join(codes)})"
            if node.function == "if" and codes[0].startswith("part_"):
                return _chosen(*codes)
            if moves and not inside and self.count < self.capacity and node.function in SWITCHED:
                return SWITCHED[node.function](self._place(label, node.function == "floor"), *codes)
            if moves and not inside and self.count + len(codes) - 1 <= self.capacity and node.function in BENT:
                return self._bent(BENT[node.function], codes, label)
            if node in peaked and not inside and self.count + PLACES <= self.capacity:
                line = node.function == "exp" and is_line(node.arguments[0], varies)
                return self._peak(node, codes, [moving[part] for part in node.arguments], line, label)
            return call_source(node, codes)

        return text_with_parts(expression.node, visit)

    def table(self, name: str, codes: Sequence[str], label: str) -> str:
        """Python text of a table whose pieces are held (held_tables.py); without room for that as it is."""
        self.gentle = self.followed = False
        if self.count + len(codes) > self.capacity:
            return f"{name}({', '.join(codes)})"
        first, *_ = [self._place(label, True) for _ in codes]
        return f"{name}_held(s, {first}, {', '.join(codes)})"

    def _bent(self, function: str, codes: Sequence[str], label: str) -> str:
        """min and max of several numbers, two at a time."""
        found, *rest = codes
        for code in rest:
            found = f"{function}(s, {self._place(label, False, bends=True)}, {found}, {code})"
        return found

    def _peak(self, node: Call, codes: list[str], moving: list[bool], line: bool, label: str) -> str:
        """Something that may rise from nothing to a narrow peak; `moving` : which of its arguments vary; `line` : of an exp."""
        self.gentle = self.followed = False
        argument = node.function not in ("+", "^") and not (node.function == "exp" and not line)
        first, *_ = [self._place(label, False, bends=True) for _ in range(PLACES if argument else 2)]
        if node.function == "+":
            still, rest = (
                " + ".join(code for code, moves in zip(codes, moving, strict=True) if moves == x) for x in (False, True)
            )
            return f"watched_sum(s, {first}, {still}, {rest})"
        if node.function == "^":
            return call_source(node, [f"watched_base(s, {first}, {codes[0]}, {codes[1]})", codes[1]])
        watched = "watched_argument" if argument else "watched_exponent"
        return call_source(node, [f"{watched}(s, {first}, {codes[0]})"])

    def _place(self, label: str, whole: bool, bends: bool = False) -> int:
        """Where the memory of one more switch stands, from that of signals on."""
        self.labels.append(label)
        self.whole.append(whole)
        self.bends.append(bends)
        return self.base + FIRST + SIZE * (self.count - 1)


def is_gentle(root: Node, still: set[str], whole: bool) -> bool:
    """Whether the places at which a formula switches, or all of it, are polynomials of low degree of whatever moves.

    >>> from sharnir.model.formula import parse
    >>> formulas = [parse(text, ("q", "v")) for text in ("sin(q)*max(0, 2*q - v)", "max(0, sin(q))")]
    >>> [is_gentle(formula.node, set(), False) for formula in formulas]
    [True, False]
    """
    moving: dict[Node, bool] = {}
    gentle: dict[Node, bool] = {}
    for node in ordered((root,)):
        parts = node.arguments
        moving[node] = node.name not in still if isinstance(node, Name) else any(moving[part] for part in parts)
        slow = not isinstance(node, Call) or node.function in SLOW
        if isinstance(node, Call) and node.function == "/":
            slow = not moving[parts[1]]
        elif isinstance(node, Call) and node.function == "^":
            slow = isinstance(parts[1], Number) and parts[1].value in (1, 2, 3)
        gentle[node] = not moving[node] or (slow and all(gentle[part] for part in parts))
    turning = [
        part for node in gentle if isinstance(node, Call) and node.function in (*SWITCHED, *BENT) for part in node.arguments
    ]
    return all(gentle[node] for node in ([root] if whole else turning))


def _chosen(part: str, yes: str, no: str) -> str:
    """if(part, yes, no), lazily; between the branches only where part is between 0 and 1."""
    if len(part) + len(yes) + len(no) > LONGEST:
        return f"({yes} if {part} > 0.5 else {no})"
    return f"({yes} if {part} == 1.0 else ({no} if {part} == 0.0 else {part} * {yes} + (1.0 - {part}) * {no}))"


def _compared(function: str, turned: bool) -> Any:
    def code(k: int, a: str, b: str) -> str:
        first, second = (b, a) if turned else (a, b)
        return f"{function}(s, {k}, {first} - ({second}))"

    return code


BENT = {"max": "held_greater", "min": "held_less"}
SWITCHED: dict[str, Any] = {
    ">": _compared("part_above", False),
    "<": _compared("part_above", True),
    ">=": _compared("part_not_below", False),
    "<=": _compared("part_not_below", True),
    "step": lambda k, a: f"part_not_below(s, {k}, {a})",
    "sign": lambda k, a: f"held_sign(s, {k}, {a})",
    "floor": lambda k, a: f"held_floor(s, {k}, {a})",
}
SLOW = frozenset({"+", "*", "neg", "abs", "smooth", "if", *SWITCHED, *BENT})
