"""Calls through an address: how methods, integrators and users' functions meet without being compiled together."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

FLOAT, VOID = types.float64, types.void


def call_by_address(result: Any, *argument_types: Any) -> Any:
    """The function call(f, …) that calls what stands at the address f, with arguments of these types."""
    names = ", ".join(f"a{k}" for k in range(len(argument_types)))

    def typing(typingctx: Any, f: Any, *args: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
            llvm_result = ir.VoidType() if result is types.void else context.get_value_type(result)
            fnty = ir.FunctionType(llvm_result, [context.get_value_type(a) for a in argument_types])
            out = builder.call(builder.inttoptr(values[0], fnty.as_pointer()), values[1:])
            return context.get_dummy_value() if result is types.void else out

        return result(types.int64, *argument_types), codegen

    scope: dict[str, Any] = {"typing": typing}
    exec(f"def call(typingctx, f, {names}): return typing(typingctx, f, {names})", scope)  # intrinsic wants named arguments
    return intrinsic(scope["call"])


call_derivative = call_by_address(types.void, types.float64, *(types.int64,) * 5)
call_scalar = call_by_address(types.float64, *(types.float64,) * 3)
call_given = call_by_address(types.float64, *(types.float64,) * 3, types.int64)
call_body_force = call_by_address(types.void, types.float64, *(types.int64,) * 3)
call_vector = call_by_address(types.void, types.int64, types.int64)
call_job = call_by_address(types.void, *(types.int64,) * 3)
call_rest = call_by_address(types.void, types.int64)
