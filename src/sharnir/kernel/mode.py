"""How kernels run in this process, and how many states go side by side."""

import os

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
LANES = 8  # one AVX-512 register, two AVX2 registers
