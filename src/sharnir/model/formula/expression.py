"""A formula that has been read: its value, its derivative, its text as Python."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from sharnir.errors import FormulaError
from sharnir.model.formula.shared_parts import WRITTEN_OUT, operations, text_with_parts
from sharnir.symbolic.expression_graph import exponents, names_of, walk
from sharnir.symbolic.functions import COMPARISONS, ROWS
from sharnir.symbolic.nodes import ONE, ZERO, Call, Name, Node, Number, choice, product, total

LARGEST = 20_000  # operations of a formula, shared parts counted once; beyond that a derivative has exploded


@dataclass(frozen=True)
class Expression:
    """A formula over variables and parameters; made by `parse`.

    >>> from sharnir.model.formula import parse
    >>> x = parse("k*sin(2*t)", ("t",), {"k": 3.0})
    >>> x.derivative("t").source()
    '(2.0 * 3.0 * math.cos((2.0 * t)))'
    >>> round(x.evaluate(t=0.5), 6)
    2.524413
    """

    node: Node
    variables: tuple[str, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.node.size > LARGEST and operations(self.node) > LARGEST:
            raise FormulaError(f"the formula or its derivative is too long (over {LARGEST} operations); split or simplify it")

    @property
    def names(self) -> frozenset[str]:
        """Names of the variables and parameters that occur."""
        return _names(self.node)

    @cached_property
    def in_exponents(self) -> frozenset[str]:
        """Names in exponents: the compiler turns small powers into products, so parameters among them stay numbers in codes."""
        return _exponents(self.node)

    @cached_property
    def in_memory(self) -> tuple[str, ...]:
        """Parameters that codes read from memory, so that other values need no other code.

        >>> from sharnir.model.formula import parse
        >>> parse("k*q^n + m", ("q",), {"k": 2.0, "n": 3.0, "m": 4.0}).in_memory
        ('k', 'm')
        """
        found = self.names & self.parameters.keys() if self.parameters else frozenset()
        return tuple(sorted(found - self.in_exponents)) if found else ()

    @property
    def constant(self) -> bool:
        """True if no variable occurs."""
        return not self.names & set(self.variables)

    def evaluate(self, **values: Any) -> Any:
        """The value at given variables (numbers or arrays); parameters have their own values unless given.

        >>> from sharnir.model.formula import parse
        >>> parse("if(t < 1, t, 1)", ("t",)).evaluate(t=np.array([0.5, 2.0])).tolist()
        [0.5, 1.0]
        """
        known = {**self.parameters, **values}
        missing = self.names - set(known)
        if missing:
            raise FormulaError(f"{self}: no value given for {', '.join(sorted(missing))}")

        def value(node: Node, parts: list[Any]) -> Any:
            if isinstance(node, Number):
                return float(node.value)
            if isinstance(node, Name):
                return np.asarray(known[node.name], float)
            return ROWS[node.function].value(*parts)

        with np.errstate(all="ignore"):
            result = walk(self.node, value)
        return float(result) if np.ndim(result) == 0 else result

    def derivative(self, variable: str) -> Expression:
        """The partial derivative with respect to `variable`; where a formula has a kink, that of one side.

        >>> from sharnir.model.formula import parse
        >>> str(parse("q**3 + t", ("q", "t")).derivative("q"))
        '3.0*(q^2.0)'
        """

        def slope(node: Node, parts: list[Node]) -> Node:
            if not isinstance(node, Call):
                return ONE if isinstance(node, Name) and node.name == variable else ZERO
            if all(part == ZERO for part in parts):
                return ZERO
            if node.function == "if":  # a kept branch must not be multiplied by the other's NaN
                return choice(node.arguments[0], parts[1], parts[2])
            rates = ROWS[node.function].partials(*node.arguments)
            return total(*(product(a, b) for a, b in zip(rates, parts, strict=True) if b != ZERO))

        return Expression(walk(self.node, slope), self.variables, self.parameters)

    def renamed(self, names: Mapping[str, str], variables: tuple[str, ...] = ()) -> Expression:
        """The same formula with other names; `variables` are those of the new one (default: the old ones, renamed).

        >>> from sharnir.model.formula import parse
        >>> str(parse("2*q + t", ("q", "t")).renamed({"q": "angle"}))
        '(2.0*angle) + t'
        """

        def copy(node: Node, parts: list[Node]) -> Node:
            if isinstance(node, Name):
                return Name(names.get(node.name, node.name))
            return Call(node.function, tuple(parts)) if isinstance(node, Call) else node

        kept = variables or tuple(names.get(name, name) for name in self.variables)
        return Expression(walk(self.node, copy), kept, self.parameters)

    def source(self, rename: Mapping[str, str] | None = None) -> str:
        """A Python expression: + - * / **, comparisons, conditional expressions, min, max, float and `math.` functions.

        Parameters appear as their values; `rename` gives other text for any name, e.g. {"k": "p[0]"}.

        >>> from sharnir.model.formula import parse
        >>> parse("k*t - 1", ("t",), {"k": 2.0}).source({"k": "p[0]"})
        '((p[0] * t) + (-1.0))'
        """
        texts = {name: literal(value) for name, value in self.parameters.items()} | dict(rename or {})

        def text(node: Node, parts: list[str]) -> str:
            if isinstance(node, Number):
                return literal(float(node.value))
            if isinstance(node, Name):
                return texts.get(node.name, node.name)
            if node.function not in ROWS:  # a table
                return f"{texts[node.function]}({', '.join(parts)})"
            return call_source(node, parts)

        return text_with_parts(self.node, text)

    def __str__(self) -> str:
        """The formula as text that `parse` reads; of one that would be too long, how long it is."""
        if self.node.size > WRITTEN_OUT:
            return f"<formula of {operations(self.node)} operations>"

        def text(node: Node, parts: list[str]) -> str:
            if isinstance(node, Number):
                return plain(float(node.value))
            if isinstance(node, Name):
                return node.name
            sign = node.function
            if sign == "neg":
                return f"(-{parts[0]})"
            if sign in ROWS and not sign.isidentifier():
                joined = f" {sign} ".join(parts) if sign in ("+", *COMPARISONS) else sign.join(parts)
                return joined if node is self.node else f"({joined})"
            return f"{sign}({', '.join(parts)})"

        return walk(self.node, text)


@lru_cache(maxsize=4096)
def _names(node: Node) -> frozenset[str]:
    """Names in a formula; the same ones are asked for again and again."""
    return frozenset(names_of(node))


@lru_cache(maxsize=4096)
def _exponents(node: Node) -> frozenset[str]:
    return frozenset(exponents(node))


def plain(value: float) -> str:
    """A float as a formula has it; negative ones in brackets."""
    return repr(value) if value >= 0 else f"({value!r})"


def literal(value: float) -> str:
    """A float as Python text."""
    if not math.isfinite(value):
        return "math.nan" if math.isnan(value) else f"({'-' if value < 0 else ''}math.inf)"
    return plain(value)


def call_source(node: Call, parts: list[str]) -> str:
    """Python text of one call; integer powers as `**`, conditions without the detour over 1.0 and 0.0."""
    if node.function == "^" and isinstance(node.arguments[1], Number):
        exponent = float(node.arguments[1].value)
        if abs(exponent) <= 64 and exponent == int(exponent):
            return f"({parts[0]} ** {int(exponent)})"
    if node.function == "if":
        condition = node.arguments[0]
        if isinstance(condition, Call) and condition.function in COMPARISONS:
            inside = parts[0].removeprefix("(1.0 if ").removesuffix(" else 0.0)")
            return f"({parts[1]} if {inside} else {parts[2]})"
    return ROWS[node.function].source(*parts)
