"""Equations as functions of CasADi, for optimal control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from sharnir.equations.equations_of_motion import Equations
from sharnir.equations.exports.program import program_of
from sharnir.errors import MissingExtraError
from sharnir.model import Table
from sharnir.symbolic.expression_graph import ordered
from sharnir.symbolic.nodes import Call, Name, Node, Number

Tables: TypeAlias = Mapping[str, tuple[Table, int]]  # functions that are a Table or its derivative of some order
ANGLES = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh")
SAME = (*ANGLES, "exp", "log", "sqrt", "hypot", "floor", "sign")


def casadi_functions(equations: Equations) -> dict[str, Any]:
    """Functions of (t, q, v, u, p) by name; see Equations.casadi."""
    try:
        import casadi
    except ImportError:
        raise MissingExtraError("casadi", "equations().casadi()") from None
    program = program_of(equations)
    sizes = {"t": 1, "q": len(program.q), "v": len(program.v), "u": len(program.u), "p": len(program.p)}
    given = {name: casadi.SX.sym(name, size) for name, size in sizes.items()}
    known: dict[Node, Any] = {Name("t"): given["t"]}
    for array, places in program.symbols.items():
        known |= {Name(name): given[array][k] for name, k in places.items()}
    convert(casadi, program.nodes, program.tables, known)
    found: dict[str, Any] = {}
    for function in program.functions:
        outputs = {x.symbol: shaped(casadi, [known[node] for node in x.nodes], x.shape) for x in function.outputs}
        arguments: list[Any] = list(given.values())
        if function.system and program.dense:
            arguments = [casadi.MX.sym(name, size) for name, size in sizes.items()]
            outputs = solved(casadi, found, arguments)
        found[function.name] = casadi.Function(function.name, arguments, list(outputs.values()), list(given), list(outputs))
    return found


def shaped(casadi: Any, entries: list[Any], shape: tuple[int, ...]) -> Any:
    """A vector or, from entries by rows, a matrix."""
    vector = casadi.vertcat(*entries) if entries else casadi.SX(0, 1)
    return vector if len(shape) == 1 else casadi.reshape(vector, shape[1], shape[0]).T


def solved(casadi: Any, found: dict[str, Any], given: list[Any]) -> dict[str, Any]:
    """v̇ and λ of unknowns without inertia, from one linear system."""
    M, h, tau = (found[name](*given) for name in ("mass_matrix", "bias", "applied"))
    _, _, G, gamma = found["constraints"](*given)
    n, m = M.shape[0], G.shape[0]
    K = casadi.vertcat(casadi.horzcat(M, -G.T), casadi.horzcat(G, casadi.MX(m, m)))
    x = casadi.solve(K, casadi.vertcat(tau - h, -gamma), "qr")  # with exchanges; of SX it would have none
    return {"vdot": x[:n], "lam": x[n:]}


def convert(casadi: Any, nodes: list[Node], tables: Tables, known: dict[Node, Any]) -> None:
    """Expressions of CasADi for nodes and all their parts, into `known`, which has those of names."""
    for node in ordered(nodes, dict(known)):
        if isinstance(node, Number):
            known[node] = casadi.SX(float(node.value))
        else:
            assert isinstance(node, Call)
            known[node] = called(casadi, node, [known[argument] for argument in node.arguments], tables)


def called(casadi: Any, node: Call, x: list[Any], tables: Tables) -> Any:
    """A function of the language by CasADi's own."""
    name = node.function
    if name in ("+", "*", "min", "max"):
        binary = {"+": casadi.plus, "*": casadi.times, "min": casadi.fmin, "max": casadi.fmax}[name]
        found = x[0]
        for other in x[1:]:
            found = binary(found, other)
        return found
    if name == "neg":
        return -x[0]
    if name == "/":
        return x[0] / x[1]
    if name == "^":
        exponent = node.arguments[1]
        return x[0] ** (exponent.value if isinstance(exponent, Number) and isinstance(exponent.value, int) else x[1])
    if name == "if":
        return casadi.if_else(x[0] != 0, x[1], x[2])
    if name == "smooth":
        return x[0]
    if name == "step":
        return casadi.if_else(x[0] >= 0, 1, 0)
    if name == "abs":
        return casadi.fabs(x[0])
    comparisons = {"<": casadi.lt, "<=": casadi.le, ">": casadi.gt, ">=": casadi.ge, "==": casadi.eq, "!=": casadi.ne}
    if name in comparisons:
        return comparisons[name](*x)
    return getattr(casadi, name)(*x) if name in SAME else table_value(casadi, *tables[name], x[0])


def table_value(casadi: Any, table: Table, order: int, x: Any) -> Any:
    """The same piecewise polynomial; its coefficients are piecewise constant."""
    knots, c = list(table.x), table.coefficients()
    if table.outside == "repeat":
        x = x - casadi.floor((x - knots[0]) / (knots[-1] - knots[0])) * (knots[-1] - knots[0])
    inside = casadi.fmin(casadi.fmax(x, knots[0]), knots[-1])
    within = casadi.eq(x, inside)

    def piece(values: Any) -> Any:
        inner = casadi.DM(knots[1:-1])
        return casadi.pw_const(inside, inner, casadi.DM(list(values))) if len(knots) > 2 else casadi.SX(values[0])

    d, (c0, c1, c2, c3) = inside - piece(knots[:-1]), (piece(column) for column in c.T)
    slope = c1 + d * (2 * c2 + 3 * d * c3)
    if order == 0:
        y = c0 + d * (c1 + d * (c2 + d * c3)) + (slope * (x - inside) if table.outside == "extend" else 0)
    elif order == 1:
        y = slope if table.outside == "extend" else casadi.if_else(within, slope, 0)
    else:
        y = casadi.if_else(within, 2 * c2 + 6 * d * c3, 0)
    return casadi.if_else(within, y, casadi.nan) if table.outside == "error" else y
