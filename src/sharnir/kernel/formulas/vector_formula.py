"""Several formulas of the same numbers as one C function `void f(numbers, results)`: constraints, curves, surfaces."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from sharnir.kernel.formulas.translation import written
from sharnir.kernel.mode import PLAIN
from sharnir.kernel.signatures import SCALAR_C, VECTOR_C
from sharnir.kernel.user import BindableCode, UserFunction

Helper = tuple[str, UserFunction, str]  # name in the formulas, function of one number, name of its argument


Step = tuple[str, str]  # name, Python expression of inputs and of steps before
# inputs, outputs, calls of helpers (name, address, argument), steps
Source = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, int, str], ...], tuple[Step, ...]]


def vector_formula(
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    helpers: tuple[Helper, ...] = (),
    steps: tuple[Step, ...] = (),
    values: tuple[float, ...] = (),
    exact: bool = False,
) -> UserFunction:
    """A function that reads `inputs` and writes `outputs`, Python expressions of these names, helpers' values and steps.

    values : of parameters, which the expressions call p[0], p[1], …; others need no other code.
    exact : every operation is rounded as Python rounds it.

    The expressions are our own printing of parsed formulas, never a user's text. What helpers raise is in their `error`.

    >>> f = vector_formula(("x", "y"), ("x * y", "math.sin(x)", "1.0"))
    >>> numbers, results = np.array([2.0, 3.0]), np.zeros(3)
    >>> VECTOR_C(f.address)(numbers.ctypes.data, results.ctypes.data)
    >>> results[0], results[2]
    (np.float64(6.0), np.float64(1.0))
    """
    calls = tuple((name, function.address, argument) for name, function, argument in helpers)
    source = (inputs, outputs, calls, steps)
    function = _bound(source, values) if values else _compiled(source, exact)
    if not helpers:
        return function
    return UserFunction(function.address, function.compiled, (function, helpers), _Watch(function, helpers))


class _Watch:
    """The first error among a formula and its helpers."""

    def __init__(self, function: UserFunction, helpers: tuple[Helper, ...]) -> None:
        self._parts = (*(helper for _, helper, _ in helpers), function)

    @property
    def error(self) -> Exception | None:
        return next((part.error for part in self._parts if part.error is not None), None)

    def forget(self) -> None:
        for part in self._parts:
            part.forget()


@lru_cache(maxsize=1000)
def _compiled(source: Source, exact: bool) -> UserFunction:
    inputs, outputs, *_ = source
    lines = _lines(source)
    if PLAIN:
        return _interpreted(lines, len(inputs), len(outputs))
    from sharnir.kernel.formulas.c_function import TranslatedFunction

    code = TranslatedFunction(_function(lines, {}), "mm", exact=exact)
    return UserFunction(code.address, True, code)


def _bound(source: Source, values: tuple[float, ...]) -> UserFunction:
    """The function with these values of its parameters."""
    if PLAIN:
        return _interpreted(_lines(source), len(source[0]), len(source[1]), values)
    return _code(source).bound(values)


@lru_cache(maxsize=1000)
def _code(source: Source) -> BindableCode:
    return BindableCode(_function(_lines(source), {}, ", p"), "mm")


def _lines(source: Source) -> list[str]:
    inputs, outputs, calls, steps = source
    lines = [f"{name} = numbers[{k}]" for k, name in enumerate(inputs)]
    lines += [f"{name} = call_scalar({address}, {argument}, 0.0, 0.0)" for name, address, argument in calls]
    lines += [f"{name} = {text}" for name, text in steps]
    return lines + [f"results[{k}] = {text}" for k, text in enumerate(outputs)]


def _function(lines: list[str], scope: dict[str, Any], more: str = "") -> Callable:
    text = "\n    ".join([f"def formula(numbers, results{more}):", *lines])
    function: Callable = written([text], "formula", {"math": math, **scope})
    return function


class _Interpreted:
    """The formulas as plain Python on the memory behind two addresses; the first exception is kept."""

    def __init__(self, function: Callable, n_in: int, n_out: int) -> None:
        self.function, self.n_in, self.n_out = function, n_in, n_out
        self.error: Exception | None = None

    def forget(self) -> None:
        self.error = None

    def __call__(self, numbers: int, results: int) -> None:
        out = _view(results, self.n_out)
        try:
            self.function(_view(numbers, self.n_in).tolist(), out)
        except Exception as error:  # division by zero and the like; compiled code goes on with inf or nan
            self.error = self.error or error
            out[:] = np.nan


def _view(address: int, size: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(address))


def _interpreted(lines: list[str], n_in: int, n_out: int, values: tuple[float, ...] = ()) -> UserFunction:
    def call_scalar(f: int, x: float, y: float, z: float) -> float:
        return SCALAR_C(f)(x, y, z)

    watch = _Interpreted(_function(lines, {"call_scalar": call_scalar, "p": values}), n_in, n_out)
    callback = VECTOR_C(watch)
    return UserFunction(ctypes.cast(callback, ctypes.c_void_p).value or 0, False, callback, watch)
