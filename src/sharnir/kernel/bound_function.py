"""A C function with one more argument, an address, bound to it: a few instructions made in memory.

Machine code that is kept on disk must not contain addresses of this process; so it takes them as an argument.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

DOUBLE, INTEGER, NOTHING = ir.DoubleType(), ir.IntType(64), ir.VoidType()


class BoundFunction:
    """`function` of the given arguments and `last`, as a function of the given arguments.

    kinds : of the arguments, "d" a double, "i" an integer or an address; `result` "d", or "" for none.

    >>> import ctypes
    >>> power = ctypes.cast(ctypes.CDLL(None).labs, ctypes.c_void_p).value
    >>> BoundFunction(power, "", "", -3).address > 0
    True
    """

    def __init__(self, function: int, kinds: str, result: str, last: int) -> None:
        types = {"d": DOUBLE, "i": INTEGER, "": NOTHING}
        given = [types[kind] for kind in kinds]
        module = ir.Module("bound")
        module.triple = llvm.get_process_triple()
        outer = ir.Function(module, ir.FunctionType(types[result], given), "bound")
        builder = ir.IRBuilder(outer.append_basic_block())
        inner = ir.FunctionType(types[result], [*given, INTEGER]).as_pointer()
        place = builder.inttoptr(ir.Constant(INTEGER, function), inner)
        value = builder.call(place, [*outer.args, ir.Constant(INTEGER, last)])
        builder.ret(value) if result else builder.ret_void()
        self._engine: Any = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), _machine())
        self._engine.finalize_object()
        self.address: int = self._engine.get_function_address("bound")


def _machine() -> Any:
    """This processor; Numba has initialized it."""
    return llvm.Target.from_default_triple().create_target_machine(jit=True)
