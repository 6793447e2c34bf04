"""Steps that need no search for events: their stages have seen that all event functions stayed far from zero.

Methods with few stages look back on former steps, too: of the range that the functions have had there a part counts, which
shrinks from step to step. Together they count like the stages of one long step, of which the present one may be a part only.
"""

from __future__ import annotations

import math

from sharnir.integrate.stepping.run_memory import (
    CALM,
    FLIP,
    FOUND_T,
    LAND_T,
    LOOKING_BACK,
    STALE,
    UNSURE,
    WINDOW,
    Memory,
    T,
)
from sharnir.integrate.stepping.state_rows import row
from sharnir.integrate.stepping.step_control import next_break
from sharnir.kernel import call_derivative, doubles, ints, jit

KEPT = 0.75  # part of the range over former steps that counts in the next one: as if four steps were looked at
LONGEST = 0.375  # part of what is looked at that a step may be: with equal steps from the fourth on


@jit
def is_calm(m: Memory, t1: float) -> bool:
    """Nobody has to search the step that ends at t1. At a break in time values just before it are needed, so that one is."""
    counter, watch, kept = ints(m.counter), doubles(m.watch), doubles(m.settings)[LOOKING_BACK]
    dt = t1 - doubles(m.clock)[T]
    watch[WINDOW] = dt + kept * watch[WINDOW]
    watch[CALM] = kept
    call_derivative(m.calm, t1, row(m, 1 - counter[FLIP]), m.watch, m.table, m.params, m.work)
    settled = ints(m.marks)[UNSURE] == 0 and doubles(m.clock)[LAND_T] == math.inf
    short = kept == 0.0 or dt <= LONGEST * watch[WINDOW]
    if watch[CALM] == 1.0 and settled and short and t1 < next_break(m):
        counter[STALE], watch[FOUND_T] = 1, math.inf
        return True
    return False
