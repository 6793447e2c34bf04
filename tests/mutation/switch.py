"""Which change is in force, for all processes of a workplace: the first number of a small file that they share as memory.

The file lies at one and the same place in the memory of every process, so that compiled code finds it without being told. The
numbers behind the first one say which changes were reached: the statement with change k ran, whether it was in force or not.
A workplace has this file as `sharnir/mutation_switch.py`; without a file of numbers no change is in force.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Any

PLACE, SIZE = 0x1000_0000_0000, 1 << 16  # far from where systems put memory
MOST = SIZE // 8 - 1  # changes
READ_WRITE, SHARED, PRIVATE, FIXED, ANONYMOUS = 3, 1, 2, 0x10, 0x20


def _mapped() -> ctypes.Array:
    path = os.environ.get("MUTATION_NUMBERS")
    file = os.open(path, os.O_RDWR) if path else -1
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype, libc.mmap.argtypes = (
        ctypes.c_void_p,
        [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long],
    )
    kind = FIXED | (SHARED if path else PRIVATE | ANONYMOUS)
    if libc.mmap(PLACE, SIZE, READ_WRITE, kind, file, 0) != PLACE:
        raise OSError(ctypes.get_errno(), "no memory for the switch")
    return (ctypes.c_int64 * (1 + MOST)).from_address(PLACE)


NUMBERS = _mapped() if sys.platform == "linux" else (ctypes.c_int64 * (1 + MOST))()


def on(k: int) -> bool:
    """Whether change k is in force; notes that somebody asked."""
    NUMBERS[k] = 1
    return NUMBERS[0] == k


@cache
def kernel_on() -> Any:
    """The same for kernels. Where Python calls one because it runs the source of a small kernel, it is the one above."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return on
    from llvmlite import ir
    from numba.core import types
    from numba.core.extending import _Intrinsic

    integer = ir.IntType(64)

    class Both(_Intrinsic):
        def __call__(self, k: int) -> bool:
            return on(k)

    def typed(typingctx: Any, k: Any) -> Any:
        def code(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            numbers = builder.inttoptr(ir.Constant(integer, PLACE), integer.as_pointer())
            builder.store(ir.Constant(integer, 1), builder.gep(numbers, [args[0]]))
            return builder.icmp_signed("==", builder.load(numbers), args[0])

        return types.boolean(types.int64), code

    made = Both("on", typed)
    made._register()
    return made


def set_change(k: int) -> None:
    """Have change k in force, or none (0), and forget what was reached."""
    ctypes.memset(NUMBERS, 0, ctypes.sizeof(NUMBERS))
    NUMBERS[0] = k


def reached() -> list[int]:
    """The changes that somebody asked for since `set_change`."""
    return [k for k, x in enumerate(NUMBERS) if x and k > 0]
