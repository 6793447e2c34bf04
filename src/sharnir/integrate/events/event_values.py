"""Values of event functions at the times of a step: where they stand, changes of sign, places where a function may touch zero."""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.stepping.run_memory import WATCH_HEADER, Memory
from sharnir.kernel import call_derivative, doubles, inline, ints, jit, shift_address

# watch (float64): times, then seven numbers per function (the first at the beginning, see `begin`), then the log
LOOK_T = 0  # where the loop shall interpolate
FROM_T, TO_T = 1, 2  # what is left of the step
LOW_T, HIGH_T = 3, 4  # there is a crossing between them
FOUND_T = 5  # of the event that ends the run; infinite: there is none
WEIGHT = 6  # of the Illinois method
LAST_T = 7  # end of the step
NODE, NODES_FROM, NODES_TO = 8, 9, 10  # what is kept of the past: number of the next node in a stretch of time, see tape.py
BEGIN, THIRD, THIRDS, END, LOW, HIGH, NOW = range(7)  # values at these times

# marks (int64): counts, then four numbers per function, those of one kind together
COUNT = 0  # functions
PHASE = 1
SIDE = 2  # which end of the bracket moved last
TRIALS = 3
LOGGED = 4  # entries in the log
UNSURE = 5  # 1: some functions have just fired, their side is not known
CAPACITY_LOG = 6
MARKS_HEADER = 8
DIRECTION = 0  # 1 rising, -1 falling, 0 both, 2 neither
PASSING = 1  # 1: is logged, does not end the run
FIRED = 2  # at the event where the run stands, or has begun anew: one of the following
HAS_FIRED = 1
ABOVE, BELOW = 2, 3  # it has not, and has come to the positive or the negative side in a direction that does not count
STILL = 5  # it has, and has been zero to rounding for whole steps: that is no crossing
RESTING = 4  # its event turns something round, and it goes on nevertheless
STOPPING = 3  # 1: its event turns something round
KINDS = 4
IDLE, START, SIDES, FIRST, SECOND, MIDDLE, DIP, NARROW, JOIN, ARRIVE, KEEP = range(11)


@inline
def value(m: Memory, kind: int, i: int) -> int:
    """Where the value of function i stands in `watch`."""
    return WATCH_HEADER + kind * ints(m.marks)[COUNT] + i


@jit
def copy_values(m: Memory, source: int, target: int) -> None:
    watch = doubles(m.watch)
    for i in range(ints(m.marks)[COUNT]):
        watch[value(m, target, i)] = watch[value(m, source, i)]


@jit
def evaluate(m: Memory, t: float, y: Any, kind: int) -> None:
    """Values of all functions at a state."""
    call_derivative(m.events, t, y, shift_address(m.watch, value(m, kind, 0)), m.table, m.params, m.work)


@jit
def has_crossed(m: Memory, i: int, first: int, second: int) -> bool:
    """Function i has changed its sign, in the direction that counts, between two of its values. Zero belongs to where it goes."""
    watch, marks = doubles(m.watch), ints(m.marks)
    direction = marks[MARKS_HEADER + i] if marks[MARKS_HEADER + FIRED * marks[COUNT] + i] != STILL else 2
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
    """Some function is far, in the middle, from the cubic through its values at thirds: it may have zeros that do not show.

    Far is a part of its distance from zero, where all values have one sign, or of its range.
    """
    watch, found = doubles(m.watch), False
    for i in range(ints(m.marks)[COUNT]):
        g0, g1, g = watch[value(m, BEGIN, i)], watch[value(m, THIRD, i)], watch[value(m, NOW, i)]
        g2, g3 = watch[value(m, THIRDS, i)], watch[value(m, END, i)]
        low, high = min(g0, g1, g, g2, g3), max(g0, g1, g, g2, g3)
        allowed = 0.2 * min(abs(low), abs(high)) if low * high > 0.0 else 0.1 * (high - low)
        found = found or (low * high != 0.0 and abs(g - (9.0 * (g1 + g2) - g0 - g3) / 16.0) > allowed)
    return found


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
def nearest_dip(m: Memory) -> float:
    """The earliest place in the step where some function may touch zero and return; -1: nowhere."""
    watch, place = doubles(m.watch), -1.0
    for i in range(ints(m.marks)[COUNT]):
        g0, g1 = watch[value(m, BEGIN, i)], watch[value(m, THIRD, i)]
        g2, g3 = watch[value(m, THIRDS, i)], watch[value(m, END, i)]
        if (g0 > 0.0 and g1 > 0.0 and g2 > 0.0 and g3 > 0.0) or (g0 < 0.0 and g1 < 0.0 and g2 < 0.0 and g3 < 0.0):
            x = dip_of(g0, g1, g2, g3)
            if x > 0.0 and (place < 0.0 or x < place):
                place = x
    return place
