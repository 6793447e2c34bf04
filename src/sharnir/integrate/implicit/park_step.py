"""A step of Park's method: start, Newton's method, step control (the formulas are in park_formula.py)."""

from __future__ import annotations

import math

from sharnir.integrate.explicit.runge_kutta_step import interpolate
from sharnir.integrate.implicit.park_formula import (
    dirk_step,
    park_step,
    update_error,
    update_history,
    update_polynomial,
)
from sharnir.integrate.newton.one_stage_newton import forget_jacobian
from sharnir.integrate.newton.simplified_newton import WANTED, recover
from sharnir.integrate.stepping.run_memory import (
    CURRENT,
    DENSE,
    DT,
    EVEN,
    FAILURES,
    FLIP,
    ITERATIONS,
    RATE,
    STEPS,
    Memory,
)
from sharnir.integrate.stepping.state_rows import all_finite, restore_quaternions, row
from sharnir.integrate.stepping.step_functions import AGAIN, step_functions
from sharnir.kernel import doubles, ints

SLOW = 0.3  # rate of convergence above which the next step gets its own Jacobian
GROWTH = 1.5  # of a step; the formula of three steps alone is stable up to 1.53


def restart(m: Memory) -> None:
    """A Jacobian of its own; STEPS says that there are no differences yet."""
    ints(m.counter)[CURRENT] = WANTED


def attempt(m: Memory, t: float, dt: float, t1: float) -> float:
    """New state by Newton's method, and the error of the step relative to the tolerance; NaN if it is not finite."""
    counter, y1 = ints(m.counter), row(m, 1 - ints(m.counter)[FLIP])
    if not (dirk_step(m, t, t1, dt) if counter[STEPS] < 2 else park_step(m, t1, dt)):
        recover(m, dt)
        forget_jacobian(m)
        return AGAIN
    error = 0.0 if counter[EVEN] == 1 else update_error(m, dt)
    if error <= 1.0:
        restore_quaternions(m, y1)
        if not all_finite(m, y1):
            return math.nan
    return error


def polynomial(m: Memory, t: float, dt: float, t1: float) -> None:
    """The cubic through states and slopes at both ends."""
    update_polynomial(m, dt, row(m, ints(m.sizes)[DENSE]))


def accept(m: Memory, dt: float, error: float) -> None:
    """History, and the next step; one that would change little stays, for its factors."""
    counter, clock = ints(m.counter), doubles(m.clock)
    if counter[EVEN] == 0:
        factor = 0.9 * max(error, 1e-6) ** (-1.0 / 3.0)
        longest = 1.0 if counter[FAILURES] > 0 else GROWTH
        clock[DT] = dt if 0.95 < factor < 1.2 else dt * min(longest, max(0.2, factor))
    counter[CURRENT] = WANTED if clock[RATE] > SLOW and counter[ITERATIONS] > 1 else 0
    update_history(m, dt)


def reject(m: Memory, dt: float, error: float) -> None:
    """A shorter step, by the error alone."""
    doubles(m.clock)[DT] = dt * max(0.2, min(0.9, 0.8 * error ** (-1.0 / 3.0))) if error < math.inf else 0.1 * dt
    forget_jacobian(m)


FUNCTIONS = step_functions(restart, attempt, polynomial, interpolate, accept, reject)
