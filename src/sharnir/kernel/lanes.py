"""A vector register of LANES floats as a number that kernels can calculate with."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast, models, register_model

from sharnir.kernel.mode import LANES


class Vector(types.Type):
    def __init__(self) -> None:
        super().__init__(name=f"vector{LANES}")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        from numba.core.typeconv import Conversion

        return Conversion.safe if isinstance(other, (types.Float, types.Integer)) else None


VECTOR = Vector()
_LLVM_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _LLVM_VECTOR)


def _splat(builder: Any, x: Any) -> Any:
    one = builder.insert_element(ir.Constant(_LLVM_VECTOR, ir.Undefined), x, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(_LLVM_VECTOR, ir.Undefined), mask)


@lower_cast(types.Float, Vector)
def _cast_float(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    return _splat(builder, context.cast(builder, value, fromty, types.float64))


@lower_cast(types.Integer, Vector)
def _cast_int(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    return _splat(builder, context.cast(builder, value, fromty, types.float64))


_NUMBERS = (Vector, types.Float, types.Integer)


def _binary(op: Callable, instruction: str) -> None:
    @infer_global(op)
    class _Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and any(isinstance(a, Vector) for a in args) and all(isinstance(a, _NUMBERS) for a in args):
                return signature(VECTOR, VECTOR, VECTOR)
            return None

    @lower_builtin(op, Vector, Vector)
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


for _op, _iop, _name in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    _binary(_op, _name)
    _binary(_iop, _name)


@infer_global(operator.neg)
class _NegTyping(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(VECTOR, VECTOR) if isinstance(args[0], Vector) else None


@lower_builtin(operator.neg, Vector)
def _lower_neg(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])
