"""Raw memory without bounds, strides or reference counts: doubles[k] is a float, lanes[k] a vector,
quads[k] one of four, ints[k] an integer."""

from __future__ import annotations

import operator
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from sharnir.kernel.compilation import OPTIONS
from sharnir.kernel.lanes import QUAD, VECTOR
from sharnir.kernel.mode import LANES


class Memory(types.Type):
    def __init__(self, item: Any, width: int, fixed: bool = False) -> None:
        self.item, self.width, self.fixed = item, width, fixed
        super().__init__(name=f"memory({item}, {width}, {fixed})")


DOUBLES, INTS, VECTORS, QUADS = Memory(types.float64, 1), Memory(types.int64, 1), Memory(VECTOR, LANES), Memory(QUAD, 4)
# memory that no kernel writes while another reads it: LLVM may keep what it has loaded
FIXED_DOUBLES, FIXED_INTS = Memory(types.float64, 1, fixed=True), Memory(types.int64, 1, fixed=True)
_BYTE_POINTER = ir.IntType(8).as_pointer()


@register_model(Memory)
class _MemoryModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _BYTE_POINTER)


def _element(context: Any, builder: Any, memory: Any, pointer: Any, index: Any) -> Any:
    item = context.get_value_type(memory.item)
    return builder.gep(builder.bitcast(pointer, item.as_pointer()), [index])


@infer_global(operator.getitem)
class _GetTyping(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if isinstance(args[0], Memory) and isinstance(args[1], types.Integer):
            return signature(args[0].item, args[0], types.intp)
        return None


@lower_builtin(operator.getitem, Memory, types.intp)
def _lower_get(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    value = builder.load(_element(context, builder, sig.args[0], *args), align=8)
    if sig.args[0].fixed:
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@infer_global(operator.setitem)
class _SetTyping(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if isinstance(args[0], Memory) and isinstance(args[1], types.Integer):
            return signature(types.none, args[0], types.intp, args[0].item)
        return None


@lower_builtin(operator.setitem, Memory, types.intp, types.Any)
def _lower_set(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    builder.store(args[2], _element(context, builder, sig.args[0], *args[:2]), align=8)
    return context.get_dummy_value()


def _memory_of(memory: Any) -> Any:
    @intrinsic
    def view(typingctx: Any, addr: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], _BYTE_POINTER)

        return memory(types.int64), codegen

    return view


doubles, ints, lanes, quads = _memory_of(DOUBLES), _memory_of(INTS), _memory_of(VECTORS), _memory_of(QUADS)
fixed_doubles, fixed_ints = _memory_of(FIXED_DOUBLES), _memory_of(FIXED_INTS)


@intrinsic
def shift(typingctx: Any, memory: Any, k: Any) -> Any:
    """The same memory from item k on."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(_element(context, builder, sig.args[0], *args), _BYTE_POINTER)

    return memory(memory, types.intp), codegen


@intrinsic
def prefetch(typingctx: Any, memory: Any, k: Any) -> Any:
    """Have the cache line of item k brought into the second cache while other work goes on; changes nothing else."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [_BYTE_POINTER, *[ir.IntType(32)] * 3])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        where = builder.bitcast(_element(context, builder, sig.args[0], *args), _BYTE_POINTER)
        builder.call(function, [where, *(ir.Constant(ir.IntType(32), x) for x in (0, 2, 1))])  # to read, second cache, data
        return context.get_dummy_value()

    return types.none(memory, types.intp), codegen


@intrinsic
def address_of(typingctx: Any, memory: Any, k: Any) -> Any:
    """Address of item k, as an integer that a C signature can carry."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ptrtoint(_element(context, builder, sig.args[0], *args), ir.IntType(64))

    return types.int64(memory, types.intp), codegen


@intrinsic
def address(typingctx: Any, array: Any) -> Any:
    """Address of an array's first item, as an integer that a C signature can carry."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        view = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
        return builder.ptrtoint(view.data, ir.IntType(64))

    return types.int64(array), codegen


@numba.njit(**OPTIONS)
def shift_address(where: int, k: int) -> int:
    return where + 8 * k


@intrinsic
def double_pointer(typingctx: Any, addr: Any) -> Any:
    """An address as a C pointer to doubles, for numba.carray."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return types.CPointer(types.float64)(types.int64), codegen
