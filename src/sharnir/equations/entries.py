"""What users give as a number, a formula, a Table or a function, as expressions; Tables and functions become opaque calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sharnir.equations.letters import Letters
from sharnir.model import Model, Table
from sharnir.model.formula import parse
from sharnir.symbolic.expression_graph import substituted
from sharnir.symbolic.nodes import Call, Name, Node, Number
from sharnir.symbolic.printing import plain_name

TIME = Name("t")


@dataclass
class Entries:
    """Turns entries of elements into expressions; `functions` are the opaque ones, `slopes` the names of their derivatives.

    `signals`: names of inputs and signals that occur, which are symbols. `tables`: functions that are a Table or its derivative.
    `changing`: symbols of parameters that events change, in code.
    """

    model: Model
    letters: Letters
    functions: dict[str, Callable[..., float]] = field(default_factory=dict)
    slopes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    signals: dict[str, str] = field(default_factory=dict)
    tables: dict[str, tuple[Table, int]] = field(default_factory=dict)
    changing: dict[str, Node] = field(default_factory=dict)

    def entry(self, value: Any, variables: Mapping[str, Node], name: str, letter: str = "") -> Node:
        """An entry at given nodes of its variables; a number gets `letter` if there is one."""
        if value is None:
            return Number(0)
        if isinstance(value, (int, float)):
            return self.letters.number(float(value), letter, name) if letter else Number(value)
        if isinstance(value, str):
            return self.formula(value, variables)
        if isinstance(value, Table):
            return self.table(value, next(iter(variables.values())), name)
        return self.opaque(value, tuple(variables.values()), name)

    def formula(self, text: str, variables: Mapping[str, Node], dotted: bool = False) -> Node:
        """A formula with its variables, parameters and signals put in."""
        return self.node(parse(text, tuple(variables), None, dotted=dotted).node, variables)

    def node(self, node: Node, variables: Mapping[str, Node]) -> Node:
        """A formula that has been read, with its variables, parameters and signals put in."""
        return substituted([node], {Name(name): x for name, x in {**self.known(), **variables}.items()})[0]

    def known(self) -> dict[str, Node]:
        """Parameters and signals of the model; parameters keep their names among letters."""
        found: dict[str, Node] = {"t": TIME}
        for name in self.model.parameters:
            found[name] = self.parameter(name)
        for name in self.model.signals:
            symbol = plain_name(name)
            symbol = f"u_{symbol}" if symbol in self.letters.taken else symbol
            self.signals[symbol] = name
            found[name] = Name(symbol)
        return found

    def parameter(self, name: str) -> Node:
        """A parameter: its letter, or a symbol where events change it."""
        if name in self.changing:
            return self.changing[name]
        return self.letters.parameter(name, float(self.model.parameters[name]))

    def table(self, table: Table, at: Node, name: str) -> Node:
        """A Table as a named function; a cubic one has two derivatives."""
        return Call(self.table_names(table, name)[0], (at,))

    def table_names(self, table: Table, name: str) -> list[str]:
        """What a Table and its two derivatives are called."""
        names = [self.function_name(name, order) for order in range(3)]
        for order, own in enumerate(names):
            self.functions[own] = lambda x, order=order: float(table.evaluate(x, order))
            self.tables[own] = table, order
        self.slopes[names[0]], self.slopes[names[1]] = (names[1],), (names[2],)
        return names

    def opaque(self, function: Callable[..., float], arguments: Sequence[Node], name: str) -> Node:
        """A user's function under a name."""
        own = self.function_name(name, 0)
        self.functions[own] = getattr(function, "py_func", function)
        return Call(own, tuple(arguments))

    def function_name(self, name: str, order: int) -> str:
        """f_<name>, and for its derivatives f1_<name>, f2_<name>."""
        return f"f{order or ''}_{plain_name(name)}"
