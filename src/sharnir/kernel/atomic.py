"""Memory that two threads share: loads and stores in order, compare and exchange, and the pause of a loop that waits."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from sharnir.kernel.memory import _element

_X86: tuple[str, list[int]] = ("llvm.x86.sse2.pause", [])
_ARM: tuple[str, list[int]] = ("llvm.aarch64.hint", [1])
_PAUSES = {"x86_64": _X86, "i686": _X86, "aarch64": _ARM, "arm64": _ARM}


@intrinsic
def load_acquire(typingctx: Any, memory: Any, k: Any) -> Any:
    """Item k; what another thread wrote before its `store_release` of it is seen from here on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load_atomic(_element(context, builder, sig.args[0], *args), "acquire", 8)

    return types.int64(memory, types.intp), codegen


@intrinsic
def store_release(typingctx: Any, memory: Any, k: Any, value: Any) -> Any:
    """Write item k after everything that was written before."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _element(context, builder, sig.args[0], *args[:2]), "release", 8)
        return context.get_dummy_value()

    return types.none(memory, types.intp, types.int64), codegen


@intrinsic
def exchange_if(typingctx: Any, memory: Any, k: Any, expected: Any, value: Any) -> Any:
    """Write item k if it is what is expected, at once; returns whether it was."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        where = _element(context, builder, sig.args[0], *args[:2])
        return builder.extract_value(builder.cmpxchg(where, args[2], args[3], "acq_rel", "acquire"), 1)

    return types.boolean(memory, types.intp, types.int64, types.int64), codegen


@intrinsic
def add_release(typingctx: Any, memory: Any, k: Any, value: Any) -> Any:
    """Add to item k, at once and after everything that was written before."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.atomic_rmw("add", _element(context, builder, sig.args[0], *args[:2]), args[2], "acq_rel")
        return context.get_dummy_value()

    return types.none(memory, types.intp, types.int64), codegen


@intrinsic
def pause(typingctx: Any) -> Any:
    """Some ten nanoseconds in which the processor core leaves memory alone."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        name, arguments = _PAUSES.get(builder.module.triple.split("-")[0], ("", []))
        if name:
            kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)] * len(arguments))
            function = cgutils.get_or_insert_function(builder.module, kind, name)
            builder.call(function, [ir.Constant(ir.IntType(32), x) for x in arguments])
        return context.get_dummy_value()

    return types.none(), codegen
