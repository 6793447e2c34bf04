"""What a formula may call: one row per function or operator, with its value, its Python source and its partial derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from sharnir.arguments import shown
from sharnir.errors import FormulaError
from sharnir.symbolic.nodes import (
    ONE,
    ZERO,
    Call,
    Node,
    Number,
    Operand,
    choice,
    negative,
    node_of,
    power,
    product,
    quotient,
    total,
)


@dataclass(frozen=True)
class Function:
    """A row: argument counts (least, most; most = None for any), value on arrays, source from argument sources, partials."""

    least: int
    most: int | None
    value: Callable[..., Any]
    source: Callable[..., str]
    partials: Callable[..., tuple[Node, ...]]


def call(function: str, *arguments: Node) -> Node:
    """A node that calls `function`."""
    return Call(function, arguments)


def square(node: Node) -> Node:
    """node²."""
    return power(node, Number(2.0))


def library(name: str, value: Callable[[Any], Any], slope: Callable[[Node], Node]) -> Function:
    """A function of one argument from the math module."""
    return Function(1, 1, value, lambda a: f"math.{name}({a})", lambda x: (slope(x),))


def flat(least: int, most: int | None, value: Callable[..., Any], source: Callable[..., str]) -> Function:
    """A function that is constant piece by piece: its derivative is zero."""
    return Function(least, most, value, source, lambda *x: (ZERO,) * len(x))


def comparison(sign: str, value: Callable[[Any, Any], Any]) -> Function:
    """A comparison; as a number it is 1 or 0."""
    return flat(2, 2, lambda a, b: np.where(value(a, b), 1.0, 0.0), lambda a, b: f"(1.0 if {a} {sign} {b} else 0.0)")


def power_value(base: Any, exponent: Any) -> Any:
    """base ** exponent in real numbers (NaN where there is none)."""
    return np.power(np.asarray(base, float), np.asarray(exponent, float))


def power_partials(a: Node, b: Node) -> tuple[Node, Node]:
    """∂(a^b)/∂a = b a^(b-1), ∂(a^b)/∂b = a^b log a."""
    lower = Number(b.value - 1.0) if isinstance(b, Number) else total(b, Number(-1.0))
    return product(b, power(a, lower)), product(power(a, b), call("log", a))


def product_partials(*x: Node) -> tuple[Node, ...]:
    """Each partial is the product of the other factors."""
    return tuple(product(*x[:k], *x[k + 1 :]) for k in range(len(x)))


def extreme(name: str, sign: str, value: Callable[[Any, Any], Any]) -> Function:
    """min ("<=") or max (">="): the partial is 1 for the first argument that is the extreme one, 0 for the others."""

    def partials(*x: Node) -> tuple[Node, ...]:
        if len(x) == 1:
            return (ONE,)
        head, last = x[:-1], x[-1]
        best = head[0] if len(head) == 1 else call(name, *head)
        condition = call(sign, best, last)
        return tuple(choice(condition, part, ZERO) for part in partials(*head)) + (choice(condition, ZERO, ONE),)

    def source(*a: str) -> str:
        return a[0] if len(a) == 1 else f"{name}({', '.join(a)})"

    return Function(1, None, lambda *x: reduce(value, x), source, partials)


FUNCTIONS: dict[str, Function] = {
    "sin": library("sin", np.sin, lambda x: call("cos", x)),
    "cos": library("cos", np.cos, lambda x: negative(call("sin", x))),
    "tan": library("tan", np.tan, lambda x: total(ONE, square(call("tan", x)))),
    "asin": library("asin", np.arcsin, lambda x: quotient(ONE, call("sqrt", total(ONE, negative(square(x)))))),
    "acos": library("acos", np.arccos, lambda x: negative(quotient(ONE, call("sqrt", total(ONE, negative(square(x))))))),
    "atan": library("atan", np.arctan, lambda x: quotient(ONE, total(ONE, square(x)))),
    "sinh": library("sinh", np.sinh, lambda x: call("cosh", x)),
    "cosh": library("cosh", np.cosh, lambda x: call("sinh", x)),
    "tanh": library("tanh", np.tanh, lambda x: total(ONE, negative(square(call("tanh", x))))),
    "exp": library("exp", np.exp, lambda x: call("exp", x)),
    "log": library("log", np.log, lambda x: quotient(ONE, x)),
    "sqrt": library("sqrt", np.sqrt, lambda x: quotient(Number(0.5), call("sqrt", x))),
    "abs": library("fabs", np.abs, lambda x: call("sign", x)),
    "atan2": Function(
        2,
        2,
        np.arctan2,
        lambda y, x: f"math.atan2({y}, {x})",
        lambda y, x: tuple(quotient(part, total(square(x), square(y))) for part in (x, negative(y))),
    ),
    "hypot": Function(
        2,
        2,
        np.hypot,
        lambda a, b: f"math.hypot({a}, {b})",
        lambda a, b: tuple(quotient(part, call("hypot", a, b)) for part in (a, b)),
    ),
    "sign": flat(1, 1, np.sign, lambda a: f"(0.0 if {a} == 0.0 else math.copysign(1.0, {a}))"),
    "step": flat(1, 1, lambda a: np.where(np.asarray(a) >= 0, 1.0, 0.0), lambda a: f"(1.0 if {a} >= 0.0 else 0.0)"),
    "floor": flat(1, 1, np.floor, lambda a: f"float(math.floor({a}))"),
    "smooth": Function(1, 1, lambda a: a, lambda a: a, lambda x: (ONE,)),  # x itself; its switches are not located in runs
    "min": extreme("min", "<=", np.minimum),
    "max": extreme("max", ">=", np.maximum),
    "if": Function(
        3,
        3,
        lambda c, a, b: np.where(np.asarray(c) != 0, a, b),
        lambda c, a, b: f"({a} if {c} != 0.0 else {b})",
        lambda c, a, b: (ZERO, choice(c, ONE, ZERO), choice(c, ZERO, ONE)),
    ),
}

OPERATORS: dict[str, Function] = {
    "+": Function(2, None, lambda *x: reduce(np.add, x), lambda *a: f"({' + '.join(a)})", lambda *x: (ONE,) * len(x)),
    "*": Function(2, None, lambda *x: reduce(np.multiply, x), lambda *a: f"({' * '.join(a)})", product_partials),
    "/": Function(
        2, 2, np.divide, lambda a, b: f"({a} / {b})", lambda a, b: (quotient(ONE, b), negative(quotient(a, square(b))))
    ),
    "^": Function(2, 2, power_value, lambda a, b: f"math.pow({a}, {b})", power_partials),
    "neg": Function(1, 1, np.negative, lambda a: f"(-{a})", lambda x: (Number(-1.0),)),
    "<": comparison("<", np.less),
    "<=": comparison("<=", np.less_equal),
    ">": comparison(">", np.greater),
    ">=": comparison(">=", np.greater_equal),
    "==": comparison("==", np.equal),
    "!=": comparison("!=", np.not_equal),
}

COMPARISONS = ("<=", ">=", "==", "!=", "<", ">")
CONSTANTS = {"pi": float(np.pi)}
ROWS = FUNCTIONS | OPERATORS


def _face(name: str) -> Callable[..., Any]:
    """A function of the language as Python calls it: nodes give nodes, numbers give numbers."""

    def apply(*arguments: Any) -> Any:
        if any(isinstance(argument, Operand) for argument in arguments):
            return Call(name, tuple(node_of(_operand(argument, name)) for argument in arguments))
        values = [_operand(argument, name) for argument in arguments]
        try:
            with np.errstate(all="ignore"):
                return FUNCTIONS[name].value(*values)
        except ValueError:
            shapes = " and ".join(str(np.shape(value)) for value in values)
            raise FormulaError(f"{name}(): arrays of the shapes {shapes} do not go together") from None

    def of_one(x: Any) -> Any:
        return apply(x)

    def of_two(y: Any, x: Any) -> Any:
        return apply(y, x)

    function, letters = (of_one, "x") if FUNCTIONS[name].least == 1 else (of_two, "y, x")
    function.__name__ = function.__qualname__ = name
    given = ", ".join(f'Name("{letter}")' for letter in letters.split(", "))
    function.__doc__ = f"""{name}({letters}) of expressions or numbers, as in formulas.

    >>> from sharnir.symbolic.nodes import Name
    >>> str({name}({given}))
    '{name}({letters})'
    """
    return function


def _operand(value: Any, name: str) -> Any:
    """An expression, a number, or an array of numbers."""
    if isinstance(value, Operand):
        return value
    try:
        if isinstance(value, str | bytes | bytearray | memoryview):
            raise TypeError
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError, RuntimeError, RecursionError):
        raise FormulaError(f"{name}(): {shown(value)} is neither a number nor an expression") from None
    return array if array.ndim else float(array)


sin, cos, tan = _face("sin"), _face("cos"), _face("tan")
asin, acos, atan, atan2 = _face("asin"), _face("acos"), _face("atan"), _face("atan2")
exp, log, sqrt = _face("exp"), _face("log"), _face("sqrt")
