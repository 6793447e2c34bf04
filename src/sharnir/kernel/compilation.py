"""Compile a kernel, keep it on disk, and hand out its address."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import caching
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import NativeLowering
from numba.extending import typeof_impl

from sharnir.kernel.deferred import Deferred
from sharnir.kernel.storage.cache import announce_compilation, cache_folder, forget_old_versions, forget_oldest, source_stamp
from sharnir.kernel.storage.cache_file import CheckedCacheFile
from sharnir.kernel.storage.claims import claim, release


@typeof_impl.register(Deferred)
def _typeof(value: Deferred, context: Any) -> Any:
    """What stands behind a name of deferred.py; what it brings into being may be new to Numba."""
    made = value.real
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    return cpu_target.typing_context.resolve_value_type(made)


class _Part(JITCodeLibrary):
    """Code of a function that ends up inside kernels: it is optimized and becomes machine code there, not on its own."""

    def finalize(self) -> None:
        """Nothing is linked in: kernels link all parts themselves (`Whole`)."""
        self._finalized = True


class Whole(JITCodeLibrary):
    """Code of a kernel, with all parts that it and its parts are made of."""

    def finalize(self) -> None:
        """Whoever calls is linked before what it calls: LLVM takes only those functions that somebody has asked for so far."""
        order: list[Any] = []
        seen: set[Any] = set()
        waiting = [(self, iter(self._linking_libraries))]
        while waiting:
            library, called = waiting[-1]
            new = next((x for x in called if x not in seen), None)
            if new is None:
                order.append(library)
                waiting.pop()
            else:
                seen.add(new)
                waiting.append((new, iter(new._linking_libraries if isinstance(new, _Part) else ())))
        self._linking_libraries = order[-2::-1]  # without this one
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Twice: what the first time makes simple is inlined the second time."""
        super()._optimize_final_module()
        super()._optimize_final_module()


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """As Numba's, but without machine code."""

    _name = "sharnir_part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        before, state.flags.no_compile = state.flags.no_compile, True
        try:
            super().run_pass(state)
        finally:
            state.flags.no_compile = before
        made, name = state["cr"], state.func_id.func_name
        key = _dynfunc.make_function(made.fndesc.lookup_module(), name, "a part of kernels", 0, made.env, (state.library,))
        state.targetctx.insert_user_function(key, made.fndesc, [state.library])
        state["cr"] = made._replace(cfunc=key)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _WholeLowering(NativeLowering):
    """As Numba's, for a kernel with its parts."""

    _name = "sharnir_whole_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


class PartCompiler(CompilerBase):
    """Numba's passes, for functions that are parts of kernels."""

    lowering: Any = _PartLowering

    def define_pipelines(self) -> list[Any]:
        """Numba's, with a lowering of our own."""
        passes, builder = PassManager("sharnir"), DefaultPassBuilder
        for part in (builder.define_untyped_pipeline, builder.define_typed_pipeline, builder.define_nopython_lowering_pipeline):
            for kind, text in part(self.state).passes:
                passes.add_pass(self.lowering if kind is NativeLowering else kind, text)
        passes.finalize()
        return [passes]


class WholeCompiler(PartCompiler):
    """The same for kernels."""

    lowering = _WholeLowering


OPTIONS: dict[str, Any] = {"fastmath": {"contract", "nsz", "arcp"}, "error_model": "numpy", "nogil": True}
BARE: dict[str, Any] = OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
INLINE: dict[str, Any] = BARE | {"forceinline": True}
USERS = "functions"  # folder of those that are no kernels of ours


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
        except OSError:
            return None
        if new:
            forget_old_versions(Path(self.get_cache_path()).parent)
        return self


class _Impl(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012 - as in the base class


class _Cache(caching.FunctionCache):
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
        self._py_file, self.folder = __file__, cache_folder() / USERS / digest

    def get_cache_path(self) -> str:
        return str(self.folder)

    def get_source_stamp(self) -> str:
        return f"{source_stamp(Path(__file__))} {llvmlite.__version__} {np.__version__}"

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


class _DigestCache(_Cache):
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


def _with_cache(dispatcher: Any, function: Callable) -> Any:
    with contextlib.suppress(RuntimeError):  # no writable folder: compile in memory, every time
        dispatcher._cache = _Cache(function)
    return dispatcher


class _Called(CPUDispatcher):
    """A part of kernels. Where Python calls it, it becomes a kernel of its own."""

    def __call__(self, *arguments: Any) -> Any:
        whole = self.__dict__.get("_whole")
        if whole is None:
            whole = self.__dict__["_whole"] = numba.njit(**OPTIONS, pipeline_class=WholeCompiler)(self.py_func)
        return whole(*arguments)


class _Inlined(CPUDispatcher):
    """A part of kernels that runs as plain Python when Python calls it."""

    def __call__(self, *arguments: Any) -> Any:
        return self.py_func(*arguments)


def jit(function: Callable) -> Any:
    """Compile a function that other kernels call; it ends up inside their cached code."""
    dispatcher = numba.njit(**BARE, pipeline_class=PartCompiler)(function)
    dispatcher.__class__ = _Called
    return dispatcher


def inline(function: Callable) -> Any:
    """As `jit`, for a function that must not cost a call: its tuples stay in registers.

    Where Python calls it, its source runs as it is: a wrapper that takes tuples of numbers apart is longer than most of these
    functions.
    """
    dispatcher = numba.njit(**INLINE, pipeline_class=PartCompiler)(function)
    dispatcher.__class__ = _Inlined
    return dispatcher


def entry(function: Callable) -> Any:
    """Compile a function that Python calls; cached on disk, and the interpreter lock is released."""
    dispatcher = _with_cache(numba.njit(**OPTIONS, pipeline_class=WholeCompiler)(function), function)
    dispatcher.is_entry = True
    return dispatcher


class Pointer:
    """A kernel with a C signature, compiled (or loaded) when its address is first asked for.

    digest : of a function that is none of ours: with one, its code is kept on disk, without one in memory only.
    """

    def __init__(self, function: Callable, sig: Any, cached: bool = True, digest: str | None = None) -> None:
        self.function, self.signature, self._cached, self._digest = function, sig, cached, digest
        self._compiled: Any = None

    @property
    def address(self) -> int:
        if self._compiled is None:
            from numba.core.ccallback import CFunc

            options = {k: v for k, v in OPTIONS.items() if k != "nogil"}
            sig = numba.core.sigutils.normalize_signature(self.signature)
            compiled = CFunc(self.function, sig, locals={}, options=options, pipeline_class=WholeCompiler)  # type: ignore[arg-type]
            if self._cached:
                _with_cache(compiled, self.function)
            elif self._digest is not None:
                setattr(compiled, "_cache", _DigestCache(self.function, self._digest))  # noqa: B010 - not in Numba's stubs
            compiled.compile()
            self._compiled = compiled
        return self._compiled.address
