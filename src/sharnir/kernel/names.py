"""The names that kernels use, in one of three ways: plain Python, kernels that came compiled, or Numba."""

# ruff: noqa: F403, F405 - every way brings all names of the list below (tests/kernel/test_names.py); two of them
# bring what jobs.py needs, too

from sharnir.kernel.mode import LIBRARY, PLAIN

if PLAIN:
    from sharnir.kernel.plain import *
elif LIBRARY is not None:
    from sharnir.kernel.deferred import *
else:
    from sharnir.kernel.atomic import *
    from sharnir.kernel.calls import *
    from sharnir.kernel.compilation import *
    from sharnir.kernel.elementary import *
    from sharnir.kernel.memory import *
    from sharnir.kernel.named_addresses import *

__all__ = [
    "FLOAT",
    "VOID",
    "Pointer",
    "Record",
    "address",
    "address_of",
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
    "shift",
    "shift_address",
    "sincos",
    "sqrt",
    "store_release",
]
