"""Code of derivatives along several directions at once: values of the state are numbers, derivatives are lanes of a register.

Forward mode: every node has one derivative for all directions, made by `symbolic.differentiation.rates`; it is a sum of products
of numbers and derivatives of other nodes. So the code is two to three times as long as that of the values, whatever the number
of directions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sharnir.dynamics.straight_line.graph_code import FAST, GraphCode, Lines
from sharnir.symbolic.nodes import Call, Node

LANES = 8  # directions side by side, on every processor: registers that are shorter are taken twice


class LaneCode(GraphCode):
    """Straight-line code in which some known nodes are lanes, and so is what is made of them.

    >>> from sharnir.symbolic.nodes import Name
    >>> code = LaneCode({Name("x"): "%x", Name("dx"): "%dx"}, lanes={Name("dx")})
    >>> code.wide(code.values([Name("x") * Name("dx")])[0])
    True
    """

    def __init__(
        self,
        known: Mapping[Node, str],
        functions: Mapping[str, Callable[[Lines, list[str]], str]] | None = None,
        lanes: set[Node] | None = None,
    ) -> None:
        super().__init__(known, functions)
        self._wide = {self.known[node] for node in lanes or ()}
        self._spread: dict[str, str] = {}

    def wide(self, value: str) -> bool:
        """Whether a value is lanes."""
        return value in self._wide

    def lane_value(self, instruction: str) -> str:
        """An instruction whose value is lanes."""
        found = self.new(instruction)
        self._wide.add(found)
        return found

    def spread(self, value: str) -> str:
        """A number in all lanes."""
        if value in self._wide:
            return value
        if not value.startswith("%"):
            return "<" + ", ".join([f"double {value}"] * LANES) + ">"
        if value not in self._spread:
            one = self.new(f"insertelement <{LANES} x double> undef, double {value}, i32 0")
            self._spread[value] = self.new(
                f"shufflevector <{LANES} x double> {one}, <{LANES} x double> undef, <{LANES} x i32> zeroinitializer"
            )
        return self._spread[value]

    def _written(self, node: Node) -> str:
        assert isinstance(node, Call), f"{node} has no value"
        if not any(self.known[x] in self._wide for x in node.arguments):
            return super()._written(node)
        a = [self.known[x] for x in node.arguments]
        if node.function == "+":
            return self._lane_sum(node)
        if node.function == "*":
            return self._lane_product(a)
        if node.function == "neg":
            return self.lane_value(f"fneg <{LANES} x double> {a[0]}")
        if node.function == "/":
            return self.on_lanes("fdiv", *a)
        assert node.function == "if", f"{node.function} of a derivative"
        both = f"<{LANES} x double> {self.spread(a[1])}, <{LANES} x double> {self.spread(a[2])}"
        return self.lane_value(f"select i1 {self._truth(node.arguments[0])}, {both}")

    def on_lanes(self, operation: str, a: str, b: str) -> str:
        """An operation lane by lane."""
        return self.lane_value(f"{operation} {FAST} <{LANES} x double> {self.spread(a)}, {self.spread(b)}")

    def _lane_product(self, a: list[str]) -> str:
        """Numbers first, since they cost a lane less each."""
        numbers, lanes = [x for x in a if x not in self._wide], [x for x in a if x in self._wide]
        found = self._chain("fmul", numbers) if numbers else lanes.pop(0)
        for x in lanes:
            found = self.on_lanes("fmul", found, x)
        return found

    def _lane_sum(self, node: Call) -> str:
        """Terms with a minus are taken off."""
        found = ""
        for x in node.arguments:
            minus = isinstance(x, Call) and x.function == "neg"
            term = self.known[x.arguments[0]] if minus else self.known[x]
            if not found:
                found = self.lane_value(f"fneg <{LANES} x double> {self.spread(term)}") if minus else term
            else:
                found = self.on_lanes("fsub" if minus else "fadd", found, term)
        return found
