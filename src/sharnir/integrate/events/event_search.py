"""Events: when functions g_i(t, y) cross zero, located on the dense output of an accepted step.

Every step is looked at in its thirds; where a cubic through the four values dips to the other side and back, there is one look
more. A change of sign is narrowed by the Illinois method for several functions at once (Hiebert, Shampine, SAND80-0180, and
SUNDIALS), to rounding of t. A loop says how to interpolate, this file says where: `seek`, then `look` while there is a PHASE.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.events.event_values import (
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
    HAS_FIRED,
    HIGH,
    HIGH_T,
    IDLE,
    JOIN,
    KEEP,
    LAST_T,
    LOGGED,
    LOOK_T,
    LOW,
    MARKS_HEADER,
    MIDDLE,
    NODE,
    NODES_FROM,
    NODES_TO,
    NOW,
    PASSING,
    PHASE,
    SECOND,
    SIDES,
    START,
    THIRD,
    THIRDS,
    TO_T,
    UNSURE,
    any_crossed,
    copy_values,
    evaluate,
    has_crossed,
    is_rough,
    nearest_dip,
)
from sharnir.integrate.events.illinois import after_trial, join, narrow
from sharnir.integrate.events.sides_of_zero import forget_sides, keep_sides, leave_noise, new_side
from sharnir.integrate.stepping.history_tape import DEGREE, node
from sharnir.integrate.stepping.run_memory import EVENT, EVENT_ROW, RUNNING, STATUS, STEPS, WATCH_HEADER, Memory, N, T
from sharnir.integrate.stepping.state_rows import row
from sharnir.integrate.stepping.step_control import project
from sharnir.kernel import call_derivative, doubles, inline, ints, jit, shift_address

FIRST_LOOK = 1e-12  # part of a step at which a function that has just been zero may show its side
SAME_MOMENT = 1e-14  # of a time
SHORTEST = 1e-4  # part of a step in which functions are sampled at least


@jit
def seek(m: Memory, t: float, t1: float) -> None:
    """Begin to look at an accepted step; the new state is in the row of the end."""
    watch, marks = doubles(m.watch), ints(m.marks)
    watch[FROM_T], watch[TO_T], watch[LAST_T], watch[FOUND_T] = t, t1, t1, math.inf
    marks[PHASE], watch[LOOK_T] = START, t1  # the loop's own interpolation there: values belong to one polynomial
    if marks[COUNT] == 0:
        keep(m, t1)


@jit
def keep(m: Memory, end: float) -> None:
    """The step is looked at until `end`: what is to be remembered of it is sampled, then there is nothing more to do."""
    watch, marks = doubles(m.watch), ints(m.marks)
    watch[NODE], watch[NODES_FROM], watch[NODES_TO], watch[LOOK_T] = 0.0, doubles(m.clock)[T], end, doubles(m.clock)[T]
    marks[PHASE] = IDLE if m.history == 0 or end <= watch[NODES_FROM] else KEEP


@jit
def keep_node(m: Memory, y: Any) -> None:
    """One node of what is remembered."""
    watch = doubles(m.watch)
    call_derivative(m.history, watch[LOOK_T], y, shift_address(m.watch, NODE), m.table, m.params, m.work)
    watch[NODE] += 1.0
    start, end = watch[NODES_FROM], watch[NODES_TO]
    watch[LOOK_T] = min(start + node(int(watch[NODE])) * (end - start), end)
    if watch[NODE] > DEGREE:
        ints(m.marks)[PHASE] = IDLE


@jit
def sample(m: Memory) -> None:
    """Look at the thirds of what is left."""
    watch = doubles(m.watch)
    watch[LOOK_T] = watch[FROM_T] + (watch[TO_T] - watch[FROM_T]) / 3.0
    ints(m.marks)[PHASE] = FIRST


@jit
def after_end(m: Memory) -> None:
    """Values at the end are known: where to look first."""
    watch, marks = doubles(m.watch), ints(m.marks)
    if marks[UNSURE] == 1:
        start, length = watch[FROM_T], watch[TO_T] - watch[FROM_T]
        watch[LOOK_T] = min(start + max(FIRST_LOOK * length, 8e-16 * abs(start)), watch[TO_T])
        marks[PHASE] = SIDES
    else:
        sample(m)


@jit
def settle_sides(m: Memory, y: Any) -> None:
    """Functions that were zero at the beginning of this step: on which side they are shows when they leave the noise."""
    watch, marks = doubles(m.watch), ints(m.marks)
    left, back, resting = leave_noise(m)
    if left > 0:
        watch[LOOK_T] = min(watch[FROM_T] + 10.0 * (watch[LOOK_T] - watch[FROM_T]), watch[TO_T])
    elif back:  # where they begin
        copy_values(m, NOW, HIGH)
        keep_sides(m)
        watch[HIGH_T] = watch[LOOK_T] = watch[FROM_T]
        marks[PHASE] = ARRIVE
    elif any_crossed(m, BEGIN, NOW):
        forget_sides(m)
        narrow(m, watch[FROM_T], BEGIN, watch[LOOK_T], NOW)  # others, in the meantime
    elif resting:
        watch[HIGH_T] = watch[LOOK_T]
        finish_at(m, y)
    else:
        forget_sides(m)
        watch[FROM_T] = watch[LOOK_T]
        sample(m)


@jit
def after_samples(m: Memory) -> None:
    """Values at thirds and in the middle are known: a shorter piece first, where functions are wilder than cubics; the first
    crossing; a dip; or there is nothing."""
    watch, marks = doubles(m.watch), ints(m.marks)
    t, t1 = watch[FROM_T], watch[TO_T]
    third, thirds = t + (t1 - t) / 3.0, t + 2.0 * (t1 - t) / 3.0
    if t1 - t > SHORTEST * (watch[LAST_T] - doubles(m.clock)[T]) and is_rough(m):
        watch[TO_T] = third
        copy_values(m, THIRD, END)
        sample(m)
    elif any_crossed(m, BEGIN, THIRD):
        narrow(m, t, BEGIN, third, THIRD)
    elif any_crossed(m, THIRD, NOW):
        narrow(m, third, THIRD, watch[LOOK_T], NOW)
    elif any_crossed(m, NOW, THIRDS):
        narrow(m, watch[LOOK_T], NOW, thirds, THIRDS)
    elif any_crossed(m, THIRDS, END):
        narrow(m, thirds, THIRDS, t1, END)
    else:
        x = nearest_dip(m)
        if x > 0.0:
            watch[LOOK_T], marks[PHASE] = t + x * (t1 - t), DIP
        else:
            leave(m)


@jit
def leave(m: Memory) -> None:
    """What has been looked at has no more events; the next piece begins with the values at its end."""
    watch, marks = doubles(m.watch), ints(m.marks)
    copy_values(m, END, BEGIN)
    if watch[TO_T] < watch[LAST_T]:
        watch[FROM_T], watch[TO_T] = watch[TO_T], watch[LAST_T]
        watch[LOOK_T], marks[PHASE] = watch[LAST_T], START
    else:
        keep(m, watch[LAST_T])


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
def arrive(m: Memory, y: Any) -> None:
    """The time is found: log the functions that only pass, or end the run there with the state brought onto the constraints."""
    watch, marks = doubles(m.watch), ints(m.marks)
    n, ends = marks[COUNT], False
    for i in range(n):
        fired = has_crossed(m, i, LOW, HIGH)
        passing = marks[MARKS_HEADER + PASSING * n + i] == 1 and marks[LOGGED] < marks[CAPACITY_LOG]
        marks[MARKS_HEADER + FIRED * n + i] = HAS_FIRED if fired else new_side(m, i)
        ends = ends or (fired and not passing)
    if ends:
        finish_at(m, y)
        return
    log = WATCH_HEADER + 7 * n
    for i in range(n):
        if marks[MARKS_HEADER + FIRED * n + i] == HAS_FIRED and marks[LOGGED] < marks[CAPACITY_LOG]:
            watch[log + 2 * marks[LOGGED]], watch[log + 2 * marks[LOGGED] + 1] = watch[HIGH_T], i
            marks[LOGGED] = marks[LOGGED] + 1
    forget_sides(m)
    copy_values(m, HIGH, BEGIN)
    watch[FROM_T] = watch[HIGH_T]
    if watch[FROM_T] < watch[TO_T]:
        sample(m)
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
    marks[UNSURE] = 1
    keep(m, watch[HIGH_T])


@jit
def look(m: Memory, y: Any) -> None:
    """What the state at LOOK_T says; sets the next PHASE."""
    watch, phase = doubles(m.watch), ints(m.marks)[PHASE]
    if phase == START:
        evaluate(m, watch[LOOK_T], y, END)
        after_end(m)
    elif phase == FIRST:
        evaluate(m, watch[LOOK_T], y, THIRD)
        watch[LOOK_T] = watch[FROM_T] + 2.0 * (watch[TO_T] - watch[FROM_T]) / 3.0
        ints(m.marks)[PHASE] = SECOND
    elif phase == SECOND:
        evaluate(m, watch[LOOK_T], y, THIRDS)
        watch[LOOK_T], ints(m.marks)[PHASE] = 0.5 * (watch[FROM_T] + watch[TO_T]), MIDDLE
    elif phase == ARRIVE:
        arrive(m, y)
    elif phase == KEEP:
        keep_node(m, y)
    else:
        evaluate(m, watch[LOOK_T], y, NOW)
        if phase == SIDES:
            settle_sides(m, y)
        elif phase == MIDDLE:
            after_samples(m)
        elif phase == DIP:
            after_dip(m)
        elif phase == JOIN:
            join(m)
        else:
            after_trial(m)


@inline
def is_looking(m: Memory) -> bool:
    """There is a time in LOOK_T at which the state is wanted."""
    return m.events != 0 and ints(m.marks)[PHASE] != IDLE


@inline
def end_of_outputs(m: Memory, t1: float) -> float:
    """Outputs go until the end of the step, or until an event: those of its moment, to rounding, show what was before it."""
    if m.events == 0 or doubles(m.watch)[FOUND_T] == math.inf:
        return t1
    return doubles(m.watch)[FOUND_T] + SAME_MOMENT * abs(doubles(m.watch)[FOUND_T])


@inline
def stops_here(m: Memory) -> bool:
    """An event ends the run within this step; the clock stands there."""
    counter = ints(m.counter)
    if m.events == 0 or doubles(m.watch)[FOUND_T] == math.inf or counter[STATUS] != RUNNING:
        return False
    counter[STATUS], counter[STEPS] = EVENT, counter[STEPS] + 1
    doubles(m.clock)[T] = doubles(m.watch)[FOUND_T]
    return True
