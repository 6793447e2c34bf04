"""Users' Python functions as C functions: compiled where Numba can, called through Python where it cannot.

A function is compiled once: its code is found again by a digest of all that it is made of (function_digest.py), in this process
and, where it contains no addresses, on disk.
"""

from __future__ import annotations

import ctypes
import warnings
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from sharnir.kernel.mode import PLAIN
from sharnir.kernel.signatures import BODY_FORCE_C, GIVEN_C, NOTED_BODY_FORCE, NOTED_SCALAR, SCALAR_C
from sharnir.kernel.storage.function_digest import function_digest

MOST_SIGNALS = 1 << 20  # a view on memory needs some size


class SlowFunctionWarning(UserWarning):
    """A user's function could not be compiled and is called through the interpreter in every step.

    >>> import warnings
    >>> warnings.simplefilter("error", SlowFunctionWarning)  # to have it stop the run
    >>> warnings.simplefilter("default", SlowFunctionWarning)
    """


class Watch(Protocol):
    """What knows whether a function has raised."""

    @property
    def error(self) -> Exception | None: ...

    def forget(self) -> None: ...


class UserFunction:
    """A function with an address. `compiled` says how it runs; `error` is what it raised since `forget`."""

    def __init__(self, address: int, compiled: bool, keep: Any, watch: Watch | None = None) -> None:
        self.address, self.compiled, self._keep, self._watch = address, compiled, keep, watch

    @property
    def error(self) -> Exception | None:
        return self._watch.error if self._watch else None

    def forget(self) -> None:
        """Forget errors: functions of formulas and tables are shared by models."""
        if self._watch:
            self._watch.forget()


class _Caught:
    """Where compiled code leaves the arguments of the first call that raised; Python repeats that call to learn why."""

    def __init__(self, repeat: Callable[[np.ndarray], Any], size: int) -> None:
        self._repeat, self.memory = repeat, np.zeros(1 + size)
        self._error: Exception | None = None

    @property
    def error(self) -> Exception | None:
        if self.memory[0] and self._error is None:
            try:
                self._repeat(self.memory[1:])
                self._error = RuntimeError("an exception in compiled code that the interpreter does not repeat")
            except Exception as error:
                self._error = error
        return self._error

    def forget(self) -> None:
        self.memory[0], self._error = 0.0, None


class _Slow:
    """Remembers the first exception of an interpreted function; the caller sees not-a-number and stops."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    def forget(self) -> None:
        self.error = None

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


def formula_pointer(function: Callable) -> UserFunction:
    """A function of three numbers that we wrote ourselves and that raises nothing, in the constructs of formulas/translation.py.

    >>> from sharnir.kernel.formulas.translation import written
    >>> f = written(["def f(x, y, z): return 2.0 * x + z"], "f", {})
    >>> compiled = formula_pointer(f)  # the code lives as long as this
    >>> SCALAR_C(compiled.address)(1.0, 0.0, 0.5)
    2.5
    """
    if PLAIN:
        return scalar_function(function, 3, "formula")
    from sharnir.kernel.formulas.c_function import TranslatedFunction

    code = TranslatedFunction(function, "ddd")
    return UserFunction(code.address, True, code)


class BindableCode:
    """A function that we wrote ourselves, whose last argument is the memory of parameters; `bound` gives one with their values.

    kinds : of the other arguments: "ddd" three numbers, "dddm" three numbers and the memory of signals, "mm" numbers and results.

    >>> from sharnir.kernel.formulas.translation import written
    >>> code = BindableCode(written(["def f(x, y, z, p): return p[0] * x"], "f", {}), "ddd")
    >>> f = code.bound((2.0,))
    >>> SCALAR_C(f.address)(1.5, 0.0, 0.0)
    3.0
    """

    def __init__(self, function: Callable, kinds: str) -> None:
        self.function, self.kinds, self.code = function, kinds, None
        if not PLAIN:
            from sharnir.kernel.formulas.c_function import TranslatedFunction

            self.code = TranslatedFunction(function, kinds + "m")

    def bound(self, values: tuple[float, ...]) -> UserFunction:
        """The function with these values of its parameters."""
        if self.code is None:
            f = self.function
            if self.kinds == "ddd":
                return scalar_function(lambda x, y, z: f(x, y, z, values), 3, "formula")
            return given_pointer(lambda x, y, z, s: f(x, y, z, s, values))
        from sharnir.kernel.formulas.c_function import BoundFormula

        made = BoundFormula(self.code, self.kinds, values)
        return UserFunction(made.address, True, made)


def guarded_pointer(function: Callable) -> UserFunction:
    """A function of one number that we wrote ourselves and that may raise."""
    if PLAIN:
        return scalar_function(function, 1, "formula")
    from sharnir.kernel.formulas.c_function import TranslatedFunction

    caught = _Caught(lambda x: function(float(x[0])), 3)
    code = TranslatedFunction(function, "ddd", caught.memory.ctypes.data)
    return UserFunction(code.address, True, code, caught)


def constant_pointer(value: float) -> UserFunction:
    """The function of three numbers that is always `value`."""
    if PLAIN:
        return scalar_function(lambda x, y, z: value, 3, "constant")
    from sharnir.kernel.formulas.c_function import ConstantFunction

    code = ConstantFunction(value)
    return UserFunction(code.address, True, code)


def given_pointer(function: Callable) -> UserFunction:
    """A function of three numbers and of the memory of signals that we wrote ourselves."""
    if PLAIN:

        def call(x: float, y: float, z: float, signals: int) -> float:
            try:
                return float(function(x, y, z, (ctypes.c_double * MOST_SIGNALS).from_address(signals)))
            except (ArithmeticError, ValueError):  # compiled code goes on with inf or nan
                return float("nan")

        callback = GIVEN_C(call)
        return UserFunction(ctypes.cast(callback, ctypes.c_void_p).value or 0, False, callback)
    from sharnir.kernel.formulas.c_function import TranslatedFunction

    code = TranslatedFunction(function, "dddm")
    return UserFunction(code.address, True, code)


def scalar_function(function: Callable, arguments: int, label: str) -> UserFunction:
    """A function of the first one to three of (x, y, z) as `double f(double, double, double)`.

    >>> f = scalar_function(lambda q, v, t: -2.0 * q, 3, "spring")
    >>> SCALAR_C(f.address)(1.5, 0.0, 0.0)
    -3.0
    """
    if not PLAIN:
        try:
            return _compiled_once(_compiled_scalar, function, arguments)
        except Exception as error:  # Numba raises many kinds
            _warn(label, error)
    slow = _Slow()
    spread: Callable = (lambda x, y, z: function(x)) if arguments == 1 else (lambda x, y, z: function(*(x, y, z)[:arguments]))
    callback = SCALAR_C(slow.scalar(spread))
    return UserFunction(ctypes.cast(callback, ctypes.c_void_p).value or 0, False, callback, slow)


def body_force_function(function: Callable, label: str, count: int) -> UserFunction:
    """f(t, r, R, v, w, force, torque) on arrays of `count` bodies as a C function of addresses."""
    if not PLAIN:
        try:
            return _compiled_once(_compiled_body_force, function, count)
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


_COMPILED: OrderedDict[tuple[str, str | None], Any] = OrderedDict()  # in the order of their last use
MOST_COMPILED = 500


def _kept(kind: str, digest: str | None, make: Callable[[], Any]) -> Any:
    """What was made before for a digest, or makes now; exceptions are kept as well. Without a digest nothing is."""
    key = (kind, digest)
    if digest is None or key not in _COMPILED:
        try:
            made = make()
        except Exception as error:  # Numba raises many kinds
            made = error
        if digest is not None:
            _COMPILED[key] = made
            if len(_COMPILED) > MOST_COMPILED:
                _COMPILED.popitem(last=False)
    else:
        made = _COMPILED[key]
        _COMPILED.move_to_end(key)
    if isinstance(made, Exception):
        raise made
    return made


def _compiled_once(compiled: Callable[..., UserFunction], function: Callable, count: int) -> UserFunction:
    """A function compiled in one of two ways: once in this process, and found on disk by the next one."""
    digest = function_digest(function, compiled.__name__, count)
    return _kept(compiled.__name__, digest, lambda: compiled(function, count, digest))


def _jitted(function: Callable) -> Any:
    import numba

    if hasattr(function, "py_func"):
        return function
    # an index out of bounds must not write into the engine's memory
    return _kept("jitted", function_digest(function), lambda: numba.njit(function, boundscheck=True))


def _interpreted(function: Callable) -> Callable:
    return getattr(function, "py_func", function)


def inner_function(function: Callable) -> Callable:
    """A function of one number for use inside other users' functions: compiled if Numba can, else as it is.

    >>> inner_function(lambda t: 2.0 * t)(1.5)
    3.0
    """
    if PLAIN:
        return function
    try:
        _compiled_once(_compiled_scalar, function, 1)
    except Exception:  # Numba raises many kinds
        return function
    return _jitted(function)


def _compiled_scalar(function: Callable, arguments: int, digest: str | None) -> UserFunction:
    from sharnir.kernel.bound_function import BoundFunction
    from sharnir.kernel.compilation import Pointer

    f = _spread(_jitted(function), arguments)
    caught = _Caught(lambda x: _interpreted(function)(*(float(e) for e in x[:arguments])), 3)
    pointer = Pointer(_guarded_scalar(f), NOTED_SCALAR, cached=False, digest=digest)
    bound = BoundFunction(pointer.address, "ddd", "d", caught.memory.ctypes.data)
    return UserFunction(bound.address, True, (pointer, bound), caught)


def _spread(f: Any, arguments: int) -> Any:
    """f of one to three numbers as a compiled function of three."""
    import numba

    if arguments == 1:
        return numba.njit(lambda x, y, z: float(f(x)))
    return numba.njit(lambda x, y, z: float(f(x, y))) if arguments == 2 else numba.njit(lambda x, y, z: float(f(x, y, z)))


def _guarded_scalar(f: Any) -> Callable:
    from sharnir.kernel.notes import note_numbers

    def call(x, y, z, where):
        try:
            return f(x, y, z)
        except Exception:
            return note_numbers(where, x, y, z)

    return call


def _compiled_body_force(function: Callable, count: int, digest: str | None) -> UserFunction:
    import numba

    from sharnir.kernel.bound_function import BoundFunction
    from sharnir.kernel.compilation import Pointer
    from sharnir.kernel.memory import double_pointer
    from sharnir.kernel.notes import note_state

    def repeat(x: np.ndarray) -> None:
        _interpreted(function)(float(x[0]), *_split_state(x[1:].copy(), count), np.zeros((count, 3)), np.zeros((count, 3)))

    f, caught = _jitted(function), _Caught(repeat, 1 + 18 * count)

    @numba.njit
    def on_arrays(t, n, state, force):
        x = numba.carray(double_pointer(state), 18 * n)
        out = numba.carray(double_pointer(force), 6 * n)
        r, v, w = x[: 3 * n].reshape(n, 3), x[12 * n : 15 * n].reshape(n, 3), x[15 * n :].reshape(n, 3)
        f(t, r, x[3 * n : 12 * n].reshape(n, 3, 3), v, w, out[: 3 * n].reshape(n, 3), out[3 * n :].reshape(n, 3))

    def call(t, n, state, force, where):
        try:
            on_arrays(t, n, state, force)
        except Exception:
            note_state(where, t, n, state, force)

    pointer = Pointer(call, NOTED_BODY_FORCE, cached=False, digest=digest)
    bound = BoundFunction(pointer.address, "diii", "", caught.memory.ctypes.data)
    return UserFunction(bound.address, True, (pointer, bound), caught)
