"""Kernels in a process that has them compiled (library.py): found by their names, without Numba.

What the compiler offers to kernels, such as `doubles`, is a name here that becomes the real thing when something is compiled
after all: a user's function, or an element that is defined outside of the package. Numba looks behind these names
(compilation.py).
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from sharnir.kernel.mode import LIBRARY
from sharnir.kernel.signatures import ArrayKind, entry_signature
from sharnir.kernel.storage.library import symbol


class Deferred:
    """Something that needs Numba, and is made when it is first needed; called, it gives another such thing."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def real(self) -> Any:
        return self._make()

    def __call__(self, *arguments: Any) -> Any:
        return Deferred(lambda: self.real(*(real(x) for x in arguments)))


def real(x: Any) -> Any:
    """What stands behind a name of this file; anything else as it is."""
    return x.real if isinstance(x, Deferred) else x


def of_compiler(module: str, name: str) -> Deferred:
    """A name of one of the files of this room that import Numba."""
    return Deferred(lambda: getattr(import_module(f"sharnir.kernel.{module}"), name))


class KernelFunction(Deferred):
    """A function that other kernels call. Where Python calls it, its source runs as it is."""

    def __init__(self, function: Callable, how: str) -> None:
        super().__init__(lambda: of_compiler("compilation", how).real(function))
        self.py_func, self.__doc__, self.__name__ = function, function.__doc__, function.__name__
        self.__module__, self.__wrapped__ = function.__module__, function

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


def jit(function: Callable) -> Any:
    """A function that other kernels call."""
    return KernelFunction(function, "jit")


def inline(function: Callable) -> Any:
    """The same, for one that must not cost a call."""
    return KernelFunction(function, "inline")


class Entry(KernelFunction):
    """A kernel that Python calls; its arguments are handed over as one block of numbers."""

    def __init__(self, function: Callable) -> None:
        super().__init__(function, "entry")

    @cached_property
    def call(self) -> Callable:
        """The call as a function of Python."""
        signature = entry_signature(self.py_func)
        address = LIBRARY.address(symbol(self.py_func)) if LIBRARY is not None and signature else None
        if address is None or signature is None:
            return self.real
        result = {None: None, int: ctypes.c_int64, float: ctypes.c_double, bool: ctypes.c_int64}[signature.result]
        names, formats, values = [], [], []
        for k, kind in enumerate(signature.arguments):
            names.append(f"a{k}")
            for path, part in _parts(f"a{k}", kind):
                formats.append({float: "d"}.get(part, "q" * (1 + part.ndim if isinstance(part, ArrayKind) else 1)))
                values.append(f"*place({path}, {part.dtype}, {part.ndim})" if isinstance(part, ArrayKind) else path)
        scope = {
            "place": _place,
            "function": ctypes.CFUNCTYPE(result, ctypes.c_char_p)(address),
            "pack": struct.Struct("=" + "".join(formats)).pack,
            "float64": np.dtype(np.float64),
            "float32": np.dtype(np.float32),
            "int64": np.dtype(np.int64),
        }
        return eval(f"lambda {', '.join(names)}: function(pack({', '.join(values)}))", scope)  # our own text

    def __call__(self, *arguments: Any) -> Any:
        return self.call(*arguments)


def _parts(path: str, kind: Any) -> list[tuple[str, Any]]:
    """The parts of an argument in the order of the block."""
    if not isinstance(kind, tuple) or isinstance(kind, ArrayKind):
        return [(path, kind)]
    names = kind[0]._fields
    return [part for name, inner in zip(names, kind[1], strict=True) for part in _parts(f"{path}.{name}", inner)]


def _place(array: Any, dtype: np.dtype, ndim: int) -> tuple[int, ...]:
    """Address and shape of an array, which must be what the kernel was compiled for."""
    if array.dtype != dtype or array.ndim != ndim or not array.flags.c_contiguous:
        raise TypeError(
            f"a kernel got an array of {array.dtype} with {array.ndim} axes, it needs {dtype} with {ndim}, contiguous"
        )
    if not array.flags.writeable:
        return array.ctypes.data, *array.shape
    return ctypes.addressof((ctypes.c_char * 0).from_buffer(array)), *array.shape


def entry(function: Callable) -> Any:
    """A kernel that Python calls."""
    return Entry(function)


class Pointer:
    """A kernel with a C signature: from the library, or compiled when its address is first asked for."""

    def __init__(self, function: Callable, sig: Any, cached: bool = True, digest: str | None = None) -> None:
        self.function, self.signature, self._cached, self._digest = function, sig, cached, digest

    @cached_property
    def address(self) -> int:
        found = LIBRARY.address(symbol(self.function)) if LIBRARY is not None and self._cached else None
        return self._compiled.address if found is None else found

    @cached_property
    def _compiled(self) -> Any:
        function = getattr(self.function, "py_func", self.function)
        return of_compiler("compilation", "Pointer").real(function, real(self.signature), self._cached, self._digest)


FLOAT, VOID, call_by_address = (of_compiler("calls", name) for name in ("FLOAT", "VOID", "call_by_address"))
call_derivative, call_scalar, call_given, call_body_force, call_vector, call_job, call_rest = (
    of_compiler("calls", f"call_{name}") for name in ("derivative", "scalar", "given", "body_force", "vector", "job", "rest")
)
add_release, exchange_if, load_acquire, pause, store_release = (
    of_compiler("atomic", name) for name in ("add_release", "exchange_if", "load_acquire", "pause", "store_release")
)


class ElementaryFunction(Deferred):
    """A function of numbers that Python may call, too."""

    def __init__(self, name: str, plain: Callable) -> None:
        super().__init__(lambda: of_compiler("elementary", name).real)
        self._plain = plain

    def __call__(self, *arguments: Any) -> Any:
        return self._plain(*arguments)


sqrt, sincos = ElementaryFunction("sqrt", math.sqrt), ElementaryFunction("sincos", lambda x: (math.sin(x), math.cos(x)))
address, address_of, doubles, fixed_doubles, fixed_ints, ints, lanes, prefetch, quads, shift = (
    of_compiler("memory", name)
    for name in ("address", "address_of", "doubles", "fixed_doubles", "fixed_ints", "ints", "lanes", "prefetch", "quads", "shift")
)
shift_address = of_compiler("memory", "shift_address")
Record, record_at = (of_compiler("named_addresses", name) for name in ("Record", "record_at"))
