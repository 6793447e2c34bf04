"""States brought onto the constraints of a problem: at the beginning, at the end of a step, at outputs and events."""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.stepping.run_memory import (
    ASTRAY,
    CORRECTIONS,
    POSITION_RESIDUAL,
    REPORT,
    SPEED_RESIDUAL,
    Memory,
    N,
)
from sharnir.integrate.stepping.state_rows import restore_quaternions, scaled_rms
from sharnir.kernel import call_derivative, doubles, ints, jit, shift_address

SMALL_CHANGE = 0.01  # of a state by its projection, relative to the tolerance: the derivative before it will do


@jit
def project(m: Memory, t: float, y: Any) -> bool:
    """Bring y onto the constraints, and say whether that changed it; ASTRAY is 1 if it failed. Nothing without a projection."""
    if m.projection == 0:
        return False
    report = shift_address(m.clock, REPORT)
    call_derivative(m.projection, t, y, report, m.table, m.params, m.work)
    ints(m.counter)[ASTRAY] = 0 if doubles(report)[3] == 0.0 else 1  # NaN is a failure too
    if doubles(report)[2] == 0.0:
        return False
    restore_quaternions(m, y)
    return True


@jit
def project_step(m: Memory, t: float, y: Any, before: Any) -> float:
    """Project the state at the end of a step, otherwise accepted, and keep the largest residuals.

    Returns the size of the change relative to the tolerance (NaN: it failed, which is a reason to reject the step). The row
    `before` is scratch. No constraints, no change: 0.
    """
    if m.projection == 0:
        return 0.0
    counter, clock = ints(m.counter), doubles(m.clock)
    old, new = doubles(before), doubles(y)
    for i in range(ints(m.sizes)[N]):
        old[i] = new[i]
    changed = project(m, t, y)
    if counter[ASTRAY] == 1:
        return math.nan
    clock[POSITION_RESIDUAL] = max(clock[POSITION_RESIDUAL], clock[REPORT])
    clock[SPEED_RESIDUAL] = max(clock[SPEED_RESIDUAL], clock[REPORT + 1])
    if not changed:
        return 0.0
    counter[CORRECTIONS] = counter[CORRECTIONS] + 1
    for i in range(ints(m.sizes)[N]):
        old[i] -= new[i]
    return scaled_rms(m, before, y, y)
