"""A vector register of floats as a number that kernels can calculate with: VECTOR of LANES, QUAD of four."""

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
    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"vector{width}")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        from numba.core.typeconv import Conversion

        return Conversion.safe if isinstance(other, (types.Float, types.Integer)) else None


VECTOR, QUAD = Vector(LANES), Vector(4)


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(ir.DoubleType(), fe_type.width))


def _splat(builder: Any, x: Any, width: int) -> Any:
    empty = ir.Constant(ir.VectorType(ir.DoubleType(), width), ir.Undefined)
    one = builder.insert_element(empty, x, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, empty, ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width))


@lower_cast(types.Float, Vector)
def _cast_float(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    return _splat(builder, context.cast(builder, value, fromty, types.float64), toty.width)


@lower_cast(types.Integer, Vector)
def _cast_int(context: Any, builder: Any, fromty: Any, toty: Any, value: Any) -> Any:
    return _splat(builder, context.cast(builder, value, fromty, types.float64), toty.width)


_NUMBERS = (Vector, types.Float, types.Integer)


def _binary(op: Callable, instruction: str) -> None:
    @infer_global(op)
    class _Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and any(isinstance(a, Vector) for a in args) and all(isinstance(a, _NUMBERS) for a in args):
                vector = args[0] if isinstance(args[0], Vector) else args[1]
                return signature(vector, vector, vector)
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
        return signature(args[0], args[0]) if isinstance(args[0], Vector) else None


@lower_builtin(operator.neg, Vector)
def _lower_neg(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])
