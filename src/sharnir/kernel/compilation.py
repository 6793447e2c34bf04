"""Compile a kernel, or have it from disk, and hand out its address."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import NativeLowering
from numba.extending import typeof_impl

from sharnir.kernel.deferred import Deferred
from sharnir.kernel.storage.numba_cache import DigestCache, with_cache


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


class _Kept(Whole):
    """Code of a user's function, which other processes load: nobody outside knows its parts.

    Numba numbers functions as a process makes them, so that the same name is another function's in another process.
    """

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
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
    library: type[Whole] = Whole

    def run_pass(self, state: Any) -> bool:
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


@register_pass(mutates_CFG=True, analysis_only=False)
class _KeptLowering(_WholeLowering):
    """The same for a user's function."""

    _name = "sharnir_kept_lowering"
    library = _Kept


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


class KeptCompiler(PartCompiler):
    """The same for users' functions that are kept on disk."""

    lowering = _KeptLowering


OPTIONS: dict[str, Any] = {"fastmath": {"contract", "nsz", "arcp"}, "error_model": "numpy", "nogil": True}
BARE: dict[str, Any] = OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
INLINE: dict[str, Any] = BARE | {"forceinline": True}


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
    dispatcher = with_cache(numba.njit(**OPTIONS, pipeline_class=WholeCompiler)(function), function)
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
            kind: Any = WholeCompiler if self._digest is None else KeptCompiler
            function = self.function if self._digest is None else _renamed(self.function, self._digest)
            compiled = CFunc(function, sig, locals={}, options=options, pipeline_class=kind)
            if self._cached:
                with_cache(compiled, self.function)
            elif self._digest is not None:
                setattr(compiled, "_cache", DigestCache(self.function, self._digest))  # noqa: B010 - not in Numba's stubs
            compiled.compile()
            self._compiled = compiled
        return self._compiled.address


def _renamed(function: Callable, digest: str) -> FunctionType:
    """The same function under a name that no other one has, in whatever process."""
    f: Any = function
    made = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    made.__qualname__ = f"{f.__name__}_{digest}"
    return made
