"""Events: when functions g_i(t, y) cross zero, located on the dense output of an accepted step.

A step is searched piece by piece. Each piece is sampled at its thirds and its middle. If some function is rougher than a cubic,
the piece is shortened; if a cubic through the values dips to the other side of zero and back, it is sampled there as well. A
change of sign is narrowed to rounding error of t by the Illinois method for several functions at once (Hiebert, Shampine,
SAND80-0180, and SUNDIALS). Then the event is noted and the search continues after it, or the run ends there.
"""

from __future__ import annotations

import math

from sharnir.integrate.events.event_places import (
    BEGIN,
    BEGIN_SLOPE,
    BEGIN_SLOPE_T,
    CAPACITY_LOG,
    COUNT,
    END,
    END_SLOPE,
    END_SLOPE_T,
    FIRED,
    FIRST_SWITCH,
    FORMER,
    FORMER_FIRED,
    FORMER_LOGGED,
    FORMER_LOW,
    FORMER_UNSURE,
    FROM_T,
    HAS_FIRED,
    HIGH,
    HIGH_T,
    JUMP_T,
    LAST_T,
    LOGGED,
    LOW,
    LOW_T,
    NOW,
    PASSING,
    PIECES,
    STEP_DT,
    THIRD,
    THIRDS,
    TO_T,
    VALUES,
    WRONG_SIDE,
)
from sharnir.integrate.events.event_values import (
    MIDDLE,
    any_crossed,
    copy_values,
    has_crossed,
    is_rough,
    look,
    mark,
    meeting_of_tangents,
    nearest_dip,
    state_at,
    update_slopes,
    value,
)
from sharnir.integrate.events.history_records import keep_history
from sharnir.integrate.events.illinois import narrow
from sharnir.integrate.events.sides_of_zero import begins_astray, forget_jumped, forget_sides, keep_sides, leave_noise, new_side
from sharnir.integrate.stepping.projection import project
from sharnir.integrate.stepping.run_memory import (
    EVENT_ROW,
    FLIP,
    FOUND_T,
    INTEGRALS,
    LAND_T,
    ONE_STEP,
    STALE,
    UNSURE,
    Memory,
    N,
    T,
)
from sharnir.integrate.stepping.state_rows import row
from sharnir.integrate.stepping.step_functions import search_function
from sharnir.kernel import call_derivative, doubles, inline, ints, jit, shift_address

FIRST_LOOK = 1e-12  # part of a step at which a function that has just been zero may show its side
SHORTEST = 2e-6  # part of a step that a piece has at least
MANY, LONGER = 10_000.0, 1e-4  # from this many pieces of one step on, this part: such roughness is noise
SHORTEST_PEAK = 1e-10  # part of a step between flanks of a peak that are followed
NEAR_END = 0.9  # part of a step: a switch after it is taken from the polynomial
BEHIND = 0.02  # part by which a repeated step goes beyond a switch; sides are held, so that all is smooth there
SHORTEST_BEFORE = 1e-9  # part of a step before a crossing in which nothing else is searched


def search(m: Memory, t: float, dt: float, t1: float) -> None:
    """Search an accepted step for events and record it for delays; FOUND_T is the time at which the run ends, if it does.

    A step of zero length: the run has reached a break in time, where functions may jump.
    """
    watch = doubles(m.watch)
    watch[FROM_T], watch[TO_T], watch[LAST_T], watch[STEP_DT], watch[FOUND_T] = t, t1, t1, dt, math.inf
    watch[PIECES], ints(m.marks)[WRONG_SIDE] = 0.0, 0
    if dt == 0.0:
        search_jump(m, t)
        return
    if ints(m.counter)[STALE] == 1:
        look(m, t, BEGIN)
        ints(m.counter)[STALE] = 0
    if ints(m.marks)[COUNT] > 0:
        keep_former(m)
        while not is_found(m) and watch[FROM_T] < t1:
            search_piece(m)
        if is_found(m) and lands(m, t, t1):
            take_former(m)
            return
    keep_history(m, min(watch[FOUND_T], t1))


SEARCH = search_function(search)


@jit
def lands(m: Memory, t: float, t1: float) -> bool:
    """The run ends at a switch well inside the step, and the method is able to repeat the step up to it."""
    marks, found = ints(m.marks), False
    for i in range(marks[FIRST_SWITCH], marks[COUNT]):
        found = found or marks[mark(m, FIRED, i)] == HAS_FIRED
    first = doubles(m.watch)[FOUND_T]
    found = found and marks[WRONG_SIDE] == 0
    return found and ints(m.sizes)[ONE_STEP] == 1 and first - t < NEAR_END * (t1 - t) and first - t > 1e-12 * max(1.0, abs(t))


@jit
def keep_former(m: Memory) -> None:
    """Save what a search changes, so that it can be repeated."""
    marks = ints(m.marks)
    copy_values(m, BEGIN, FORMER)
    copy_values(m, LOW, FORMER_LOW)
    marks[FORMER_UNSURE], marks[FORMER_LOGGED] = marks[UNSURE], marks[LOGGED]
    for i in range(marks[COUNT]):
        marks[mark(m, FORMER_FIRED, i)] = marks[mark(m, FIRED, i)]


@jit
def take_former(m: Memory) -> None:
    """Undo a search, except for its end: the repeated step will end a little after it, so that it surely crosses zero."""
    watch, marks = doubles(m.watch), ints(m.marks)
    copy_values(m, FORMER, BEGIN)
    copy_values(m, FORMER_LOW, LOW)
    marks[UNSURE], marks[LOGGED] = marks[FORMER_UNSURE], marks[FORMER_LOGGED]
    for i in range(marks[COUNT]):
        marks[mark(m, FIRED, i)] = marks[mark(m, FORMER_FIRED, i)]
    start = doubles(m.clock)[T]
    doubles(m.clock)[LAND_T] = watch[FOUND_T] + BEHIND * (watch[FOUND_T] - start)
    watch[FOUND_T] = watch[BEGIN_SLOPE_T] = math.inf


@inline
def is_found(m: Memory) -> bool:
    """An event that ends the run has been found."""
    return doubles(m.watch)[FOUND_T] < math.inf


@jit
def search_jump(m: Memory, t: float) -> None:
    """Functions that change sides across a break in time cross zero there; the state is in row FLIP."""
    watch, marks = doubles(m.watch), ints(m.marks)
    y = row(m, ints(m.counter)[FLIP])
    call_derivative(m.events, t, y, shift_address(m.watch, value(m, HIGH, 0)), m.table, m.params, m.work)
    copy_values(m, BEGIN, LOW)
    watch[HIGH_T] = watch[JUMP_T] = t
    if marks[UNSURE] == 0 and any_crossed(m, LOW, HIGH):
        if ends_run(m):
            target, source = doubles(row(m, ints(m.sizes)[EVENT_ROW])), doubles(y)
            for i in range(ints(m.sizes)[N] + ints(m.sizes)[INTEGRALS]):
                target[i] = source[i]
            watch[FOUND_T] = t
            marks[UNSURE] = 1
        else:
            note_passing(m)
            forget_sides(m)


@jit
def search_piece(m: Memory) -> None:
    """Find the events between FROM_T and TO_T one after the other; the next piece is the rest of the step."""
    watch = doubles(m.watch)
    look(m, watch[TO_T], END)
    if begins_astray(m):
        watch[HIGH_T] = watch[FROM_T]
        arrive(m)
    elif ints(m.marks)[UNSURE] == 1:
        settle_sides(m)
    while not is_found(m) and watch[FROM_T] < watch[TO_T]:
        search_samples(m)
    copy_values(m, END, BEGIN)
    copy_values(m, END_SLOPE, BEGIN_SLOPE)
    watch[BEGIN_SLOPE_T] = watch[END_SLOPE_T]
    watch[TO_T] = watch[LAST_T]


@jit
def settle_sides(m: Memory) -> None:
    """Functions that were zero at the beginning of this piece: their side is known once they leave the noise."""
    watch = doubles(m.watch)
    start = watch[FROM_T]
    if watch[JUMP_T] == start:
        forget_jumped(m)
        if ints(m.marks)[UNSURE] == 0:
            return
    t = min(start + max(FIRST_LOOK * (watch[TO_T] - start), 8e-16 * abs(start)), watch[TO_T])
    look(m, t, NOW)
    left, back, resting, astray = leave_noise(m, t)
    while left > 0:
        t = min(start + 10.0 * (t - start), watch[TO_T])
        look(m, t, NOW)
        left, back, resting, astray = leave_noise(m, t)
    if back or astray:  # where they begin, or where it shows
        copy_values(m, NOW, HIGH)
        keep_sides(m)
        watch[HIGH_T], ints(m.marks)[WRONG_SIDE] = start if back else t, int(astray)
        arrive(m)
    elif any_crossed(m, BEGIN, NOW):  # others, in the meantime
        forget_sides(m)
        narrow(m, start, BEGIN, t, NOW)
        arrive(m)
    elif resting:
        finish_at(m, t)
    else:
        forget_sides(m)
        watch[FROM_T] = t


@jit
def search_samples(m: Memory) -> None:
    """Sample the thirds, the middle and the slopes. Then: a shorter piece, if functions are rougher than cubics; or the first
    crossing; or a dip; or nothing."""
    watch = doubles(m.watch)
    t, t1 = watch[FROM_T], watch[TO_T]
    third, middle, thirds = t + (t1 - t) / 3.0, t + MIDDLE * (t1 - t), t + 2.0 * (t1 - t) / 3.0
    look(m, third, THIRD)
    look(m, thirds, THIRDS)
    update_slopes(m)
    look(m, middle, NOW)
    watch[PIECES] += 1.0
    part, meeting = (t1 - t) / (watch[LAST_T] - doubles(m.clock)[T]), meeting_of_tangents(m)
    if meeting > 0.0 and part > SHORTEST_PEAK:
        watch[TO_T] = t + meeting * (t1 - t)
        look(m, watch[TO_T], END)
    elif part > (SHORTEST if watch[PIECES] < MANY else LONGER) and is_rough(m):
        watch[TO_T] = third
        copy_values(m, THIRD, END)
    elif any_crossed(m, BEGIN, THIRD):
        narrow(m, t, BEGIN, third, THIRD)
        search_before(m)
        arrive(m)
    elif any_crossed(m, THIRD, NOW):
        narrow(m, third, THIRD, middle, NOW)
        search_before(m)
        arrive(m)
    elif any_crossed(m, NOW, THIRDS):
        narrow(m, middle, NOW, thirds, THIRDS)
        search_before(m)
        arrive(m)
    elif any_crossed(m, THIRDS, END):
        narrow(m, thirds, THIRDS, t1, END)
        search_before(m)
        arrive(m)
    else:
        search_dip(m)


@jit
def search_dip(m: Memory) -> None:
    """No function changes sign at the samples: one that does at its dip crosses zero before it, and back after it."""
    watch, x = doubles(m.watch), nearest_dip(m, END)
    t, t1 = watch[FROM_T], watch[TO_T]
    dip = t + x * (t1 - t)
    if x > 0.0:
        look(m, dip, NOW)
    if x > 0.0 and any_crossed(m, BEGIN, NOW):
        narrow(m, t, BEGIN, dip, NOW)
        search_before(m)
        arrive(m)
    elif x > 0.0 and any_crossed(m, NOW, END):
        narrow(m, dip, NOW, t1, END)
        arrive(m)
    else:
        watch[FROM_T] = t1


@jit
def search_before(m: Memory) -> None:
    """A crossing has been narrowed down. Other functions may have crossed zero and returned before it: theirs comes first."""
    goes_on = True
    while goes_on:
        goes_on = found_before(m)


@jit
def found_before(m: Memory) -> bool:
    """Whether some function crosses zero and returns between FROM_T and LOW_T; the first such crossing is narrowed down."""
    watch = doubles(m.watch)
    t, t1 = watch[FROM_T], watch[LOW_T]
    if t1 - t <= SHORTEST_BEFORE * (watch[LAST_T] - doubles(m.clock)[T]):
        return False
    third, thirds = t + (t1 - t) / 3.0, t + 2.0 * (t1 - t) / 3.0
    look(m, third, THIRD)
    look(m, thirds, THIRDS)
    if any_crossed(m, BEGIN, THIRD):
        narrow(m, t, BEGIN, third, THIRD)
        return True
    if any_crossed(m, THIRD, THIRDS):
        narrow(m, third, THIRD, thirds, THIRDS)
        return True
    x = nearest_dip(m, LOW)
    if x > 0.0:
        dip = t + x * (t1 - t)
        look(m, dip, NOW)
        if any_crossed(m, BEGIN, NOW):
            narrow(m, t, BEGIN, dip, NOW)
            return True
    return False


@jit
def arrive(m: Memory) -> None:
    """A crossing has been narrowed down to HIGH_T: end the run there, or note the functions that merely pass, and continue."""
    watch = doubles(m.watch)
    if ends_run(m):
        finish_at(m, watch[HIGH_T])
    else:
        note_passing(m)
        forget_sides(m)
        copy_values(m, HIGH, BEGIN)
        watch[FROM_T] = watch[HIGH_T]


@jit
def ends_run(m: Memory) -> bool:
    """Mark the functions that fire, and the sides of the others; True if one of them does more than pass."""
    marks, ends = ints(m.marks), False
    for i in range(marks[COUNT]):
        fired = has_crossed(m, i, LOW, HIGH)
        passing = marks[mark(m, PASSING, i)] == 1 and marks[LOGGED] < marks[CAPACITY_LOG]
        marks[mark(m, FIRED, i)] = HAS_FIRED if fired else new_side(m, i)
        ends = ends or (fired and not passing)
    return ends


@jit
def note_passing(m: Memory) -> None:
    """Write time and number of every function that fires to the log, which follows the values."""
    watch, marks = doubles(m.watch), ints(m.marks)
    for i in range(marks[COUNT]):
        if marks[mark(m, FIRED, i)] == HAS_FIRED and marks[LOGGED] < marks[CAPACITY_LOG]:
            entry = value(m, VALUES, 2 * marks[LOGGED])
            watch[entry], watch[entry + 1] = watch[HIGH_T], i
            marks[LOGGED] = marks[LOGGED] + 1


@jit
def finish_at(m: Memory, t: float) -> None:
    """The run ends here: keep its state, projected onto the constraints."""
    place = row(m, ints(m.sizes)[EVENT_ROW])
    target, source = doubles(place), doubles(state_at(m, t))
    for i in range(ints(m.sizes)[N] + ints(m.sizes)[INTEGRALS]):
        target[i] = source[i]
    project(m, t, place)
    doubles(m.watch)[FOUND_T] = t
    ints(m.marks)[UNSURE] = 1
