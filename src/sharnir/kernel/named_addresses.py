"""A block of addresses under names: `m.rows` is item k of an int64 array, and what is passed on is one pointer.

A named tuple of as many addresses would be passed item by item: every call would store them all, and every function would have to
be compiled for them.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

_BYTE_POINTER = ir.IntType(8).as_pointer()


class Record(types.Type):
    """The type of such a block; `names` are those of its items, in their order."""

    def __init__(self, title: str, names: tuple[str, ...]) -> None:
        self.names = names
        super().__init__(name=f"record({title})")


@register_model(Record)
class _RecordModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _BYTE_POINTER)


@infer_getattr
class _Attributes(AttributeTemplate):
    key = Record

    def generic_resolve(self, record: Any, name: str) -> Any:  # type: ignore[override]
        return types.int64 if name in record.names else None


@lower_getattr_generic(Record)
def _lower_attribute(context: Any, builder: Any, record: Any, pointer: Any, name: str) -> Any:
    items = builder.bitcast(pointer, ir.IntType(64).as_pointer())
    value = builder.load(builder.gep(items, [ir.Constant(ir.IntType(64), record.names.index(name))]), align=8)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))  # no kernel writes into the block
    return value


def record_at(record: Any) -> Any:
    """The function that takes an address as a block of this type."""

    @intrinsic
    def view(typingctx: Any, addr: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], _BYTE_POINTER)

        return record(types.int64), codegen

    return view
