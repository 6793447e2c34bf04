"""Nodes of the graph of expressions. Equal nodes are one object, so a part that occurs often is stored and computed once.

A node is a number, a name, or a call of a function or operator. Nodes compare by identity. Python's operators build them:
`2*l + m*g`. Numbers that are whole stay exact integers, quotients of integers exact fractions, all others are floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from threading import RLock
from typing import Any, TypeAlias
from weakref import ref

from sharnir.face import upward

EXACT = 2**53  # whole numbers up to here are exact as floats, too
WIDEST = 32  # operands up to which a sum within a sum, or a product within a product, is dissolved

Value: TypeAlias = int | Fraction | float
_TABLE: dict[Any, ref[Any]] = {}  # what a node is made of -> the node, as long as someone has it
_LOCK = RLock()  # two threads must not make the same node twice


def _forgetting(key: Any) -> Callable[[Any], None]:
    """What removes a node from the table when nobody has it any more."""

    def forget(dead: Any) -> None:
        with _LOCK:
            if _TABLE.get(key) is dead:
                del _TABLE[key]

    return forget


def _entered(key: Any, node: Any) -> Any:
    """A new node, or the one that another thread has made of the same."""
    with _LOCK:
        found = _TABLE.get(key)
        known = None if found is None else found()
        if known is not None:
            return known
        _TABLE[key] = ref(node, _forgetting(key))
        return node


class Operand:
    """What nodes have in common: Python's operators.

    `arguments` are the nodes it is made of, `size` counts its nodes as if none were shared.

    >>> l, m = Name("l"), Name("m")
    >>> (2*l + m) is (2*l + m)
    True
    """

    __slots__ = ("__weakref__", "arguments", "size")
    arguments: tuple[Node, ...]
    size: float
    __array_ufunc__ = None  # numbers of NumPy leave operators to nodes

    def __add__(self: Any, other: Any) -> Node:
        return total(self, node_of(other))

    def __radd__(self: Any, other: Any) -> Node:
        return total(node_of(other), self)

    def __sub__(self: Any, other: Any) -> Node:
        return total(self, negative(node_of(other)))

    def __rsub__(self: Any, other: Any) -> Node:
        return total(node_of(other), negative(self))

    def __mul__(self: Any, other: Any) -> Node:
        return product(self, node_of(other))

    def __rmul__(self: Any, other: Any) -> Node:
        return product(node_of(other), self)

    def __truediv__(self: Any, other: Any) -> Node:
        return quotient(self, node_of(other))

    def __rtruediv__(self: Any, other: Any) -> Node:
        return quotient(node_of(other), self)

    def __pow__(self: Any, other: Any) -> Node:
        return power(self, node_of(other))

    def __rpow__(self: Any, other: Any) -> Node:
        return power(node_of(other), self)

    def __neg__(self: Any) -> Node:
        return negative(self)

    def __pos__(self: Any) -> Node:
        return self

    def __abs__(self: Any) -> Node:
        return Call("abs", (self,))

    def __str__(self) -> str:
        return upward("sharnir.symbolic.printing", "text")(self)


class Number(Operand):
    """A constant.

    >>> Number(2.0) is Number(2), Number(0.5).value
    (True, 0.5)
    """

    __slots__ = ("value",)
    value: Value

    def __new__(cls, value: Value) -> Number:
        value = settled(value)
        key = (value, isinstance(value, float))
        found = _TABLE.get(key)
        node = None if found is None else found()
        if node is None:
            node = object.__new__(cls)
            node.value, node.arguments, node.size = value, (), 1.0
            return _entered(key, node)
        return node

    def __reduce__(self) -> Any:
        return Number, (self.value,)

    def __repr__(self) -> str:
        return f"Number({self.value!r})"


class Name(Operand):
    """A variable or a parameter."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> Name:
        found = _TABLE.get(name)
        node = None if found is None else found()
        if node is None:
            node = object.__new__(cls)
            node.name, node.arguments, node.size = name, (), 1.0
            return _entered(name, node)
        return node

    def __reduce__(self) -> Any:
        return Name, (self.name,)

    def __repr__(self) -> str:
        return f"Name({self.name!r})"


class Call(Operand):
    """A function or operator (a key of ROWS, or an opaque one) applied to arguments."""

    __slots__ = ("function",)
    function: str

    def __new__(cls, function: str, arguments: tuple[Node, ...]) -> Call:
        key = (function, arguments)
        found = _TABLE.get(key)
        node = None if found is None else found()
        if node is None:
            node = object.__new__(cls)
            node.function, node.arguments = function, arguments
            node.size = 1.0 + sum([argument.size for argument in arguments])
            return _entered(key, node)
        return node

    def __reduce__(self) -> Any:
        return Call, (self.function, self.arguments)

    def __repr__(self) -> str:
        return f"Call({self.function!r}, {len(self.arguments)} arguments)"


Node: TypeAlias = Number | Name | Call


def settled(value: Value) -> Value:
    """A number as nodes hold it: whole ones as int, exact quotients as Fraction, others as float.

    >>> settled(3.0), settled(Fraction(4, 2)), settled(2**80)
    (3, 2, 1.2089258196146292e+24)
    """
    if type(value) is int:
        return value if -EXACT <= value <= EXACT else float(value)
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return settled(value.numerator)
        return value if max(abs(value.numerator), value.denominator) <= EXACT else float(value)
    value = float(value)
    return int(value) if value.is_integer() and abs(value) <= EXACT else value


def node_of(value: Any) -> Node:
    """A node from itself or from a number."""
    if isinstance(value, Operand):
        return value  # type: ignore[return-value]
    try:
        return Number(value)
    except (TypeError, ValueError):
        kind = type(value).__name__
        raise TypeError(f"formulas are made of numbers, and {kind} is none; take its entries: tuple(l*x for x in …)") from None


ZERO: Node = Number(0)
ONE: Node = Number(1)
MINUS_ONE: Node = Number(-1)


def total(*terms: Node) -> Node:
    """Sum without zero terms."""
    kept: list[Node] = []
    constant: Value = 0
    for term in terms:
        inner = isinstance(term, Call) and term.function == "+" and len(term.arguments) + len(kept) <= WIDEST
        for part in term.arguments if inner else (term,):
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
    constant: Value = 1
    for factor in factors:
        inner = isinstance(factor, Call) and factor.function == "*" and len(factor.arguments) + len(kept) <= WIDEST
        for part in factor.arguments if inner else (factor,):
            while isinstance(part, Call) and part.function == "neg":
                constant, part = -constant, part.arguments[0]
            if isinstance(part, Number):
                constant = constant * part.value
            else:
                kept.append(part)
    if constant == 0 or not kept:
        return Number(constant)
    if constant == -1:
        return negative(product(*kept))
    if constant != 1:
        kept.insert(0, Number(constant))
    return kept[0] if len(kept) == 1 else Call("*", tuple(kept))


def negative(node: Node) -> Node:
    """-node; double signs cancel."""
    if isinstance(node, Number):
        return Number(-node.value)
    if isinstance(node, Call) and node.function == "neg":
        return node.arguments[0]
    return Call("neg", (node,))


def quotient(above: Node, below: Node) -> Node:
    """above / below."""
    if above is ZERO or below is ONE:
        return above
    if isinstance(above, Number) and isinstance(below, Number) and below is not ZERO:
        return Number(divided(above.value, below.value))
    if isinstance(above, Call) and above.function == "neg":
        return negative(quotient(above.arguments[0], below))
    return Call("/", (above, below))


def divided(a: Value, b: Value) -> Value:
    """a / b, exact if both are."""
    return a / b if isinstance(a, float) or isinstance(b, float) else Fraction(a) / Fraction(b)


def power(base: Node, exponent: Node) -> Node:
    """base to the exponent."""
    if exponent is ONE:
        return base
    if isinstance(base, Number) and isinstance(exponent, Number) and isinstance(exponent.value, int) and 0 < exponent.value <= 64:
        value = base.value**exponent.value
        return Number(value) if math.isfinite(value) else Call("^", (base, exponent))
    return ONE if exponent is ZERO else Call("^", (base, exponent))


def choice(condition: Node, yes: Node, no: Node) -> Node:
    """if(condition, yes, no)."""
    return yes if yes is no else Call("if", (condition, yes, no))


# two operands: what recursions along a mechanism are made of; sums are not dissolved, so that their parts stay shared


def plus(a: Node, b: Node) -> Node:
    """a + b."""
    if a is ZERO:
        return b
    if b is ZERO:
        return a
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value + b.value)
    if isinstance(b, Call) and b.function == "neg":
        return minus(a, b.arguments[0])
    return Call("+", (a, b))


def minus(a: Node, b: Node) -> Node:
    """a - b."""
    if b is ZERO:
        return a
    if a is b:
        return ZERO
    if isinstance(b, Number):
        return plus(a, Number(-b.value))
    if isinstance(b, Call) and b.function == "neg":
        return plus(a, b.arguments[0])
    return negative(b) if a is ZERO else Call("+", (a, Call("neg", (b,))))


def times(a: Node, b: Node) -> Node:
    """a · b."""
    if a is ZERO or b is ZERO:
        return ZERO
    if a is ONE:
        return b
    if b is ONE:
        return a
    if isinstance(a, Number):
        if isinstance(b, Number):
            return Number(a.value * b.value)
        if a is MINUS_ONE:
            return negative(b)
    elif b is MINUS_ONE:
        return negative(a)
    sign = False
    if isinstance(a, Call) and a.function == "neg":
        sign, a = True, a.arguments[0]
    if isinstance(b, Call) and b.function == "neg":
        sign, b = not sign, b.arguments[0]
    if isinstance(b, Number):
        a, b = b, a
    found = Call("*", (a, b))
    return negative(found) if sign else found
