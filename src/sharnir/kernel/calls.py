"""Calls through an address: how methods, integrators and users' functions meet without being compiled together."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic


def _call_by_address(result: Any, *argument_types: Any) -> Any:
    llvm = {types.float64: ir.DoubleType(), types.int64: ir.IntType(64), types.void: ir.VoidType()}
    names = ", ".join(f"a{k}" for k in range(len(argument_types)))

    def typing(typingctx: Any, f: Any, *args: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
            fnty = ir.FunctionType(llvm[result], [llvm[a] for a in argument_types])
            out = builder.call(builder.inttoptr(values[0], fnty.as_pointer()), values[1:])
            return context.get_dummy_value() if result is types.void else out

        return result(types.int64, *argument_types), codegen

    scope: dict[str, Any] = {"typing": typing}
    exec(f"def call(typingctx, f, {names}): return typing(typingctx, f, {names})", scope)  # intrinsic wants named arguments
    return intrinsic(scope["call"])


call_derivative = _call_by_address(types.void, types.float64, *(types.int64,) * 5)
call_scalar = _call_by_address(types.float64, *(types.float64,) * 3)
call_given = _call_by_address(types.float64, *(types.float64,) * 3, types.int64)
call_body_force = _call_by_address(types.void, types.float64, *(types.int64,) * 3)
call_vector = _call_by_address(types.void, types.int64, types.int64)
call_job = _call_by_address(types.void, *(types.int64,) * 3)
call_rest = _call_by_address(types.void, types.int64)
