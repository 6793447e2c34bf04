"""Equations as Python source that needs NumPy alone; functions take one state or arrays of states."""

from __future__ import annotations

from sharnir.equations.equations_of_motion import Equations
from sharnir.equations.exports.assignments import Assignments
from sharnir.equations.exports.program import Function, Program, program_of
from sharnir.model import Table

NAMES = {
    **{name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: name for name in ("exp", "log", "sqrt", "hypot", "floor", "sign", "abs")},
    **{"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "if": "where", "^": "power"},
}
HEAD = '''"""{title}

Every function takes the time t, coordinates q, speeds v, inputs u and parameters p. Their last axis counts entries; axes
before it count states, so that one call computes many of them.

{arrays}
"""

import numpy as np

COORDINATES = {q}
SPEEDS = {v}
INPUTS = {u}
PARAMETERS = {p}
'''
SPLIT = '''

def _split(t, q, v, u, p):
    """Entries of all arrays, each an array over the states, and the shape of that."""
    p = np.array(list(PARAMETERS.values())) if p is None else np.asarray(p, float)
    arrays = [np.asarray(x, float) for x in (q, v, u, p)]
    shape = np.broadcast_shapes(np.shape(t), *(x.shape[:-1] for x in arrays))
    return np.asarray(t, float), *(np.moveaxis(x, -1, 0) for x in arrays), shape


def _vector(entries, shape):
    """Entries as the last axis of an array."""
    return np.stack([np.broadcast_to(x, shape) for x in entries], axis=-1) if entries else np.zeros((*shape, 0))
'''
TABLE = '''

def _table(x, knots, c, outside, order):
    """Polynomials by intervals; outside of the knots: constant, extend, error (not a number) or repeat."""
    x = np.asarray(x, float)
    if outside == "repeat":
        x = knots[0] + (x - knots[0]) % (knots[-1] - knots[0])
    inside = np.clip(x, knots[0], knots[-1])
    k = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(knots) - 2)
    d = inside - knots[k]
    slope = c[k, 1] + d * (2 * c[k, 2] + 3 * d * c[k, 3])
    if order == 0:
        y = c[k, 0] + d * (c[k, 1] + d * (c[k, 2] + d * c[k, 3]))
        y = y + slope * (x - inside) if outside == "extend" else y
    elif order == 1:
        y = slope if outside == "extend" else np.where(x == inside, slope, 0.0)
    else:
        y = np.where(x == inside, 2 * c[k, 2] + 6 * d * c[k, 3], 0.0)
    return np.where(x == inside, y, np.nan) if outside == "error" else y
'''
DENSE = '''

def accelerations(t, q, v, u=(), p=None):
    """v' and the multipliers: M v' - G^T lambda = tau - h, G v' = -gamma as one linear system."""
    M, h, tau = mass_matrix(t, q, v, u, p), bias(t, q, v, u, p), applied(t, q, v, u, p)
    _, _, G, gamma = constraints(t, q, v, u, p)
    zero = np.zeros((*G.shape[:-2], G.shape[-2], G.shape[-2]))
    K = np.concatenate([np.concatenate([M, -np.swapaxes(G, -1, -2)], -1), np.concatenate([G, zero], -1)], -2)
    x = np.linalg.solve(K, np.concatenate([tau - h, -gamma], -1)[..., None])[..., 0]
    return x[..., : M.shape[-1]], x[..., M.shape[-1] :]
'''


def called(function: str, arguments: list[str]) -> str:
    """The text of a call."""
    if function in NAMES:
        given = [f"{arguments[0]} != 0.0", *arguments[1:]] if function == "if" else arguments
        return f"np.{NAMES[function]}({', '.join(given)})"
    if function in ("<", "<=", ">", ">=", "==", "!="):
        return f"np.where({arguments[0]} {function} {arguments[1]}, 1.0, 0.0)"
    if function == "step":
        return f"np.where({arguments[0]} >= 0.0, 1.0, 0.0)"
    if function in ("min", "max"):
        found = arguments[0]
        for other in arguments[1:]:
            found = f"np.{function}imum({found}, {other})"
        return found
    return f"{function}({', '.join(arguments)})"


def definition(program: Program, function: Function, known: dict[str, str]) -> str:
    """One function; a single array is returned as it is, several as a tuple."""
    if function.system and program.dense:
        return DENSE
    code = Assignments(known, called)
    texts = iter(code.texts([node for output in function.outputs for node in output.nodes]))
    lines = [f"{name} = {text}" for name, text in code.lines]
    for output in function.outputs:
        entries = ", ".join(next(texts) for _ in output.nodes)
        matrix = f".reshape(*shape, {output.shape[0]}, {output.shape[1]})" if len(output.shape) == 2 else ""
        lines.append(f"{output.symbol} = _vector([{entries}], shape){matrix}")
    lines.append(f"return {', '.join(output.symbol for output in function.outputs)}")
    body = "\n".join(f"    {line}" for line in ["t, q, v, u, p, shape = _split(t, q, v, u, p)", *lines])
    return f'\n\ndef {function.name}(t, q, v, u=(), p=None):\n    """{function.meaning}."""\n{body}\n'


def table(name: str, table: Table, order: int) -> str:
    """A table as constants and a function of x."""
    x, c = list(table.x), table.coefficients().tolist()
    inner = f"np.array({x!r}), np.array({c!r}), {table.outside!r}, {order}"
    return f"\n\ndef {name}(x):\n    return _table(x, {inner})\n"


def numpy_source(equations: Equations) -> str:
    """The equations as the text of a Python module; see Equations.numpy."""
    program = program_of(equations)
    known = {"t": "t"}
    for array, places in program.symbols.items():
        known |= {name: f"{array}[{k}]" for name, k in places.items()}
    noted = [f"u[{k}]: {name}, {program.notes.get(name, 'input')}" for k, name in enumerate(program.u)]
    title = f"Equations of motion of '{program.title}': M v' + h = tau + G^T lambda, g = 0; in SI units.".replace('"', "'")
    arrays = "\n".join(["q, v, u and the values of p are in the order of the names below.", *noted]).replace('"', "'")
    head = HEAD.format(title=title, arrays=arrays, q=program.q, v=program.v, u=program.u, p=program.p)
    tables = program.used_tables()
    parts = [head, SPLIT, TABLE if tables else "", *(table(name, *x) for name, x in tables.items())]
    parts += [definition(program, function, known) for function in program.functions]
    return "".join(parts)
