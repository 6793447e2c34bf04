"""On which side of zero functions are that were zero, to rounding, when a run began anew at an event.

One that fired there is on the side to which it goes. One that did not, since it crossed zero in a direction that does not count,
has a side already, and to go back to the other one is a crossing. One whose event turns something round, such as a ball, must
not go on: Python has to look whether it has come to rest.
"""

from __future__ import annotations

from sharnir.integrate.events.event_values import (
    ABOVE,
    BEGIN,
    BELOW,
    COUNT,
    END,
    FIRED,
    FROM_T,
    HAS_FIRED,
    HIGH,
    LOOK_T,
    LOW,
    MARKS_HEADER,
    NOW,
    RESTING,
    STILL,
    STOPPING,
    TO_T,
    UNSURE,
    has_crossed,
    value,
)
from sharnir.integrate.stepping.run_memory import Memory
from sharnir.kernel import doubles, inline, ints, jit

LATE = 1e-3  # part of a step at which a function that goes where it is at the end is on that side
NOISE = 1e-18  # of a function, relative to what it becomes within the step
PATIENCE = 1e6  # times the rounding of a function that stays zero, until it has moved: corrections of drift are larger
SMALLEST = 1e-300  # a number that has a sign


@jit
def new_side(m: Memory, i: int) -> int:
    """The mark of a function that has not fired: it may have crossed zero nevertheless, or have had a side before."""
    watch, marks = doubles(m.watch), ints(m.marks)
    before, g = watch[value(m, LOW, i)], watch[value(m, HIGH, i)]
    if before < 0.0 and g >= 0.0:
        return ABOVE
    if before > 0.0 and g <= 0.0:
        return BELOW
    return int(marks[MARKS_HEADER + FIRED * marks[COUNT] + i])


@jit
def keep_sides(m: Memory) -> None:
    """LOW = values at the beginning; of functions that were zero there only the side."""
    watch, marks = doubles(m.watch), ints(m.marks)
    for i in range(marks[COUNT]):
        g = watch[value(m, BEGIN, i)]
        noise = marks[MARKS_HEADER + FIRED * marks[COUNT] + i] != 0
        watch[value(m, LOW, i)] = min(max(g, -SMALLEST), SMALLEST) if noise else g


@jit
def forget_sides(m: Memory) -> None:
    """No function is zero any more, but those that stay so."""
    marks = ints(m.marks)
    marks[UNSURE] = 0
    for i in range(marks[COUNT]):
        mark = MARKS_HEADER + FIRED * marks[COUNT] + i
        if marks[mark] == STILL:
            marks[UNSURE] = 1
        else:
            marks[mark] = 0


@inline
def side_before(mark: int, g: float) -> float:
    """The value of a function at the beginning of a step, where it was zero to rounding, and which has become g."""
    if mark == ABOVE:
        return max(g, SMALLEST)
    return min(g, -SMALLEST) if mark == BELOW else g


@jit
def leave_noise(m: Memory) -> tuple[int, bool, bool]:
    """Settle the sides of functions that are no longer noise; how many are left, whether some have gone back over zero at once,
    and whether some are at rest."""
    watch, marks = doubles(m.watch), ints(m.marks)
    n, part = marks[COUNT], (watch[LOOK_T] - watch[FROM_T]) / (watch[TO_T] - watch[FROM_T])
    late, left, back, resting = part >= 0.5 * LATE, 0, False, False
    for i in range(n):
        mark = MARKS_HEADER + FIRED * n + i
        if marks[mark] != 0 and marks[mark] != RESTING:
            g0, g, g1 = watch[value(m, BEGIN, i)], watch[value(m, NOW, i)], watch[value(m, END, i)]
            rounding = abs(watch[value(m, LOW, i)])  # the event has been narrowed down to rounding of t
            noise = PATIENCE * rounding if marks[mark] == STILL else 100.0 * max(rounding, abs(g0))
            clear = abs(g) > max(noise, NOISE * abs(g1))
            fired = marks[mark] == HAS_FIRED or marks[mark] == STILL
            if fired and not clear and part >= 1.0:
                marks[mark] = STILL
            elif clear or part >= 1.0 or (late and g * g1 > 0.0 and abs(g1) > noise):
                stops = marks[MARKS_HEADER + STOPPING * n + i] == 1 and fired
                stays = stops and g * watch[value(m, LOW, i)] < 0.0
                watch[value(m, BEGIN, i)] = side_before(marks[mark], g)
                back = back or (not fired and has_crossed(m, i, BEGIN, NOW))
                marks[mark] = RESTING if stays else (ABOVE if g > 0.0 else BELOW)
                resting = resting or stays
            else:
                left += 1
    return left, back, resting
