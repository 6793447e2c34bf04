"""Compiled loop of the Adams–Bashforth–Moulton method: start, step control, output (the formulas are in adams_differences.py)."""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.events.compiled_events import acted
from sharnir.integrate.events.event_search import LOOK_T, end_of_outputs, is_looking, look, seek, stops_here
from sharnir.integrate.explicit.adams_differences import (
    PSI,
    correct,
    interpolate,
    predict,
    update_differences,
    update_step_weights,
)
from sharnir.integrate.stepping.run_memory import (
    ADAMS_ORDER,
    ANCHOR,
    ASTRAY,
    BLOCKS,
    CAPACITY,
    DENSE,
    DENSE_ROWS,
    DT,
    ERROR,
    ERROR_ORDER,
    EVALUATIONS,
    EVEN,
    FAILURES,
    FLIP,
    FRESH,
    HEADER,
    MAX_STEP,
    N_GRID,
    NEXT,
    NOT_FINITE,
    NOT_PROJECTED,
    RAMP,
    REJECTED,
    RUNNING,
    SCRATCH,
    STARTED,
    STATUS,
    STEADY,
    STEP,
    SUBSTEP,
    TARGET_ORDER,
    Memory,
    T,
)
from sharnir.integrate.stepping.state_rows import all_finite, restore_quaternions, row, update_derivative
from sharnir.integrate.stepping.step_control import (
    begin,
    close_step,
    even_step,
    failure,
    first_step,
    is_too_small,
    may_step,
    new_record,
    project_step,
    trimmed_step,
    write_output,
    write_projected,
)
from sharnir.kernel import LANES, doubles, entry, inline, ints, jit, lanes, shift


@jit
def state_between(m: Memory, goal: float, t: float, dt: float, t1: float, k: int) -> Any:
    """State at a time within the step; row DENSE holds by how much the polynomial misses its beginning."""
    x = (goal - t) / dt
    state = interpolate(m, goal - t1, k, (1.0 - x) * (1.0 - x) * (1.0 + 2.0 * x))
    restore_quaternions(m, state)
    return state


@jit
def write_outputs(m: Memory, t: float, dt: float, t1: float, k: int) -> None:
    """Grid points in (t, t1], and the dense record of the step.

    The polynomial through f at the last k + 1 points ends in y1 but misses y0 by a local error, which row DENSE takes back by a
    cubic with slope 0 at both ends: the dense output and its slope are continuous, as wanted by H. A. Watts, L. F. Shampine,
    SIAM J. Sci. Stat. Comput. 7 (1986) 334.
    """
    counter, sizes, grid = ints(m.counter), ints(m.sizes), doubles(m.grid)
    inside = counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] < t1
    if sizes[CAPACITY] > 0 or inside or m.events != 0:
        counter[FRESH] = 0  # g is overwritten
        reached = lanes(interpolate(m, -dt, k, 0.0))
        y0, gap = lanes(row(m, counter[FLIP])), lanes(row(m, sizes[DENSE]))
        for e in range(sizes[BLOCKS]):
            gap[e] = y0[e] - reached[e]
    if sizes[CAPACITY] > 0:
        update_record(m, t, t1, k)
    if m.events != 0:
        seek(m, t, t1)
    while is_looking(m):
        look(m, state_between(m, doubles(m.watch)[LOOK_T], t, dt, t1, k))
    while counter[STATUS] == RUNNING and counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] <= end_of_outputs(m, t1):
        goal = grid[counter[NEXT]]
        if goal == t1:
            write_output(m, row(m, 1 - counter[FLIP]))
        else:
            write_projected(m, goal, state_between(m, goal, t, dt, t1, k))


@jit
def update_record(m: Memory, t: float, t1: float, k: int) -> None:
    """Dense record: t0, t1, number of differences, psi; rows y1, correction, phi_1, phi_2, …"""
    sizes = ints(m.sizes)
    blocks = sizes[BLOCKS]
    record = new_record(m, t, t1)
    header, target, psi = doubles(record), shift(lanes(record), HEADER // LANES), doubles(m.coefficients)
    header[2] = k + 1
    for i in range(1, k + 2):
        header[2 + i] = psi[PSI + i]
    y1, rows = lanes(row(m, 1 - ints(m.counter)[FLIP])), lanes(row(m, sizes[DENSE]))
    for e in range(blocks):
        target[e] = 1.0 * y1[e]
    for e in range((sizes[DENSE_ROWS] - 1) * blocks):
        target[blocks + e] = 1.0 * rows[e]


@inline
def accept(m: Memory, dt: float, t1: float, error: float, k: int) -> None:
    """Order and length of the next step as in STEP of Shampine and Gordon, but once reached the order stays."""
    counter, clock, sizes, settings = ints(m.counter), doubles(m.clock), ints(m.sizes), doubles(m.settings)
    close_step(m, dt, t1)
    if k < sizes[TARGET_ORDER]:
        counter[ADAMS_ORDER] = k + 1
        counter[STEADY] = 0
        clock[DT] = 2.0 * dt if counter[FAILURES] + counter[RAMP] == 0 else dt
    elif counter[RAMP] == 1:
        # Up to the even step without control: these errors are of the order of the method. Doubling at every step would
        # magnify the rounding in the differences, so we wait until the last change has left them.
        longest = min(settings[STEP], settings[MAX_STEP])
        if 1.001 * dt > longest:
            counter[RAMP], counter[EVEN], counter[SUBSTEP], clock[ANCHOR] = 0, 1, 0, t1
        elif counter[SUBSTEP] > k:
            counter[SUBSTEP], clock[DT] = 0, min(2.0 * dt, longest)
    elif counter[EVEN] == 0:
        factor = (0.5 / max(error, 1e-20)) ** (1.0 / (k + 1))  # to an error of 0.5
        if factor >= 2.0:
            clock[DT] = 2.0 * dt
        elif factor >= 1.25 and counter[STEADY] > k + 1:
            # STEP waits until it can double; a smaller change after k + 2 equal steps saves 10 % of the evaluations
            clock[DT] = 0.95 * factor * dt
        elif factor >= 1.0:
            clock[DT] = dt
        else:
            clock[DT] = dt * min(0.9, max(0.5, factor))
    counter[FAILURES] = 0


@jit
def reject(m: Memory, dt: float) -> None:
    """Half the step; from the third time on also back to the first order, for f is not as smooth as the differences say."""
    counter, clock = ints(m.counter), doubles(m.clock)
    counter[REJECTED] = counter[REJECTED] + 1
    counter[FAILURES] = counter[FAILURES] + 1
    counter[FRESH] = 0
    if counter[EVEN] == 1 or (counter[RAMP] == 1 and counter[ADAMS_ORDER] == ints(m.sizes)[TARGET_ORDER]):
        counter[STATUS] = NOT_PROJECTED if counter[ASTRAY] == 1 else NOT_FINITE
    clock[DT] = 0.5 * dt
    if counter[FAILURES] >= 3:
        clock[DT] = 0.1 * dt
        counter[ADAMS_ORDER] = 1


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
        phi_1 = row(m, sizes[DENSE] + 1)
        begin(m, phi_1)
        counter[ADAMS_ORDER] = 1
        if counter[EVEN] == 1 and sizes[TARGET_ORDER] > 1:
            counter[EVEN], counter[RAMP], clock[DT] = 0, 1, 0.0
        if clock[DT] == 0.0 and counter[STATUS] == RUNNING:
            clock[DT] = first_step(m, phi_1, row(m, sizes[SCRATCH] + 1), sizes[ERROR_ORDER])
    while counter[EVALUATIONS] < limit and may_step(m):
        t, k, y1 = clock[T], counter[ADAMS_ORDER], row(m, 1 - counter[FLIP])
        f_predicted, f1 = row(m, sizes[SCRATCH] + 1), row(m, sizes[SCRATCH] + 2)
        dt, t1 = even_step(m) if counter[EVEN] == 1 else trimmed_step(m)
        if is_too_small(m, dt, t1):
            counter[STATUS] = failure(m, y1)
            return
        steady = dt == doubles(m.coefficients)[PSI + 1]
        if not (steady and counter[FRESH] == 1 and counter[STEADY] >= k + 2):
            update_step_weights(m, dt, k)
            counter[FRESH] = 1
        predict(m, dt, k)
        update_derivative(m, t1, y1, f_predicted)
        error = correct(m, dt, k)
        if error <= 1.0:
            if math.isnan(project_step(m, t1, y1, row(m, sizes[ERROR]))):
                error = math.nan
            else:
                update_derivative(m, t1, y1, f1)
            if not all_finite(m, f1):
                error = math.nan
        if error <= 1.0:
            counter[STEADY] = counter[STEADY] + 1 if steady else 1
            update_differences(m, k)
            write_outputs(m, t, dt, t1, k)
            if stops_here(m):
                return
            accept(m, dt, t1, error, k)
        else:
            reject(m, dt)
