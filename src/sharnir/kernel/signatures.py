"""Signatures of kernels: of C functions that kernels call by address, and of the entries that Python calls with arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, TypeAlias, get_args, get_type_hints

import numpy as np

DERIVATIVE = "void(float64, int64, int64, int64, int64, int64)"  # t, y, ydot, table, params, work
SCALAR = "float64(float64, float64, float64)"  # a function of up to three numbers
GIVEN = "float64(float64, float64, float64, int64)"  # the same, and where signals stand
NOTED_SCALAR = "float64(float64, float64, float64, int64)"  # a user's function, and where to note what it raised
NOTED_BODY_FORCE = "void(float64, int64, int64, int64, int64)"  # t, count of bodies, states, forces; where to note
VECTOR = "void(int64, int64)"  # many numbers in, many numbers out
JOB = "void(int64, int64, int64)"  # item, hand, arguments; threads

DERIVATIVE_C = ctypes.CFUNCTYPE(None, ctypes.c_double, *(ctypes.c_int64,) * 5)
SCALAR_C = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_double)
GIVEN_C = ctypes.CFUNCTYPE(ctypes.c_double, *(ctypes.c_double,) * 3, ctypes.c_int64)
BODY_FORCE_C = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
VECTOR_C = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)


class ArrayKind(NamedTuple):
    """An array of an entry: contiguous, of one type of numbers and a number of axes."""

    dtype: str
    ndim: int


Vector: TypeAlias = Annotated[np.ndarray, ArrayKind("float64", 1)]
Matrix: TypeAlias = Annotated[np.ndarray, ArrayKind("float64", 2)]
Cube: TypeAlias = Annotated[np.ndarray, ArrayKind("float64", 3)]
SingleVector: TypeAlias = Annotated[np.ndarray, ArrayKind("float32", 1)]
SingleMatrix: TypeAlias = Annotated[np.ndarray, ArrayKind("float32", 2)]
Integers: TypeAlias = Annotated[np.ndarray, ArrayKind("int64", 1)]


class EntrySignature(NamedTuple):
    """Arguments of an entry, each an ArrayKind, int, float, bool, or a named tuple of such (class, kinds); and its result."""

    arguments: tuple[Any, ...]
    result: Any


def entry_signature(function: Callable) -> EntrySignature | None:
    """What the annotations of an entry say; None if some are missing.

    >>> def scale(x: Vector, factor: float) -> None: ...
    >>> entry_signature(scale).arguments
    (ArrayKind(dtype='float64', ndim=1), <class 'float'>)
    """
    hints = get_type_hints(function, include_extras=True)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    if "return" not in hints or any(name not in hints for name in names):
        return None
    result = hints["return"]
    return EntrySignature(tuple(_kind(hints[name]) for name in names), None if result is type(None) else result)


def _kind(hint: Any) -> Any:
    """An annotation as a kind of argument."""
    if hasattr(hint, "_fields"):
        fields = get_type_hints(hint, include_extras=True)
        return hint, tuple(_kind(fields[name]) for name in hint._fields)
    return get_args(hint)[1] if get_args(hint) else hint
