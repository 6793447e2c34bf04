"""Nodes of a formula's tree, and the light simplifications that keep derivatives short."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from sharnir.errors import FormulaError

LARGEST = 20_000  # nodes of a tree, shared parts counted each time; beyond that a derivative has exploded


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: float
    size: int = field(default=1, init=False, repr=False, compare=False)


@dataclass(frozen=True)
class Name:
    """A variable or a parameter."""

    name: str
    size: int = field(default=1, init=False, repr=False, compare=False)


@dataclass(frozen=True)
class Call:
    """A function or operator (a key of FUNCTIONS) applied to arguments."""

    function: str
    arguments: tuple[Node, ...]
    size: int = field(default=1, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        size = 1 + sum(argument.size for argument in self.arguments)
        if size > LARGEST:
            raise FormulaError(f"the formula or its derivative is too long (over {LARGEST} operations); split or simplify it")
        object.__setattr__(self, "size", size)


Node: TypeAlias = Number | Name | Call
ZERO, ONE = Number(0.0), Number(1.0)


def total(*terms: Node) -> Node:
    """Sum without zero terms."""
    kept: list[Node] = []
    constant = 0.0
    for term in terms:
        parts = term.arguments if isinstance(term, Call) and term.function == "+" else (term,)
        for part in parts:
            if isinstance(part, Number):
                constant += part.value
            else:
                kept.append(part)
    if constant or not kept:
        kept.append(Number(constant))
    return kept[0] if len(kept) == 1 else Call("+", tuple(kept))


def product(*factors: Node) -> Node:
    """Product without unit factors; zero if a factor is zero."""
    kept: list[Node] = []
    constant = 1.0
    for factor in factors:
        parts = factor.arguments if isinstance(factor, Call) and factor.function == "*" else (factor,)
        for part in parts:
            while isinstance(part, Call) and part.function == "neg":
                constant, part = -constant, part.arguments[0]
            if isinstance(part, Number):
                constant *= part.value
            else:
                kept.append(part)
    if constant == 0.0 or not kept:
        return Number(constant + 0.0)
    if constant == -1.0:
        return negative(product(*kept))
    if constant != 1.0:
        kept.insert(0, Number(constant))
    return kept[0] if len(kept) == 1 else Call("*", tuple(kept))


def negative(node: Node) -> Node:
    """-node; double signs cancel."""
    if isinstance(node, Number):
        return Number(0.0 - node.value)
    if isinstance(node, Call) and node.function == "neg":
        return node.arguments[0]
    return Call("neg", (node,))


def quotient(above: Node, below: Node) -> Node:
    """above / below."""
    if above == ZERO or below == ONE:
        return above
    if isinstance(above, Call) and above.function == "neg":
        return negative(quotient(above.arguments[0], below))
    return Call("/", (above, below))


def power(base: Node, exponent: Node) -> Node:
    """base to the exponent."""
    if exponent == ONE:
        return base
    return ONE if exponent == ZERO else Call("^", (base, exponent))


def choice(condition: Node, yes: Node, no: Node) -> Node:
    """if(condition, yes, no)."""
    same = yes is no or (isinstance(yes, Number) and yes == no)
    return yes if same else Call("if", (condition, yes, no))
