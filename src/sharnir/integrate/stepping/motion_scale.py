"""Tolerances that follow the motion: errors are measured by how far every entry of the state has moved so far, and not by its
distance from zero, which depends on where the origin is and how many turns an angle has made.

The tolerance of entry i is  a · atol_i + rtol · reach_i + rounding.  The reach of a coordinate is its amplitude, the difference
between the largest and the smallest value so far, or the largest absolute value if that is less (half of it, about zero); but not
more than its extent. That of a speed is its value, or, where its extent is 0, its amplitude. Neighbours with the same negative
extent share the largest of theirs (elastic coordinates of a body: what they describe is their sum). Beside larger motions small
ones need not be computed to their own scale: a is the largest amplitude of all entries of its kind (coordinates, or speeds and
the rest), at most 1 and at least SMALLEST. Rounding is that of the state, and what rounding of the state makes of its derivative
over a step.
"""

from __future__ import annotations

from typing import Any

from sharnir.integrate.stepping.run_memory import (
    BY_MOTION,
    DT,
    ERROR,
    EVEN,
    FAILURES,
    FLIP,
    LANES_OF_MOTION,
    N_Q,
    NOISE_DT,
    RTOL,
    SCRATCH,
    STEPS,
    Memory,
    N,
    T,
)
from sharnir.integrate.stepping.state_rows import row, update_derivative
from sharnir.kernel import doubles, inline, ints, jit, shift

LEAST, EXTENT, LOW, HIGH, NOISE = range(LANES_OF_MOTION)  # in `motion`, n numbers each: LEAST is the absolute tolerance given
SMALLEST = 1e-4  # m, rad, or in units of speed: motions as small as this are computed to the tolerance
ROUNDINGS = 1e-15  # of a state
NUDGE = 4e-16  # of a state, to see what rounding makes of its derivative
NOISES = 4.0  # times that noise
PATIENCE = 4  # rejected steps
GIVES_WAY = 12  # rejected steps after which the tolerance of textbooks has to do for this one,
TINY = 1e-9  # of the time: or length of a step
AGAIN = 256  # steps between two looks at it,
LONGER = 16.0  # or times as long a step, where noise is most of the tolerance: contacts make a noise that free flight has not


@jit
def begin_motion(m: Memory, y: Any) -> None:
    """At the start of a run nothing has moved yet."""
    n, motion, state = ints(m.sizes)[N], doubles(m.motion), doubles(y)
    for i in range(n):
        motion[LOW * n + i] = motion[HIGH * n + i] = state[i]
    measure_noise(m, y, doubles(m.clock)[DT])
    update_tolerances(m, y, 0.0)


@jit
def weigh_by_values(m: Memory, y: Any) -> None:
    """Tolerances of textbooks, atol + rtol |y|: those of amplitudes that are still zero tell nothing about a first step."""
    n, motion, state, atol, rtol = ints(m.sizes)[N], doubles(m.motion), doubles(y), doubles(m.atol), doubles(m.settings)[RTOL]
    for i in range(n):
        atol[i] = motion[LEAST * n + i] + rtol * abs(state[i])


@inline
def beside(is_coordinate: bool, extent: float) -> float:
    """Coordinates stand in formulas beside lengths and angles, whose rounding counts; elastic ones alone."""
    size = 0.0
    if is_coordinate and extent >= 0.0:
        size = 1.0
    return size


@jit
def measure_noise(m: Memory, y: Any, dt: float) -> None:
    """NOISE: how much the derivative changes if the state y changes by rounding."""
    sizes, motion, state, t = ints(m.sizes), doubles(m.motion), doubles(y), doubles(m.clock)[T]
    n, nudged, slope = sizes[N], doubles(row(m, sizes[SCRATCH])), doubles(row(m, sizes[ERROR]))
    update_derivative(m, t, y, row(m, sizes[ERROR]))
    for i in range(n):
        motion[NOISE * n + i] = slope[i]
        size = abs(state[i]) + beside(i < sizes[N_Q], motion[EXTENT * n + i])
        nudged[i] = state[i] + (NUDGE if i % 2 == 0 else -NUDGE) * size
    update_derivative(m, t, row(m, sizes[SCRATCH]), row(m, sizes[ERROR]))
    for i in range(n):
        difference = abs(motion[NOISE * n + i] - slope[i])
        motion[NOISE * n + i] = difference if difference < 1.0 else 0.0  # more is no rounding, and NaN is none either
    doubles(m.clock)[NOISE_DT] = dt


@jit
def note_motion(m: Memory, y: Any, dt: float) -> None:
    """Behind a step of length dt, or an event (0): the state y has been reached."""
    if ints(m.sizes)[BY_MOTION] == 0 or ints(m.counter)[EVEN] == 1:
        return
    n, motion, state = ints(m.sizes)[N], doubles(m.motion), doubles(y)
    for i in range(n):
        motion[LOW * n + i] = min(motion[LOW * n + i], state[i])
        motion[HIGH * n + i] = max(motion[HIGH * n + i], state[i])
    if ints(m.counter)[STEPS] % AGAIN == AGAIN - 1:
        measure_noise(m, y, dt)
    # not with constraints: near singular positions rounding is louder than it seems from a place beside them
    if update_tolerances(m, y, dt) and m.projection == 0 and dt > LONGER * doubles(m.clock)[NOISE_DT]:
        measure_noise(m, y, dt)
        update_tolerances(m, y, dt)


@inline
def amplitude(low: float, high: float) -> float:
    """Of a motion between two values."""
    return min(high - low, max(high, -low))


@inline
def reach(low: float, high: float, value: float, extent: float, is_coordinate: bool) -> float:
    """How large a motion an error is held against: of coordinates, and of speeds without extent their amplitude."""
    size = abs(value)
    if is_coordinate or extent == 0.0:
        size = amplitude(low, high)
    if is_coordinate and extent >= 0.0:
        size = min(extent, size)
    return size


@jit
def look_again(m: Memory, dt: float) -> None:
    """Steps are rejected again and again: it may be rounding that is too large for the tolerance, as near a singular position."""
    if ints(m.sizes)[BY_MOTION] == 0:
        return
    y, failures = row(m, ints(m.counter)[FLIP]), ints(m.counter)[FAILURES]
    if failures >= GIVES_WAY or dt < TINY * abs(doubles(m.clock)[T]):  # a force that jumps where nothing has moved yet, say
        weigh_by_values(m, y)
    elif failures % PATIENCE == 0:
        measure_noise(m, y, dt)
        update_tolerances(m, y, dt)


@jit
def update_tolerances(m: Memory, y: Any, dt: float) -> bool:
    """The tolerance of every entry from the ranges so far; true if noise of the derivative is most of it somewhere."""
    sizes, motion, state, atol, rtol = ints(m.sizes), doubles(m.motion), doubles(y), doubles(m.atol), doubles(m.settings)[RTOL]
    n, n_q = sizes[N], sizes[N_Q]
    low, high, extent = shift(motion, LOW * n), shift(motion, HIGH * n), shift(motion, EXTENT * n)
    moved, sped = SMALLEST, SMALLEST
    for i in range(n):
        if i < n_q:
            moved = max(moved, amplitude(low[i], high[i]))
        else:
            sped = max(sped, amplitude(low[i], high[i]))
    i, loud = 0, False
    while i < n:
        end, reached = i + 1, reach(low[i], high[i], state[i], extent[i], i < n_q)
        if extent[i] < 0.0:
            while end < n and extent[end] == extent[i]:
                reached = max(reached, reach(low[end], high[end], state[end], extent[end], end < n_q))
                end += 1
        size = min(1.0, moved if i < n_q else sped)
        for k in range(i, end):
            rounding = ROUNDINGS * (abs(state[k]) + 0.2 * beside(k < n_q, extent[k]))
            wanted, noise = motion[LEAST * n + k] * size + rtol * reached, NOISES * motion[NOISE * n + k] * dt
            atol[k] = wanted + noise + rounding
            loud = loud or noise > wanted
        i = end
    return loud
