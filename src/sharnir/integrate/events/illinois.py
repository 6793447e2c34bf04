"""A crossing of zero between two times, narrowed by the Illinois method for several functions at once; see event_search.py."""

from __future__ import annotations

from sharnir.integrate.events.event_places import COUNT, FIRED, FROM_T, HIGH, HIGH_T, LAST_T, LOW, LOW_T, NOW, STILL, TO_T
from sharnir.integrate.events.event_values import any_crossed, copy_values, has_crossed, look, mark, value
from sharnir.integrate.stepping.run_memory import Memory, T
from sharnir.kernel import doubles, ints, jit

TOGETHER = 1e-9  # part of a step within which events are simultaneous
MOST_TRIALS = 100
NEITHER, THE_HIGH, THE_LOW = 0, 1, 2  # which end of a bracket has moved last


@jit
def narrow(m: Memory, low_t: float, low: int, high_t: float, high: int) -> None:
    """There is a crossing between two times at which values are known: HIGH_T is the first time behind it, LOW_T the last before
    it, to rounding of t."""
    watch = doubles(m.watch)
    open_bracket(m, low_t, low, high_t, high)
    weight, moved, trials = 1.0, NEITHER, 0
    while watch[HIGH_T] - watch[LOW_T] > smallest_width(m) and trials < MOST_TRIALS:
        trials += 1
        t = trial_time(m, weight, trials % 4 == 0)  # never slower than a quarter of bisection
        look(m, t, NOW)
        # the weight of an end that stays, once more, becomes less: this is what makes it different from regula falsi
        if any_crossed(m, LOW, NOW):
            watch[HIGH_T] = t
            copy_values(m, NOW, HIGH)
            weight = 0.5 * weight if moved == THE_HIGH else 1.0
            moved = THE_HIGH
        else:
            watch[LOW_T] = t
            copy_values(m, NOW, LOW)
            weight = 2.0 * weight if moved == THE_LOW else 1.0
            moved = THE_LOW
    join(m)


@jit
def open_bracket(m: Memory, low_t: float, low: int, high_t: float, high: int) -> None:
    """Times and values at the ends."""
    watch, marks = doubles(m.watch), ints(m.marks)
    watch[LOW_T], watch[HIGH_T] = low_t, high_t
    for i in range(marks[COUNT]):
        if marks[mark(m, FIRED, i)] != STILL:  # LOW gives their noise
            watch[value(m, LOW, i)] = watch[value(m, low, i)]
    copy_values(m, high, HIGH)


@jit
def smallest_width(m: Memory) -> float:
    """Of a bracket: t is known to rounding, and the middle of two neighbours is one of them."""
    watch = doubles(m.watch)
    return 4e-16 * max(abs(watch[LOW_T]), abs(watch[HIGH_T]), watch[TO_T] - watch[FROM_T])


@jit
def trial_time(m: Memory, weight: float, bisect: bool) -> float:
    """Where to look next: secant of the function that is likely to be zero first, or the middle."""
    watch = doubles(m.watch)
    low, high, tolerance = watch[LOW_T], watch[HIGH_T], smallest_width(m)
    width, part, best = high - low, 0.5, -1.0
    for i in range(ints(m.marks)[COUNT]):
        if has_crossed(m, i, LOW, HIGH):
            a, b = watch[value(m, LOW, i)], watch[value(m, HIGH, i)]
            x = abs(b) / (abs(b) + abs(a))
            if x > best:
                best, part = x, abs(b) / (abs(b) + weight * abs(a))
    if bisect:
        part = 0.5
    t = high - min(max(part * width, 0.5 * tolerance), width - 0.5 * tolerance)
    return t if low < t < high else 0.5 * (low + high)


@jit
def join(m: Memory) -> None:
    """Functions that cross a moment later belong to the same event; HIGH says so."""
    watch = doubles(m.watch)
    later = watch[HIGH_T] + TOGETHER * (watch[LAST_T] - doubles(m.clock)[T])
    look(m, min(later, watch[LAST_T]), NOW)
    for i in range(ints(m.marks)[COUNT]):
        if has_crossed(m, i, LOW, NOW):
            watch[value(m, HIGH, i)] = watch[value(m, NOW, i)]
