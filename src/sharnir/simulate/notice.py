"""The first run on a machine compiles the kernels: say so before the silence."""

from __future__ import annotations

import sys

from sharnir.dynamics.evaluation import DERIVATIVES
from sharnir.kernel.cache import is_warm

_said = False


def announce_compilation(method: str) -> None:
    """One line on the error stream if the kernels of this version are not in the cache yet."""
    global _said
    pointer = DERIVATIVES.get(method, DERIVATIVES["articulated"])
    if not _said and not is_warm(pointer):
        _said = True
        sys.stderr.write(
            "sharnir: first run of this version on this machine, compiling kernels (about 20 s; later runs start at once) …\n"
        )
