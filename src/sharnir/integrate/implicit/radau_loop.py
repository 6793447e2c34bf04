"""Compiled loop of Radau IIA of order 5: Jacobian and factors kept while they serve, predictive step control, output.

Rows: 0, 1 state at both ends of the step; 2, 3 derivative there (each pair swaps roles after an accepted step); then those of
radau_stages.py, ERROR, and DENSE … DENSE + 3, the polynomial of the last accepted step.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.events.compiled_events import acted
from sharnir.integrate.events.event_search import LOOK_T, end_of_outputs, is_looking, look, seek, stops_here
from sharnir.integrate.implicit.radau_stages import C1, C2, LIMIT, solve_stages, update_error, update_new_state, update_polynomial
from sharnir.integrate.newton.difference_jacobian import update_jacobian
from sharnir.integrate.newton.simplified_newton import WANTED, recover
from sharnir.integrate.newton.stiff_projection import project_relaxed
from sharnir.integrate.stepping.run_memory import (
    ACCEPTED_DT,
    ACCEPTED_ERROR,
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
    ITERATIONS,
    MAX_FACTOR,
    MIN_FACTOR,
    N_GRID,
    N_V,
    N_W,
    NEXT,
    NOT_FINITE,
    NOT_PROJECTED,
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
    trimmed_step,
    write_output,
    write_projected,
)
from sharnir.kernel import LANES, doubles, entry, ints, jit, lanes, shift


@jit
def interpolate(m: Memory, s: float) -> Any:
    """State at the time s dt, -1 ≤ s ≤ 0, after the end of the step, in the scratch row."""
    sizes = ints(m.sizes)
    blocks, place, rows = sizes[BLOCKS], row(m, sizes[SCRATCH]), lanes(row(m, sizes[DENSE]))
    result = lanes(place)
    a, b = s - (C2 - 1.0), s - (C1 - 1.0)
    for e in range(blocks):
        result[e] = rows[e] + s * (rows[blocks + e] + a * (rows[2 * blocks + e] + b * rows[3 * blocks + e]))
    restore_quaternions(m, place)
    return place


@jit
def write_outputs(m: Memory, t: float, dt: float, t1: float) -> None:
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
        look(m, interpolate(m, (doubles(m.watch)[LOOK_T] - t1) / dt))
    while counter[STATUS] == RUNNING and counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] <= end_of_outputs(m, t1):
        goal = grid[counter[NEXT]]
        if goal == t1 and m.projection == 0:
            write_output(m, row(m, 1 - counter[FLIP]))
        else:
            write_projected(m, goal, interpolate(m, (goal - t1) / dt))


@jit
def end_step(m: Memory, t1: float) -> bool:
    """Bring the new state onto the constraints, and the derivative there; False if there is none."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    y1, f1 = row(m, 1 - flip), row(m, 3 - flip)
    if math.isnan(project_relaxed(m, t1, y1, row(m, sizes[ERROR]))):
        return False
    update_derivative(m, t1, y1, f1)
    return all_finite(m, f1)


@jit
def step_quotient(m: Memory, error: float) -> float:
    """dt / (next dt) from the error, with more caution the more iterations there were (RADAU5)."""
    settings, iterations = doubles(m.settings), ints(m.counter)[ITERATIONS]
    caution = settings[SAFETY] * min(1.0, (2 * LIMIT + 1) / (2 * LIMIT + iterations))
    return max(1.0 / settings[MAX_FACTOR], min(1.0 / settings[MIN_FACTOR], error**0.25 / caution))


@jit
def slow_rate(m: Memory) -> float:
    """Rate of convergence above which the next step gets its own Jacobian: higher, the more evaluations that costs."""
    sizes = ints(m.sizes)
    return max(0.001, min(0.1, (sizes[N_W] + sizes[N_V]) / 1500.0))


@jit
def accept(m: Memory, dt: float, t1: float, error: float) -> None:
    """Length of the next step by Gustafsson's predictive control (Hairer and Wanner II, (IV.8.24), (IV.8.25)).

    A step that would change by -5 … 20 % is kept, so that its factors serve again.
    """
    counter, clock, settings = ints(m.counter), doubles(m.clock), doubles(m.settings)
    counter[CURRENT] = WANTED if clock[RATE] > slow_rate(m) else 0
    if counter[EVEN] == 0:
        quotient = step_quotient(m, error)
        if counter[STEPS] > 0:
            trend = clock[ACCEPTED_DT] / dt * (error * error / clock[ACCEPTED_ERROR]) ** 0.25 / settings[SAFETY]
            quotient = max(quotient, min(1.0 / settings[MIN_FACTOR], trend))
        if counter[FAILURES] > 0:
            quotient = max(quotient, 1.0)
        keep = counter[CURRENT] == 0 and 1.0 / 1.2 <= quotient <= 1.0 / 0.95
        clock[DT] = dt if keep else dt / quotient
        clock[ACCEPTED_ERROR] = max(0.01, error)
    clock[ACCEPTED_DT] = dt
    counter[FAILURES] = 0
    close_step(m, dt, t1)


@jit
def reject(m: Memory, dt: float, error: float) -> None:
    counter, clock = ints(m.counter), doubles(m.clock)
    counter[REJECTED] = counter[REJECTED] + 1
    counter[FAILURES] = counter[FAILURES] + 1
    if counter[EVEN] == 1:
        counter[STATUS] = NOT_PROJECTED if counter[ASTRAY] == 1 else NOT_FINITE
    elif error < math.inf and counter[STEPS] > 0:
        clock[DT] = dt / max(step_quotient(m, error), 1.1)
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
        begin(m, row(m, 2 + counter[FLIP]))
        counter[CURRENT] = WANTED
        if clock[DT] == 0.0 and counter[STATUS] == RUNNING:
            clock[DT] = first_step(m, row(m, 2 + counter[FLIP]), row(m, 3 - counter[FLIP]), sizes[ERROR_ORDER])
    while counter[EVALUATIONS] < limit and may_step(m):
        flip, t = counter[FLIP], clock[T]
        dt, t1 = even_step(m) if counter[EVEN] == 1 else trimmed_step(m)
        if is_too_small(m, dt, t1):
            counter[STATUS] = failure(m, row(m, 1 - flip))
            return
        if counter[CURRENT] == WANTED:
            update_jacobian(m, t, row(m, flip), row(m, 2 + flip))
        if not solve_stages(m, t, dt):
            recover(m, dt)
            continue
        restore_quaternions(m, update_new_state(m))
        error = 0.0 if counter[EVEN] == 1 else update_error(m, t, dt)
        if error <= 1.0 and not end_step(m, t1):
            error = math.nan
        if error <= 1.0:
            write_outputs(m, t, dt, t1)
            if stops_here(m):
                return
            accept(m, dt, t1, error)
        else:
            reject(m, dt, error)
