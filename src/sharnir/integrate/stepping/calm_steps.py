"""Steps that need no search for events: their stages have seen that all event functions stayed far from zero."""

from __future__ import annotations

import math

from sharnir.integrate.stepping.run_memory import CALM, FLIP, FOUND_T, LAND_T, STALE, UNSURE, Memory
from sharnir.integrate.stepping.state_rows import row
from sharnir.integrate.stepping.step_control import next_break
from sharnir.kernel import call_derivative, doubles, ints, jit


@jit
def is_calm(m: Memory, t1: float) -> bool:
    """Nobody has to search the step that ends at t1. At a break in time values just before it are needed, so that one is."""
    counter, watch = ints(m.counter), doubles(m.watch)
    call_derivative(m.calm, t1, row(m, 1 - counter[FLIP]), m.watch, m.table, m.params, m.work)
    settled = ints(m.marks)[UNSURE] == 0 and doubles(m.clock)[LAND_T] == math.inf
    if watch[CALM] == 1.0 and settled and t1 < next_break(m):
        counter[STALE], watch[FOUND_T] = 1, math.inf
        return True
    return False
