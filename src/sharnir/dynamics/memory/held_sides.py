"""Which side of a switch in a formula holds: kept within a step of a run, so that the right-hand side is smooth in it.

A formula with a comparison of the state, such as `if(q > 1, …)`, leaves the difference g in memory whenever it is evaluated,
and takes the branch that a run holds at the time. The run watches g like the function of an event: where it crosses zero the
step ends, the other branch holds, and the run restarts. Outside a run nothing is held, and formulas are evaluated as written.

Where both branches lead back to the switch, as those of dry friction written by sign(v) do at rest, no side can hold: then
the formula passes from one branch to the other within a narrow band, and the run reports it.

min(…) and max(…) only bend, but they may be flat on both sides of something narrow, such as max(0, 1 - abs(q - 5)/0.01): they
are held as well, and where the motion comes back to a bend again and again it is simply no longer located. Peaks such as
exp(-((q - 5)/0.01)^2) are flat on both sides, too: steps end where they begin to count, and on their flanks (narrow_peaks.py).

Memory of a switch, SIZE numbers: the difference, or what is watched of a whole number; whether a side is held (0: it is zero
and stays there, -1: never again), which one, the bare difference, whether it is a whole number, the width of the band, and the
least and the greatest value of what is watched in this step. In front of all switches stands OUTSIDE, or in the memory of a run
HOLDS or SETTLE.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from typing import Any

from sharnir.dynamics.memory.narrow_peaks import (
    CLOSE,
    FAR_FOOT,
    FLANK,
    FOOT,
    HIGH,
    NEAR_FOOT,
    WIDE,
    is_line,
    most_peaks,
    peaked_nodes,
)
from sharnir.kernel import inline
from sharnir.model import Model
from sharnir.model.formula import Expression
from sharnir.model.formula.expression import call_source, literal
from sharnir.model.formula.shared_parts import text_with_parts
from sharnir.model.formula.switches import smoothed_nodes
from sharnir.model.given_functions import Table
from sharnir.model.grid_table import GridTable
from sharnir.model.signals import Signal
from sharnir.symbolic.functions import ROWS
from sharnir.symbolic.nodes import Call, Name, Node, Number

SIZE = 8
WATCHED, HELD, SIDE, BARE, WHOLE, WIDTH, LEAST, MOST = 0, 1, 2, 3, 4, 5, 6, 7
OUTSIDE, HOLDS, SETTLE = 0.0, 1.0, 2.0  # the number in front: nothing is held; sides are; they have to be looked at first
FIRST = 1  # place of the first switch
PLACES = 4  # of the argument of a peak; other peaks have two
LONGEST = 2000  # characters of a choice that may be written out three times
MAY_KINK = re.compile(r"[<>]|\b(?:sign|step|floor|abs|min|max)\s*\(")
CALLS = re.compile(r"[A-Za-z_]\w*\s*\(")
MAY_SWITCH = re.compile(r"[<>]|\b(?:sign|step|floor)\s*\(")
MAY_BEND = re.compile(r"\b(?:min|max)\s*\(")


@inline
def part_above(s, k, g):
    """1 if g > 0, else 0; or what is held of it. k: where the memory of the switch stands."""
    s[k] = g
    s[k + 3] = g
    if s[k + 1] == 0.0:
        return 1.0 if g > 0.0 else 0.0
    if s[k + 1] > 0.0:
        return 1.0 if s[k + 2] > 0.0 else 0.0
    return 0.5 + 0.5 * math.tanh(g / s[k + 5])


@inline
def part_not_below(s, k, g):
    """1 if g ≥ 0, else 0; or what is held of it."""
    s[k] = g
    s[k + 3] = g
    if s[k + 1] == 0.0:
        return 1.0 if g >= 0.0 else 0.0
    if s[k + 1] > 0.0:
        return 1.0 if s[k + 2] > 0.0 else 0.0
    return 0.5 + 0.5 * math.tanh(g / s[k + 5])


@inline
def held_sign(s, k, g):
    """The sign of g, or the one that is held."""
    s[k] = g
    s[k + 3] = g
    if s[k + 1] == 0.0:
        return 0.0 if g == 0.0 else math.copysign(1.0, g)
    if s[k + 1] > 0.0:
        return s[k + 2]
    return math.tanh(g / s[k + 5])


@inline
def held_floor(s, k, g):
    """The whole number below g, or the one that is held; what is watched falls through zero where g leaves the two around it.

    The upper one is not its own: a g that jumps there from the lower one has left.
    """
    below = s[k + 2] if s[k + 1] > 0.0 else float(math.floor(g))
    s[k] = (g - below) * (below + 1.0 - g) if g != below + 1.0 else -1e-9
    s[k + 3] = g
    return below


@inline
def held_greater(s, k, a, b):
    """The greater of two numbers, or the one of them that is held."""
    g = a - b
    s[k] = g
    s[k + 3] = g
    above = s[k + 2] > 0.0 if s[k + 1] > 0.0 else g > 0.0
    return a if above else b


@inline
def held_less(s, k, a, b):
    """The lesser of two numbers, or the one of them that is held."""
    g = b - a
    s[k] = g
    s[k + 3] = g
    above = s[k + 2] > 0.0 if s[k + 1] > 0.0 else g > 0.0
    return a if above else b


@inline
def watched_exponent(s, k, x):
    """x itself; steps end where exp(x) rises above rounding, and where it is large."""
    s[k] = x + FOOT
    s[k + 3] = x + FOOT
    s[k + 8] = x + FLANK
    s[k + 11] = x + FLANK
    return x


@inline
def watched_argument(s, k, x):
    """x itself; steps end where cosh(x)^-2 rises above rounding, and on its flanks, on both sides of zero."""
    s[k] = x + WIDE
    s[k + 3] = x + WIDE
    s[k + 8] = x - WIDE
    s[k + 11] = x - WIDE
    s[k + 16] = x + CLOSE
    s[k + 19] = x + CLOSE
    s[k + 24] = x - CLOSE
    s[k + 27] = x - CLOSE
    return x


@inline
def watched_sum(s, k, c, x):
    """c + x; steps end where 1/(c + x) rises above 1e-4 and a tenth of 1/c."""
    share = x / c if c > 0.0 else 0.0
    s[k] = FAR_FOOT - share
    s[k + 3] = FAR_FOOT - share
    s[k + 8] = NEAR_FOOT - share
    s[k + 11] = NEAR_FOOT - share
    return c + x


@inline
def watched_base(s, k, x, p):
    """x itself; steps end where a high power |x|^p rises above rounding, and where it is large."""
    y = x * x
    s[k] = y - math.exp(-2.0 * FOOT / p) if p >= HIGH else 1.0
    s[k + 3] = s[k]
    s[k + 8] = y - math.exp(-2.0 * FLANK / p) if p >= HIGH else 1.0
    s[k + 11] = s[k + 8]
    return x


FUNCTIONS = {
    "part_above": part_above,
    "part_not_below": part_not_below,
    "held_sign": held_sign,
    "held_floor": held_floor,
    "held_greater": held_greater,
    "held_less": held_less,
    "watched_exponent": watched_exponent,
    "watched_argument": watched_argument,
    "watched_sum": watched_sum,
    "watched_base": watched_base,
}


@dataclass
class HeldSides:
    """Switches of a model's formulas: memory for `capacity` of them stands right behind that of signals, which ends at `base`."""

    capacity: int = 0
    base: int = 0
    labels: list[str] = field(default_factory=list)  # of the elements that they belong to
    whole: list[bool] = field(default_factory=list)  # which of them are floors
    bends: list[bool] = field(default_factory=list)  # at which of them nothing jumps

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """Numbers of memory."""
        return FIRST + SIZE * self.capacity if self.capacity else 0

    def source(
        self, expression: Expression, texts: Mapping[str, str], label: str, tables: Mapping[str, int] | None = None
    ) -> str:
        """Python text of a formula whose switches of the state keep their sides; `texts` are codes of names.

        tables : those that the formula calls and whose pieces are held, with the number of their arguments.

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


NUMBERS = frozenset({float, int})  # have no switches


def most_switches(model: Model) -> int:
    """An upper bound of the switches in the formulas of forces, joints and signals; most models have none."""
    most = partial(most_of, parameters=tuple(model.parameters))
    found = sum(most(getattr(joint, "torque", ()), 1) for joint in model.joints.values())
    for force in model.forces.values():
        timed = [name for name, variables in force.formula_fields.items() if variables[0] == "t"]
        found += sum(most(part, int(name not in timed)) for name, part in _parts(force).items())
        found += sum(most(signal, 1) for signal in force.signals().values())
    for constraint in model.constraints.values():
        # max(a, b, …) has as many kinks as other arguments
        found += 8 * most(_parts(constraint), 1, MAY_KINK)
    for event in model.events.values():
        texts = [text for _, text in event.formulas()]
        found += most(texts, 1) + most(event.tables, sum(len(CALLS.findall(text)) for text in texts))
    for signal in model.signals.values():
        calls = len(CALLS.findall(signal.formula)) if isinstance(signal, Signal) and signal.tables else 1
        found += most(_parts(signal), calls)
    return found


def _parts(element: Any) -> dict[str, Any]:
    """What an element holds, by the names of its fields; one of the user's own need not be a dataclass."""
    return {f.name: getattr(element, f.name) for f in fields(element)} if is_dataclass(element) else dict(vars(element))


def most_of(entry: Any, tables: int, pattern: re.Pattern[str] = MAY_SWITCH, parameters: Collection[str] = ()) -> int:
    """An upper bound of the switches in what an element holds; `tables` : how often a table may be called."""
    if type(entry) is tuple and NUMBERS.issuperset(map(type, entry)):
        return 0
    if isinstance(entry, str):
        return len(pattern.findall(entry)) + _most_bends(entry, parameters)
    if isinstance(entry, (Table, GridTable)):
        return 0 if entry.smooth else tables * (len(entry.axes) if isinstance(entry, GridTable) else 1)
    if isinstance(entry, Mapping):
        return sum(most_of(part, tables, pattern, parameters) for part in entry.values())
    if isinstance(entry, (tuple, list)):
        return sum(most_of(part, tables, pattern, parameters) for part in entry)
    if is_dataclass(entry) and not isinstance(entry, type):
        return most_of(_parts(entry), tables, pattern, parameters)
    return 0


def _most_bends(text: str, parameters: Collection[str] = ()) -> int:
    """An upper bound: min and max of several numbers have a bend for every comma, a peak has up to four places."""
    return (text.count(",") if MAY_BEND.search(text) else 0) + PLACES * most_peaks(text, parameters)
