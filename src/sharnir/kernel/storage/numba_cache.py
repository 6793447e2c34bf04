"""Numba's cache of machine code in our own folder: kernels by the stamps of their files, users' functions by their digests."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numpy as np
from numba.core import caching

from sharnir.kernel.storage.cache import (
    HOUSE,
    announce_compilation,
    cache_folder,
    forget_old_versions,
    forget_oldest,
    source_stamp,
)
from sharnir.kernel.storage.cache_file import CheckedCacheFile
from sharnir.kernel.storage.claims import claim, release

USERS = "functions"  # folder of those that are no kernels of ours
WRAPPERS = HOUSE / "kernel" / "user.py"  # compiled together with users' functions


class _Locator(caching._CacheLocator):
    """Kernels live in our own cache folder, under the name of their file and a digest of it and of what it imports."""

    def __init__(self, py_func: Callable, py_file: str) -> None:
        self._py_file = py_file
        self._line = py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(cache_folder() / Path(self._py_file).stem / self.get_source_stamp())

    def get_source_stamp(self) -> str:
        return source_stamp(Path(self._py_file))

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> _Locator | None:
        self = cls(py_func, py_file)
        new = not Path(self.get_cache_path()).exists()
        try:
            self.ensure_cache_path()
        except OSError:  # nobody may write there; what is there may still be read
            return None if new else self
        if new:
            forget_old_versions(Path(self.get_cache_path()).parent)
        return self


class _Impl(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - as in the base class


class KernelCache(caching.FunctionCache):
    """The machine code of one kernel, found by its file's stamp."""

    _impl_class = _Impl

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        locator = self._impl.locator
        self._kernel = function.__qualname__
        self._claim: Path | None = Path(self._cache_path) / f"{self._impl.filename_base}.claim"
        self._cache_file = self._kept = CheckedCacheFile(self._cache_path, self._impl.filename_base, locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is on disk, or None; then Numba compiles, unless another process is just doing that."""
        found = self._found(sig, target_context)
        if found is None:
            claim(self._claim)
            found = self._found(sig, target_context)
            if found is None:
                self._announce()
            else:
                release(self._claim)
        return found

    def _found(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whatever an unusable file leads to, compiling again is the remedy
            self._kept.forget()
            return None

    def _announce(self) -> None:
        announce_compilation(self._kernel)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled; where the disk is full or the folder gone, it stays in memory."""
        try:
            with contextlib.suppress(OSError):
                super().save_overload(sig, data)
        finally:
            release(self._claim)


class _DigestLocator(caching._CacheLocator):
    """Functions of users, and those made of formulas, lie under a digest of all that they are made of."""

    def __init__(self, digest: str) -> None:
        self._py_file, self.folder = str(WRAPPERS), cache_folder() / USERS / digest

    def get_cache_path(self) -> str:
        return str(self.folder)

    def get_source_stamp(self) -> str:
        return f"{source_stamp(WRAPPERS)} {llvmlite.__version__} {np.__version__}"

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> _DigestLocator | None:
        return None  # they are made from a digest


class _DigestImpl(caching.CompileResultCacheImpl):
    def __init__(self, digest: str) -> None:
        self._locator, self._lineno = _DigestLocator(digest), 0
        self._filename_base = self.get_filename_base("function", "")

    def check_cachable(self, cres: Any) -> bool:
        """Code with addresses of this process in it stays in memory, without a word."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(super().check_cachable(cres))


class DigestCache(KernelCache):
    """The machine code of one function, found by its digest."""

    def __init__(self, function: Callable, digest: str) -> None:
        self._name, self._py_func, self._digest = repr(function), function, digest
        self._impl = _DigestImpl(digest)
        locator = self._impl.locator
        self._cache_path = locator.get_cache_path()
        self._claim = None  # a process that cannot compile a function keeps nobody waiting
        self._cache_file = self._kept = CheckedCacheFile(self._cache_path, self._impl.filename_base, locator.get_source_stamp())
        self.enable()

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), self._digest

    def _announce(self) -> None:
        """Compiling one function takes a second at the most."""

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, and of all that was kept before the latest ones."""
        forget_oldest(self._impl.locator.folder.parent)
        super().save_overload(sig, data)


def with_cache(dispatcher: Any, function: Callable) -> Any:
    """The same, its code kept on disk where there is a folder for it."""
    with contextlib.suppress(RuntimeError):  # no writable folder: compile in memory, every time
        dispatcher._cache = KernelCache(function)
    return dispatcher
