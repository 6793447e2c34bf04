"""All kernels of the package that are called from outside: by their addresses, or by Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, NamedTuple

from sharnir.kernel.signatures import ArrayKind, EntrySignature, entry_signature
from sharnir.kernel.storage.library import HOUSE, ROOMS, symbol


class Kernel(NamedTuple):
    """A function that is called from outside: by address with a C signature, or by Python as an entry."""

    function: Callable
    signature: Any
    held: Any = None  # what compiles it when it is needed

    @property
    def name(self) -> str:
        return symbol(self.function)

    def compile(self) -> None:
        """Have it compiled and kept on disk, or find it there."""
        if isinstance(self.signature, EntrySignature):
            self.held.compile(numba_signature(self.signature).args)
        else:
            self.held.address  # noqa: B018


def kernels() -> list[Kernel]:
    """All kernels of the package, by their names."""
    found: dict[str, Kernel] = {}
    for module in _modules():
        found |= _kernels_of(module)
    return [found[name] for name in sorted(found)]


def kernel_named(name: str) -> Kernel:
    """The kernel of a file and function."""
    return _kernels_of(import_module(name.rpartition(".")[0]))[name]


def _kernels_of(module: Any) -> dict[str, Kernel]:
    """Kernels that a module holds, by their names."""
    from sharnir.kernel.compilation import Pointer

    found = {}
    for value in _values(vars(module)):
        if isinstance(value, Pointer):
            function = getattr(value.function, "py_func", value.function)
            found[symbol(function)] = Kernel(function, value.signature, value)
        elif getattr(value, "is_entry", False) and value.py_func.__module__ == module.__name__:
            signature = entry_signature(value.py_func)
            if signature is None:
                raise TypeError(f"{symbol(value.py_func)}: an entry needs annotations of all arguments and of its result")
            found[symbol(value.py_func)] = Kernel(value.py_func, signature, value)
    return found


def _modules() -> Iterable[Any]:
    for room in ROOMS:
        for file in sorted((HOUSE / room).rglob("*.py")):
            parts = file.relative_to(HOUSE.parent).with_suffix("").parts
            if file.name != "plain.py":
                yield import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))


def _values(names: dict[str, Any]) -> Iterable[Any]:
    """The values of a module, and those in its tuples and dictionaries, however deep."""
    waiting = list(names.values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict) and value is not names:
            waiting += value.values()
        elif isinstance(value, tuple):
            waiting += value
        else:
            yield value


def numba_signature(signature: EntrySignature) -> Any:
    """The signature of an entry in Numba's types."""
    from numba import types

    def kind(x: Any) -> Any:
        if isinstance(x, ArrayKind):
            return types.Array(getattr(types, x.dtype), x.ndim, "C")
        if isinstance(x, tuple):
            parts = [kind(part) for part in x[1]]
            same = all(part == parts[0] for part in parts)
            return types.NamedUniTuple(parts[0], len(parts), x[0]) if same else types.NamedTuple(parts, x[0])
        return {int: types.int64, float: types.float64, bool: types.boolean, None: types.void}[x]

    return kind(signature.result)(*(kind(x) for x in signature.arguments))
