"""Compiled loop of the BDF: Newton's method, choice of step and order, output (the formulas are in bdf_differences.py)."""

from __future__ import annotations

import math

from sharnir.integrate.events.compiled_events import acted
from sharnir.integrate.events.event_search import LOOK_T, end_of_outputs, is_looking, look, seek, stops_here
from sharnir.integrate.implicit.bdf_differences import (
    ALPHA,
    ERROR_CONSTANT,
    ERROR_ROW,
    FIRST_DIFFERENCE,
    begin_differences,
    change_step,
    interpolate,
    predict,
    update_differences,
)
from sharnir.integrate.newton.one_stage_newton import CHANGE, FOUND, LIMIT, forget_jacobian, solve_formula
from sharnir.integrate.newton.simplified_newton import WANTED, recover
from sharnir.integrate.newton.stiff_projection import project_relaxed
from sharnir.integrate.stepping.run_memory import (
    ANCHOR,
    ASTRAY,
    BDF_ORDER,
    BLOCKS,
    CAPACITY,
    CURRENT,
    DT,
    ERROR_ORDER,
    EVALUATIONS,
    EVEN,
    FAILURES,
    FLIP,
    HEADER,
    HISTORY_DT,
    ITERATIONS,
    MAX_STEP,
    N_GRID,
    NEXT,
    NOT_FINITE,
    NOT_PROJECTED,
    RAMP,
    RATE,
    REJECTED,
    RUNNING,
    STARTED,
    STATUS,
    STEADY,
    STEP,
    SUBSTEP,
    TARGET_ORDER,
    Memory,
    T,
)
from sharnir.integrate.stepping.state_rows import all_finite, restore_quaternions, row, scaled_rms
from sharnir.integrate.stepping.step_control import (
    begin,
    close_step,
    even_step,
    failure,
    first_step,
    is_too_small,
    may_step,
    new_record,
    trimmed_step,
    write_output,
    write_projected,
)
from sharnir.kernel import LANES, doubles, entry, ints, jit, lanes, shift

SLOW = 0.3  # rate of convergence above which the next step gets its own Jacobian


@jit
def scaled_difference(m: Memory, difference: int, order: int) -> float:
    """Error of a step of some order relative to the tolerance, from the row with the difference of one order more."""
    return ERROR_CONSTANT[order] * scaled_rms(
        m, row(m, difference), row(m, ints(m.counter)[FLIP]), row(m, 1 - ints(m.counter)[FLIP])
    )


@jit
def error_estimate(m: Memory) -> float:
    counter, k = ints(m.counter), ints(m.counter)[BDF_ORDER]
    if counter[EVEN] == 1 or (counter[RAMP] == 1 and k == ints(m.sizes)[TARGET_ORDER]):
        return 0.0 if all_finite(m, row(m, 1 - counter[FLIP])) else math.nan
    return scaled_difference(m, CHANGE, k)


@jit
def end_step(m: Memory, t1: float) -> bool:
    """Unit quaternions and constraints; False if they cannot be satisfied.

    What that changes moves the whole history, not its last point: D_0 becomes the new state, the other differences stay. A jump
    at the last point would be noise that differences of high order magnify until no step is good enough.
    """
    y1 = row(m, 1 - ints(m.counter)[FLIP])
    restore_quaternions(m, y1)
    return not math.isnan(project_relaxed(m, t1, y1, row(m, ERROR_ROW)))


@jit
def write_outputs(m: Memory, t: float, dt: float, t1: float) -> None:
    """Grid points in (t, t1], and the dense record of the step: t0, t1, order; rows D_0, D_1, …"""
    counter, sizes, grid = ints(m.counter), ints(m.sizes), doubles(m.grid)
    if sizes[CAPACITY] > 0:
        record = new_record(m, t, t1)
        doubles(record)[2] = counter[BDF_ORDER]
        target, source = shift(lanes(record), HEADER // LANES), lanes(row(m, FIRST_DIFFERENCE))
        for e in range((counter[BDF_ORDER] + 1) * sizes[BLOCKS]):
            target[e] = 1.0 * source[e]
    if m.events != 0:
        seek(m, t, t1)
    while is_looking(m):
        look(m, interpolate(m, (doubles(m.watch)[LOOK_T] - t1) / dt))
    while counter[STATUS] == RUNNING and counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] <= end_of_outputs(m, t1):
        goal = grid[counter[NEXT]]
        if goal == t1 and m.projection == 0:
            write_output(m, row(m, 1 - counter[FLIP]))
        else:
            write_projected(m, goal, interpolate(m, (goal - t1) / dt))


@jit
def choose(m: Memory, dt: float, error: float) -> None:
    """Order k - 1, k or k + 1, whichever allows the longest step; a step that would change little stays, for its factors."""
    counter, clock, k = ints(m.counter), doubles(m.clock), ints(m.counter)[BDF_ORDER]
    best, order = max(error, 1e-12) ** (-1.0 / (k + 1)), k
    if k > 1:
        lower = max(scaled_difference(m, FIRST_DIFFERENCE + k, k - 1), 1e-12) ** (-1.0 / k)
        if lower > best:
            best, order = lower, k - 1
    if k < ints(m.sizes)[TARGET_ORDER]:
        higher = max(scaled_difference(m, FIRST_DIFFERENCE + k + 2, k + 1), 1e-12) ** (-1.0 / (k + 2))
        if higher > best:
            best, order = higher, k + 1
    factor = 0.9 * (2 * LIMIT + 1) / (2 * LIMIT + counter[ITERATIONS]) * best
    if order != k or not 0.9 < factor < 1.2:
        counter[BDF_ORDER], counter[STEADY] = order, 0
        clock[DT] = dt * min(10.0, max(0.2, factor))


@jit
def accept(m: Memory, dt: float, t1: float, error: float) -> None:
    """The next step. On the way to even ones: the order rises at once, then the step doubles, as in adams_kernel.py."""
    counter, clock, sizes, settings = ints(m.counter), doubles(m.clock), ints(m.sizes), doubles(m.settings)
    k = counter[BDF_ORDER]
    clock[DT] = dt
    if counter[RAMP] == 1 and k < sizes[TARGET_ORDER]:
        counter[BDF_ORDER], counter[STEADY] = k + 1, 0
    elif counter[RAMP] == 0 and counter[EVEN] == 0:
        if counter[STEADY] > k:
            choose(m, dt, error)
        elif error > 0.7:
            clock[DT] = dt * (0.4 / error) ** (1.0 / (k + 1))  # the next one would be refused
    counter[CURRENT] = WANTED if clock[RATE] > SLOW and counter[ITERATIONS] > 1 else 0
    counter[FAILURES] = 0
    close_step(m, dt, t1)
    if counter[RAMP] == 1 and k == sizes[TARGET_ORDER]:
        longest = min(settings[STEP], settings[MAX_STEP])
        if 1.001 * dt > longest:
            counter[RAMP], counter[EVEN], counter[SUBSTEP], clock[ANCHOR] = 0, 1, 0, t1
        elif counter[SUBSTEP] > k:
            counter[SUBSTEP], clock[DT] = 0, min(2.0 * dt, longest)


@jit
def reject(m: Memory, dt: float, error: float) -> None:
    """A shorter step; from the third time on also back to the first order, for y is not as smooth as the differences say."""
    counter, clock, k = ints(m.counter), doubles(m.clock), ints(m.counter)[BDF_ORDER]
    counter[REJECTED] = counter[REJECTED] + 1
    counter[FAILURES] = counter[FAILURES] + 1
    if counter[EVEN] == 1 or (counter[RAMP] == 1 and k == ints(m.sizes)[TARGET_ORDER]):
        counter[STATUS] = NOT_PROJECTED if counter[ASTRAY] == 1 else NOT_FINITE
    clock[DT] = dt * max(0.2, min(0.9, (0.4 / error) ** (1.0 / (k + 1)))) if error < math.inf else 0.1 * dt
    if counter[FAILURES] >= 3:
        counter[BDF_ORDER] = 1


@entry
def advance(m: Memory, limit: int) -> None:
    """Go on with a run until it ends, a dense block is full, or `limit` evaluations have been made in all."""
    step_on(m, limit)
    while acted(m, limit):
        step_on(m, limit)


@jit
def step_on(m: Memory, limit: int) -> None:
    """`advance`, until an event."""
    counter, clock, sizes = ints(m.counter), doubles(m.clock), ints(m.sizes)
    if counter[STARTED] == 0:
        begin(m, row(m, FOUND))
        counter[CURRENT] = WANTED
        if counter[EVEN] == 1 and sizes[TARGET_ORDER] > 1:
            counter[EVEN], counter[RAMP], clock[DT] = 0, 1, 0.0
        if clock[DT] == 0.0 and counter[STATUS] == RUNNING:
            clock[DT] = first_step(m, row(m, FOUND), row(m, ERROR_ROW), sizes[ERROR_ORDER])
        begin_differences(m, clock[DT], row(m, FOUND))
    while counter[EVALUATIONS] < limit and may_step(m):
        t, flip = clock[T], counter[FLIP]
        dt, t1 = even_step(m) if counter[EVEN] == 1 else trimmed_step(m)
        if is_too_small(m, dt, t1):
            counter[STATUS] = failure(m, row(m, 1 - flip))
            return
        if dt != clock[HISTORY_DT]:
            change_step(m, dt)
            counter[STEADY] = 0
        predict(m)
        if not solve_formula(m, t1, row(m, 1 - flip), dt / ALPHA[counter[BDF_ORDER]]):
            recover(m, dt)
            forget_jacobian(m)
            continue
        error = error_estimate(m)
        if error <= 1.0 and not end_step(m, t1):
            error = math.nan
        if error <= 1.0:
            counter[STEADY] = counter[STEADY] + 1
            update_differences(m)
            write_outputs(m, t, dt, t1)
            if stops_here(m):
                return
            accept(m, dt, t1, error)
        else:
            reject(m, dt, error)
            forget_jacobian(m)
