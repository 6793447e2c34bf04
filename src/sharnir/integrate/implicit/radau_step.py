"""A step of Radau IIA of order 5: Jacobian and factors kept while they serve, collocation polynomial, predictive step control.

Rows: 0, 1 state at both ends of the step; 2, 3 derivative there (each pair swaps roles after an accepted step); then those of
radau_stages.py, ERROR, and DENSE … DENSE + 3, the polynomial of the last accepted step.
"""

from __future__ import annotations

import math

from sharnir.integrate.implicit.radau_stages import C1, C2, LIMIT, solve_stages, update_error, update_new_state, update_polynomial
from sharnir.integrate.newton.difference_jacobian import update_jacobian
from sharnir.integrate.newton.simplified_newton import WANTED, recover
from sharnir.integrate.stepping.run_memory import (
    ACCEPTED_DT,
    ACCEPTED_ERROR,
    BLOCKS,
    CURRENT,
    DENSE,
    DT,
    EVEN,
    FAILURES,
    FLIP,
    ITERATIONS,
    MAX_FACTOR,
    MIN_FACTOR,
    N_V,
    N_W,
    RATE,
    SAFETY,
    SCRATCH,
    STEPS,
    Memory,
)
from sharnir.integrate.stepping.state_rows import restore_quaternions, row
from sharnir.integrate.stepping.step_functions import AGAIN, step_functions
from sharnir.kernel import doubles, ints, jit, lanes


def restart(m: Memory) -> None:
    """A Jacobian of its own."""
    ints(m.counter)[CURRENT] = WANTED


def attempt(m: Memory, t: float, dt: float, t1: float) -> float:
    """Stages by Newton's method, new state, and the error of the step relative to the tolerance."""
    counter = ints(m.counter)
    if counter[CURRENT] == WANTED:
        update_jacobian(m, t, row(m, counter[FLIP]), row(m, 2 + counter[FLIP]))
    if not solve_stages(m, t, dt):
        recover(m, dt)
        return AGAIN
    restore_quaternions(m, update_new_state(m))
    return 0.0 if counter[EVEN] == 1 else update_error(m, t, dt)


def polynomial(m: Memory, t: float, dt: float, t1: float) -> None:
    """The collocation polynomial; the next step begins with it."""
    update_polynomial(m)


def interpolate(m: Memory, goal: float, t: float, dt: float, t1: float) -> None:
    """State at a time within the step, in the scratch row."""
    sizes, s = ints(m.sizes), (goal - t1) / dt
    blocks, place, rows = sizes[BLOCKS], row(m, sizes[SCRATCH]), lanes(row(m, sizes[DENSE]))
    result = lanes(place)
    a, b = s - (C2 - 1.0), s - (C1 - 1.0)
    for e in range(blocks):
        result[e] = rows[e] + s * (rows[blocks + e] + a * (rows[2 * blocks + e] + b * rows[3 * blocks + e]))
    restore_quaternions(m, place)


@jit
def step_quotient(m: Memory, error: float) -> float:
    """dt / (next dt) from the error, with more caution the more iterations there were (RADAU5)."""
    settings, iterations = doubles(m.settings), ints(m.counter)[ITERATIONS]
    caution = settings[SAFETY] * min(1.0, (2 * LIMIT + 1) / (2 * LIMIT + iterations))
    return max(1.0 / settings[MAX_FACTOR], min(1.0 / settings[MIN_FACTOR], error**0.25 / caution))


@jit
def slow_rate(m: Memory) -> float:
    """Rate of convergence above which the next step gets its own Jacobian: higher, the more evaluations that costs."""
    sizes = ints(m.sizes)
    return max(0.001, min(0.1, (sizes[N_W] + sizes[N_V]) / 1500.0))


def accept(m: Memory, dt: float, error: float) -> None:
    """Length of the next step by Gustafsson's predictive control (Hairer and Wanner II, (IV.8.24), (IV.8.25)).

    A step that would change by -5 … 20 % is kept, so that its factors serve again.
    """
    counter, clock, settings = ints(m.counter), doubles(m.clock), doubles(m.settings)
    counter[CURRENT] = WANTED if clock[RATE] > slow_rate(m) else 0
    if counter[EVEN] == 0:
        quotient = step_quotient(m, error)
        if counter[STEPS] > 0:
            trend = clock[ACCEPTED_DT] / dt * (error * error / clock[ACCEPTED_ERROR]) ** 0.25 / settings[SAFETY]
            quotient = max(quotient, min(1.0 / settings[MIN_FACTOR], trend))
        if counter[FAILURES] > 0:
            quotient = max(quotient, 1.0)
        keep = counter[CURRENT] == 0 and 1.0 / 1.2 <= quotient <= 1.0 / 0.95
        clock[DT] = dt if keep else dt / quotient
        clock[ACCEPTED_ERROR] = max(0.01, error)
    clock[ACCEPTED_DT] = dt


def reject(m: Memory, dt: float, error: float) -> None:
    """A shorter step, by the error alone."""
    clock = doubles(m.clock)
    if error < math.inf and ints(m.counter)[STEPS] > 0:
        clock[DT] = dt / max(step_quotient(m, error), 1.1)
    else:
        clock[DT] = 0.1 * dt


FUNCTIONS = step_functions(restart, attempt, polynomial, interpolate, accept, reject)
