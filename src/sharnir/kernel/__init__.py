"""The one room that names Numba: compilation, its cache, raw memory, vector lanes, calls through addresses.

Kernels are plain Python on scalars, tuples and flat memory. The same source is used four ways:

* compiled for one state: `doubles(address)[k]` is a float;
* compiled for `LANES` states at once: `lanes(address)[k]` is a vector register of floats;
* as plain Python (`NUMBA_DISABLE_JIT=1`): an "address" is then the NumPy array itself;
* inside another kernel, inlined by LLVM.

Nothing compiled is specialised to a model, so the cache is filled once per machine and version.
"""

from sharnir.kernel.mode import LANES, PLAIN

if PLAIN:
    from sharnir.kernel.plain import (
        FLOAT,
        VOID,
        Pointer,
        Record,
        address,
        address_of,
        await_flag,
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
        share,
        shift,
        shift_address,
        sincos,
        sqrt,
        store_release,
    )
else:
    from sharnir.kernel.atomic import store_release
    from sharnir.kernel.calls import (
        FLOAT,
        VOID,
        call_body_force,
        call_by_address,
        call_derivative,
        call_given,
        call_scalar,
        call_vector,
    )
    from sharnir.kernel.compilation import Pointer, entry, inline, jit
    from sharnir.kernel.elementary import sincos, sqrt
    from sharnir.kernel.jobs import await_flag, share
    from sharnir.kernel.memory import (
        address,
        address_of,
        doubles,
        fixed_doubles,
        fixed_ints,
        ints,
        lanes,
        prefetch,
        quads,
        shift,
        shift_address,
    )
    from sharnir.kernel.records import Record, record_at

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
