"""Notes of compiled code when a user's function raises: the arguments of that call, in memory that Python reads.

A C function cannot raise. Without a note Numba would print the exception and go on with any number.
"""

from __future__ import annotations

import math
from typing import Any

import numba

from sharnir.kernel import memory

double_pointer: Any = memory.double_pointer


@numba.njit
def note_numbers(where: int, x: float, y: float, z: float) -> float:
    """Keep the arguments of a scalar function, the first time only; returns not-a-number."""
    note = numba.carray(double_pointer(where), 4)
    if note[0] == 0.0:
        note[0], note[1], note[2], note[3] = 1.0, x, y, z
    return math.nan


@numba.njit
def note_state(where: int, t: float, n: int, state: int, force: int) -> None:
    """Keep time and states of n bodies, the first time only; their forces become not-a-number."""
    note = numba.carray(double_pointer(where), 2 + 18 * n)
    x = numba.carray(double_pointer(state), 18 * n)
    out = numba.carray(double_pointer(force), 6 * n)
    if note[0] == 0.0:
        note[0], note[1] = 1.0, t
        for k in range(18 * n):
            note[2 + k] = x[k]
    for k in range(6 * n):
        out[k] = math.nan
