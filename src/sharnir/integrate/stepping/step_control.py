"""Kernels that all integrators share: begin, projection, choice of the step, output, end of a step."""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.stepping.run_memory import (
    ANCHOR,
    ASTRAY,
    BAD_START,
    CAPACITY,
    CORRECTIONS,
    DT,
    DT_LARGEST,
    DT_SMALLEST,
    EVALUATIONS,
    EVEN,
    FINISHED,
    FLIP,
    FULL,
    MAX_EVALUATIONS,
    MAX_STEP,
    N_GRID,
    NEXT,
    NOT_FINITE,
    NOT_PROJECTED,
    PAUSED,
    POSITION_RESIDUAL,
    RECORD,
    REPORT,
    RESUMED,
    RUNNING,
    SCRATCH,
    SPEED_RESIDUAL,
    STARTED,
    STATUS,
    STEP,
    STEPS,
    STOP,
    SUBSTEP,
    SUBSTEPS,
    TOO_MANY,
    TOO_SMALL,
    USED,
    WATCH_HEADER,
    Memory,
    N,
    T,
)
from sharnir.integrate.stepping.state_rows import all_finite, restore_quaternions, row, scaled_rms, update_derivative
from sharnir.kernel import call_derivative, doubles, inline, ints, jit, shift_address

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


@jit
def write_output(m: Memory, y: Any) -> None:
    """The next grid point of the output = y."""
    n, counter = ints(m.sizes)[N], ints(m.counter)
    target, values = doubles(shift_address(m.output, counter[NEXT] * n)), doubles(y)
    for i in range(n):
        target[i] = values[i]
    counter[NEXT] = counter[NEXT] + 1


@jit
def write_projected(m: Memory, t: float, y: Any) -> None:
    """The next grid point of the output = the interpolated state y, brought onto the constraints; or the status says no."""
    counter = ints(m.counter)
    project(m, t, y)
    if counter[ASTRAY] == 1:
        counter[STATUS] = NOT_PROJECTED
    else:
        write_output(m, y)


@jit
def begin(m: Memory, f0: Any) -> None:
    """First derivative, from the initial state in row 0; status BAD_START if they are not finite."""
    counter, clock = ints(m.counter), doubles(m.clock)
    y0 = row(m, counter[FLIP])  # not row(m, 0): a literal argument would compile one more copy of the function
    restore_quaternions(m, y0)
    if counter[RESUMED] == 0:
        clock[T] = doubles(m.grid)[0]
        clock[DT], clock[DT_SMALLEST] = doubles(m.settings)[STEP], math.inf
    if all_finite(m, y0):
        project(m, clock[T], y0)
    if counter[RESUMED] == 0:
        write_output(m, y0)
    counter[STARTED] = 1
    clock[ANCHOR] = clock[T]
    if m.events != 0:
        call_derivative(m.events, clock[T], y0, shift_address(m.watch, WATCH_HEADER), m.table, m.params, m.work)
    if counter[NEXT] == ints(m.sizes)[N_GRID]:
        counter[STATUS] = NOT_PROJECTED if counter[ASTRAY] == 1 else FINISHED
        return
    update_derivative(m, clock[T], y0, f0)
    if not (all_finite(m, y0) and all_finite(m, f0)):
        counter[STATUS] = BAD_START
    elif counter[ASTRAY] == 1:
        counter[STATUS] = NOT_PROJECTED


@jit
def first_step(m: Memory, f0: Any, f1: Any, order: int) -> float:
    """Step whose error should be about 1 % of the tolerance: Hairer, Nørsett, Wanner I, II.4, "starting step size"."""
    sizes, clock, grid, scratch = ints(m.sizes), doubles(m.clock), doubles(m.grid), row(m, ints(m.sizes)[SCRATCH])
    y0 = row(m, ints(m.counter)[FLIP])
    n, t, span = sizes[N], clock[T], grid[sizes[N_GRID] - 1] - clock[T]
    d0, d1 = scaled_rms(m, y0, y0, y0), scaled_rms(m, f0, y0, y0)
    dt = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    dt = max(dt, 1e-12 * abs(t))  # a state that is zero but for rounding, behind an event, must not ask for steps below that of t
    dt = min(dt, span, doubles(m.settings)[MAX_STEP])
    start, slope, end, change = doubles(y0), doubles(f0), doubles(scratch), doubles(f1)
    for i in range(n):
        end[i] = start[i] + dt * slope[i]
    update_derivative(m, t + dt, scratch, f1)
    for i in range(n):
        change[i] -= slope[i]
    d2 = scaled_rms(m, f1, y0, y0) / dt
    largest = max(d1, d2)
    if not largest < math.inf:  # the trial step left the domain of f: let the step control grow from a tiny step
        return 1e-3 * dt
    better = max(1e-6, 1e-3 * dt) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / order)
    return min(100.0 * dt, better, span)


@inline
def trimmed_step(m: Memory) -> tuple[float, float]:
    """(dt, t1) of the next controlled step: the end of the grid, or a stop, is hit exactly, and not by a sliver of a step."""
    clock, grid = doubles(m.clock), doubles(m.grid)
    t, t_end = clock[T], min(grid[ints(m.sizes)[N_GRID] - 1], clock[STOP])
    longest, rest = doubles(m.settings)[MAX_STEP], t_end - clock[T]
    dt = min(clock[DT], longest)
    if 1.01 * dt >= rest and rest <= longest:
        return rest, t_end
    if 2.0 * dt > rest:
        dt = 0.5 * rest
    return dt, t + dt


@inline
def even_step(m: Memory) -> tuple[float, float]:
    """(dt, t1) of the next of equal steps, not longer than asked, that lead from ANCHOR to the next grid point or stop."""
    clock, counter, settings = doubles(m.clock), ints(m.counter), doubles(m.settings)
    goal, start = min(doubles(m.grid)[counter[NEXT]], clock[STOP]), clock[ANCHOR]
    if counter[SUBSTEP] == 0:
        longest = min(settings[STEP], settings[MAX_STEP])
        counter[SUBSTEPS] = max(1, math.ceil((goal - start) / longest * (1.0 - 1e-12)))
    dt, number = (goal - start) / counter[SUBSTEPS], counter[SUBSTEP] + 1
    return dt, goal if number == counter[SUBSTEPS] else start + number * dt


@inline
def is_too_small(m: Memory, dt: float, t1: float) -> bool:
    """The step is lost in the rounding of t (and it is not merely the rest of the interval)."""
    grid = doubles(m.grid)
    t_begin, t_end = grid[0], grid[ints(m.sizes)[N_GRID] - 1]
    return (
        ints(m.counter)[EVEN] == 0
        and t1 < min(t_end, doubles(m.clock)[STOP])
        and dt < 1e-15 * max(abs(t1), 1e-8 * (t_end - t_begin))
    )


@jit
def failure(m: Memory, y: Any) -> int:
    """Why a run ends whose step has become too small; y is the last attempt."""
    if ints(m.counter)[ASTRAY] == 1:
        return NOT_PROJECTED
    return TOO_SMALL if all_finite(m, y) else NOT_FINITE


@inline
def may_step(m: Memory) -> bool:
    """The run goes on, there is room for a dense record, and evaluations are left? Otherwise the status says why not."""
    counter, sizes = ints(m.counter), ints(m.sizes)
    if counter[STATUS] != RUNNING:
        return False
    if sizes[CAPACITY] > 0 and counter[USED] == sizes[CAPACITY]:
        counter[STATUS] = FULL
    elif counter[EVALUATIONS] >= sizes[MAX_EVALUATIONS]:
        counter[STATUS] = TOO_MANY
    return counter[STATUS] == RUNNING


@jit
def new_record(m: Memory, t0: float, t1: float) -> Any:
    """Address of the next dense record: HEADER floats, of which t0 and t1 are the first, then its rows."""
    counter = ints(m.counter)
    record = shift_address(m.block, counter[USED] * ints(m.sizes)[RECORD])
    header = doubles(record)
    header[0], header[1] = t0, t1
    counter[USED] = counter[USED] + 1
    return record


@inline
def close_step(m: Memory, dt: float, t1: float) -> None:
    """After an accepted step: swap roles of the rows, move the clock, see whether the grid is done."""
    counter, clock = ints(m.counter), doubles(m.clock)
    counter[FLIP] = 1 - counter[FLIP]
    counter[STEPS] = counter[STEPS] + 1
    clock[T] = t1
    clock[DT_SMALLEST], clock[DT_LARGEST] = min(clock[DT_SMALLEST], dt), max(clock[DT_LARGEST], dt)
    counter[SUBSTEP] = counter[SUBSTEP] + 1
    if counter[SUBSTEP] == counter[SUBSTEPS]:
        counter[SUBSTEP], clock[ANCHOR] = 0, t1
    if counter[NEXT] == ints(m.sizes)[N_GRID] and counter[STATUS] == RUNNING:
        counter[STATUS] = FINISHED
    if t1 >= clock[STOP] and counter[STATUS] == RUNNING:
        counter[STATUS] = PAUSED
