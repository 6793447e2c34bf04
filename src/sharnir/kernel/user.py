"""Users' Python functions as C functions: compiled where Numba can, called through Python where it cannot."""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from sharnir.kernel.mode import PLAIN
from sharnir.kernel.signatures import BODY_FORCE, BODY_FORCE_C, SCALAR, SCALAR_C


class SlowFunctionWarning(UserWarning):
    """A user's function could not be compiled and is called through the interpreter in every step."""


class UserFunction:
    """A function with an address. `compiled` says how it runs; `error` holds what a slow one raised."""

    def __init__(self, address: int, compiled: bool, keep: Any, slow: _Slow | None = None) -> None:
        self.address, self.compiled, self._keep, self._slow = address, compiled, keep, slow

    @property
    def error(self) -> Exception | None:
        return self._slow.error if self._slow else None


class _Slow:
    """Remembers the first exception of an interpreted function; the caller sees not-a-number and stops."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    def scalar(self, function: Callable) -> Callable:
        def call(x: float, y: float, z: float) -> float:
            try:
                return float(function(x, y, z))
            except Exception as error:
                self.error = self.error or error
                return float("nan")

        return call

    def body_force(self, function: Callable) -> Callable:
        def call(t: float, n: int, state: int, force: int) -> None:
            out = _view(force, 6 * n)
            try:
                function(t, *_split_state(_view(state, 18 * n), n), out[: 3 * n].reshape(n, 3), out[3 * n :].reshape(n, 3))
            except Exception as error:
                self.error = self.error or error
                out[:] = np.nan

        return call


def _view(address: int, size: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(address))


def _split_state(x: np.ndarray, n: int) -> tuple[np.ndarray, ...]:
    r, R, v, w = x[: 3 * n], x[3 * n : 12 * n], x[12 * n : 15 * n], x[15 * n :]
    return r.reshape(n, 3), R.reshape(n, 3, 3), v.reshape(n, 3), w.reshape(n, 3)


def scalar_function(function: Callable, arguments: int, label: str) -> UserFunction:
    """A function of the first one to three of (x, y, z) as `double f(double, double, double)`.

    >>> f = scalar_function(lambda q, v, t: -2.0 * q, 3, "spring")
    >>> SCALAR_C(f.address)(1.5, 0.0, 0.0)
    -3.0
    """
    if not PLAIN:
        try:
            return _compiled_scalar(function, arguments)
        except Exception as error:  # Numba raises many kinds
            _warn(label, error)
    slow = _Slow()
    spread: Callable = (lambda x, y, z: function(x)) if arguments == 1 else (lambda x, y, z: function(*(x, y, z)[:arguments]))
    callback = SCALAR_C(slow.scalar(spread))
    return UserFunction(ctypes.cast(callback, ctypes.c_void_p).value or 0, False, callback, slow)


def body_force_function(function: Callable, label: str) -> UserFunction:
    """f(t, r, R, v, w, force, torque) on arrays of some bodies as a C function of addresses."""
    if not PLAIN:
        try:
            return _compiled_body_force(function)
        except Exception as error:
            _warn(label, error)
    slow = _Slow()
    callback = BODY_FORCE_C(slow.body_force(function))
    return UserFunction(ctypes.cast(callback, ctypes.c_void_p).value or 0, False, callback, slow)


def _warn(label: str, error: Exception) -> None:
    dull = ("Failed in nopython", "During:", "File ", "This error", "The above", "Enable logging", "<source")
    lines = [line.strip() for line in str(error).splitlines()]
    telling = [line for line in lines if line and not line.startswith(dull) and not set(line) <= set("-^~ ")]
    reason = telling[0].rstrip(".") if telling else type(error).__name__
    warnings.warn(
        f"{label}: the Python function could not be compiled into the step loop and will be called through the interpreter "
        f"in every step, which is slow. Reason: {reason}. Use numbers, tuples, "
        "NumPy arrays and math functions only, or a formula.",
        SlowFunctionWarning,
        stacklevel=2,
    )


def _jitted(function: Callable) -> Any:
    import numba

    return function if hasattr(function, "py_func") else numba.njit(function)


def inner_function(function: Callable) -> Callable:
    """A function of one number for use inside other users' functions: compiled if Numba can, else as it is.

    >>> inner_function(lambda t: 2.0 * t)(1.5)
    3.0
    """
    if PLAIN:
        return function
    compiled = _jitted(function)
    try:
        compiled(0.1)
    except Exception:  # Numba raises many kinds; the function itself may not like 0.1 either
        return function
    return compiled


def _compiled_scalar(function: Callable, arguments: int) -> UserFunction:
    from sharnir.kernel.compilation import Pointer

    f = _jitted(function)
    if arguments == 1:

        def call(x, y, z):
            return float(f(x))
    elif arguments == 2:

        def call(x, y, z):
            return float(f(x, y))
    else:

        def call(x, y, z):
            return float(f(x, y, z))

    pointer = Pointer(call, SCALAR, cached=False)
    return UserFunction(pointer.address, True, pointer)


def _compiled_body_force(function: Callable) -> UserFunction:
    import numba

    from sharnir.kernel.compilation import Pointer
    from sharnir.kernel.memory import double_pointer

    f = _jitted(function)

    def call(t, n, state, force):
        x = numba.carray(double_pointer(state), 18 * n)
        out = numba.carray(double_pointer(force), 6 * n)
        r, v, w = x[: 3 * n].reshape(n, 3), x[12 * n : 15 * n].reshape(n, 3), x[15 * n :].reshape(n, 3)
        f(t, r, x[3 * n : 12 * n].reshape(n, 3, 3), v, w, out[: 3 * n].reshape(n, 3), out[3 * n :].reshape(n, 3))

    pointer = Pointer(call, BODY_FORCE, cached=False)
    return UserFunction(pointer.address, True, pointer)
