"""Park's formula on steps of any length, and the one-step method that starts it.

K. C. Park, *An improved stiffly stable method for direct integration of nonlinear structural dynamic equations*, J. Appl. Mech.
42 (1975) 464, takes the mean of the BDF of two and of three steps: (10 y_{n+1} - 15 y_n + 6 y_{n-1} - y_{n-2})/6 = dt f_{n+1}. It
is of second order and A-stable: the real part of its generating polynomial on the unit circle is ⅔ (1 - cos θ)³; with constant
steps it is the NDF of bdf_differences.py with κ = -1/9. Here the slopes at t_{n+1} of the polynomials through the last three and
four points are averaged, in divided differences over the true times:

    y[n+1,n] + h y[n+1,n,n-1] + ½ h (h + h₂) y[n+1,n,n-1,n-2] = f(t_{n+1}, y_{n+1}),     h, h₂, h₃ the last three steps

The polynomial through three points lacks the whole of the third term, so the same half of it is the error of the slope. The first
two steps are those of the L-stable DIRK method of two stages and second order: R. Alexander, SIAM J. Numer. Anal. 14 (1977) 1006.

Rows: 0, 1 state at both ends of the step (they swap roles after an accepted step); BEGIN, END derivative there; those of
one_stage_newton.py; SCRATCH; ERROR; FIRST y[n,n-1], SECOND y[n,n-1,n-2]; STAGE, and its slope STAGE + 1; DENSE … DENSE + 3.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.newton.one_stage_newton import CHANGE, PSI, solve_formula
from sharnir.integrate.stepping.run_memory import ACCEPTED_DT, BLOCKS, FLIP, PREVIOUS_DT, STEPS, Memory
from sharnir.integrate.stepping.state_rows import row, scaled_rms
from sharnir.kernel import doubles, ints, jit, lanes

BEGIN, SCRATCH_ROW, ERROR_ROW, END, FIRST, SECOND, STAGE, POLYNOMIAL = 2, 6, 7, 8, 9, 10, 11, 13  # rows
DIRK = 1.0 - math.sqrt(0.5)
# error of a DIRK step for y' = λy relative to (λ dt)³, from its stability function (1 + (1 - 2γ) z)/(1 - γz)²
DIRK_ERROR = abs(1.0 / 6.0 - 4.0 * DIRK**3 - 3.0 * DIRK**2 * (1.0 - 2.0 * DIRK))


@jit
def update_slope(m: Memory, c: float, out: Any) -> None:
    """f of the solution of the formula, (change + Ψ)/c: smooth where f itself would magnify what Newton's method left."""
    change, psi, slope = lanes(row(m, CHANGE)), lanes(row(m, PSI)), lanes(out)
    for e in range(ints(m.sizes)[BLOCKS]):
        slope[e] = (change[e] + psi[e]) / c


@jit
def park_step(m: Memory, t1: float, dt: float) -> bool:
    """New state and its slope; False if Newton's method does not converge."""
    clock, flip = doubles(m.clock), ints(m.counter)[FLIP]
    two = dt + clock[ACCEPTED_DT]
    three = two + clock[PREVIOUS_DT]
    p, r = dt / two + 0.5 * dt / three, 0.5 * dt * two / three
    c = dt / (1.0 + p)
    y0, y1, first, second = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, FIRST)), lanes(row(m, SECOND))
    change, psi = lanes(row(m, CHANGE)), lanes(row(m, PSI))
    for e in range(ints(m.sizes)[BLOCKS]):
        y1[e] = y0[e] + dt * (first[e] + two * second[e])
        psi[e] = (dt - c * p) * first[e] + (dt * two - c * r) * second[e]
        change[e] = 0.0 * psi[e]
    if not solve_formula(m, t1, row(m, 1 - flip), c):
        return False
    update_slope(m, c, row(m, END))
    return True


@jit
def dirk_step(m: Memory, t: float, t1: float, dt: float) -> bool:
    """As `park_step`, from one point only."""
    flip, blocks, c = ints(m.counter)[FLIP], ints(m.sizes)[BLOCKS], DIRK * dt
    y0, y1, stage, slope = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, STAGE)), lanes(row(m, STAGE + 1))
    change, psi = lanes(row(m, CHANGE)), lanes(row(m, PSI))
    for e in range(blocks):
        stage[e] = 1.0 * y0[e]
        psi[e] = 0.0 * y0[e]
        change[e] = 0.0 * y0[e]
    if not solve_formula(m, t + c, row(m, STAGE), c):
        return False
    update_slope(m, c, row(m, STAGE + 1))
    for e in range(blocks):
        y1[e] = y0[e] + dt * slope[e]
        psi[e] = c * slope[e]
        change[e] = 0.0 * psi[e]
    if not solve_formula(m, t1, row(m, 1 - flip), c):
        return False
    update_slope(m, c, row(m, END))
    return True


@jit
def update_error(m: Memory, dt: float) -> float:
    """Error of the step relative to the tolerance: proportional to y‴, from differences of states, or of slopes at the start."""
    clock, flip = doubles(m.clock), ints(m.counter)[FLIP]
    estimate, f0, f1 = lanes(row(m, ERROR_ROW)), lanes(row(m, BEGIN)), lanes(row(m, END))
    y0, y1, first, second = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, FIRST)), lanes(row(m, SECOND))
    stage, blocks = lanes(row(m, STAGE + 1)), ints(m.sizes)[BLOCKS]
    two = dt + clock[ACCEPTED_DT]
    three = two + clock[PREVIOUS_DT]
    scale = 0.5 * dt * dt * two / (1.0 + dt / two + 0.5 * dt / three)
    for e in range(blocks):
        if ints(m.counter)[STEPS] < 2:
            bend = (f1[e] - stage[e]) / (1.0 - DIRK) - (stage[e] - f0[e]) / DIRK  # ½ dt² y‴
            estimate[e] = (2.0 * DIRK_ERROR * dt) * bend
        else:
            estimate[e] = (scale / three) * (((y1[e] - y0[e]) / dt - first[e]) / two - second[e])
    return scaled_rms(m, row(m, ERROR_ROW), row(m, flip), row(m, 1 - flip))


@jit
def update_history(m: Memory, dt: float) -> None:
    """Divided differences at the new point, the slope there as that at the beginning of the next step."""
    clock, flip = doubles(m.clock), ints(m.counter)[FLIP]
    y0, y1, first, second = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, FIRST)), lanes(row(m, SECOND))
    f0, f1 = lanes(row(m, BEGIN)), lanes(row(m, END))
    two = dt + clock[ACCEPTED_DT]
    for e in range(ints(m.sizes)[BLOCKS]):
        new = (y1[e] - y0[e]) / dt
        second[e] = (new - first[e]) / two
        first[e] = new
        f0[e] = 1.0 * f1[e]
    clock[PREVIOUS_DT], clock[ACCEPTED_DT] = clock[ACCEPTED_DT], dt


@jit
def update_polynomial(m: Memory, dt: float, target: Any) -> None:
    """Rows of the cubic through states and slopes at both ends, as in runge_kutta_step.py: y0, F0, F1, F2."""
    flip, blocks = ints(m.counter)[FLIP], ints(m.sizes)[BLOCKS]
    y0, y1, f0, f1 = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, BEGIN)), lanes(row(m, END))
    rows = lanes(target)
    for e in range(blocks):
        change = y1[e] - y0[e]
        bend = dt * f0[e] - change
        rows[e] = 1.0 * y0[e]
        rows[blocks + e] = change
        rows[2 * blocks + e] = bend
        rows[3 * blocks + e] = change - dt * f1[e] - bend
