"""Kernels as plain Python (`NUMBA_DISABLE_JIT=1`): for debuggers, coverage and as a second opinion on the compiler.

The address of memory is the array itself. Functions, and memory whose address has to stand in memory, are known by numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import count
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


_functions: dict[int, Callable] = {}
_memory: dict[int, np.ndarray] = {}
_numbers = count(1)


class Pointer:
    """A Python function that kernels call by its address: the number that it gets here."""

    def __init__(self, function: Callable, *_: Any, **__: Any) -> None:
        self.function = function

    @cached_property
    def address(self) -> int:
        number = next(_numbers)
        _functions[number] = self.function
        return number


def function_at(f: Any) -> Callable:
    """The function of an address."""
    return _functions[int(f)]


derivative_at = function_at


def location(memory: Any) -> Any:
    """What a kernel takes as the address of an array, or of a record."""
    return memory.reshape(-1) if isinstance(memory, np.ndarray) else memory


def block_of(record: Any) -> Any:
    """What holds the addresses of a record."""
    return record


def number_of(where: np.ndarray) -> int:
    """An address as a number that memory can hold; what it stands for is kept until the process ends."""
    _memory[where.ctypes.data] = where
    return where.ctypes.data


def memory_at(where: Any) -> Any:
    """Memory by its address, or by the number of it."""
    return where if isinstance(where, np.ndarray) or not where else _memory[int(where)]


def bits(array: Any) -> Any:
    """Memory as integers."""
    return array.view(np.int64) if isinstance(array, np.ndarray) and array.dtype == np.float64 else array


def address(array: np.ndarray) -> Any:
    return array.reshape(-1)  # memory has no axes; a view, since kernels get contiguous arrays


def doubles(where: Any) -> Any:
    return checked(memory_at(where)) if CHECKED else memory_at(where)


def ints(where: Any) -> Any:
    return checked(bits(memory_at(where))) if CHECKED else bits(memory_at(where))


def fixed_doubles(where: Any) -> Any:
    return fixed(memory_at(where)) if CHECKED else memory_at(where)


def fixed_ints(where: Any) -> Any:
    return fixed(bits(memory_at(where))) if CHECKED else bits(memory_at(where))


def lanes(array: Any) -> Any:
    return doubles(array.reshape(-1, LANES))


def quads(array: Any) -> Any:
    return doubles(array[: len(array) // 4 * 4].reshape(-1, 4))


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
        function_at(function)(item, 0, arguments)


def shift_address(array: Any, k: int) -> Any:
    return array[k:]


def address_of(memory: Any, k: int) -> Any:
    return memory[k:]


def sincos(x: Any) -> tuple[Any, Any]:
    return np.sin(x), np.cos(x)


def sqrt(x: Any) -> Any:
    return np.sqrt(x)


def call_derivative(f: Any, t: float, y: Any, yd: Any, table: Any, params: Any, work: Any) -> None:
    function_at(f)(t, y, yd, table, params, work)


def _called(signature: Any, f: Any, *arguments: Any) -> Any:
    """What a function of ours gives, or one of the user, which is a C function here, too."""
    if int(f) in _functions:
        return function_at(f)(*arguments)
    return signature(int(f))(*(x.ctypes.data if isinstance(x, np.ndarray) else x for x in arguments))


def call_scalar(f: Any, x: float, y: float, z: float) -> float:
    return _called(SCALAR_C, f, x, y, z)


def call_given(f: Any, x: float, y: float, z: float, signals: Any) -> float:
    return _called(GIVEN_C, f, x, y, z, signals)


def call_body_force(f: Any, t: float, n: int, state: Any, force: Any) -> None:
    _called(BODY_FORCE_C, f, t, n, state, force)


def call_vector(f: Any, numbers: Any, results: Any) -> None:
    _called(VECTOR_C, f, numbers, results)


def _no_type(*_: Any) -> None:
    """Types say nothing here."""


FLOAT = VOID = Record = _no_type


def record_at(record: Any) -> Callable:
    return lambda block: block  # the named tuple itself


def call_by_address(*_: Any) -> Callable:
    return lambda f, *arguments: function_at(f)(*arguments)
