"""Events: when functions g_i(t, y) cross zero, located on the dense output of an accepted step.

Every step is looked at in its thirds; where a cubic through the four values dips to the other side and back, there is one look
more. A change of sign is narrowed by the Illinois method for several functions at once (Hiebert, Shampine, SAND80-0180, and
SUNDIALS), to rounding of t. A loop says how to interpolate, this file says where: `seek`, then `look` while there is a PHASE.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.event_values import (
    ARRIVE,
    BEGIN,
    CAPACITY_LOG,
    COUNT,
    DIP,
    END,
    FIRED,
    FIRST,
    FOUND_T,
    FROM_T,
    HIGH,
    HIGH_T,
    IDLE,
    LOGGED,
    LOOK_T,
    LOW,
    LOW_T,
    MARKS_HEADER,
    NARROW,
    NOW,
    PASSING,
    PHASE,
    SECOND,
    SIDE,
    START,
    THIRD,
    THIRDS,
    TO_T,
    TRIALS,
    UNSURE,
    WEIGHT,
    any_crossed,
    copy_values,
    evaluate,
    has_crossed,
    nearest_dip,
    value,
)
from sharnir.integrate.memory import EVENT, EVENT_ROW, RUNNING, STATUS, STEPS, WATCH_HEADER, Memory, N, T
from sharnir.integrate.rows import row
from sharnir.integrate.stepping import project
from sharnir.kernel import doubles, inline, ints, jit

EARLY = 1e-3  # of a step: by then a function that has fired at its beginning has left zero
MOST_TRIALS = 100


@jit
def seek(m: Memory, t: float, t1: float) -> None:
    """Begin to look at an accepted step; the new state is in the row of the end."""
    watch, marks = doubles(m.watch), ints(m.marks)
    watch[FROM_T], watch[TO_T], watch[FOUND_T] = t, t1, math.inf
    marks[PHASE], watch[LOOK_T] = START, t1  # the loop's own interpolation there: values belong to one polynomial


@jit
def after_end(m: Memory) -> None:
    """Values at the end are known: where to look first."""
    watch, marks = doubles(m.watch), ints(m.marks)
    t, t1 = watch[FROM_T], watch[TO_T]
    if marks[UNSURE] == 1:
        watch[LOOK_T] = t + EARLY * (t1 - t)
    else:
        watch[LOOK_T] = t + (t1 - t) / 3.0
        marks[PHASE] = FIRST


@jit
def settle_sides(m: Memory) -> None:
    """Functions that fired at the beginning of this step are on the side to which they have gone since."""
    watch, marks = doubles(m.watch), ints(m.marks)
    n = marks[COUNT]
    for i in range(n):
        if marks[MARKS_HEADER + FIRED * n + i] == 1:
            watch[value(m, BEGIN, i)] = watch[value(m, NOW, i)]
            marks[MARKS_HEADER + FIRED * n + i] = 0
    marks[UNSURE] = 0


@jit
def narrow(m: Memory, low_t: float, low: int, high_t: float, high: int) -> None:
    """There is a crossing between two times: go on there."""
    watch, marks = doubles(m.watch), ints(m.marks)
    watch[LOW_T], watch[HIGH_T], watch[WEIGHT] = low_t, high_t, 1.0
    copy_values(m, low, LOW)
    copy_values(m, high, HIGH)
    marks[PHASE], marks[SIDE], marks[TRIALS] = NARROW, 0, 0
    aim(m)


@jit
def after_samples(m: Memory) -> None:
    """The first third with a crossing; if there is none, a dip; otherwise the step is free of events."""
    watch, marks = doubles(m.watch), ints(m.marks)
    t, t1 = watch[FROM_T], watch[TO_T]
    third, thirds = t + (t1 - t) / 3.0, t + 2.0 * (t1 - t) / 3.0
    if any_crossed(m, BEGIN, THIRD):
        narrow(m, t, BEGIN, third, THIRD)
    elif any_crossed(m, THIRD, THIRDS):
        narrow(m, third, THIRD, thirds, THIRDS)
    elif any_crossed(m, THIRDS, END):
        narrow(m, thirds, THIRDS, t1, END)
    else:
        x = nearest_dip(m)
        if x > 0.0:
            watch[LOOK_T] = t + x * (t1 - t)
            marks[PHASE] = DIP
        else:
            leave(m)


@jit
def leave(m: Memory) -> None:
    """The step has no more events; the next one begins with the values at its end."""
    copy_values(m, END, BEGIN)
    ints(m.marks)[PHASE] = IDLE


@jit
def after_dip(m: Memory) -> None:
    """A function that has changed its side at the dip crosses before it, and back behind it."""
    watch = doubles(m.watch)
    if any_crossed(m, BEGIN, NOW):
        narrow(m, watch[FROM_T], BEGIN, watch[LOOK_T], NOW)
    elif any_crossed(m, NOW, END):
        narrow(m, watch[LOOK_T], NOW, watch[TO_T], END)
    else:
        leave(m)


@jit
def aim(m: Memory) -> None:
    """Where to look next: secant of the function that is likely to be zero first; the event is found if the bracket is narrow."""
    watch, marks = doubles(m.watch), ints(m.marks)
    low, high = watch[LOW_T], watch[HIGH_T]
    width = high - low
    # t is known to rounding; the middle of two neighbours is one of them
    tolerance = 4e-16 * max(abs(low), abs(high), watch[TO_T] - watch[FROM_T])
    if width <= tolerance or marks[TRIALS] >= MOST_TRIALS:
        watch[LOOK_T], marks[PHASE] = high, ARRIVE
        return
    part, best = 0.5, -1.0
    for i in range(marks[COUNT]):
        if has_crossed(m, i, LOW, HIGH):
            a, b = watch[value(m, LOW, i)], watch[value(m, HIGH, i)]
            x = abs(b) / (abs(b) + abs(a))
            if x > best:
                best, part = x, abs(b) / (abs(b) + watch[WEIGHT] * abs(a))
    marks[TRIALS] = marks[TRIALS] + 1
    if marks[TRIALS] % 4 == 0:
        part = 0.5  # never slower than a quarter of bisection
    step = min(max(part * width, 0.5 * tolerance), width - 0.5 * tolerance)
    t = high - step
    watch[LOOK_T] = t if low < t < high else 0.5 * (low + high)


@jit
def after_trial(m: Memory) -> None:
    """One end of the bracket moves to where we looked."""
    watch, marks = doubles(m.watch), ints(m.marks)
    if any_crossed(m, LOW, NOW):
        watch[HIGH_T] = watch[LOOK_T]
        copy_values(m, NOW, HIGH)
        watch[WEIGHT] = 0.5 * watch[WEIGHT] if marks[SIDE] == 1 else 1.0
        marks[SIDE] = 1
    else:
        watch[LOW_T] = watch[LOOK_T]
        copy_values(m, NOW, LOW)
        watch[WEIGHT] = 2.0 * watch[WEIGHT] if marks[SIDE] == 2 else 1.0
        marks[SIDE] = 2
    aim(m)


@jit
def arrive(m: Memory, y: Any) -> None:
    """The time is found: log the functions that only pass, or end the run there with the state brought onto the constraints."""
    watch, marks = doubles(m.watch), ints(m.marks)
    n, ends = marks[COUNT], False
    for i in range(n):
        fired = has_crossed(m, i, LOW, HIGH)
        passing = marks[MARKS_HEADER + PASSING * n + i] == 1 and marks[LOGGED] < marks[CAPACITY_LOG]
        marks[MARKS_HEADER + FIRED * n + i] = 1 if fired else 0
        ends = ends or (fired and not passing)
    if ends:
        finish_at(m, y)
        return
    log = WATCH_HEADER + 7 * n
    for i in range(n):
        if marks[MARKS_HEADER + FIRED * n + i] == 1:
            marks[MARKS_HEADER + FIRED * n + i] = 0
            if marks[LOGGED] < marks[CAPACITY_LOG]:
                watch[log + 2 * marks[LOGGED]], watch[log + 2 * marks[LOGGED] + 1] = watch[HIGH_T], i
                marks[LOGGED] = marks[LOGGED] + 1
    copy_values(m, HIGH, BEGIN)
    watch[FROM_T] = watch[HIGH_T]
    if watch[FROM_T] < watch[TO_T]:
        after_end(m)
    else:
        leave(m)


@jit
def finish_at(m: Memory, y: Any) -> None:
    """Keep the state of the event that ends the run."""
    watch, marks = doubles(m.watch), ints(m.marks)
    target, source = doubles(row(m, ints(m.sizes)[EVENT_ROW])), doubles(y)
    for i in range(ints(m.sizes)[N]):
        target[i] = source[i]
    project(m, watch[HIGH_T], row(m, ints(m.sizes)[EVENT_ROW]))
    watch[FOUND_T] = watch[HIGH_T]
    marks[PHASE], marks[UNSURE] = IDLE, 1


@jit
def look(m: Memory, y: Any) -> None:
    """What the state at LOOK_T says; sets the next PHASE."""
    watch, phase = doubles(m.watch), ints(m.marks)[PHASE]
    if phase == START:
        # at the end first, then (only after an event) early in the step
        if watch[LOOK_T] == watch[TO_T]:
            evaluate(m, watch[LOOK_T], y, END)
        else:
            evaluate(m, watch[LOOK_T], y, NOW)
            settle_sides(m)
        after_end(m)
    elif phase == FIRST:
        evaluate(m, watch[LOOK_T], y, THIRD)
        watch[LOOK_T] = watch[FROM_T] + 2.0 * (watch[TO_T] - watch[FROM_T]) / 3.0
        ints(m.marks)[PHASE] = SECOND
    elif phase == SECOND:
        evaluate(m, watch[LOOK_T], y, THIRDS)
        after_samples(m)
    elif phase == ARRIVE:
        arrive(m, y)
    else:
        evaluate(m, watch[LOOK_T], y, NOW)
        if phase == DIP:
            after_dip(m)
        else:
            after_trial(m)


@inline
def is_looking(m: Memory) -> bool:
    """There is a time in LOOK_T at which the state is wanted."""
    return m.events != 0 and ints(m.marks)[PHASE] != IDLE


@inline
def end_of_outputs(m: Memory, t1: float) -> float:
    """Outputs go until the end of the step, or until an event."""
    return t1 if m.events == 0 else min(t1, doubles(m.watch)[FOUND_T])


@inline
def stops_here(m: Memory) -> bool:
    """An event ends the run within this step; the clock stands there."""
    counter = ints(m.counter)
    if m.events == 0 or doubles(m.watch)[FOUND_T] == math.inf or counter[STATUS] != RUNNING:
        return False
    counter[STATUS], counter[STEPS] = EVENT, counter[STEPS] + 1
    doubles(m.clock)[T] = doubles(m.watch)[FOUND_T]
    return True
