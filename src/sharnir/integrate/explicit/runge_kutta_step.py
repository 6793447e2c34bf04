"""A step of every explicit Runge–Kutta method; the tableau is data (see runge_kutta.py).

Rows: 0, 1 state at both ends of the step; 2, 3 derivative there (each pair swaps roles after an accepted step); then the
inner stages, the extra stages of the dense output, and the rows named in `sizes`.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.stepping.run_memory import (
    BETA,
    BLOCKS,
    DENSE,
    DENSE_ERROR,
    DENSE_ROWS,
    DT,
    ENTRIES,
    ERROR,
    ERRORS,
    EVEN,
    EXPONENT,
    EXTRAS,
    FAILURES,
    FIRST_ORDER,
    FLIP,
    LAST_KNOWN,
    LOG_ERROR,
    MAX_FACTOR,
    MIN_FACTOR,
    RTOL,
    SAFETY,
    SCRATCH,
    STAGES,
    Memory,
)
from sharnir.integrate.stepping.state_rows import (
    all_finite,
    restore_quaternions,
    row,
    scaled_rms,
    update_combination,
    update_derivative,
    update_sum,
)
from sharnir.integrate.stepping.step_functions import step_functions
from sharnir.kernel import LANES, doubles, inline, ints, lanes, shift, shift_address


@inline
def places_and_starts(m: Memory) -> tuple[Any, Any]:
    """Row numbers of the tableau's entries for the present roles, and where every line of the tableau begins."""
    places, entries = ints(m.places), ints(m.sizes)[ENTRIES]
    return shift(places, ints(m.counter)[FLIP] * entries), shift(places, 2 * entries)


def restart(m: Memory) -> None:
    """There is no past to forget."""


def attempt(m: Memory, t: float, dt: float, t1: float) -> float:
    """Stages, new state, and the error of the step relative to the tolerance."""
    update_stages(m, t, dt, t1)
    return error_estimate(m, dt)


@inline
def update_stages(m: Memory, t: float, dt: float, t1: float) -> None:
    """Stages and new state; the derivative there too, if the error needs it."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    places, starts = places_and_starts(m)
    nodes = shift(doubles(m.coefficients), sizes[ENTRIES])
    stages, scratch = sizes[STAGES], row(m, sizes[SCRATCH])
    y0, y1 = row(m, flip), row(m, 1 - flip)
    for i in range(1, stages):
        update_combination(scratch, y0, dt, m, places, starts[i], starts[i + 1])
        update_derivative(m, t + nodes[i] * dt, scratch, row(m, 3 + i))
    update_combination(y1, y0, dt, m, places, starts[stages], starts[stages + 1])
    restore_quaternions(m, y1)
    if sizes[LAST_KNOWN] == 1:
        update_derivative(m, t1, y1, row(m, 3 - flip))


@inline
def error_estimate(m: Memory, dt: float) -> float:
    """Error of the step relative to the tolerance; without control 0. NaN if the new state is not finite."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    y0, y1 = row(m, flip), row(m, 1 - flip)
    if ints(m.counter)[EVEN] == 1:
        return 0.0 if all_finite(m, y1) else math.nan
    places, starts = places_and_starts(m)
    line, estimate = sizes[STAGES] + 1 + sizes[EXTRAS], row(m, sizes[ERROR])
    update_sum(estimate, dt, m, places, starts[line], starts[line + 1])
    error = scaled_rms(m, estimate, y0, y1)
    if sizes[ERRORS] == 2:
        # Hairer, Nørsett, Wanner I, II.10: the 5th order estimate, stretched by the 3rd order one
        update_sum(estimate, dt, m, places, starts[line + 1], starts[line + 2])
        coarse = scaled_rms(m, estimate, y0, y1)
        if error > 0.0:
            error = error * error / math.sqrt(error * error + 0.01 * coarse * coarse)
    return error


def polynomial(m: Memory, t: float, dt: float, t1: float) -> None:
    """Rows y0, F0, F1, … of y(t + x dt) = y0 + x(F0 + (1-x)(F1 + x(F2 + (1-x)(F3 + …)))): HNW I, II.6 and CONTD5, CONTD8."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    places, starts = places_and_starts(m)
    nodes = shift(doubles(m.coefficients), sizes[ENTRIES])
    blocks, stages, scratch = sizes[BLOCKS], sizes[STAGES], row(m, sizes[SCRATCH])
    for i in range(stages + 1, stages + 1 + sizes[EXTRAS]):
        update_combination(scratch, row(m, flip), dt, m, places, starts[i], starts[i + 1])
        update_derivative(m, t + nodes[i] * dt, scratch, row(m, 2 + i))
    y0, y1, f0, f1 = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, 2 + flip)), lanes(row(m, 3 - flip))
    target = row(m, sizes[DENSE])
    rows = lanes(target)
    for e in range(blocks):
        change = y1[e] - y0[e]
        bend = dt * f0[e] - change
        rows[e] = 1.0 * y0[e]
        rows[blocks + e] = change
        rows[2 * blocks + e] = bend
        rows[3 * blocks + e] = change - dt * f1[e] - bend
    first_line = stages + 1 + sizes[EXTRAS] + sizes[ERRORS] - 4
    for r in range(4, sizes[DENSE_ROWS]):
        out = shift_address(target, r * LANES * blocks)
        update_sum(out, dt, m, places, starts[first_line + r], starts[first_line + r + 1])
    if sizes[EXTRAS] > 0:
        doubles(m.clock)[DENSE_ERROR] = interpolation_error(m, dt)


@inline
def interpolation_error(m: Memory, dt: float) -> float:
    """Error of the polynomial between the ends of a step, in tolerances: its distance from the states of the extra stages.

    They are the only ones that the error of the step does not know. Where that is limited by stability, the polynomial is
    much worse than the step; where one of them alone meets a pulse, it is wrong. Their states are of one order less, so that the
    distance is larger than the error by about dt⁻¹, here by what that is in tolerances (docs/decisions/0021).
    """
    sizes, flip, worst = ints(m.sizes), ints(m.counter)[FLIP], 0.0
    places, starts = places_and_starts(m)
    nodes = shift(doubles(m.coefficients), sizes[ENTRIES])
    y0, y1, scratch, estimate = row(m, flip), row(m, 1 - flip), row(m, sizes[SCRATCH]), row(m, sizes[ERROR])
    between, difference = lanes(scratch), lanes(estimate)
    for i in range(sizes[STAGES] + 1, sizes[STAGES] + 1 + sizes[EXTRAS]):
        update_interpolated(m, nodes[i])
        update_combination(estimate, y0, dt, m, places, starts[i], starts[i + 1])
        restore_quaternions(m, estimate)
        for e in range(sizes[BLOCKS]):
            difference[e] = difference[e] - between[e]
        worst = max(worst, scaled_rms(m, estimate, y0, y1))
    return worst * doubles(m.settings)[RTOL] ** (1.0 / sizes[FIRST_ORDER])


def interpolate(m: Memory, goal: float, t: float, dt: float, t1: float) -> None:
    """State at a time within the step, in the scratch row."""
    update_interpolated(m, (goal - t) / dt)


@inline
def update_interpolated(m: Memory, x: float) -> None:
    """The state at a part of the step, in the scratch row."""
    sizes = ints(m.sizes)
    blocks, last = sizes[BLOCKS], sizes[DENSE_ROWS] - 1
    rows, scratch = lanes(row(m, sizes[DENSE])), row(m, sizes[SCRATCH])
    result = lanes(scratch)
    for e in range(blocks):
        total = 1.0 * rows[last * blocks + e]
        for r in range(last - 1, 0, -1):
            total = rows[r * blocks + e] + (1.0 - x if r % 2 == 1 else x) * total
        result[e] = rows[e] + x * total
    restore_quaternions(m, scratch)


def accept(m: Memory, dt: float, error: float) -> None:
    """Length of the next step by PI control (HNW II, IV.2, with the logarithms of the errors)."""
    counter, clock, settings = ints(m.counter), doubles(m.clock), doubles(m.settings)
    if counter[EVEN] == 0:
        present = math.log(max(error, 1e-10))
        factor = settings[SAFETY] * math.exp(settings[BETA] * clock[LOG_ERROR] - settings[EXPONENT] * present)
        largest = 1.0 if counter[FAILURES] > 0 else settings[MAX_FACTOR]
        better = dt * min(largest, max(settings[MIN_FACTOR], factor))
        # a step cut short by a stop says nothing against the length that was planned
        clock[DT] = max(better, clock[DT]) if dt < 0.5 * clock[DT] and counter[FAILURES] == 0 else better
        clock[LOG_ERROR] = max(present, math.log(1e-4))


def reject(m: Memory, dt: float, error: float) -> None:
    """A shorter step, by the error alone."""
    clock, settings = doubles(m.clock), doubles(m.settings)
    if error < math.inf:
        factor = settings[SAFETY] * math.exp(-settings[EXPONENT] * math.log(error))
        clock[DT] = dt * min(0.9, max(settings[MIN_FACTOR], factor))
    else:
        clock[DT] = 0.1 * dt


FUNCTIONS = step_functions(restart, attempt, polynomial, interpolate, accept, reject)
