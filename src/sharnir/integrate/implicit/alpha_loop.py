"""Compiled loop of the generalized-α family (formulas in alpha_step.py): step control, output, history."""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.events.compiled_events import acted
from sharnir.integrate.events.event_search import LOOK_T, end_of_outputs, is_looking, look, seek, stops_here
from sharnir.integrate.implicit.alpha_step import (
    FIRST,
    NEW_FIRST,
    NEW_SECOND,
    QUADRATIC,
    SECOND,
    solve_first_step,
    solve_step,
    update_differences,
    update_error,
)
from sharnir.integrate.newton.difference_jacobian import update_jacobian
from sharnir.integrate.newton.simplified_newton import WANTED, recover
from sharnir.integrate.newton.stiff_projection import project_relaxed
from sharnir.integrate.stepping.run_memory import (
    ACCEPTED_DT,
    ASTRAY,
    BLOCKS,
    CAPACITY,
    CURRENT,
    DENSE,
    DENSE_ROWS,
    DT,
    ERROR,
    ERROR_ORDER,
    EVALUATIONS,
    EVEN,
    FAILURES,
    FLIP,
    HEADER,
    MAX_FACTOR,
    MIN_FACTOR,
    N_GRID,
    N_V,
    N_W,
    NEXT,
    NOT_FINITE,
    NOT_PROJECTED,
    PREVIOUS_DT,
    RATE,
    REJECTED,
    RUNNING,
    SAFETY,
    SCRATCH,
    STARTED,
    STATUS,
    STEPS,
    Memory,
    T,
)
from sharnir.integrate.stepping.state_rows import restore_quaternions, row, update_derivative
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


@jit
def begin_history(m: Memory) -> None:
    """The first divided difference is the derivative."""
    f0, first = lanes(row(m, 2 + ints(m.counter)[FLIP])), lanes(row(m, FIRST))
    for e in range(ints(m.sizes)[BLOCKS]):
        first[e] = 1.0 * f0[e]


@jit
def end_step(m: Memory, t1: float) -> bool:
    """Bring the new state onto the constraints; False: not possible.

    f_1 and a_1 stay as they are: the change is of the size of the error of the step, so they are off by no more than that times
    the slow frequencies, while an evaluation would multiply what is left of Newton's method by the stiffness.
    """
    return not math.isnan(project_relaxed(m, t1, row(m, 1 - ints(m.counter)[FLIP]), row(m, ints(m.sizes)[ERROR])))


@jit
def update_polynomial(m: Memory) -> None:
    """Rows DENSE …: y(t) = y1 + (t - t1) (P1 + (t - t0) P2), through the last three states, or straight."""
    sizes, flip, quadratic = ints(m.sizes), ints(m.counter)[FLIP], doubles(m.coefficients)[QUADRATIC]
    blocks = sizes[BLOCKS]
    rows, y1 = lanes(row(m, sizes[DENSE])), lanes(row(m, 1 - flip))
    first, second = lanes(row(m, NEW_FIRST)), lanes(row(m, NEW_SECOND))
    for e in range(blocks):
        rows[e] = 1.0 * y1[e]
        rows[blocks + e] = 1.0 * first[e]
        rows[2 * blocks + e] = quadratic * second[e]


@jit
def interpolate(m: Memory, after: float, before: float) -> Any:
    """State at the time t = t0 + after = t1 + before, in the scratch row."""
    sizes = ints(m.sizes)
    blocks, place, rows = sizes[BLOCKS], row(m, sizes[SCRATCH]), lanes(row(m, sizes[DENSE]))
    result = lanes(place)
    for e in range(blocks):
        result[e] = rows[e] + before * (rows[blocks + e] + after * rows[2 * blocks + e])
    restore_quaternions(m, place)
    return place


@jit
def write_outputs(m: Memory, t: float, t1: float) -> None:
    """Grid points in (t, t1], and the dense record of the step."""
    counter, sizes, grid = ints(m.counter), ints(m.sizes), doubles(m.grid)
    update_polynomial(m)
    if sizes[CAPACITY] > 0:
        target, source = shift(lanes(new_record(m, t, t1)), HEADER // LANES), lanes(row(m, sizes[DENSE]))
        for e in range(sizes[DENSE_ROWS] * sizes[BLOCKS]):
            target[e] = 1.0 * source[e]
    if m.events != 0:
        seek(m, t, t1)
    while is_looking(m):
        look(m, interpolate(m, doubles(m.watch)[LOOK_T] - t, doubles(m.watch)[LOOK_T] - t1))
    while counter[STATUS] == RUNNING and counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] <= end_of_outputs(m, t1):
        goal = grid[counter[NEXT]]
        if goal == t1 and m.projection == 0:
            write_output(m, row(m, 1 - counter[FLIP]))
        else:
            write_projected(m, goal, interpolate(m, goal - t, goal - t1))


@jit
def slow_rate(m: Memory) -> float:
    """Rate of convergence above which the next step gets its own Jacobian: higher, the more evaluations that costs."""
    sizes = ints(m.sizes)
    return max(0.02, min(0.3, (sizes[N_W] + sizes[N_V]) / 100.0))


@jit
def accept(m: Memory, dt: float, t1: float, error: float) -> None:
    """History, and the length of the next step; if it would change by -5 … 20 % it is kept, and so are the factors."""
    counter, clock, sizes, settings = ints(m.counter), doubles(m.clock), ints(m.sizes), doubles(m.settings)
    first, second = lanes(row(m, FIRST)), lanes(row(m, SECOND))
    new_first, new_second = lanes(row(m, NEW_FIRST)), lanes(row(m, NEW_SECOND))
    for e in range(sizes[BLOCKS]):
        first[e] = 1.0 * new_first[e]
        second[e] = 1.0 * new_second[e]
    clock[PREVIOUS_DT] = clock[ACCEPTED_DT]
    clock[ACCEPTED_DT] = dt
    counter[CURRENT] = WANTED if clock[RATE] > slow_rate(m) else 0
    if counter[EVEN] == 0:
        factor = settings[SAFETY] * max(error, 1e-10) ** (-1.0 / sizes[ERROR_ORDER])
        largest = 1.0 if counter[FAILURES] > 0 else settings[MAX_FACTOR]
        factor = min(largest, max(settings[MIN_FACTOR], factor))
        clock[DT] = dt if 0.95 <= factor < 1.2 else factor * dt
    counter[FAILURES] = 0
    close_step(m, dt, t1)


@jit
def reject(m: Memory, dt: float, error: float) -> None:
    counter, clock, settings = ints(m.counter), doubles(m.clock), doubles(m.settings)
    counter[REJECTED] = counter[REJECTED] + 1
    counter[FAILURES] = counter[FAILURES] + 1
    if counter[EVEN] == 1:
        counter[STATUS] = NOT_PROJECTED if counter[ASTRAY] == 1 else NOT_FINITE
    elif error < math.inf:
        factor = settings[SAFETY] * error ** (-1.0 / ints(m.sizes)[ERROR_ORDER])
        clock[DT] = dt * min(0.9, max(settings[MIN_FACTOR], factor))
    else:
        clock[DT] = 0.1 * dt


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
        f0 = row(m, 2 + counter[FLIP])
        begin(m, f0)
        begin_history(m)
        counter[CURRENT] = WANTED
        if clock[DT] == 0.0 and counter[STATUS] == RUNNING:
            clock[DT] = first_step(m, f0, row(m, 3 - counter[FLIP]), 2)
    while counter[EVALUATIONS] < limit and may_step(m):
        flip, t = counter[FLIP], clock[T]
        dt, t1 = even_step(m) if counter[EVEN] == 1 else trimmed_step(m)
        if is_too_small(m, dt, t1):
            counter[STATUS] = failure(m, row(m, 1 - flip))
            return
        if counter[CURRENT] == WANTED:
            update_derivative(m, t, row(m, flip), row(m, sizes[SCRATCH]))  # row 2 + flip is not exact enough for differences
            update_jacobian(m, t, row(m, flip), row(m, sizes[SCRATCH]))
        if not (solve_first_step(m, t, dt, t1) if counter[STEPS] == 0 else solve_step(m, t, dt, t1)):
            recover(m, dt)
            continue
        error = 0.0 if counter[EVEN] == 1 else update_error(m, dt)
        if error <= 1.0 and not end_step(m, t1):
            error = math.nan
        if error <= 1.0:
            update_differences(m, dt)
            write_outputs(m, t, t1)
            if stops_here(m):
                return
            accept(m, dt, t1, error)
        else:
            reject(m, dt, error)
