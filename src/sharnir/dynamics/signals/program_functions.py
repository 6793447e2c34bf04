"""Functions that the program of signals calls: tables, users' functions, delayed signals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.integrate.stepping.history_tape import read_tape
from sharnir.kernel import doubles, jit, location
from sharnir.kernel.deferred import real
from sharnir.kernel.formulas.translation import written
from sharnir.kernel.storage.function_digest import function_digest
from sharnir.model.given_functions import Table
from sharnir.model.grid_table import GridTable
from sharnir.model.signals.delay import PastValue


def compiled_function(function: Any, label: str, count: int) -> Callable:
    """A table, the past, or a user's function of `count` numbers, as code may call it."""
    if isinstance(function, PastValue):
        return PAST_VALUE
    if isinstance(function, Table):
        if function.outside == "error":
            raise ModelError(f"{label}: table: outside = 'error' is not possible in a signal; use 'constant' or 'extend'")
        return _grid(GridTable((function.x,), np.array(function.y))) if _is_plain(function) else _curve(function)
    if isinstance(function, GridTable):
        return _grid(function)
    return _users(function, label, count)


def _is_plain(table: Table) -> bool:
    return table.kind == "linear" and table.outside == "constant"


@lru_cache(maxsize=1000)
def _grid(table: GridTable) -> Callable:
    axes = [np.array(axis) for axis in table.axes]
    function, memory = grid_kernel(axes, table.coefficients(), table.outside == "constant")
    KEPT.append(memory)
    return function


KEPT: list[np.ndarray] = []  # memory of tables; compiled code knows its address only


@lru_cache(maxsize=1000)
def _curve(table: Table) -> Callable:
    from sharnir.kernel.piecewise import _kernel

    c = table.coefficients()
    h = table.x[-1] - table.x[-2]
    first, last = float(c[0, 1]), float(c[-1, 1] + h * (2 * c[-1, 2] + 3 * h * c[-1, 3]))
    slopes = (first, last) if table.outside == "extend" else (0.0, 0.0)
    inner = jit(_kernel(np.array(table.x), c, slopes, 0, table.outside))

    def curve(x: float) -> float:
        return inner(x, 0.0, 0.0)

    return jit(curve)


def _users(function: Callable, label: str, count: int) -> Callable:
    """A user's function; one that raises gives not-a-number."""
    digest = function_digest(function)
    return _guarded(function, label, count) if digest is None else _guarded_once(digest, label, count, _Same(function))


class _Same:
    """A function that is known by its digest already: it counts as equal to every other one."""

    def __init__(self, function: Callable) -> None:
        self.function = function

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=1000)
def _guarded_once(digest: str, label: str, count: int, same: _Same) -> Callable:
    return _guarded(same.function, label, count)


def _guarded(function: Callable, label: str, count: int) -> Callable:
    inner = jit(getattr(function, "py_func", function))
    names = ", ".join(f"x{k}" for k in range(count))
    scope: dict[str, Any] = {"inner": inner, "nan": math.nan}
    lines = [f"def guarded({names}):", "    try:", f"        return float(inner({names}))", "    except Exception:"]
    exec("\n".join([*lines, "        return nan"]), scope)
    return jit(scope["guarded"])


def check_users(function: Any, label: str, count: int) -> None:
    """Refuse a user's function that cannot be compiled."""
    try:
        real(compiled_function(function, label, count))(*(0.5,) * count)
    except ModelError:
        raise
    except Exception as error:  # Numba raises many kinds
        reason = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise ModelError(
            f"{label}: the Python function could not be compiled ({reason}); use numbers, tuples and math functions, "
            "a formula, or Sampled, whose function is called by Python",
            field="function",
        ) from error


def past_value(tape: float, t: float, before: float) -> float:
    """The value on a tape, given by its address as a number; `before` where there is none yet."""
    return read_tape(doubles(int(tape)), t) if tape != 0.0 else before


PAST_VALUE = jit(past_value)


def cell(memory: Any, first: int, n: int, x: float) -> int:
    """Which of the intervals between n knots x belongs to; those at the ends reach on."""
    a, b = 0, n - 1
    while b - a > 1:
        m = (a + b) // 2
        if memory[first + m] <= x:
            a = m
        else:
            b = m
    return a


def grid_kernel(
    axes: Sequence[np.ndarray], coefficients: np.ndarray, constant: bool, along: int | None = None
) -> tuple[Callable, np.ndarray]:
    """f(x0, x1, …), and the memory that it reads, which must be kept. Coefficients: cells of each axis, powers of each axis.

    along : they are those of a derivative by this variable, which is zero where the table is level.

    >>> f, memory = grid_kernel([np.array([0.0, 1.0])], np.array([[2.0, 3.0]]), True)
    >>> f(0.5), f(9.0)
    (3.5, 5.0)
    """
    memory = np.ascontiguousarray(np.concatenate([*axes, coefficients.ravel()]), float)
    n, powers, first = len(axes), coefficients.shape[-1], 0
    lines, place = [], "0"
    for k, axis in enumerate(axes):
        last = first + len(axis) - 1
        if constant and k == along:
            lines.append(f"inside = (0.0 if x{k} < c[{first}] else (0.0 if x{k} > c[{last}] else 1.0))")
        if constant:
            lines.append(f"x{k} = min(max(x{k}, c[{first}]), c[{last}])")
        lines += [f"i{k} = cell(c, {first}, {len(axis)}, x{k})", f"d{k} = x{k} - c[{first} + i{k}]"]
        place = f"({place} * {len(axis) - 1} + i{k})"
        first += len(axis)
    lines.append(f"at = {first} + {place} * {powers**n}")
    for k in range(n):  # Horner, one loop inside the other
        indent = "    " * k
        lines += [f"{indent}y{k} = 0.0", f"{indent}for p{k} in range({powers - 1}, -1, -1):"]
    index = " + ".join(f"{powers ** (n - 1 - k)} * p{k}" for k in range(n))
    lines.append(f"{'    ' * n}y{n - 1} = y{n - 1} * d{n - 1} + c[at + {index}]")
    lines += [f"{'    ' * k}y{k - 1} = y{k - 1} * d{k - 1} + y{k}" for k in range(n - 1, 0, -1)]
    names, result = ", ".join(f"x{k}" for k in range(n)), "y0" if along is None or not constant else "inside * y0"
    scope: dict[str, Any] = {"cell": jit(cell), "doubles": doubles, "where": location(memory)}
    text = "\n    ".join([f"def table({names}):", "c = doubles(where)", *lines, f"return {result}"])
    return jit(written([text], "table", scope)), memory
