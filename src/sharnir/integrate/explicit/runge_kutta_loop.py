"""Compiled loop of every explicit Runge–Kutta method; the tableau is data (see explicit_runge_kutta.py).

Rows: 0, 1 state at both ends of the step; 2, 3 derivative there (each pair swaps roles after an accepted step); then the
inner stages, the extra stages of the dense output, and the rows named in `sizes`.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.events.compiled_events import acted
from sharnir.integrate.events.event_search import LOOK_T, end_of_outputs, is_looking, look, seek, stops_here
from sharnir.integrate.stepping.run_memory import (
    ASTRAY,
    BETA,
    BLOCKS,
    CAPACITY,
    DENSE,
    DENSE_ROWS,
    DT,
    ENTRIES,
    ERROR,
    ERROR_ORDER,
    ERRORS,
    EVALUATIONS,
    EVEN,
    EXPONENT,
    EXTRAS,
    FAILURES,
    FLIP,
    HEADER,
    LAST_IN_ERROR,
    LOG_ERROR,
    MAX_FACTOR,
    MIN_FACTOR,
    N_GRID,
    NEXT,
    NOT_FINITE,
    NOT_PROJECTED,
    REJECTED,
    RUNNING,
    SAFETY,
    SCRATCH,
    STAGES,
    STARTED,
    STATUS,
    Memory,
    T,
)
from sharnir.integrate.stepping.state_rows import (
    all_finite,
    restore_quaternions,
    row,
    scaled_rms,
    update_combination,
    update_derivative,
    update_sum,
)
from sharnir.integrate.stepping.step_control import (
    SMALL_CHANGE,
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
from sharnir.kernel import LANES, address_of, doubles, entry, inline, ints, jit, lanes, shift, shift_address


@inline
def places_and_starts(m: Memory) -> tuple[Any, Any]:
    """Row numbers of the tableau's entries for the present roles, and where every line of the tableau begins."""
    places, entries = ints(m.places), ints(m.sizes)[ENTRIES]
    return shift(places, ints(m.counter)[FLIP] * entries), shift(places, 2 * entries)


@inline
def attempt(m: Memory, t: float, dt: float, t1: float) -> None:
    """Stages and new state."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    places, starts = places_and_starts(m)
    nodes = shift(doubles(m.coefficients), sizes[ENTRIES])
    stages, scratch = sizes[STAGES], row(m, sizes[SCRATCH])
    y0, y1 = row(m, flip), row(m, 1 - flip)
    for i in range(1, stages):
        update_combination(scratch, y0, dt, m, places, starts[i], starts[i + 1])
        update_derivative(m, t + nodes[i] * dt, scratch, row(m, 3 + i))
    update_combination(y1, y0, dt, m, places, starts[stages], starts[stages + 1])
    restore_quaternions(m, y1)
    if sizes[LAST_IN_ERROR] == 1:
        update_derivative(m, t1, y1, row(m, 3 - flip))


@inline
def error_estimate(m: Memory, dt: float) -> float:
    """Error of the step relative to the tolerance; without control 0. NaN if the new state is not finite."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    y0, y1 = row(m, flip), row(m, 1 - flip)
    if ints(m.counter)[EVEN] == 1:
        return 0.0 if all_finite(m, y1) else math.nan
    places, starts = places_and_starts(m)
    line, estimate = sizes[STAGES] + 1 + sizes[EXTRAS], row(m, sizes[ERROR])
    update_sum(estimate, dt, m, places, starts[line], starts[line + 1])
    error = scaled_rms(m, estimate, y0, y1)
    if sizes[ERRORS] == 2:
        # Hairer, Nørsett, Wanner I, II.10: the 5th order estimate, stretched by the 3rd order one
        update_sum(estimate, dt, m, places, starts[line + 1], starts[line + 2])
        coarse = scaled_rms(m, estimate, y0, y1)
        if error > 0.0:
            error = error * error / math.sqrt(error * error + 0.01 * coarse * coarse)
    return error


@inline
def end_step(m: Memory, t1: float) -> bool:
    """Bring the new state onto the constraints and see to the derivative there; False if there is none."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    y1, f1 = row(m, 1 - flip), row(m, 3 - flip)
    change = project_step(m, t1, y1, row(m, sizes[ERROR])) if m.projection != 0 else 0.0
    if math.isnan(change):
        return False
    if sizes[LAST_IN_ERROR] == 0 or change > SMALL_CHANGE:
        update_derivative(m, t1, y1, f1)
        return all_finite(m, f1)
    return True


@jit
def update_polynomial(m: Memory, t: float, dt: float, target: Any) -> None:
    """Rows y0, F0, F1, … of y(t + x dt) = y0 + x(F0 + (1-x)(F1 + x(F2 + (1-x)(F3 + …)))): HNW I, II.6 and CONTD5, CONTD8."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    places, starts = places_and_starts(m)
    nodes = shift(doubles(m.coefficients), sizes[ENTRIES])
    blocks, stages, scratch = sizes[BLOCKS], sizes[STAGES], row(m, sizes[SCRATCH])
    for i in range(stages + 1, stages + 1 + sizes[EXTRAS]):
        update_combination(scratch, row(m, flip), dt, m, places, starts[i], starts[i + 1])
        update_derivative(m, t + nodes[i] * dt, scratch, row(m, 2 + i))
    y0, y1, f0, f1 = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, 2 + flip)), lanes(row(m, 3 - flip))
    rows = lanes(target)
    for e in range(blocks):
        change = y1[e] - y0[e]
        bend = dt * f0[e] - change
        rows[e] = 1.0 * y0[e]
        rows[blocks + e] = change
        rows[2 * blocks + e] = bend
        rows[3 * blocks + e] = change - dt * f1[e] - bend
    first_line = stages + 1 + sizes[EXTRAS] + sizes[ERRORS] - 4
    for r in range(4, sizes[DENSE_ROWS]):
        out = shift_address(target, r * LANES * blocks)
        update_sum(out, dt, m, places, starts[first_line + r], starts[first_line + r + 1])


@jit
def interpolate(m: Memory, polynomial: Any, x: float) -> Any:
    """State at the fraction x of the step, in the scratch row."""
    sizes = ints(m.sizes)
    blocks, last = sizes[BLOCKS], sizes[DENSE_ROWS] - 1
    rows, scratch = lanes(polynomial), row(m, sizes[SCRATCH])
    result = lanes(scratch)
    for e in range(blocks):
        total = 1.0 * rows[last * blocks + e]
        for r in range(last - 1, 0, -1):
            total = rows[r * blocks + e] + (1.0 - x if r % 2 == 1 else x) * total
        result[e] = rows[e] + x * total
    restore_quaternions(m, scratch)
    return scratch


@jit
def write_outputs(m: Memory, t: float, dt: float, t1: float) -> None:
    """Grid points in (t, t1], and the dense record of the step."""
    counter, sizes, grid = ints(m.counter), ints(m.sizes), doubles(m.grid)
    polynomial = row(m, sizes[DENSE])
    if sizes[CAPACITY] > 0:
        polynomial = address_of(doubles(new_record(m, t, t1)), HEADER)
    inside = counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] < t1
    if sizes[CAPACITY] > 0 or inside or m.events != 0:
        update_polynomial(m, t, dt, polynomial)
    if m.events != 0:
        seek(m, t, t1)
    while is_looking(m):
        look(m, interpolate(m, polynomial, (doubles(m.watch)[LOOK_T] - t) / dt))
    while counter[STATUS] == RUNNING and counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] <= end_of_outputs(m, t1):
        goal = grid[counter[NEXT]]
        if goal == t1:
            write_output(m, row(m, 1 - counter[FLIP]))
        else:
            write_projected(m, goal, interpolate(m, polynomial, (goal - t) / dt))


@inline
def accept(m: Memory, dt: float, t1: float, error: float) -> None:
    """Length of the next step by PI control (HNW II, IV.2, with the logarithms of the errors); the clock moves on."""
    counter, clock, settings = ints(m.counter), doubles(m.clock), doubles(m.settings)
    if counter[EVEN] == 0:
        present = math.log(max(error, 1e-10))
        factor = settings[SAFETY] * math.exp(settings[BETA] * clock[LOG_ERROR] - settings[EXPONENT] * present)
        largest = 1.0 if counter[FAILURES] > 0 else settings[MAX_FACTOR]
        better = dt * min(largest, max(settings[MIN_FACTOR], factor))
        # a step cut short by a stop says nothing against the length that was planned
        clock[DT] = max(better, clock[DT]) if dt < 0.5 * clock[DT] and counter[FAILURES] == 0 else better
        clock[LOG_ERROR] = max(present, math.log(1e-4))
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
        factor = settings[SAFETY] * math.exp(-settings[EXPONENT] * math.log(error))
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
        begin(m, row(m, 2 + counter[FLIP]))
        if clock[DT] == 0.0 and counter[STATUS] == RUNNING:
            clock[DT] = first_step(m, row(m, 2 + counter[FLIP]), row(m, 3 - counter[FLIP]), sizes[ERROR_ORDER])
    while counter[EVALUATIONS] < limit and may_step(m):
        flip, t = counter[FLIP], clock[T]
        dt, t1 = even_step(m) if counter[EVEN] == 1 else trimmed_step(m)
        if is_too_small(m, dt, t1):
            counter[STATUS] = failure(m, row(m, 1 - flip))
            return
        attempt(m, t, dt, t1)
        error = error_estimate(m, dt)
        if error <= 1.0 and not end_step(m, t1):
            error = math.nan
        if error <= 1.0:
            write_outputs(m, t, dt, t1)
            if stops_here(m):
                return
            accept(m, dt, t1, error)
        else:
            reject(m, dt, error)
