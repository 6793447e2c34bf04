"""Derivatives of the right-hand side and of the constraints along given directions, as text of LLVM functions.

A direction is a change of the state and of the model's numbers. LANES of them stand side by side: row i of a matrix holds the
changes of entry i, `stride` bytes from one row to the next.
"""

from __future__ import annotations

from collections.abc import Sequence

from sharnir.dynamics.straight_line.function_writer import Writer
from sharnir.dynamics.straight_line.graph_code import Lines
from sharnir.dynamics.straight_line.lane_code import LANES, LaneCode
from sharnir.dynamics.straight_line.module_text import (
    ARGUMENTS,
    CHANGES,
    DERIVATIVE,
    GROUPS,
    PROJECTION,
    divided,
    handed_over,
)
from sharnir.equations.model_numbers import number_symbol
from sharnir.symbolic.differentiation import rates
from sharnir.symbolic.expression_graph import substituted
from sharnir.symbolic.nodes import ZERO, Name, Node, negative, plus

ROWS = "double %t, i64 %y, i64 %dy, i64 %dn, i64 %stride, i64 %to"


class DirectionWriter:
    """Functions of (t, y, changes of the state, changes of numbers, stride, where to)."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.solution, self.state = writer, writer.solution, writer.state
        m = self.solution.mechanism
        self.changes: dict[Node, Node] = {x: Name(f"d {x.name}") for x in self.state.places}
        self.changes |= {number_symbol(k): Name(f"d number {k}") for k in writer.numbers}
        for name, course in m.given.items():
            for dots, change in zip(("", "'", "''"), rates(course, self.changes, m.entries.slopes), strict=True):
                self.changes[Name(name + dots)] = change

    def along(self, roots: Sequence[Node]) -> list[Node]:
        """How expressions change."""
        return rates(roots, self.changes, self.solution.mechanism.entries.slopes)

    def start(self) -> LaneCode:
        """Code that knows the state and the directions."""
        plain = self.writer.start()
        code = LaneCode(plain.known, plain._functions)
        code.lines, code._count = plain.lines, plain._count
        for symbol, k in self.state.places.items():
            code.known[Name(f"d {symbol.name}")] = code.lane_value(load(code, "%dy", k))
        for k, number in enumerate(self.writer.numbers):
            code.known[Name(f"d number {number}")] = code.lane_value(load(code, "%dn", k))
        return code

    def function(self, name: str, roots: Sequence[Node], first: int = 0) -> str:
        """A function that writes how expressions change into rows, the first of them being row `first`."""
        code = self.start()
        for k, value in enumerate(code.values(roots), first):
            store(code, "%to", k, code.spread(value))
        body = "\n".join([*divided(code.lines), "ret void"])
        return f"define void @{name}({ROWS}) noinline {{\n{body}\n}}"

    def rates(self) -> str:
        """How ẏ changes."""
        return self.function("rate_changes", self.along(self.state.rates))

    def constraints(self) -> str:
        """How residuals of positions and of speeds change, in this order."""
        rows = self.solution.constraints
        nodes = [*(row.value or ZERO for row in rows), *(row.rate for row in rows)]
        return self.function("constraint_changes", self.along(nodes))

    def corrections(self) -> list[str]:
        """Changes of positions, then of speeds, onto those that the constraints allow: the least in the metric of the masses."""
        s, q, v = self.solution, self.state.coordinates, self.state.speeds
        found = []
        for name, residuals, entries, first in (
            ("position_corrections", [row.value or ZERO for row in s.constraints], [rate for _, rate in q], 0),
            ("speed_corrections", [row.rate for row in s.constraints], [x for x, _ in v], len(q)),
        ):
            change = s.correction([negative(x) for x in self.along(residuals)])
            along: dict[Node, Node] = dict(zip(s.mechanism.speeds, change, strict=True))
            still: dict[Node, Node] = dict.fromkeys(s.mechanism.speeds, ZERO)
            moved = [plus(a, negative(b)) for a, b in zip(substituted(entries, along), substituted(entries, still), strict=True)]
            changed = [plus(self.change_of(x), y) for (x, _), y in zip(q if first == 0 else v, moved, strict=True)]
            found.append(self.function(name, changed, first))
        follow = self.along(self.state.values)
        found.append(self.function("tracked_changes", follow, len(q) + len(v)))
        return found

    def change_of(self, entry: Node) -> Node:
        """The change of an entry of the state, which may be a multiple of another one."""
        return self.changes[entry] if entry in self.changes else self.along([entry])[0]

    def augmented(self) -> list[str]:
        """The right-hand side of a state with directions behind it, and its projection."""
        n = len(self.state.rates)
        found = [each_group("augmented", n, DERIVATIVE, [("rate_changes", "%out")])]
        if self.solution.constraints:
            names = ("position_corrections", "speed_corrections", "tracked_changes")
            found.append(each_group("augmented_projection", n, PROJECTION, [(name, "%y") for name in names]))
        return found


def load(lines: Lines, base: str, k: int) -> str:
    """An instruction that reads a row of lanes."""
    return f"load <{LANES} x double>, <{LANES} x double>* {row(lines, base, k)}, align 8"


def store(lines: Lines, base: str, k: int, value: str) -> None:
    """Write a row of lanes."""
    lines.lines.append(f"store <{LANES} x double> {value}, <{LANES} x double>* {row(lines, base, k)}, align 8")


def row(lines: Lines, base: str, k: int) -> str:
    """The address of a row of lanes."""
    at = lines.new(f"add i64 {base}, {lines.new(f'mul i64 %stride, {k}')}") if k else base
    return lines.new(f"inttoptr i64 {at} to <{LANES} x double>*")


def each_group(name: str, n: int, slot: int, functions: Sequence[tuple[str, str]]) -> str:
    """First the function in a slot, then functions of directions for every group of lanes, which stand behind the state."""
    size = 8 * LANES
    calls = []
    for k, (function, target) in enumerate(functions):
        calls.append(f"%to{k} = add i64 {target}, %behind")
        calls.append(f"call void @{function}(double %t, i64 %y, i64 %dy, i64 %dn, i64 %stride, i64 %to{k})")
    first, inner = "\n  ".join(handed_over(slot, "f")), "\n  ".join(calls)
    return f"""define void @{name}({ARGUMENTS}) {{
start:
  {first}
  %groups = call i64 @slot(i64 {GROUPS})
  %numbers = call i64 @slot(i64 {CHANGES})
  %stride = mul i64 %groups, {size}
  br label %loop
loop:
  %g = phi i64 [0, %start], [%next, %loop]
  %at = mul i64 %g, {size}
  %behind = add i64 %at, {8 * n}
  %dy = add i64 %y, %behind
  %dn = add i64 %numbers, %at
  {inner}
  %next = add i64 %g, 1
  %more = icmp slt i64 %next, %groups
  br i1 %more, label %loop, label %end
end:
  ret void
}}"""
