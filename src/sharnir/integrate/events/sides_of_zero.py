"""The side of zero of functions that were zero, to rounding, when a run restarted at an event.

One that fired there is on the side to which it goes. One that did not, since it crossed zero in a direction that does not count,
has a side already, and to go back to the other one is a crossing. One whose event turns something round, such as a ball, must
not go on: Python has to look whether it has come to rest.

Functions of switches (switch_memory.py) are positive on the side that holds. One that is negative is astray: it has only touched
zero, say, and the side behind it holds. Its event happens once more where that shows, and turns it back.
"""

from __future__ import annotations

from sharnir.integrate.events.event_places import (
    ABOVE,
    BEGIN,
    BELOW,
    COUNT,
    DIRECTION,
    END,
    FIRED,
    FIRST_SWITCH,
    FROM_T,
    HAS_FIRED,
    HIGH,
    LOW,
    NOW,
    RESTING,
    STILL,
    STOPPING,
    TO_T,
)
from sharnir.integrate.events.event_values import OFF, copy_values, has_crossed, mark, value
from sharnir.integrate.stepping.run_memory import UNSURE, Memory
from sharnir.kernel import doubles, inline, ints, jit

LATE = 1e-3  # part of a step at which a function that goes where it is at the end is on that side
NOISE = 1e-18  # of a function, relative to what it becomes within the step
PATIENCE = 1e6  # times the rounding of a function that stays zero, until it has moved: corrections of drift are larger
SMALLEST = 1e-300  # a number that has a sign
ZERO = 1e-12  # of a function, in its own units, as in event_memory.py
OTHER = 1e4  # times the value of a function behind an event: a rounding so large was that of another function


@jit
def new_side(m: Memory, i: int) -> int:
    """The mark of a function that has not fired: it may have crossed zero nevertheless, or have had a side before."""
    watch, marks = doubles(m.watch), ints(m.marks)
    before, g = watch[value(m, LOW, i)], watch[value(m, HIGH, i)]
    if before < 0.0 and g >= 0.0:
        return ABOVE
    if before > 0.0 and g <= 0.0:
        return BELOW
    return int(marks[mark(m, FIRED, i)])


@jit
def keep_sides(m: Memory) -> None:
    """LOW = values at the beginning; of functions that were zero there only the side."""
    watch, marks = doubles(m.watch), ints(m.marks)
    for i in range(marks[COUNT]):
        g = watch[value(m, BEGIN, i)]
        noise = marks[mark(m, FIRED, i)] != 0
        watch[value(m, LOW, i)] = min(max(g, -SMALLEST), SMALLEST) if noise else g


@jit
def forget_sides(m: Memory) -> None:
    """No function counts as zero any longer, except those that stay zero."""
    marks = ints(m.marks)
    marks[UNSURE] = 0
    for i in range(marks[COUNT]):
        if marks[mark(m, FIRED, i)] == STILL:
            marks[UNSURE] = 1
        else:
            marks[mark(m, FIRED, i)] = 0


@jit
def forget_jumped(m: Memory) -> None:
    """Functions that fired where they jumped are on the side that their values say."""
    watch, marks = doubles(m.watch), ints(m.marks)
    marks[UNSURE] = 0
    for i in range(marks[COUNT]):
        if marks[mark(m, FIRED, i)] == HAS_FIRED and abs(watch[value(m, BEGIN, i)]) > SMALLEST:
            marks[mark(m, FIRED, i)] = 0
        elif marks[mark(m, FIRED, i)] != 0:
            marks[UNSURE] = 1


@inline
def has_fired(before: int) -> bool:
    """A function with this mark was zero because it has fired."""
    return before in (HAS_FIRED, STILL)


@inline
def side_before(fired: int, g: float) -> float:
    """The value of a function at the beginning of a step, where it was zero to rounding, and which has become g."""
    if fired == ABOVE:
        return max(g, SMALLEST)
    return min(g, -SMALLEST) if fired == BELOW else g


@jit
def noise_of(m: Memory, i: int) -> float:
    """Values of function i below this one say nothing about its side."""
    watch, still = doubles(m.watch), ints(m.marks)[mark(m, FIRED, i)] == STILL
    rounding = abs(watch[value(m, LOW, i)])  # the event has been narrowed down to rounding of t
    here = max(abs(watch[value(m, BEGIN, i)]), ZERO)
    if i >= ints(m.marks)[FIRST_SWITCH] and rounding > OTHER * here:  # of a short piece of a table before a long one
        rounding = here
    return PATIENCE * rounding if still else 100.0 * max(rounding, abs(watch[value(m, BEGIN, i)]))


@jit
def settle_side(m: Memory, i: int) -> bool:
    """Function i is where its value NOW says: begin on that side; is it back at once over a zero that it had not crossed?"""
    watch, marks = doubles(m.watch), ints(m.marks)
    before, g = marks[mark(m, FIRED, i)], watch[value(m, NOW, i)]
    fired = has_fired(before)
    stays = fired and marks[mark(m, STOPPING, i)] == 1 and g * watch[value(m, LOW, i)] < 0.0
    watch[value(m, BEGIN, i)] = SMALLEST if fired and is_astray(m, i) else side_before(before, g)
    back = not fired and has_crossed(m, i, BEGIN, NOW)
    marks[mark(m, FIRED, i)] = RESTING if stays else (ABOVE if g > 0.0 else BELOW)
    return back


@jit
def is_astray(m: Memory, i: int) -> bool:
    """Function i belongs to a switch that is, at the time NOW, not on the side that holds."""
    watch, marks = doubles(m.watch), ints(m.marks)
    if i < marks[FIRST_SWITCH] or marks[mark(m, DIRECTION, i)] == OFF:
        return False
    g = watch[value(m, NOW, i)]
    return g < -ZERO or (g < 0.0 and watch[value(m, END, i)] < 0.0)


@jit
def begins_astray(m: Memory) -> bool:
    """Some switches are, from the beginning of this piece to its end, not on the side that holds: their functions fall through
    zero at the beginning, from LOW to HIGH. Of those that are zero there nobody knows it yet."""
    watch, marks, found = doubles(m.watch), ints(m.marks), False
    for i in range(marks[FIRST_SWITCH], marks[COUNT]):
        g, g1 = watch[value(m, BEGIN, i)], watch[value(m, END, i)]
        if g <= 0.0 and g1 < 0.0 and marks[mark(m, FIRED, i)] == 0 and marks[mark(m, DIRECTION, i)] != OFF:
            if g >= -ZERO:
                marks[mark(m, FIRED, i)], marks[UNSURE] = HAS_FIRED, 1
                watch[value(m, LOW, i)] = g
            else:
                if not found:
                    copy_values(m, BEGIN, LOW)
                    copy_values(m, BEGIN, HIGH)
                found = True
                watch[value(m, LOW, i)] = SMALLEST
    return found


@jit
def leave_noise(m: Memory, t: float) -> tuple[int, bool, bool, bool]:
    """Settle the sides of functions that are no longer noise at the time NOW; how many are left, whether some have gone
    back over zero at once, whether some are at rest, and whether some are astray."""
    watch, marks = doubles(m.watch), ints(m.marks)
    late = (t - watch[FROM_T]) / (watch[TO_T] - watch[FROM_T]) >= 0.5 * LATE
    at_end = t >= watch[TO_T]  # not by the quotient, which compilers make a product with a reciprocal
    left, back, resting, astray = 0, False, False, False
    for i in range(marks[COUNT]):
        before = marks[mark(m, FIRED, i)]
        if before != 0 and before != RESTING:
            g, g1, noise = watch[value(m, NOW, i)], watch[value(m, END, i)], noise_of(m, i)
            clear = abs(g) > max(noise, NOISE * abs(g1))
            goes = late and g * g1 > 0.0 and abs(g1) > noise
            if has_fired(before) and not clear and at_end:
                marks[mark(m, FIRED, i)] = STILL
            elif clear or goes or at_end:
                astray = astray or (has_fired(before) and is_astray(m, i))
                back = settle_side(m, i) or back
                resting = resting or marks[mark(m, FIRED, i)] == RESTING
            else:
                left += 1
    return left, back, resting, astray
