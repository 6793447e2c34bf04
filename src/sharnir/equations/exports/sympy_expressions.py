"""Equations for SymPy: coordinates as functions of t, their rates as derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from sharnir.equations.equations_of_motion import Equations
from sharnir.errors import MissingExtraError
from sharnir.symbolic.expression_graph import walk
from sharnir.symbolic.nodes import ZERO, Call, Name, Node, Number

SAME = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "floor", "sign")
CAPITALS = {"abs": "Abs", "min": "Min", "max": "Max"}
RELATIONS = {"<": "Lt", "<=": "Le", ">": "Gt", ">=": "Ge", "==": "Eq", "!=": "Ne"}


def sympy_equations(equations: Equations) -> list[Any]:
    """The printed rows as sympy.Eq: equations of motion, kinematics, constraints, definitions, given motions."""
    sympy, convert = conversion(equations)
    rows = [row for _, part in equations.presentation.parts for row in part]
    return [sympy.Eq(convert(row.left), convert(row.right), evaluate=False) for row in rows]


def sympy_matrices(equations: Equations) -> dict[str, Any]:
    """q, v, M, h, tau, g, gdot, G, gamma as matrices of SymPy; see Equations.sympy_matrices."""
    sympy, convert = conversion(equations)
    n, rows = len(equations.speeds), equations.constraints
    columns: dict[str, Iterable[Node]] = {
        "q": equations.mechanism.coordinates,
        "v": equations.mechanism.speeds,
        "h": equations.bias,
        "tau": equations.applied,
        "g": [row.value or ZERO for row in rows],
        "gdot": [row.rate for row in rows],
        "gamma": [row.bias for row in rows],
    }
    found = {symbol: sympy.Matrix([convert(x) for x in nodes]) for symbol, nodes in columns.items()}
    found["M"] = sympy.Matrix(n, n, [convert(x) for row in equations.mass_matrix for x in row])
    found["G"] = sympy.Matrix(len(rows), n, [convert(x) for row in rows for x in row.jacobian])
    return found


def conversion(equations: Equations) -> tuple[Any, Callable[[Node], Any]]:
    """SymPy, and what turns expressions of these equations into its own."""
    try:
        import sympy
    except ImportError:
        raise MissingExtraError("symbols", "equations().sympy()") from None
    m = equations.mechanism
    moving = {x.name for x in (*m.coordinates, *m.speeds)} | set(m.given)
    return sympy, converter(sympy, {name for name in moving if not name.endswith("'")})


def converter(sympy: Any, moving: set[str]) -> Callable[[Node], Any]:
    """What turns an expression into one of SymPy; `moving` names are functions of t."""
    t = sympy.Symbol("t")

    def symbol(name: str) -> Any:
        plain = name.rstrip("'")
        if plain not in moving:
            return sympy.Symbol(name)
        function, order = sympy.Function(plain)(t), len(name) - len(plain)
        return sympy.Derivative(function, (t, order)) if order else function

    def visit(node: Any, parts: list[Any]) -> Any:
        if isinstance(node, Number):
            value = node.value
            return sympy.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else sympy.sympify(value)
        if isinstance(node, Name):
            return symbol(node.name)
        assert isinstance(node, Call)
        return called(sympy, node.function, parts)

    return lambda node: walk(node, visit)


def called(sympy: Any, name: str, x: list[Any]) -> Any:
    """A function of the language by SymPy's own."""
    if name == "+":
        return sympy.Add(*x)
    if name == "*":
        return sympy.Mul(*x)
    if name == "neg":
        return -x[0]
    if name == "/":
        return x[0] / x[1]
    if name == "^":
        return x[0] ** x[1]
    if name == "if":
        condition = (
            x[0] if getattr(x[0], "is_Boolean", False) or isinstance(x[0], sympy.logic.boolalg.Boolean) else sympy.Ne(x[0], 0)
        )
        return sympy.Piecewise((x[1], condition), (x[2], True))
    if name == "hypot":
        return sympy.sqrt(x[0] ** 2 + x[1] ** 2)
    if name == "step":
        return sympy.Piecewise((1, x[0] >= 0), (0, True))
    if name == "smooth":
        return x[0]
    if name in RELATIONS:
        return getattr(sympy, RELATIONS[name])(*x)
    if name in SAME:
        return getattr(sympy, name)(*x)
    if name in CAPITALS:
        return getattr(sympy, CAPITALS[name])(*x)
    return sympy.Function(name)(*x)
