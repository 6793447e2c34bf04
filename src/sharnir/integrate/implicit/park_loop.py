"""Compiled loop of Park's method: start, step control, output (the formulas are in park_formula.py)."""

from __future__ import annotations

import math

from sharnir.integrate.events.compiled_events import acted
from sharnir.integrate.events.event_search import LOOK_T, end_of_outputs, is_looking, look, seek, stops_here
from sharnir.integrate.explicit.runge_kutta_loop import interpolate
from sharnir.integrate.implicit.park_formula import (
    BEGIN,
    ERROR_ROW,
    POLYNOMIAL,
    dirk_step,
    park_step,
    update_error,
    update_history,
    update_polynomial,
)
from sharnir.integrate.newton.one_stage_newton import FOUND, forget_jacobian
from sharnir.integrate.newton.simplified_newton import WANTED, recover
from sharnir.integrate.newton.stiff_projection import project_relaxed
from sharnir.integrate.stepping.run_memory import (
    ASTRAY,
    CAPACITY,
    CURRENT,
    DT,
    ERROR_ORDER,
    EVALUATIONS,
    EVEN,
    FAILURES,
    FLIP,
    HEADER,
    ITERATIONS,
    N_GRID,
    NEXT,
    NOT_FINITE,
    NOT_PROJECTED,
    RATE,
    REJECTED,
    RUNNING,
    STARTED,
    STATUS,
    STEPS,
    Memory,
    T,
)
from sharnir.integrate.stepping.state_rows import all_finite, restore_quaternions, row
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
from sharnir.kernel import address_of, doubles, entry, ints, jit

SLOW = 0.3  # rate of convergence above which the next step gets its own Jacobian
GROWTH = 1.5  # of a step; the formula of three steps alone is stable up to 1.53


@jit
def write_outputs(m: Memory, t: float, dt: float, t1: float) -> None:
    """Grid points in (t, t1], and the dense record of the step."""
    counter, sizes, grid = ints(m.counter), ints(m.sizes), doubles(m.grid)
    polynomial = row(m, POLYNOMIAL + 0 * counter[FLIP])
    if sizes[CAPACITY] > 0:
        polynomial = address_of(doubles(new_record(m, t, t1)), HEADER)
    update_polynomial(m, dt, polynomial)
    if m.events != 0:
        seek(m, t, t1)
    while is_looking(m):
        look(m, interpolate(m, polynomial, (doubles(m.watch)[LOOK_T] - t) / dt))
    while counter[STATUS] == RUNNING and counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] <= end_of_outputs(m, t1):
        goal = grid[counter[NEXT]]
        if goal == t1 and m.projection == 0:
            write_output(m, row(m, 1 - counter[FLIP]))
        else:
            write_projected(m, goal, interpolate(m, polynomial, (goal - t) / dt))


@jit
def accept(m: Memory, dt: float, t1: float, error: float) -> None:
    """The next step; one that would change little stays, for its factors."""
    counter, clock = ints(m.counter), doubles(m.clock)
    if counter[EVEN] == 0:
        factor = 0.9 * max(error, 1e-6) ** (-1.0 / 3.0)
        longest = 1.0 if counter[FAILURES] > 0 else GROWTH
        clock[DT] = dt if 0.95 < factor < 1.2 else dt * min(longest, max(0.2, factor))
    counter[CURRENT] = WANTED if clock[RATE] > SLOW and counter[ITERATIONS] > 1 else 0
    counter[FAILURES] = 0
    update_history(m, dt)
    close_step(m, dt, t1)


@jit
def reject(m: Memory, dt: float, error: float) -> None:
    counter, clock = ints(m.counter), doubles(m.clock)
    counter[REJECTED] = counter[REJECTED] + 1
    counter[FAILURES] = counter[FAILURES] + 1
    if counter[EVEN] == 1:
        counter[STATUS] = NOT_PROJECTED if counter[ASTRAY] == 1 else NOT_FINITE
    clock[DT] = dt * max(0.2, min(0.9, 0.8 * error ** (-1.0 / 3.0))) if error < math.inf else 0.1 * dt


@jit
def tried(m: Memory, t1: float, dt: float) -> float:
    """Error of a step whose equations are solved; NaN if its end is not finite or cannot be brought onto the constraints."""
    counter, y1 = ints(m.counter), row(m, 1 - ints(m.counter)[FLIP])
    error = 0.0 if counter[EVEN] == 1 else update_error(m, dt)
    if not error <= 1.0:
        return error
    restore_quaternions(m, y1)
    if not all_finite(m, y1) or math.isnan(project_relaxed(m, t1, y1, row(m, ERROR_ROW))):
        return math.nan
    return error


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
        begin(m, row(m, BEGIN))
        counter[CURRENT] = WANTED
        if clock[DT] == 0.0 and counter[STATUS] == RUNNING:
            clock[DT] = first_step(m, row(m, BEGIN), row(m, FOUND), sizes[ERROR_ORDER])
    while counter[EVALUATIONS] < limit and may_step(m):
        flip, t = counter[FLIP], clock[T]
        dt, t1 = even_step(m) if counter[EVEN] == 1 else trimmed_step(m)
        if is_too_small(m, dt, t1):
            counter[STATUS] = failure(m, row(m, 1 - flip))
            return
        solved = dirk_step(m, t, t1, dt) if counter[STEPS] < 2 else park_step(m, t1, dt)
        if not solved:
            recover(m, dt)
            forget_jacobian(m)
            continue
        error = tried(m, t1, dt)
        if error <= 1.0:
            write_outputs(m, t, dt, t1)
            if stops_here(m):
                return
            accept(m, dt, t1, error)
        else:
            reject(m, dt, error)
            forget_jacobian(m)
