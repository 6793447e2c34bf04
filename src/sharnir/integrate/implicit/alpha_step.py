"""A step of the generalized-α family (formulas in alpha_formula.py): Newton's method, dense output, history, step control.

f_1 and a_1 stay as they are when the new state is brought onto the constraints: the change is of the size of the error of the
step, so they are off by no more than that times the slow frequencies, while an evaluation would multiply what is left of Newton's
method by the stiffness.
"""

from __future__ import annotations

import math

from sharnir.integrate.implicit.alpha_formula import (
    FIRST,
    NEW_FIRST,
    NEW_SECOND,
    QUADRATIC,
    SECOND,
    solve_first_step,
    solve_step,
    update_differences,
    update_error,
)
from sharnir.integrate.newton.difference_jacobian import update_jacobian
from sharnir.integrate.newton.simplified_newton import WANTED, recover
from sharnir.integrate.stepping.run_memory import (
    ACCEPTED_DT,
    BLOCKS,
    CURRENT,
    DENSE,
    DT,
    ERROR_ORDER,
    EVEN,
    FAILURES,
    FLIP,
    MAX_FACTOR,
    MIN_FACTOR,
    N_V,
    N_W,
    PREVIOUS_DT,
    RATE,
    SAFETY,
    SCRATCH,
    STEPS,
    Memory,
)
from sharnir.integrate.stepping.state_rows import restore_quaternions, row, update_derivative
from sharnir.integrate.stepping.step_functions import AGAIN, step_functions
from sharnir.kernel import doubles, ints, jit, lanes


def restart(m: Memory) -> None:
    """The first divided difference is the derivative; a Jacobian of its own."""
    f0, first = lanes(row(m, 2 + ints(m.counter)[FLIP])), lanes(row(m, FIRST))
    for e in range(ints(m.sizes)[BLOCKS]):
        first[e] = 1.0 * f0[e]
    ints(m.counter)[CURRENT] = WANTED


def attempt(m: Memory, t: float, dt: float, t1: float) -> float:
    """New state by Newton's method, and the error of the step relative to the tolerance."""
    counter = ints(m.counter)
    y0, slope = row(m, counter[FLIP]), row(m, ints(m.sizes)[SCRATCH])
    if counter[CURRENT] == WANTED:
        update_derivative(m, t, y0, slope)  # row 2 + flip is not exact enough for differences
        update_jacobian(m, t, y0, slope)
    if not (solve_first_step(m, t, dt, t1) if counter[STEPS] == 0 else solve_step(m, t, dt, t1)):
        recover(m, dt)
        return AGAIN
    return 0.0 if counter[EVEN] == 1 else update_error(m, dt)


def polynomial(m: Memory, t: float, dt: float, t1: float) -> None:
    """Rows DENSE …: y(t) = y1 + (t - t1) (P1 + (t - t0) P2), through the last three states, or straight."""
    sizes, flip, quadratic = ints(m.sizes), ints(m.counter)[FLIP], doubles(m.coefficients)[QUADRATIC]
    update_differences(m, dt)
    blocks = sizes[BLOCKS]
    rows, y1 = lanes(row(m, sizes[DENSE])), lanes(row(m, 1 - flip))
    first, second = lanes(row(m, NEW_FIRST)), lanes(row(m, NEW_SECOND))
    for e in range(blocks):
        rows[e] = 1.0 * y1[e]
        rows[blocks + e] = 1.0 * first[e]
        rows[2 * blocks + e] = quadratic * second[e]


def interpolate(m: Memory, goal: float, t: float, dt: float, t1: float) -> None:
    """State at a time within the step, in the scratch row."""
    sizes, after, before = ints(m.sizes), goal - t, goal - t1
    blocks, place, rows = sizes[BLOCKS], row(m, sizes[SCRATCH]), lanes(row(m, sizes[DENSE]))
    result = lanes(place)
    for e in range(blocks):
        result[e] = rows[e] + before * (rows[blocks + e] + after * rows[2 * blocks + e])
    restore_quaternions(m, place)


@jit
def slow_rate(m: Memory) -> float:
    """Rate of convergence above which the next step gets its own Jacobian: higher, the more evaluations that costs."""
    sizes = ints(m.sizes)
    return max(0.02, min(0.3, (sizes[N_W] + sizes[N_V]) / 100.0))


def accept(m: Memory, dt: float, error: float) -> None:
    """History, and the length of the next step; if it would change by -5 … 20 % it is kept, and so are the factors."""
    counter, clock, sizes, settings = ints(m.counter), doubles(m.clock), ints(m.sizes), doubles(m.settings)
    first, second = lanes(row(m, FIRST)), lanes(row(m, SECOND))
    new_first, new_second = lanes(row(m, NEW_FIRST)), lanes(row(m, NEW_SECOND))
    for e in range(sizes[BLOCKS]):
        first[e] = 1.0 * new_first[e]
        second[e] = 1.0 * new_second[e]
    clock[PREVIOUS_DT] = clock[ACCEPTED_DT]
    clock[ACCEPTED_DT] = dt
    counter[CURRENT] = WANTED if clock[RATE] > slow_rate(m) else 0
    if counter[EVEN] == 0:
        factor = settings[SAFETY] * max(error, 1e-10) ** (-1.0 / sizes[ERROR_ORDER])
        largest = 1.0 if counter[FAILURES] > 0 else settings[MAX_FACTOR]
        factor = min(largest, max(settings[MIN_FACTOR], factor))
        clock[DT] = dt if 0.95 <= factor < 1.2 else factor * dt


def reject(m: Memory, dt: float, error: float) -> None:
    """A shorter step, by the error alone."""
    clock, settings = doubles(m.clock), doubles(m.settings)
    if error < math.inf:
        factor = settings[SAFETY] * error ** (-1.0 / ints(m.sizes)[ERROR_ORDER])
        clock[DT] = dt * min(0.9, max(settings[MIN_FACTOR], factor))
    else:
        clock[DT] = 0.1 * dt


FUNCTIONS = step_functions(restart, attempt, polynomial, interpolate, accept, reject)
