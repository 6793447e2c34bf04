"""How kernels run in this process, and how many states go side by side."""

import os

from sharnir.kernel.storage.library import find_library

# every access of memory is checked, which plain Python can do: kernel/bounds.py
CHECKED = os.environ.get("SHARNIR_CHECK_BOUNDS", "0") not in ("", "0")
if CHECKED:
    os.environ["NUMBA_DISABLE_JIT"] = "1"
PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
LIBRARY = None if PLAIN else find_library()  # kernels that came compiled


def _lanes() -> int:
    """As many as keep the intermediate numbers out of memory: 8 doubles with AVX-512, 4 without (8 there: 1.5 times slower)."""
    if PLAIN:
        return 8
    if LIBRARY is not None:
        return LIBRARY.level.lanes
    from llvmlite.binding import get_host_cpu_features

    return 8 if get_host_cpu_features().get("avx512f") else 4


LANES = int(os.environ.get("SHARNIR_LANES") or 0) or _lanes()
