"""Which side of a switch in a formula holds: kept within a step of a run, so that the right-hand side is smooth in it.

A formula with a comparison of the state, such as `if(q > 1, …)`, leaves the difference g in memory whenever it is evaluated,
and takes the branch that a run holds at the time. The run watches g like the function of an event: where it crosses zero the
step ends, the other branch holds, and the run begins anew. Outside a run nothing is held, and formulas are what they say.

Where both branches lead back to the switch, as those of dry friction written by sign(v) do at rest, no side can hold: then
the formula passes from one branch to the other within a narrow band, and the run reports it.

Memory of a switch, SIZE numbers: the watched function, whether a side is held (-1: never again), which one, the bare
difference, whether it is a whole number, and the width of the band. In front of all switches stands OUTSIDE, or in the memory
of a run HOLDS or SETTLE.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sharnir.kernel import inline
from sharnir.model import Model
from sharnir.model.formula import Expression
from sharnir.model.formula.expression import call_source, literal, walk
from sharnir.model.formula.functions import ROWS
from sharnir.model.formula.nodes import Name, Node, Number

SIZE = 6
WATCHED, HELD, SIDE, BARE, WHOLE, WIDTH = 0, 1, 2, 3, 4, 5
OUTSIDE, HOLDS, SETTLE = 0.0, 1.0, 2.0  # the number in front: nothing is held; sides are; they have to be looked at first
FIRST = 1  # place of the first switch
LONGEST = 2000  # characters of a choice that may be written out three times
MAY_SWITCH = re.compile(r"[<>]|\b(?:sign|step|floor)\(")


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
    """The whole number below g, or the one that is held; what is watched crosses zero at whole numbers."""
    below = float(math.floor(g))
    s[k] = math.sin(math.pi * (g - below)) * (1.0 if below % 2.0 == 0.0 else -1.0)
    s[k + 3] = g
    if s[k + 1] > 0.0:
        return s[k + 2]
    return below


FUNCTIONS = {
    "part_above": part_above,
    "part_not_below": part_not_below,
    "held_sign": held_sign,
    "held_floor": held_floor,
}


@dataclass
class HeldSides:
    """Switches of a model's formulas: memory for `capacity` of them stands right behind that of signals, which ends at `base`."""

    capacity: int = 0
    base: int = 0
    labels: list[str] = field(default_factory=list)  # of the elements that they belong to
    whole: list[bool] = field(default_factory=list)  # which of them are floors

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.labels)

    @property
    def size(self) -> int:
        """Numbers of memory."""
        return FIRST + SIZE * self.capacity if self.capacity else 0

    def source(self, expression: Expression, texts: Mapping[str, str], label: str) -> str:
        """Python text of a formula whose switches of the state keep their sides; `texts` are codes of names.

        >>> from sharnir.model.formula import parse
        >>> sides = HeldSides(2)
        >>> sides.source(parse("t*sign(q - 1)", ("q", "t")), {}, "force")
        '(t * held_sign(s, 1, (q + (-1.0))))'
        """
        known = {name: literal(value) for name, value in expression.parameters.items()} | dict(texts)
        varies = set(expression.names) - set(expression.parameters) - {"t"}

        def visit(node: Node, parts: list[tuple[str, bool]]) -> tuple[str, bool]:
            if isinstance(node, Number):
                return literal(node.value), False
            if isinstance(node, Name):
                return known.get(node.name, node.name), node.name in varies
            codes, moves = [code for code, _ in parts], any(moving for _, moving in parts)
            if node.function not in ROWS:  # a table
                return f"{known[node.function]}({', '.join(codes)})", moves
            if node.function == "if" and codes[0].startswith("part_"):
                return _chosen(*codes), True
            if moves and self.count < self.capacity and node.function in SWITCHED:
                return SWITCHED[node.function](self._place(label, node.function == "floor"), *codes), True
            return call_source(node, codes), moves

        return walk(expression.node, visit)[0]

    def _place(self, label: str, whole: bool) -> int:
        """Where the memory of one more switch stands, from that of signals on."""
        self.labels.append(label)
        self.whole.append(whole)
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


SWITCHED: dict[str, Any] = {
    ">": _compared("part_above", False),
    "<": _compared("part_above", True),
    ">=": _compared("part_not_below", False),
    "<=": _compared("part_not_below", True),
    "step": lambda k, a: f"part_not_below(s, {k}, {a})",
    "sign": lambda k, a: f"held_sign(s, {k}, {a})",
    "floor": lambda k, a: f"held_floor(s, {k}, {a})",
}


def most_switches(model: Model) -> int:
    """An upper bound of the switches in the formulas of forces, joints and signals; most models have none."""
    elements: list[Any] = [*model.forces.values(), *model.signals.values()]
    texts = [repr(element) for element in elements]
    texts += [repr(joint.torque) for joint in model.joints.values()]
    return sum(len(MAY_SWITCH.findall(text)) for text in texts)
