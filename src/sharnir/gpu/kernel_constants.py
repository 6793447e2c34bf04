"""What does not change during a run: numbers, and what follows from its parameters, computed before the first step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sharnir.gpu.cuda_text import CudaText, literal
from sharnir.gpu.kernel_model import KernelModel
from sharnir.symbolic.evaluation import evaluated
from sharnir.symbolic.expression_graph import names_of, substituted
from sharnir.symbolic.nodes import Name, Node, Number


class KernelConstants:
    """Constants of a kernel: literals, or entries of an array c that every run has for itself."""

    def __init__(self, model: KernelModel) -> None:
        self.varied, self._order = set(model.varied), model.varied
        self.numbers = {name: value for name, value in model.letters.values.items() if name not in self.varied}
        self._known: dict[Node, Node] = {Name(name): Number(value) for name, value in self.numbers.items()}
        self.own: dict[Node, int] = {}
        self._tables = model.solution.mechanism.entries.tables
        first = {id(table): name for name, (table, _) in reversed(self._tables.items())}
        self._arrays = {name: f"T{k}" for k, name in enumerate(first.values())}
        self.tables: dict[str, Callable[[str], str]] = {
            name: partial(_table_call, self._arrays[first[id(table)]], table, order)
            for name, (table, order) in self._tables.items()
        }

    def table_text(self) -> str:
        """Tables in constant memory."""
        found = ""
        for name, own in self._arrays.items():
            table = self._tables[name][0]
            for letter, values in (("x", table.x), ("c", table.coefficients().ravel())):
                found += f"CONSTANT real {own}{letter}[] = {{{', '.join(literal(x) for x in values)}}};\n"
        return found

    def value(self, node: Node) -> float | None:
        """The number of an expression; None: it differs between runs."""
        return None if names_of(node) & self.varied else evaluated([node], self.numbers)[0]

    def place(self, node: Node) -> int:
        """Where a number of each run stands in c."""
        return self.own.setdefault(substituted([node], self._known)[0], len(self.own))

    def text(self, node: Node) -> str:
        """How a statement calls it."""
        value = self.value(node)
        return f"c[{self.place(node)}]" if value is None else literal(value)

    def statements(self) -> list[str]:
        """c from the parameters p, in their order."""
        code = CudaText({Name(name): f"p[{k}]" for k, name in enumerate(self._order)})
        texts = code.texts(self.own)
        return [*code.lines, *(f"c[{k}] = {text};" for k, text in enumerate(texts))]


OUTSIDE = ("constant", "extend", "error", "repeat")


def _table_call(own: str, table: Any, order: int, at: str) -> str:
    return f"table_value({len(table.x)}, {own}x, {own}c, {OUTSIDE.index(table.outside)}, {order}, {at})"
