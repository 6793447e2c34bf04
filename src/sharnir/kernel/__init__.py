"""The one room that names Numba: compilation, its cache, raw memory, vector lanes, calls through addresses.

Kernels are plain Python on scalars, tuples and flat memory. The same source is used four ways:

* compiled for one state: `doubles(address)[k]` is a float;
* compiled for `LANES` states at once: `lanes(address)[k]` is a vector register of floats;
* as plain Python (`NUMBA_DISABLE_JIT=1`): an "address" is then the NumPy array itself;
* inside another kernel, inlined by LLVM.

Nothing compiled is specialised to a model: kernels come with the package (library.py), or are compiled once per machine and
version (cache.py). names.py chooses.
"""

from sharnir.kernel.mode import LANES, PLAIN
from sharnir.kernel.names import (
    FLOAT,
    VOID,
    Pointer,
    Record,
    address,
    address_of,
    call_body_force,
    call_by_address,
    call_derivative,
    call_given,
    call_scalar,
    call_vector,
    doubles,
    entry,
    fixed_doubles,
    fixed_ints,
    inline,
    ints,
    jit,
    lanes,
    prefetch,
    quads,
    record_at,
    shift,
    shift_address,
    sincos,
    sqrt,
    store_release,
)

if PLAIN:
    from sharnir.kernel.plain import await_flag, share
else:
    from sharnir.kernel.jobs import await_flag, share

__all__ = [
    "FLOAT",
    "LANES",
    "PLAIN",
    "VOID",
    "Pointer",
    "Record",
    "address",
    "address_of",
    "await_flag",
    "call_body_force",
    "call_by_address",
    "call_derivative",
    "call_given",
    "call_scalar",
    "call_vector",
    "doubles",
    "entry",
    "fixed_doubles",
    "fixed_ints",
    "inline",
    "ints",
    "jit",
    "lanes",
    "prefetch",
    "quads",
    "record_at",
    "share",
    "shift",
    "shift_address",
    "sincos",
    "sqrt",
    "store_release",
]
