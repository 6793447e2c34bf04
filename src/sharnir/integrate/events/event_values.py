"""Values of event functions at the times of a step: where they stand, changes of sign, places where a function may touch zero."""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.events.event_places import (
    BEGIN,
    BEGIN_SLOPE,
    BEGIN_SLOPE_T,
    COUNT,
    DIRECTION,
    END,
    END_SLOPE,
    END_SLOPE_T,
    FIRED,
    FROM_T,
    LAST_T,
    MARKS_HEADER,
    NOW,
    STEP_DT,
    STILL,
    THIRD,
    THIRDS,
    TO_T,
)
from sharnir.integrate.stepping.run_memory import SCRATCH, WATCH_HEADER, Memory, T
from sharnir.integrate.stepping.state_rows import row
from sharnir.integrate.stepping.step_functions import call_interpolate
from sharnir.kernel import call_derivative, doubles, inline, ints, jit, shift_address

MIDDLE = (1.0 + math.sqrt(5.0)) / 6.0  # of a piece: a wave that thirds show as a constant has another value there
AT_MIDDLE = (
    -(3.0 * MIDDLE - 1.0) * (3.0 * MIDDLE - 2.0) * (3.0 * MIDDLE - 3.0) / 6.0,
    3.0 * MIDDLE * (3.0 * MIDDLE - 2.0) * (3.0 * MIDDLE - 3.0) / 2.0,
    -3.0 * MIDDLE * (3.0 * MIDDLE - 1.0) * (3.0 * MIDDLE - 3.0) / 2.0,
    3.0 * MIDDLE * (3.0 * MIDDLE - 1.0) * (3.0 * MIDDLE - 2.0) / 6.0,
)  # weights of values at thirds in the cubic through them, there
DIFFERENCE = 1e-6  # part of a piece over which slopes are measured
STEEPER = 8.0  # slopes at the ends may differ by so much more than values in the middle; by 32, if functions were quartic
LEAST = 1e-4  # part of its range by which a function may differ from a cubic, however near to zero it is
EDGE = 0.01  # part of a piece that is cut off at least
PEAK = 1e-12  # part of a function: what is larger is no rounding
OFF = 2  # direction of a function that does not count


@inline
def value(m: Memory, kind: int, i: int) -> int:
    """Where the value of function i stands in `watch`."""
    return WATCH_HEADER + kind * ints(m.marks)[COUNT] + i


@inline
def mark(m: Memory, kind: int, i: int) -> int:
    """Where the mark of function i stands in `marks`."""
    return MARKS_HEADER + kind * ints(m.marks)[COUNT] + i


@jit
def copy_values(m: Memory, source: int, target: int) -> None:
    watch = doubles(m.watch)
    for i in range(ints(m.marks)[COUNT]):
        watch[value(m, target, i)] = watch[value(m, source, i)]


@jit
def state_at(m: Memory, t: float) -> Any:
    """The state at a time of the step that is searched, in the scratch row."""
    clock, watch = doubles(m.clock), doubles(m.watch)
    call_interpolate(m.interpolate, m, t, clock[T], watch[STEP_DT], watch[LAST_T])
    return row(m, ints(m.sizes)[SCRATCH])


@jit
def look(m: Memory, t: float, kind: int) -> None:
    """Values of all functions at a time of this step."""
    call_derivative(m.events, t, state_at(m, t), shift_address(m.watch, value(m, kind, 0)), m.table, m.params, m.work)


@jit
def update_slopes(m: Memory) -> None:
    """Rates of all functions at both ends of the present piece, by differences, as far as they are not known."""
    watch = doubles(m.watch)
    t, t1 = watch[FROM_T], watch[TO_T]
    length = min(max(DIFFERENCE * (t1 - t), 1e-10 * max(abs(t), abs(t1))), 0.25 * (t1 - t))
    if watch[BEGIN_SLOPE_T] != t:
        look(m, t + length, NOW)
        update_quotients(m, BEGIN, NOW, (t + length) - t, BEGIN_SLOPE)
        watch[BEGIN_SLOPE_T] = t
    if watch[END_SLOPE_T] != t1:
        look(m, t1 - length, NOW)
        update_quotients(m, NOW, END, t1 - (t1 - length), END_SLOPE)
        watch[END_SLOPE_T] = t1


@jit
def update_quotients(m: Memory, first: int, second: int, length: float, target: int) -> None:
    watch = doubles(m.watch)
    for i in range(ints(m.marks)[COUNT]):
        watch[value(m, target, i)] = (watch[value(m, second, i)] - watch[value(m, first, i)]) / length


@jit
def has_crossed(m: Memory, i: int, first: int, second: int) -> bool:
    """Function i has changed its sign, in the direction that counts, between two of its values. Zero belongs to where it goes."""
    watch, marks = doubles(m.watch), ints(m.marks)
    direction = marks[mark(m, DIRECTION, i)] if marks[mark(m, FIRED, i)] != STILL else 2
    a, b = watch[value(m, first, i)], watch[value(m, second, i)]
    up, down = direction == 0 or direction == 1, direction == 0 or direction == -1
    return (up and a < 0.0 and b >= 0.0) or (down and a > 0.0 and b <= 0.0)


@jit
def any_crossed(m: Memory, first: int, second: int) -> bool:
    found = False
    for i in range(ints(m.marks)[COUNT]):
        found = found or has_crossed(m, i, first, second)
    return found


@jit
def is_rough(m: Memory) -> bool:
    """Some function is far, in the middle or by its slopes at the ends, from the cubic through its values at thirds: it may have
    zeros that do not show.

    Far is a part of its distance from zero, where all values have one sign, or of its range.
    """
    watch, marks, found = doubles(m.watch), ints(m.marks), False
    length = watch[TO_T] - watch[FROM_T]
    for i in range(marks[COUNT]):
        if marks[mark(m, DIRECTION, i)] == OFF:
            continue
        g0, g1, g = watch[value(m, BEGIN, i)], watch[value(m, THIRD, i)], watch[value(m, NOW, i)]
        g2, g3 = watch[value(m, THIRDS, i)], watch[value(m, END, i)]
        low, high = min(g0, g1, g, g2, g3), max(g0, g1, g, g2, g3)
        allowed = 0.2 * min(abs(low), abs(high)) if low * high > 0.0 else 0.1 * (high - low)
        allowed = max(allowed, LEAST * (high - low))  # one that has just left zero is near it
        apart = abs(g - (AT_MIDDLE[0] * g0 + AT_MIDDLE[1] * g1 + AT_MIDDLE[2] * g2 + AT_MIDDLE[3] * g3))
        first = length * watch[value(m, BEGIN_SLOPE, i)] - (-5.5 * g0 + 9.0 * g1 - 4.5 * g2 + g3)
        last = length * watch[value(m, END_SLOPE, i)] - (5.5 * g3 - 9.0 * g2 + 4.5 * g1 - g0)
        flat = g1 == 0.0 and g == 0.0 and g2 == 0.0
        found = found or (not flat and max(apart, abs(first) / STEEPER, abs(last) / STEEPER) > allowed)
    return found


@jit
def meeting_of_tangents(m: Memory) -> float:
    """Where in a piece some function of one sign reaches zero, if it goes on from both ends as it does there; -1: nowhere.

    A narrow peak shows by its flanks before it shows by its values.
    """
    watch, marks, place = doubles(m.watch), ints(m.marks), -1.0
    length = watch[TO_T] - watch[FROM_T]
    for i in range(marks[COUNT]):
        g0, g1, g2 = watch[value(m, BEGIN, i)], watch[value(m, THIRD, i)], watch[value(m, NOW, i)]
        g3, g4 = watch[value(m, THIRDS, i)], watch[value(m, END, i)]
        same = (g0 > 0.0 and g1 > 0.0 and g2 > 0.0 and g3 > 0.0 and g4 > 0.0) or (
            g0 < 0.0 and g1 < 0.0 and g2 < 0.0 and g3 < 0.0 and g4 < 0.0
        )
        side = 1.0 if g0 > 0.0 else -1.0
        falls, rises = -side * length * watch[value(m, BEGIN_SLOPE, i)], side * length * watch[value(m, END_SLOPE, i)]
        if same and falls > 0.0 and rises > 0.0 and marks[mark(m, DIRECTION, i)] != OFF:
            x = (side * (g0 - g4) + rises) / (falls + rises)
            if 0.0 < x < 1.0 and side * g0 - falls * x < 0.0:
                x = min(max(x, EDGE), 1.0 - EDGE)
                place = x if place < 0.0 else min(place, x)
            elif is_below_tangents(side * g0, side * g1, side * g2, side * g3, side * g4, falls, rises):
                x = lowest_sample(side * g1, side * g2, side * g3)
                place = x if place < 0.0 else min(place, x)
    return place


@inline
def is_below_tangents(g0: float, g1: float, g2: float, g3: float, g4: float, falls: float, rises: float) -> bool:
    """A function that falls at the beginning and rises at the end comes lower between than its tangents say: there is a peak."""
    first = max(g0 - falls / 3.0 - g1, g0 - falls * MIDDLE - g2, g0 - falls / 1.5 - g3)
    last = max(g4 - rises / 1.5 - g1, g4 - rises * (1.0 - MIDDLE) - g2, g4 - rises / 3.0 - g3)
    return max(first, last) > PEAK * max(g0, g4)


@inline
def lowest_sample(g1: float, g2: float, g3: float) -> float:
    """Where the least of three values stands."""
    if g2 <= g1 and g2 <= g3:
        return MIDDLE
    return 1.0 / 3.0 if g1 <= g3 else 2.0 / 3.0


@jit
def dip_of(g0: float, g1: float, g2: float, g3: float) -> float:
    """Where in (0, 1) the cubic through four values of one sign, at thirds, comes nearest to zero or beyond; -1: at an end."""
    side = 1.0 if g0 > 0.0 else -1.0
    # divided differences: p(x) = g0 + a s + b s (s - 1) + c s (s - 1)(s - 2), s = 3 x
    a, b, c = g1 - g0, 0.5 * (g2 - 2.0 * g1 + g0), (g3 - 3.0 * g2 + 3.0 * g1 - g0) / 6.0
    # p' = 3 c s² + (2 b - 6 c) s + a - b + 2 c
    A, B, C = 3.0 * c, 2.0 * b - 6.0 * c, a - b + 2.0 * c
    root = B * B - 4.0 * A * C
    if not root >= 0.0:
        return -1.0
    q = -0.5 * (B + (math.sqrt(root) if B >= 0.0 else -math.sqrt(root)))
    best, place = math.inf, -1.0
    for k in range(2):
        bottom, top = (A, q) if k == 0 else (q, C)
        if bottom != 0.0:
            s = top / bottom
            p = side * (g0 + s * (a + (s - 1.0) * (b + c * (s - 2.0))))
            if 0.0 < s < 3.0 and p < best:
                best, place = p, s / 3.0
    # a cubic is not the function: look also where it only comes close
    return place if best < 0.2 * min(side * g0, side * g1, side * g2, side * g3) else -1.0


@jit
def nearest_dip(m: Memory, end: int) -> float:
    """The earliest place in a piece where some function may touch zero and return; -1: nowhere. end: values there."""
    watch, place = doubles(m.watch), -1.0
    for i in range(ints(m.marks)[COUNT]):
        g0, g1 = watch[value(m, BEGIN, i)], watch[value(m, THIRD, i)]
        g2, g3 = watch[value(m, THIRDS, i)], watch[value(m, end, i)]
        if (g0 > 0.0 and g1 > 0.0 and g2 > 0.0 and g3 > 0.0) or (g0 < 0.0 and g1 < 0.0 and g2 < 0.0 and g3 < 0.0):
            x = dip_of(g0, g1, g2, g3)
            if x > 0.0 and (place < 0.0 or x < place):
                place = x
    return place
