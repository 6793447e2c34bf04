"""A step of the BDF: Newton's method, choice of step and order (the formulas are in bdf_differences.py).

What quaternions and constraints change of a new state moves the whole history, not its last point: D_0 becomes the new state, the
other differences stay. A jump at the last point would be noise that differences of high order magnify until no step is good
enough.
"""

from __future__ import annotations

import math

from sharnir.integrate.implicit.bdf_differences import (
    ALPHA,
    ERROR_CONSTANT,
    FIRST_DIFFERENCE,
    begin_differences,
    change_step,
    predict,
    update_differences,
    update_interpolation,
)
from sharnir.integrate.newton.one_stage_newton import CHANGE, FOUND, LIMIT, forget_jacobian, solve_formula
from sharnir.integrate.newton.simplified_newton import WANTED, recover
from sharnir.integrate.stepping.run_memory import (
    CURRENT,
    DENSE_HEADER,
    DT,
    EVEN,
    FAILURES,
    FLIP,
    HISTORY_DT,
    ITERATIONS,
    ORDER,
    RAMP,
    RATE,
    STEADY,
    TARGET_ORDER,
    Memory,
)
from sharnir.integrate.stepping.state_rows import all_finite, restore_quaternions, row, scaled_rms
from sharnir.integrate.stepping.step_control import (
    is_controlled,
)
from sharnir.integrate.stepping.step_functions import AGAIN, step_functions
from sharnir.kernel import doubles, ints, jit

SLOW = 0.3  # rate of convergence above which the next step gets its own Jacobian


@jit
def scaled_difference(m: Memory, difference: int, order: int) -> float:
    """Error of a step of some order relative to the tolerance, from the row with the difference of one order more."""
    return ERROR_CONSTANT[order] * scaled_rms(
        m, row(m, difference), row(m, ints(m.counter)[FLIP]), row(m, 1 - ints(m.counter)[FLIP])
    )


def restart(m: Memory) -> None:
    """Order 1, and a Jacobian of its own."""
    ints(m.counter)[CURRENT] = WANTED
    begin_differences(m, doubles(m.clock)[DT], row(m, FOUND))


def attempt(m: Memory, t: float, dt: float, t1: float) -> float:
    """New state by Newton's method, and the error of the step relative to the tolerance."""
    counter, y1 = ints(m.counter), row(m, 1 - ints(m.counter)[FLIP])
    if dt != doubles(m.clock)[HISTORY_DT]:
        change_step(m, dt)
        counter[STEADY] = 0
    predict(m)
    if not solve_formula(m, t1, y1, dt / ALPHA[counter[ORDER]]):
        recover(m, dt)
        forget_jacobian(m)
        return AGAIN
    if is_controlled(m):
        error = scaled_difference(m, CHANGE, counter[ORDER])
    else:
        error = 0.0 if all_finite(m, y1) else math.nan
    restore_quaternions(m, y1)
    return error


def polynomial(m: Memory, t: float, dt: float, t1: float) -> None:
    """The differences are the polynomial; the header has the order."""
    counter = ints(m.counter)
    counter[STEADY] = counter[STEADY] + 1
    update_differences(m)
    doubles(m.clock)[DENSE_HEADER + 2] = counter[ORDER]


def interpolate(m: Memory, goal: float, t: float, dt: float, t1: float) -> None:
    """State at a time within the step, in the scratch row."""
    update_interpolation(m, (goal - t1) / dt)


@jit
def choose(m: Memory, dt: float, error: float) -> None:
    """Order k - 1, k or k + 1, whichever allows the longest step; a step that would change little stays, for its factors."""
    counter, clock, k = ints(m.counter), doubles(m.clock), ints(m.counter)[ORDER]
    best, order = max(error, 1e-12) ** (-1.0 / (k + 1)), k
    if k > 1:
        lower = max(scaled_difference(m, FIRST_DIFFERENCE + k, k - 1), 1e-12) ** (-1.0 / k)
        if lower > best:
            best, order = lower, k - 1
    if k < ints(m.sizes)[TARGET_ORDER]:
        higher = max(scaled_difference(m, FIRST_DIFFERENCE + k + 2, k + 1), 1e-12) ** (-1.0 / (k + 2))
        if higher > best:
            best, order = higher, k + 1
    factor = 0.9 * (2 * LIMIT + 1) / (2 * LIMIT + counter[ITERATIONS]) * best
    if order != k or not 0.9 < factor < 1.2:
        counter[ORDER], counter[STEADY] = order, 0
        clock[DT] = dt * min(10.0, max(0.2, factor))


def accept(m: Memory, dt: float, error: float) -> None:
    """The next step. On the way to even ones the order rises at once, then the step doubles (`climb` in step_control.py)."""
    counter, clock, k = ints(m.counter), doubles(m.clock), ints(m.counter)[ORDER]
    clock[DT] = dt
    if counter[RAMP] == 1 and k < ints(m.sizes)[TARGET_ORDER]:
        counter[ORDER], counter[STEADY] = k + 1, 0
    elif counter[RAMP] == 0 and counter[EVEN] == 0:
        if counter[STEADY] > k:
            choose(m, dt, error)
        elif error > 0.7:
            clock[DT] = dt * (0.4 / error) ** (1.0 / (k + 1))  # the next one would be refused
    counter[CURRENT] = WANTED if clock[RATE] > SLOW and counter[ITERATIONS] > 1 else 0


def reject(m: Memory, dt: float, error: float) -> None:
    """A shorter step; from the third time on also back to the first order, for y is not as smooth as the differences say."""
    counter, clock, k = ints(m.counter), doubles(m.clock), ints(m.counter)[ORDER]
    clock[DT] = dt * max(0.2, min(0.9, (0.4 / error) ** (1.0 / (k + 1)))) if error < math.inf else 0.1 * dt
    if counter[FAILURES] >= 3:
        counter[ORDER] = 1
    forget_jacobian(m)


FUNCTIONS = step_functions(restart, attempt, polynomial, interpolate, accept, reject)
