"""The loop of all integrators: one step after the other until a run ends, stands at an event, or has to return to Python.

An integrator brings six functions (step_functions.py), which are called by their addresses: the loop is compiled once, and so is
the search for events (event_search.py), and only where there are any. Between two steps all of a run is in its memory.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.stepping.calm_steps import is_calm
from sharnir.integrate.stepping.motion_scale import begin_motion, look_again, note_motion, weigh_by_values
from sharnir.integrate.stepping.projection import SMALL_CHANGE, project, project_step
from sharnir.integrate.stepping.run_memory import (
    ANCHOR,
    ASTRAY,
    BAD_START,
    BREAKS_PASSED,
    BY_MOTION,
    CAPACITY,
    DENSE_ERROR,
    DT,
    DT_SMALLEST,
    ERROR,
    EVALUATIONS,
    EVEN,
    EVENT,
    EVERY_POLYNOMIAL,
    FAILURES,
    FINISHED,
    FIRST_ORDER,
    FIRST_SLOPE,
    FLIP,
    FOUND_T,
    INTEGRALS,
    LAND_T,
    LAST_KNOWN,
    LAST_SLOPE,
    N_GRID,
    NEXT,
    NEXT_BREAK,
    NOT_FINITE,
    NOT_PROJECTED,
    ORDER,
    PAUSED,
    RAMP,
    RAMPS,
    REJECTED,
    RESUMED,
    RUNNING,
    STALE,
    STARTED,
    STATUS,
    STEP,
    STEPS,
    STOP,
    SUBSTEP,
    TARGET_ORDER,
    TRIAL_SLOPE,
    WATCH_HEADER,
    Memory,
    N,
    T,
)
from sharnir.integrate.stepping.state_rows import all_finite, restore_quaternions, row, update_derivative
from sharnir.integrate.stepping.step_control import (
    begin_anew,
    behind_break,
    climb,
    close_step,
    failure,
    first_step,
    is_controlled,
    is_too_small,
    may_step,
    next_break,
    next_step,
)
from sharnir.integrate.stepping.step_functions import (
    AGAIN,
    call_accept,
    call_act,
    call_attempt,
    call_polynomial,
    call_reject,
    call_relax,
    call_restart,
    call_search,
    memory_at,
)
from sharnir.integrate.stepping.step_output import is_interpolated, keep_record, write_output, write_outputs
from sharnir.kernel import call_derivative, doubles, entry, inline, ints, jit, shift_address

MOST_TRIALS = 6  # rejections of a step in a row that its polynomial may cause
WORST = 3.0  # tolerances by which the polynomial of a step may be off between its ends


@entry
def advance(where: int, limit: int) -> None:
    """Go on with a run until it ends, a dense block is full, or `limit` evaluations have been made in all."""
    m = memory_at(where)
    step_on(m, limit)
    while goes_on(m) and ints(m.counter)[EVALUATIONS] < limit:
        step_on(m, limit)


@jit
def goes_on(m: Memory) -> bool:
    """The run stood at an event, and what that does is done without Python."""
    counter = ints(m.counter)
    if counter[STATUS] != EVENT or m.act == 0:
        return False
    call_act(m.act, m)
    return counter[STATUS] == RUNNING


@jit
def step_on(m: Memory, limit: int) -> None:
    """`advance`, until an event."""
    counter = ints(m.counter)
    if counter[STARTED] == 0:
        start(m)
    while may_step(m):
        if doubles(m.clock)[T] >= next_break(m):  # whatever the limit: no piece of a run ends between both sides of a break
            pass_break(m)
            continue
        if counter[EVALUATIONS] >= limit:
            return
        dt, t1 = next_step(m)
        if is_too_small(m, dt, t1):
            counter[STATUS] = failure(m, row(m, 1 - counter[FLIP]))
        else:
            step(m, doubles(m.clock)[T], dt, t1)


@jit
def start(m: Memory) -> None:
    """Derivative and length of the first step, from the state in row 0."""
    counter, clock, sizes = ints(m.counter), doubles(m.clock), ints(m.sizes)
    f0, f1 = row(m, sizes[FIRST_SLOPE]), row(m, sizes[TRIAL_SLOPE])
    begin(m, f0)
    nothing_moved = sizes[BY_MOTION] == 1 and counter[RESUMED] == 0 and counter[STATUS] == RUNNING
    if nothing_moved:
        weigh_by_values(m, row(m, counter[FLIP]))
    else:
        note_motion(m, row(m, counter[FLIP]), 0.0)
    if sizes[RAMPS] == 1 and counter[EVEN] == 1:
        counter[EVEN], counter[RAMP], clock[DT] = 0, 1, 0.0
    if clock[DT] == 0.0 and counter[STATUS] == RUNNING:
        clock[DT] = first_step(m, f0, f1, sizes[FIRST_ORDER])
    if nothing_moved:
        begin_motion(m, row(m, counter[FLIP]))
    call_restart(m.restart, m)


@jit
def pass_break(m: Memory) -> None:
    """The run stands before a moment at which the right-hand side stops being smooth: go on behind it, as if it began there."""
    counter, clock, behind = ints(m.counter), doubles(m.clock), behind_break(m)
    counter[NEXT_BREAK] = counter[NEXT_BREAK] + 1
    if behind <= clock[T]:
        return
    while counter[NEXT] < ints(m.sizes)[N_GRID] and doubles(m.grid)[counter[NEXT]] <= behind:
        write_output(m, row(m, counter[FLIP]))
    source, target = doubles(row(m, counter[FLIP])), doubles(row(m, 1 - counter[FLIP]))
    if counter[FLIP] == 1:  # a run begins in row 0
        for i in range(ints(m.sizes)[N] + ints(m.sizes)[INTEGRALS]):
            target[i] = source[i]
    clock[T] = behind
    begin_anew(m)
    counter[BREAKS_PASSED] = counter[BREAKS_PASSED] + 1
    if m.events != 0:
        call_search(m.search, m, behind, 0.0, behind)
        if stops_here(m):
            return
    if clock[STOP] <= behind:  # that was the moment at which the run is to pause, to rounding: no step leads back to it
        counter[STATUS] = PAUSED
    else:
        start(m)


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
        counter[STALE] = 0
        call_derivative(m.events, clock[T], y0, shift_address(m.watch, WATCH_HEADER), m.table, m.params, m.work)
    if counter[NEXT] == ints(m.sizes)[N_GRID]:
        counter[STATUS] = NOT_PROJECTED if counter[ASTRAY] == 1 else FINISHED
        return
    update_derivative(m, clock[T], y0, f0)
    if not (all_finite(m, y0) and all_finite(m, f0)):
        counter[STATUS] = BAD_START
    elif counter[ASTRAY] == 1:
        counter[STATUS] = NOT_PROJECTED


@inline
def step(m: Memory, t: float, dt: float, t1: float) -> None:
    """Try one step; if it is good enough, look for events in it, write its outputs, and move on to its end."""
    error = call_attempt(m.attempt, m, t, dt, t1)
    if error == AGAIN:
        return
    if error <= 1.0 and not is_completed(m, t1):
        error = math.nan
    calm = error <= 1.0 and m.calm != 0 and is_calm(m, t1)
    if error <= 1.0:
        between = dense_error(m, t, dt, t1, calm)
        if between > 1.0 and ints(m.counter)[FAILURES] < MOST_TRIALS:  # else it is rounding that shorter steps do not change
            error = between
    if error <= 1.0:
        if m.events != 0 and not calm:
            call_search(m.search, m, t, dt, t1)
            if lands_before(m, t, t1):
                return
        if ints(m.sizes)[CAPACITY] > 0:
            keep_record(m, t, t1)
        write_outputs(m, t, dt, t1)
        if stops_here(m):
            ints(m.counter)[STEPS] = ints(m.counter)[STEPS] + 1
        else:
            move_on(m, dt, t1, error)
    else:
        try_again(m, dt, error)


@inline
def is_completed(m: Memory, t1: float) -> bool:
    """Bring the new state onto the constraints and see to the derivative there; False if there is none."""
    sizes, flip, change = ints(m.sizes), ints(m.counter)[FLIP], 0.0
    if m.projection != 0:
        change = project_step(m, t1, row(m, 1 - flip), row(m, sizes[ERROR]))
        if m.relax != 0 and change > 0.0:
            change = call_relax(m.relax, m, t1, change)
        if math.isnan(change):
            return False
    if sizes[LAST_SLOPE] == 0 or (sizes[LAST_KNOWN] == 1 and change <= SMALL_CHANGE):
        return True
    f1 = row(m, sizes[LAST_SLOPE + flip])
    update_derivative(m, t1, row(m, 1 - flip), f1)
    return all_finite(m, f1)


@inline
def dense_error(m: Memory, t: float, dt: float, t1: float, calm: bool) -> float:
    """The polynomial of the step, if somebody needs it, and how far its error is beyond what is allowed."""
    if ints(m.sizes)[EVERY_POLYNOMIAL] == 0 and not is_interpolated(m, t1, calm):
        return 0.0
    call_polynomial(m.polynomial, m, t, dt, t1)
    return doubles(m.clock)[DENSE_ERROR] / WORST if is_controlled(m) else 0.0


@jit
def lands_before(m: Memory, t: float, t1: float) -> bool:
    """There is a switch within this step: it is made once more, up to there, so that all of its stages are on one side."""
    counter, clock = ints(m.counter), doubles(m.clock)
    if clock[LAND_T] < t1:
        counter[SUBSTEP], clock[ANCHOR] = 0, t
        return True
    if clock[LAND_T] == t1 or doubles(m.watch)[FOUND_T] < math.inf:
        clock[LAND_T] = math.inf
    return False


@inline
def stops_here(m: Memory) -> bool:
    """An event ends the run within this step; the clock stands there."""
    counter = ints(m.counter)
    if m.events == 0 or doubles(m.watch)[FOUND_T] == math.inf or counter[STATUS] != RUNNING:
        return False
    counter[STATUS] = EVENT
    doubles(m.clock)[T] = doubles(m.watch)[FOUND_T]
    return True


@inline
def move_on(m: Memory, dt: float, t1: float, error: float) -> None:
    """An accepted step: choose the next one, and move the clock."""
    counter = ints(m.counter)
    order = counter[ORDER]
    call_accept(m.accept, m, dt, error)
    counter[FAILURES] = 0
    close_step(m, dt, t1)
    note_motion(m, row(m, counter[FLIP]), dt)
    if counter[RAMP] == 1 and order == ints(m.sizes)[TARGET_ORDER]:
        climb(m, dt, t1)


@jit
def try_again(m: Memory, dt: float, error: float) -> None:
    """A rejected step: choose a shorter one; the run is over if its length is not ours to choose."""
    counter = ints(m.counter)
    counter[REJECTED] = counter[REJECTED] + 1
    counter[FAILURES] = counter[FAILURES] + 1
    if is_controlled(m):
        call_reject(m.reject, m, dt, error)
        look_again(m, dt)
    else:
        counter[STATUS] = NOT_PROJECTED if counter[ASTRAY] == 1 else NOT_FINITE
