"""The one room that names Numba: compilation, its cache, raw memory, vector lanes, calls through addresses.

Kernels are plain Python on scalars, tuples and flat memory. The same source is used four ways:

* compiled for one state: `doubles(address)[k]` is a float;
* compiled for `LANES` states at once: `lanes(address)[k]` is a vector register of floats;
* as plain Python (`NUMBA_DISABLE_JIT=1`): an "address" is then the NumPy array itself;
* inside another kernel, inlined by LLVM.

Nothing compiled is specialised to a model: kernels come with the package (library.py), or are compiled once per machine and
version (cache.py). names.py chooses.
"""

# ruff: noqa: F403 - the list of names stands in names.py

from sharnir.kernel import names
from sharnir.kernel.mode import LANES, PLAIN
from sharnir.kernel.names import *

if PLAIN:
    from sharnir.kernel.plain import await_flag, block_of, derivative_at, location, number_of, share
else:
    from sharnir.kernel.jobs import await_flag, share
    from sharnir.kernel.locations import block_of, derivative_at, location, number_of

__all__ = ["LANES", "PLAIN", "await_flag", "block_of", "derivative_at", "location", "number_of", "share"]
__all__ += names.__all__
