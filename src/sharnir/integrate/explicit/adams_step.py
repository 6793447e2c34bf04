"""A step of the Adams–Bashforth–Moulton method, its order and its length (the formulas are in adams_differences.py)."""

from __future__ import annotations

from sharnir.integrate.explicit.adams_differences import (
    PSI,
    correct,
    predict,
    update_differences,
    update_interpolation,
    update_step_weights,
)
from sharnir.integrate.stepping.run_memory import (
    BLOCKS,
    DENSE,
    DENSE_HEADER,
    DT,
    FAILURES,
    FLIP,
    FRESH,
    ORDER,
    RAMP,
    SCRATCH,
    STEADY,
    TARGET_ORDER,
    Memory,
)
from sharnir.integrate.stepping.state_rows import restore_quaternions, row, update_derivative
from sharnir.integrate.stepping.step_control import (
    is_controlled,
)
from sharnir.integrate.stepping.step_functions import step_functions
from sharnir.integrate.stepping.step_output import is_interpolated
from sharnir.kernel import doubles, ints, lanes, shift


def restart(m: Memory) -> None:
    """The first derivative is the only difference."""
    ints(m.counter)[ORDER] = 1


def attempt(m: Memory, t: float, dt: float, t1: float) -> float:
    """Predict, evaluate, correct; the error of the step relative to the tolerance."""
    counter, k = ints(m.counter), ints(m.counter)[ORDER]
    steady = dt == doubles(m.coefficients)[PSI + 1]
    if not (steady and counter[FRESH] == 1 and counter[STEADY] >= k + 2):
        update_step_weights(m, dt, k)
        counter[FRESH] = 1
    predict(m, dt, k)
    update_derivative(m, t1, row(m, 1 - counter[FLIP]), row(m, ints(m.sizes)[SCRATCH] + 1))
    return correct(m, dt, k)


def polynomial(m: Memory, t: float, dt: float, t1: float) -> None:
    """Differences at the new point; with dense output row DENSE is y1, and the header has their number and psi.

    The polynomial through f at the last k + 1 points ends in y1 but misses y0 by a local error, which row GAP takes back by a
    cubic with slope 0 at both ends: the dense output and its slope are continuous, as wanted by H. A. Watts, L. F. Shampine,
    SIAM J. Sci. Stat. Comput. 7 (1986) 334.
    """
    counter, sizes, k = ints(m.counter), ints(m.sizes), ints(m.counter)[ORDER]
    counter[STEADY] = counter[STEADY] + 1 if dt == doubles(m.coefficients)[PSI + 1] else 1
    update_differences(m, k)
    if not is_interpolated(m, t1, False):
        return
    counter[FRESH] = 0  # g is overwritten
    update_interpolation(m, -dt, k, 0.0)
    y0, y1, reached = lanes(row(m, counter[FLIP])), lanes(row(m, 1 - counter[FLIP])), lanes(row(m, sizes[SCRATCH]))
    end, gap = lanes(row(m, sizes[DENSE])), lanes(row(m, sizes[DENSE] + 1))
    for e in range(sizes[BLOCKS]):
        end[e] = 1.0 * y1[e]
        gap[e] = y0[e] - reached[e]
    header, psi = shift(doubles(m.clock), DENSE_HEADER), doubles(m.coefficients)
    header[2] = k + 1
    for i in range(1, k + 2):
        header[2 + i] = psi[PSI + i]


def interpolate(m: Memory, goal: float, t: float, dt: float, t1: float) -> None:
    """State at a time within the step, in the scratch row."""
    x = (goal - t) / dt
    update_interpolation(m, goal - t1, ints(m.counter)[ORDER], (1.0 - x) * (1.0 - x) * (1.0 + 2.0 * x))
    restore_quaternions(m, row(m, ints(m.sizes)[SCRATCH]))


def accept(m: Memory, dt: float, error: float) -> None:
    """Order and length of the next step as in STEP of Shampine and Gordon, but once reached the order stays."""
    counter, clock, k = ints(m.counter), doubles(m.clock), ints(m.counter)[ORDER]
    if k < ints(m.sizes)[TARGET_ORDER]:
        counter[ORDER] = k + 1
        counter[STEADY] = 0
        clock[DT] = 2.0 * dt if counter[FAILURES] + counter[RAMP] == 0 else dt
    elif is_controlled(m):
        factor = (0.5 / max(error, 1e-20)) ** (1.0 / (k + 1))  # to an error of 0.5
        if factor >= 2.0:
            clock[DT] = 2.0 * dt
        elif factor >= 1.25 and counter[STEADY] > k + 1:
            # STEP waits until it can double; a smaller change after k + 2 equal steps saves 10 % of the evaluations
            clock[DT] = 0.95 * factor * dt
        elif factor >= 1.0:
            clock[DT] = dt
        else:
            clock[DT] = dt * min(0.9, max(0.5, factor))


def reject(m: Memory, dt: float, error: float) -> None:
    """Half the step; from the third time on also back to the first order, for f is not as smooth as the differences say."""
    counter, clock = ints(m.counter), doubles(m.clock)
    counter[FRESH] = 0
    clock[DT] = 0.5 * dt
    if counter[FAILURES] >= 3:
        clock[DT] = 0.1 * dt
        counter[ORDER] = 1


FUNCTIONS = step_functions(restart, attempt, polynomial, interpolate, accept, reject)
