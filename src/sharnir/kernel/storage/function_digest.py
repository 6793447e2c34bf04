"""What a Python function is made of, as a digest: its code, constants, defaults, closure, and the globals that it uses.

Two functions with the same digest compute the same, so that one compilation serves both. What cannot be described (objects
of unknown kinds) has no digest.
"""

from __future__ import annotations

import hashlib
import math
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.kernel.storage.cache import HOUSE, source_stamp

LARGE = 10**6  # bytes; Numba takes larger arrays by their address, so that the array itself counts
LIBRARIES = ("math", "cmath", "numpy", "numba", "scipy")  # modules that do not change but by their version
DEEPEST = 50  # functions that call functions


class Unknown(Exception):
    """Something without a description."""


def function_digest(function: Callable, *more: Any) -> str | None:
    """A digest of a function and of plain values beside it; None if something in it cannot be described.

    >>> def doubled(x):
    ...     return FACTOR * x
    >>> FACTOR = 2.0
    >>> doubled.__globals__["FACTOR"] = 2.0
    >>> first = function_digest(doubled)
    >>> doubled.__globals__["FACTOR"] = 3.0
    >>> first == function_digest(doubled), function_digest(lambda x: x) == function_digest(lambda x: x)
    (False, True)
    """
    digest = hashlib.sha256()
    writer = _Writer(digest)
    try:
        for value in (function, *more):
            writer.value(value)
    except (Unknown, ValueError, RecursionError):  # ValueError: a cell that is empty
        return None
    return digest.hexdigest()[:32]


class _Writer:
    """Writes descriptions of values into a digest, everything with its kind and length, so that none reads as another."""

    def __init__(self, digest: Any) -> None:
        self.digest, self.seen = digest, {}  # type: Any, dict[int, int]

    def put(self, kind: str, content: bytes = b"") -> None:
        self.digest.update(f"{kind} {len(content)}:".encode())
        self.digest.update(content)

    def value(self, x: Any) -> None:
        """Describe a value, and what it refers to."""
        if x is None or isinstance(x, (bool, int, float, complex, str, bytes)) or x is Ellipsis:
            self.put(type(x).__name__, repr(x).encode())
        elif isinstance(x, (np.generic, np.ndarray)):
            self.array(x)
        elif isinstance(x, (tuple, list, set, frozenset)):
            self.put(type(x).__name__, f"{len(x)} {getattr(x, '_fields', '')}".encode())
            for item in sorted(x, key=repr) if isinstance(x, (set, frozenset)) else x:
                self.value(item)
        elif isinstance(x, types.CodeType):
            self.code(x)
        elif isinstance(x, types.ModuleType):
            self.put("module", f"{x.__name__} {getattr(x, '__version__', '')}".encode())
        elif hasattr(x, "py_func"):  # compiled by the user, or a kernel of ours
            self.put("compiled")
            for name, option in sorted(getattr(x, "targetoptions", {}).items()):
                self.value((name, option))
            self.function(x.py_func)
        elif isinstance(x, types.FunctionType):
            self.function(x)
            self.overloads(x)
        elif isinstance(getattr(x, "_defn", None), types.FunctionType):  # an intrinsic of Numba
            self.put("intrinsic")
            self.function(x._defn)
        elif any(kind.__module__.startswith("numba.core.types") for kind in type(x).__mro__):
            self.put("type", repr(x).encode())
        elif isinstance(x, (types.BuiltinFunctionType, np.ufunc, type)) and _is_known(x):
            self.put("name", f"{getattr(x, '__module__', '')}.{x.__name__}".encode())
        else:
            raise Unknown

    def array(self, x: Any) -> None:
        array = np.asarray(x)
        if array.dtype.hasobject:
            raise Unknown
        order = "F" if array.ndim > 1 and array.flags.f_contiguous else "C" if array.flags.c_contiguous else "A"
        self.put(type(x).__name__, f"{array.dtype.str} {array.shape} {order} {array.flags.writeable}".encode())
        if array.nbytes > LARGE:
            self.put("at", str(id(x)).encode())
        self.put("bytes", array.tobytes())

    def code(self, code: types.CodeType) -> None:
        names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        self.put("code", repr((names, counts)).encode())
        self.put("instructions", code.co_code + getattr(code, "co_exceptiontable", b""))
        for constant in code.co_consts:
            self.value(constant)

    def function(self, f: types.FunctionType) -> None:
        """A function: code, defaults, cells, globals; those of this package by their files."""
        if id(f) in self.seen:
            self.put("again", str(self.seen[id(f)]).encode())
            return
        self.seen[id(f)] = len(self.seen)
        if len(self.seen) > DEEPEST:
            raise Unknown
        self.code(f.__code__)
        path = Path(f.__code__.co_filename)
        if path.is_relative_to(HOUSE):
            self.put("file", source_stamp(path).encode())
        self.value(f.__defaults__)
        for name, default in sorted((f.__kwdefaults__ or {}).items()):
            self.put("default", name.encode())
            self.value(default)
        for cell in f.__closure__ or ():
            self.value(cell.cell_contents)
        if not path.is_relative_to(HOUSE):
            self.used_globals(f)

    def overloads(self, f: types.FunctionType) -> None:
        """What Numba compiles in place of a function that somebody has registered with it."""
        if "numba" not in sys.modules:
            return
        from numba.core.registry import cpu_target

        cpu_target.typing_context.refresh()
        for template in getattr(cpu_target.typing_context._lookup_global(f), "templates", ()):
            if not hasattr(template, "_overload_func"):
                raise Unknown
            self.put("overload")
            self.function(template._overload_func)

    def used_globals(self, f: types.FunctionType) -> None:
        used = _names(f.__code__)
        for name in used:
            if name in f.__globals__:
                self.put("global", name.encode())
                self.value(f.__globals__[name])
                self.used_attributes(f.__globals__[name], used)

    def used_attributes(self, module: Any, used: list[str], outer: tuple[Any, ...] = ()) -> None:
        """What a function may use of a module and of those inside it; what is whose attribute stands in the instructions."""
        if not isinstance(module, types.ModuleType) or module.__name__.split(".")[0] in LIBRARIES or module in outer:
            return
        for name in used:
            if hasattr(module, name):
                self.put("attribute", name.encode())
                self.value(getattr(module, name))
                self.used_attributes(getattr(module, name), used, (*outer, module))


def _is_known(x: Any) -> bool:
    module = getattr(x, "__module__", None) or ("numpy" if isinstance(x, np.ufunc) else "")
    return module.split(".")[0] in (*LIBRARIES, "builtins") and getattr(x, "__self__", None) in (None, math)


def _names(code: types.CodeType) -> list[str]:
    """Names of globals and attributes in a function and in those inside it."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= set(_names(constant))
    return sorted(found)
