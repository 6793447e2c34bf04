"""What users give as a number, a formula, a Table or a function, as expressions; Tables and functions become opaque calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sharnir.equations.letters import Letters
from sharnir.model import GridTable, Model, Table
from sharnir.model.formula import parse
from sharnir.model.signals.delay import PastValue
from sharnir.symbolic.expression_graph import substituted
from sharnir.symbolic.nodes import Call, Name, Node, Number
from sharnir.symbolic.printing import plain_name

TIME = Name("t")


@dataclass(frozen=True)
class UsersFunction:
    """A user's function of `count` numbers; `order`: a function of time differentiated so often, by differences.

    name : of the element.   in_signal : the program of signals calls it.
    """

    function: Any
    count: int
    name: str
    order: int = 0
    in_signal: bool = False


def before_the_start(tape: float, t: float, before: float) -> float:
    """What a delay remembers where nothing has been recorded yet.

    >>> before_the_start(0.0, 0.1, 2.0)
    2.0
    """
    return before


@dataclass
class Entries:
    """Turns entries of elements into expressions; `functions` are the opaque ones, `slopes` the names of their derivatives.

    `signals`: names of inputs and signals that occur, which are symbols. `changing`: symbols of parameters that events change, in
    code. What functions are: `tables`, a Table or its derivative; `grids`, a GridTable or its derivative along an axis; `users`.
    """

    model: Model
    letters: Letters
    functions: dict[str, Callable[..., float]] = field(default_factory=dict)
    slopes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    signals: dict[str, str] = field(default_factory=dict)
    tables: dict[str, tuple[Table, int]] = field(default_factory=dict)
    grids: dict[str, tuple[GridTable, int | None]] = field(default_factory=dict)
    users: dict[str, UsersFunction] = field(default_factory=dict)
    changing: dict[str, Node] = field(default_factory=dict)
    _named: dict[str, tuple[Any, int]] = field(default_factory=dict)

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
        names = self.function_names(name, table)
        for order, own in enumerate(names):
            self.functions[own] = lambda x, order=order: float(table.evaluate(x, order))
            self.tables[own] = table, order
        self.slopes[names[0]], self.slopes[names[1]] = (names[1],), (names[2],)
        return names

    def opaque(self, function: Callable[..., float], arguments: Sequence[Node], name: str) -> Node:
        """A user's function under a name."""
        own = self.function_names(name, function, len(arguments))[0]
        self.functions[own] = getattr(function, "py_func", function)
        self.users[own] = UsersFunction(function, len(arguments), name)
        return Call(own, tuple(arguments))

    def in_signal(self, function: Any, arguments: Sequence[Node], name: str) -> Node:
        """A table or a user's function that a signal calls."""
        if isinstance(function, Table):
            return self.table(function, arguments[0], name)
        if isinstance(function, GridTable):
            return self.grid(function, arguments, name)
        if isinstance(function, PastValue):
            own = self.function_names(name, function, len(arguments))[0]
            self.functions[own] = before_the_start
            self.users[own] = UsersFunction(function, len(arguments), name, in_signal=True)
            return Call(own, tuple(arguments))
        node = self.opaque(function, arguments, name)
        assert isinstance(node, Call)
        self.users[node.function] = UsersFunction(function, len(arguments), name, in_signal=True)
        return node

    def grid(self, table: GridTable, arguments: Sequence[Node], name: str) -> Node:
        """A GridTable as a named function, with its first derivatives."""
        count = len(table.axes)
        own = self.function_names(name, table, count)[0]
        names = [f"f1{axis}_{own.partition('_')[2]}" for axis in "abcde"[:count]]
        for along, each in ((None, own), *enumerate(names)):
            self.functions[each] = partial(table.evaluate, along=along)
            self.grids[each] = table, along
        self.slopes[own] = tuple(names)
        return Call(own, tuple(arguments))

    def function_names(self, name: str, function: Any, count: int = 1) -> list[str]:
        """f_<name>, and for its derivatives f1_<name>, f2_<name>; another number where other functions have that name."""
        plain = first = plain_name(name)
        again = 1
        while True:
            known, arguments = self._named.setdefault(plain, (function, count))
            if known is function and arguments == count:
                return [f"f{order or ''}_{plain}" for order in range(3)]
            again += 1
            plain = f"{first}_{again}"
