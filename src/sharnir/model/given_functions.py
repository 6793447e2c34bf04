"""Functions that a user may give: a number, a formula, a Table, or a Python function."""

from __future__ import annotations

import inspect
import operator
from typing import Any, Literal, TypeAlias

import numpy as np

from sharnir.arguments import bool_of, numbers, shown, with_advice
from sharnir.errors import FormulaError, ModelError
from sharnir.model.checks import choice, fail, number, sequence, settle, vector
from sharnir.model.formula import parse
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import NumberList, element

Entry: TypeAlias = Any  # a float, a formula (str), a Table, or a callable


@element
class Table(Parametric):
    """A curve y(x) through given points.

    kind : "linear" (broken line) or "cubic" (smooth spline, not-a-knot: continuous to the second derivative).
    outside : "constant" (value of the end point), "extend" (straight on with the slope at the end), "error", or "repeat" (the
        curve is one period; its last value is the first one, a cubic one is smooth there).
    smooth : True if a run may step over its knots, which suits finely measured curves; otherwise steps end there.

    >>> Table((0, 1, 2), (0, 10, 40)).evaluate(1.5)
    25.0
    """

    x: NumberList
    y: NumberList
    kind: Literal["linear", "cubic"] = "linear"
    outside: Literal["constant", "extend", "error", "repeat"] = "constant"
    smooth: bool = False

    def __post_init__(self) -> None:
        x = sequence(self.x, "Table", "x", "a list of numbers")
        x = vector(x, len(x), "Table", "x")
        y = sequence(self.y, "Table", "y", "a list of numbers")
        y = vector(y, len(y), "Table", "y")
        if len(x) != len(y):
            raise ModelError(f"Table: x has {len(x)} entries and y has {len(y)}; they must be equally long", field="y")
        if len(x) < 2:
            fail("Table", "x", f"= {x!r} needs at least two points")
        for k in range(len(x) - 1):
            if x[k + 1] <= x[k]:
                fail("Table", "x", f"must increase, but x[{k}] = {x[k]!r} is followed by {x[k + 1]!r}; sort the points")
        settle(self, x=x, y=y)
        choice(self.kind, ("linear", "cubic"), "Table", "kind")
        choice(self.outside, ("constant", "extend", "error", "repeat"), "Table", "outside")
        settle(self, smooth=bool_of(self.smooth, "Table", "smooth"))
        if self.outside == "repeat" and abs(y[-1] - y[0]) > 1e-9 * max(map(abs, y)):
            fail("Table", "y", f"repeats, but begins with {y[0]!r} and ends with {y[-1]!r}; give one whole period")

    @staticmethod
    @with_advice
    def from_csv(
        path: Any,
        columns: tuple[int, int] = (0, 1),
        kind: Literal["linear", "cubic"] = "linear",
        outside: Literal["constant", "extend", "error", "repeat"] = "constant",
        smooth: bool = False,
    ) -> Table:
        """From two columns of a text file; lines that are not numbers are skipped.

        >>> import tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "thrust.csv"
        >>> _ = file.write_text("t;N\\n0;100\\n2;80\\n")
        >>> Table.from_csv(file).y
        (100.0, 80.0)
        """
        from sharnir.model.grid_table import csv_rows

        rows = csv_rows(path)
        try:
            first, second = (operator.index(k) for k in columns)
        except (TypeError, ValueError):
            fail("Table", "columns", f"= {shown(columns)} must be two numbers of columns, counted from 0")
        for k in (first, second):
            if not 0 <= k < rows.shape[1]:
                fail("Table", "columns", f"= {shown(columns)}: {path} has the columns 0 … {rows.shape[1] - 1}")
        return Table(rows[:, first], rows[:, second], kind, outside, smooth)

    def coefficients(self) -> np.ndarray:
        """Polynomials per interval, shape (n - 1, 4): y = c0 + c1 d + c2 d² + c3 d³ with d = x - x[k].

        >>> Table((0, 2), (1, 5)).coefficients().tolist()
        [[1.0, 2.0, 0.0, 0.0]]
        """
        x, y = np.array(self.x), np.array(self.y)
        result = np.zeros((len(x) - 1, 4))
        try:
            with np.errstate(all="ignore"):
                self._update_coefficients(x, y, result)
        except ValueError:  # SciPy refuses what is not finite
            result[:] = np.nan
        if not np.isfinite(result).all():
            fail("Table", "y", "changes so much between such close points that its slopes are not finite; check the points")
        return result

    def _update_coefficients(self, x: np.ndarray, y: np.ndarray, result: np.ndarray) -> None:
        if self.kind == "linear":
            result[:, 0] = y[:-1]
            result[:, 1] = np.diff(y) / np.diff(x)
            return
        from scipy.interpolate import CubicSpline

        if self.outside == "repeat":
            result[:, :] = CubicSpline(x, np.append(y[:-1], y[0]), bc_type="periodic").c[::-1].T
        else:
            result[:, :] = CubicSpline(x, y).c[::-1].T

    def evaluate(self, x: Any, derivative: int = 0) -> Any:
        """y or its derivative (0, 1 or 2) at `x`, a number or an array.

        >>> Table((0, 1, 2), (0, 10, 40)).evaluate(1.5, derivative=1)
        30.0
        """
        knots, c = np.array(self.x), self.coefficients()
        at = numbers(x, "Table", "x", finite=False)
        if type(derivative) is not int or derivative not in (0, 1, 2):
            raise ModelError(f"Table: derivative = {shown(derivative)} must be 0, 1 or 2", field="derivative")
        if self.outside == "repeat":
            at = knots[0] + (at - knots[0]) % (knots[-1] - knots[0])
        if self.outside == "error" and (np.any(at < knots[0]) or np.any(at > knots[-1])):
            raise ModelError(f"Table: x = {x!r} is outside {knots[0]} … {knots[-1]}; extend the table or choose outside='extend'")
        inside = np.clip(at, knots[0], knots[-1])
        k = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(knots) - 2)
        d = inside - knots[k]
        slope = c[k, 1] + d * (2 * c[k, 2] + 3 * d * c[k, 3])
        if derivative == 0:
            y = c[k, 0] + d * (c[k, 1] + d * (c[k, 2] + d * c[k, 3]))
            y = y + slope * (at - inside) if self.outside == "extend" else y
        elif derivative == 1:
            y = slope if self.outside == "extend" else np.where(at == inside, slope, 0.0)
        else:
            y = np.where(at == inside, 2 * c[k, 2] + 6 * d * c[k, 3], 0.0)
        return float(y) if np.ndim(y) == 0 else y


def stored_entry(value: Any, variables: tuple[str, ...], label: str, field: str) -> Entry:
    """A checked number, formula text, Table or callable of `variables`.

    >>> stored_entry("-3*v", ("q", "v", "t"), "Revolute 'O'", "torque")
    '-3*v'
    """
    if isinstance(value, Table):
        return value
    if isinstance(value, str):
        try:
            parse(value, variables, None)
        except FormulaError as error:
            message = f"{label}: {field}: {error.reason}"
            raise FormulaError(message, text=error.text, position=error.position, field=field) from None
        return value
    if callable(value):
        check_arguments(value, len(variables), f"f({', '.join(variables)})", label, field)
        return value
    if isinstance(value, (int, float, np.number)):
        return number(value, label, field)
    names = ", ".join(variables)
    fail(label, field, f"= {shown(value)} must be a number, a formula of {names}, a Table or a function f({names})")


def stored_motion(value: Any, label: str, field: str = "motion") -> Any:
    """A checked motion: None, a function of time, or a triple (position, speed, acceleration) of such."""
    if value is None:
        return None
    if isinstance(value, (tuple, list)):
        if len(value) != 3:
            fail(label, field, f"= {shown(value)} must be a function of t or a triple (position, speed, acceleration)")
        return tuple(stored_entry(entry, ("t",), label, field) for entry in value)
    entry = stored_entry(value, ("t",), label, field)
    if isinstance(entry, Table) and entry.kind != "cubic":
        fail(label, field, 'is a Table of kind "linear", whose speed jumps; use kind="cubic"')
    return entry


NO_FORMULAS = frozenset({float, type(None)})  # what stands in most entries


def formulas(entry: Any) -> list[str]:
    """The formula texts in a (possibly nested) stored entry."""
    if isinstance(entry, str):
        return [entry]
    if not isinstance(entry, tuple) or NO_FORMULAS.issuperset(map(type, entry)):
        return []
    return [text for part in entry for text in formulas(part)]


def check_arguments(function: Any, count: int, shape: str, label: str, field: str) -> None:
    """Refuse a callable that cannot take `count` arguments (where Python can tell)."""
    function = getattr(function, "py_func", function)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*[None] * count)
    except TypeError:
        called = getattr(function, "__name__", repr(function))
        fail(label, field, f"= {called}{signature} must take {count} argument{'s' if count > 1 else ''}: {shape}")
