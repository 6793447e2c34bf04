"""A crossing of zero between two times, narrowed by the Illinois method for several functions at once; see events.py."""

from __future__ import annotations

from sharnir.integrate.events.event_values import (
    ARRIVE,
    COUNT,
    FIRED,
    FROM_T,
    HIGH,
    HIGH_T,
    JOIN,
    LAST_T,
    LOOK_T,
    LOW,
    LOW_T,
    MARKS_HEADER,
    NARROW,
    NOW,
    PHASE,
    SIDE,
    STILL,
    TO_T,
    TRIALS,
    WEIGHT,
    any_crossed,
    copy_values,
    has_crossed,
    value,
)
from sharnir.integrate.stepping.run_memory import Memory, T
from sharnir.kernel import doubles, ints, jit

TOGETHER = 1e-9  # part of a step within which events are simultaneous
MOST_TRIALS = 100


@jit
def narrow(m: Memory, low_t: float, low: int, high_t: float, high: int) -> None:
    """There is a crossing between two times: go on there."""
    watch, marks = doubles(m.watch), ints(m.marks)
    watch[LOW_T], watch[HIGH_T], watch[WEIGHT] = low_t, high_t, 1.0
    for i in range(marks[COUNT]):
        if marks[MARKS_HEADER + FIRED * marks[COUNT] + i] != STILL:  # LOW tells their noise
            watch[value(m, LOW, i)] = watch[value(m, low, i)]
    copy_values(m, high, HIGH)
    marks[PHASE], marks[SIDE], marks[TRIALS] = NARROW, 0, 0
    aim(m)


@jit
def join(m: Memory) -> None:
    """Functions that cross a moment later belong to the same event; HIGH says so."""
    watch, marks = doubles(m.watch), ints(m.marks)
    for i in range(marks[COUNT]):
        if has_crossed(m, i, LOW, NOW):
            watch[value(m, HIGH, i)] = watch[value(m, NOW, i)]
    watch[LOOK_T], marks[PHASE] = watch[HIGH_T], ARRIVE


@jit
def aim(m: Memory) -> None:
    """Where to look next: secant of the function that is likely to be zero first; the event is found if the bracket is narrow."""
    watch, marks = doubles(m.watch), ints(m.marks)
    low, high = watch[LOW_T], watch[HIGH_T]
    width = high - low
    # t is known to rounding; the middle of two neighbours is one of them
    tolerance = 4e-16 * max(abs(low), abs(high), watch[TO_T] - watch[FROM_T])
    if width <= tolerance or marks[TRIALS] >= MOST_TRIALS:
        later = high + TOGETHER * (watch[LAST_T] - doubles(m.clock)[T])
        watch[LOOK_T], marks[PHASE] = min(later, watch[LAST_T]), JOIN
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
