"""Elementary functions of a float or of a vector of lanes, without branches."""

from __future__ import annotations

import math
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from sharnir.kernel.compilation import OPTIONS
from sharnir.kernel.lanes import VECTOR, Vector

# two numbers whose sum is pi/2 to 107 bits
_PIO2_HI = 1.5707963267948966
_PIO2_LO = 6.123233995736766e-17


def _unary(name: str) -> Any:
    @intrinsic
    def function(typingctx: Any, x: Any) -> Any:
        ty = x if isinstance(x, Vector) else types.float64

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            llvm = context.get_value_type(sig.return_type)
            suffix = f"v{sig.return_type.width}f64" if isinstance(sig.return_type, Vector) else "f64"
            fn = cgutils.get_or_insert_function(builder.module, ir.FunctionType(llvm, [llvm]), f"llvm.{name}.{suffix}")
            return builder.call(fn, args)

        return ty(ty), codegen

    return function


sqrt, _rint, _floor = _unary("sqrt"), _unary("rint"), _unary("floor")


@intrinsic
def _fma(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    ty = VECTOR if any(isinstance(x, Vector) for x in (a, b, c)) else types.float64

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        llvm = context.get_value_type(sig.return_type)
        suffix = f"v{sig.return_type.width}f64" if isinstance(sig.return_type, Vector) else "f64"
        fn = cgutils.get_or_insert_function(builder.module, ir.FunctionType(llvm, [llvm] * 3), f"llvm.fma.{suffix}")
        return builder.call(fn, args)

    return ty(ty, ty, ty), codegen


# Taylor coefficients; on |r| <= pi/4 the first dropped terms are below 5e-17
_S3, _S5, _S7, _S9, _S11, _S13, _S15 = (s / math.factorial(k) for s, k in zip((-1, 1) * 4, range(3, 17, 2), strict=False))
_C4, _C6, _C8, _C10, _C12, _C14, _C16 = (s / math.factorial(k) for s, k in zip((1, -1) * 4, range(4, 18, 2), strict=False))


@numba.njit(**OPTIONS, forceinline=True)
def sincos(x: Any) -> Any:
    """Sine and cosine without a branch: reduce by multiples of pi/2, expand, swap and sign by the quadrant."""
    n = _rint(x * (2.0 / math.pi))
    r = _fma(-n, _PIO2_LO, _fma(-n, _PIO2_HI, x))
    z = r * r
    s = r + r * z * (-1.0 / 6.0 + z * (_S5 + z * (_S7 + z * (_S9 + z * (_S11 + z * (_S13 + z * _S15))))))
    c = 1.0 - 0.5 * z + z * z * (_C4 + z * (_C6 + z * (_C8 + z * (_C10 + z * (_C12 + z * (_C14 + z * _C16))))))
    half = _floor(0.5 * n)
    odd = n - 2.0 * half
    even = 1.0 - odd
    sign_s = 1.0 - 2.0 * (half - 2.0 * _floor(0.5 * half))
    sign_c = sign_s * (even - odd)
    return sign_s * (even * s + odd * c), sign_c * (even * c + odd * s)
