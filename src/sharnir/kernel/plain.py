"""Kernels as plain Python (`NUMBA_DISABLE_JIT=1`): for debuggers, coverage and as a second opinion on the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sharnir.kernel.bounds import checked, fixed
from sharnir.kernel.mode import CHECKED, LANES
from sharnir.kernel.signatures import BODY_FORCE_C, GIVEN_C, SCALAR_C, VECTOR_C


def jit(function: Callable) -> Callable:
    return function


def entry(function: Callable) -> Callable:
    return function


def inline(function: Callable) -> Callable:
    return function


class Pointer:
    """A Python function that kernels call by address; here the address is the function."""

    def __init__(self, function: Callable, *_: Any) -> None:
        self.function = function

    @property
    def address(self) -> Any:
        return self.function


def address(array: np.ndarray) -> Any:
    return array.reshape(-1)  # memory has no axes; a view, since kernels get contiguous arrays


def doubles(array: Any) -> Any:
    return checked(array) if CHECKED else array


def ints(array: Any) -> Any:
    return checked(array) if CHECKED else array


def fixed_doubles(array: Any) -> Any:
    return fixed(array) if CHECKED else array


def fixed_ints(array: Any) -> Any:
    return fixed(array) if CHECKED else array


def lanes(array: Any) -> Any:
    return doubles(array.reshape(-1, LANES))


def quads(array: Any) -> Any:
    return doubles(array.reshape(-1, 4))


def shift(memory: Any, k: int) -> Any:
    return memory[k:]


def prefetch(memory: Any, k: int) -> None:
    pass


def store_release(memory: Any, k: int, value: int) -> None:
    memory[k] = value


def await_flag(box: Any, flags: Any, k: int) -> Any:
    return flags[k]  # items are done one after the other


def share(box: Any, function: Any, count: int, arguments: Any) -> None:
    for item in range(count):
        function(item, 0, arguments)


def shift_address(array: Any, k: int) -> Any:
    return array[k:]


def address_of(memory: Any, k: int) -> Any:
    return memory[k:]


def sincos(x: Any) -> tuple[Any, Any]:
    return np.sin(x), np.cos(x)


def sqrt(x: Any) -> Any:
    return np.sqrt(x)


def call_derivative(f: Any, t: float, y: Any, yd: Any, table: Any, params: Any, work: Any) -> None:
    f(t, y, yd, table, params, work)


def call_scalar(f: Any, x: float, y: float, z: float) -> float:
    return SCALAR_C(int(f))(x, y, z)


def call_given(f: Any, x: float, y: float, z: float, signals: Any) -> float:
    return GIVEN_C(int(f))(x, y, z, signals.ctypes.data)


def call_body_force(f: Any, t: float, n: int, state: Any, force: Any) -> None:
    BODY_FORCE_C(int(f))(t, n, state.ctypes.data, force.ctypes.data)


def call_vector(f: Any, numbers: Any, results: Any) -> None:
    VECTOR_C(int(f))(numbers.ctypes.data, results.ctypes.data)


def _no_type(*_: Any) -> None:
    """Types say nothing here."""


FLOAT = VOID = Record = _no_type


def record_at(record: Any) -> Callable:
    return lambda block: block  # the named tuple itself


def call_by_address(*_: Any) -> Callable:
    return lambda f, *arguments: f(*arguments)
