"""One step of the generalized-α family on y = (q, v, z): state, residual, Newton iteration, differences, error estimate.

With w = (v, z) and a an acceleration of the algorithm's own beside the true one, ẇ = f:

    (1 - α_m) a_1 + α_m a_0 = (1 - α_f) f_1 + α_f f_0
    w_1 = w_0 + dt ((1 - γ) a_0 + γ a_1),     q_1 = flow of q̇ = T(q) V over dt,  V = v_0 + dt ((½ - β) a_0 + β a_1)

J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371; the form with a of its own, and the flow in place of a sum: M. Arnold,
O. Brüls, Multibody Syst. Dyn. 18 (2007) 185, and O. Brüls, A. Cardona, J. Comput. Nonlinear Dyn. 5 (2010) 031002; z: K. E. Jansen
et al., Comput. Methods Appl. Mech. Eng. 190 (2000) 305. Newmark is α_m = α_f = 0; implicit Euler has (0, 1) in place of both
(1 - γ, γ) and (½ - β, β).

Rows: 0, 1 state at both ends of the step; 2, 3 true derivative; A, A + 1 the algorithm's (each pair swaps roles after an accepted
step), START a_0 for the present step length; DELTA Newton increment; FIRST, SECOND divided differences of the last steps,
NEW_FIRST, NEW_SECOND with the present one.
"""

from __future__ import annotations

from typing import Any

from sharnir.integrate.newton.difference_jacobian import ROUNDING, scratch_vector, update_rates
from sharnir.integrate.newton.simplified_newton import (
    CONVERGED,
    DIVERGES,
    GO_ON,
    begin_iteration,
    solve_speeds,
    update_factors,
    verdict,
)
from sharnir.integrate.stepping.run_memory import (
    ACCEPTED_DT,
    BLOCKS,
    ERROR,
    EVEN,
    FACTORED_DT,
    FLIP,
    INTEGRALS,
    ITERATIONS,
    N_Q,
    N_V,
    PREVIOUS_DT,
    RATE,
    STEPS,
    Memory,
    N,
)
from sharnir.integrate.stepping.state_rows import all_finite, restore_quaternions, row, scaled_rms, update_derivative
from sharnir.kernel import call_derivative, doubles, ints, jit, lanes, shift_address

A, START, DELTA, FIRST, SECOND, NEW_FIRST, NEW_SECOND = 4, 6, 7, 8, 9, 10, 11  # rows
LIMIT, EVEN_LIMIT = 7, 25  # Newton iterations; a step that may not be shortened gets more

# places in `coefficients`: of a_0 and a_1 in V, v_1, z_1; α_m of v and z, α_f; error per dt² y″ and dt³ y‴ of q, v, z;
# 1: quadratic dense output, 0: linear
Q_OLD, Q_NEW, V_OLD, V_NEW, Z_OLD, Z_NEW, MASS_V, MASS_Z, LOAD = range(9)
ERROR_2, ERROR_3, QUADRATIC = 9, 12, 15
COEFFICIENTS = 16


@jit
def update_start(m: Memory, dt: float) -> None:
    """a_0 for this step: a - f is proportional to the step (Arnold and Brüls), so it changes when the step does."""
    sizes, flip, before = ints(m.sizes), ints(m.counter)[FLIP], doubles(m.clock)[ACCEPTED_DT]
    ratio = dt / before if before > 0.0 else 1.0
    a, f, start = doubles(row(m, A + flip)), doubles(row(m, 2 + flip)), doubles(row(m, START))
    for i in range(sizes[N_Q], sizes[N]):
        start[i] = f[i] + ratio * (a[i] - f[i])


@jit
def update_prediction(m: Memory, dt: float) -> None:
    """a_1 such that w_1 lies on the polynomial through the last three states."""
    sizes, clock, c = ints(m.sizes), doubles(m.clock), doubles(m.coefficients)
    a0, a1 = doubles(row(m, START)), doubles(row(m, A + 1 - ints(m.counter)[FLIP]))
    first, second = doubles(row(m, FIRST)), doubles(row(m, SECOND))
    reach = dt + clock[ACCEPTED_DT]
    split = sizes[N_Q] + sizes[N_V]
    for i in range(sizes[N_Q], sizes[N]):
        old, new = (c[V_OLD], c[V_NEW]) if i < split else (c[Z_OLD], c[Z_NEW])
        a1[i] = (first[i] + reach * second[i] - old * a0[i]) / new


@jit
def update_flow(m: Memory, t: float, dt: float, speeds: Any, y1: Any) -> None:
    """q of y1: from its value q_0 along q̇ = T(q) V with constant V, by one step of the classical Runge–Kutta method.

    On quaternions and frames that is the exponential map up to dt⁵, far below the error of the step.
    """
    sizes = ints(m.sizes)
    n_q, n_v, place = sizes[N_Q], sizes[N_V], scratch_vector(m, 3)
    q, v, moved, rates = doubles(y1), doubles(speeds), doubles(place), doubles(scratch_vector(m, 2))
    if m.rates == 0:
        for i in range(n_v):
            q[i] = q[i] + dt * v[i]
        return
    total = doubles(scratch_vector(m, 1))
    for i in range(sizes[N]):
        moved[i] = q[i]
    for i in range(n_v):
        moved[n_q + i] = v[i]
    for stage in range(4):
        call_derivative(m.rates, t, place, scratch_vector(m, 2), m.table, m.params, m.work)
        weight = 1.0 if stage == 0 or stage == 3 else 2.0
        reach = dt if stage == 2 else 0.5 * dt
        for i in range(n_q):
            total[i] = weight * rates[i] if stage == 0 else total[i] + weight * rates[i]
            moved[i] = q[i] + reach * rates[i]
    for i in range(n_q):
        q[i] = q[i] + dt / 6.0 * total[i]


@jit
def update_new_state(m: Memory, t: float, dt: float) -> None:
    """y_1 from a_0 and a_1."""
    sizes, flip, c = ints(m.sizes), ints(m.counter)[FLIP], doubles(m.coefficients)
    n_q, split = sizes[N_Q], sizes[N_Q] + sizes[N_V]
    place = row(m, 1 - flip)
    y0, y1, a0, a1 = doubles(row(m, flip)), doubles(place), doubles(row(m, START)), doubles(row(m, A + 1 - flip))
    for i in range(n_q, split):
        y1[i] = y0[i] + dt * (c[V_OLD] * a0[i] + c[V_NEW] * a1[i])
    for i in range(split, sizes[N]):
        y1[i] = y0[i] + dt * (c[Z_OLD] * a0[i] + c[Z_NEW] * a1[i])
    if n_q > 0:
        for i in range(n_q):
            y1[i] = y0[i]
        speeds = scratch_vector(m, 0)
        v = doubles(speeds)
        for i in range(sizes[N_V]):
            v[i] = y0[n_q + i] + dt * (c[Q_OLD] * a0[n_q + i] + c[Q_NEW] * a1[n_q + i])
        update_flow(m, t, dt, speeds, place)
    restore_quaternions(m, place)


@jit
def newton_increment(m: Memory, t: float, dt: float, f1: Any) -> float:
    """Row DELTA = Newton's change of y_1, added to a_1; returns its size relative to the tolerance. f1: derivative at y_1."""
    sizes, flip, c = ints(m.sizes), ints(m.counter)[FLIP], doubles(m.coefficients)
    n_q, split, place, y0 = sizes[N_Q], sizes[N_Q] + sizes[N_V], row(m, DELTA), row(m, flip)
    a0, a1, f0, f, delta = (
        doubles(row(m, START)),
        doubles(row(m, A + 1 - flip)),
        doubles(row(m, 2 + flip)),
        doubles(f1),
        doubles(place),
    )
    load = c[LOAD]
    for i in range(n_q, sizes[N]):
        mass = c[MASS_V] if i < split else c[MASS_Z]
        delta[i] = f[i] + (load * f0[i] - (1.0 - mass) * a1[i] - mass * a0[i]) / (1.0 - load)
    solve_speeds(m, shift_address(place, n_q))
    for i in range(n_q, sizes[N]):
        a1[i] = a1[i] + delta[i] / (dt * (c[V_NEW] if i < split else c[Z_NEW]))
    if n_q > 0:
        update_rates(m, t, y0, shift_address(place, n_q), place)
        for i in range(n_q):
            delta[i] = delta[i] * dt * c[Q_NEW] / c[V_NEW]
    return scaled_rms(m, place, y0, y0)


@jit
def update_step_factors(m: Memory, dt: float) -> bool:
    """Factors of the Newton matrix for this step, if they are not there; False if it is singular."""
    clock, c = doubles(m.clock), doubles(m.coefficients)
    if abs(clock[FACTORED_DT] - dt) <= 1e-9 * dt:
        return True
    clock[FACTORED_DT] = 0.0
    gamma_v = (1.0 - c[MASS_V]) / ((1.0 - c[LOAD]) * dt * c[V_NEW])
    gamma_z = (1.0 - c[MASS_Z]) / ((1.0 - c[LOAD]) * dt * c[Z_NEW])
    if not update_factors(m, gamma_v, gamma_z, dt * c[Q_NEW] / c[V_NEW]):
        return False
    clock[FACTORED_DT] = dt
    return True


@jit
def solve_step(m: Memory, t: float, dt: float, t1: float) -> bool:
    """y_1, a_1 and the derivative f_1 that the equation gives; False if Newton's method does not converge."""
    counter, clock = ints(m.counter), doubles(m.clock)
    flip = counter[FLIP]
    y0, y1, f1 = row(m, flip), row(m, 1 - flip), row(m, 3 - flip)
    if not update_step_factors(m, dt):
        return False
    update_start(m, dt)
    update_prediction(m, dt)
    update_new_state(m, t, dt)
    begin_iteration(m)
    clock[RATE] = 0.0
    limit = EVEN_LIMIT if counter[EVEN] == 1 else LIMIT
    tolerance, before, said, iteration = max(10.0 * ROUNDING * scaled_rms(m, y0, y0, y0), 0.01), 0.0, GO_ON, 0
    while said == GO_ON:
        iteration += 1
        update_derivative(m, t1, y1, f1)
        size = newton_increment(m, t, dt, f1)
        said = verdict(m, iteration, limit, size, before, tolerance)
        before = size
        if said != DIVERGES:
            update_new_state(m, t, dt)
    counter[ITERATIONS] = iteration
    if said != CONVERGED:
        return False
    update_solved_derivative(m, f1)
    if ints(m.sizes)[INTEGRALS] == 1:
        update_integral(m, dt)
    return all_finite(m, y1)


@jit
def update_integral(m: Memory, dt: float) -> None:
    """The integral behind the new state, by the trapezoidal rule; of implicit Euler by its own."""
    flip, i, old = ints(m.counter)[FLIP], ints(m.sizes)[N], 0.5 if doubles(m.coefficients)[Z_OLD] > 0.0 else 0.0
    y0, y1, f0, f1 = doubles(row(m, flip)), doubles(row(m, 1 - flip)), doubles(row(m, 2 + flip)), doubles(row(m, 3 - flip))
    y1[i] = y0[i] + dt * (old * f0[i] + (1.0 - old) * f1[i])


@jit
def update_first_acceleration(m: Memory, whole: float) -> None:
    """a_0 of the first step: f at the time t_0 + (α_m - α_f) dt, between f_0 and f_1 of a trial step; f_0 if `whole` is 0."""
    sizes, flip, c = ints(m.sizes), ints(m.counter)[FLIP], doubles(m.coefficients)
    split = sizes[N_Q] + sizes[N_V]
    f0, f1, a0 = doubles(row(m, 2 + flip)), doubles(row(m, 3 - flip)), doubles(row(m, A + flip))
    for i in range(sizes[N_Q], sizes[N]):
        part = whole * ((c[MASS_V] if i < split else c[MASS_Z]) - c[LOAD])
        a0[i] = f0[i] + part * (f1[i] - f0[i])


@jit
def solve_first_step(m: Memory, t: float, dt: float, t1: float) -> bool:
    """As `solve_step`, twice where a and f are not the same: with a_0 = f_0, and with the a_0 that follows from it."""
    c = doubles(m.coefficients)
    update_first_acceleration(m, 0.0)
    solved = solve_step(m, t, dt, t1)
    if not solved or (c[MASS_V] == c[LOAD] and c[MASS_Z] == c[LOAD]):
        return solved
    update_first_acceleration(m, 1.0)
    return solve_step(m, t, dt, t1)


@jit
def update_solved_derivative(m: Memory, f1: Any) -> None:
    """f_1 from the equation it satisfies: an evaluation would multiply what is left of the iteration by the stiffness."""
    sizes, flip, c = ints(m.sizes), ints(m.counter)[FLIP], doubles(m.coefficients)
    split = sizes[N_Q] + sizes[N_V]
    a0, a1, f0, f = doubles(row(m, START)), doubles(row(m, A + 1 - flip)), doubles(row(m, 2 + flip)), doubles(f1)
    load = c[LOAD]
    for i in range(sizes[N_Q], sizes[N]):
        mass = c[MASS_V] if i < split else c[MASS_Z]
        f[i] = ((1.0 - mass) * a1[i] + mass * a0[i] - load * f0[i]) / (1.0 - load)


@jit
def update_differences(m: Memory, dt: float) -> None:
    """Divided differences y[t1, t0] and y[t1, t0, t-1]; before the first step, y[t0, t-1] is the derivative."""
    flip, reach = ints(m.counter)[FLIP], dt + doubles(m.clock)[ACCEPTED_DT]
    y0, y1, first = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, FIRST))
    new_first, new_second = lanes(row(m, NEW_FIRST)), lanes(row(m, NEW_SECOND))
    for e in range(ints(m.sizes)[BLOCKS]):
        slope = (y1[e] - y0[e]) / dt
        new_first[e] = slope
        new_second[e] = (slope - first[e]) / reach


@jit
def update_error(m: Memory, dt: float) -> float:
    """Error relative to the tolerance, from y″ and y‴ by divided differences of the states: no stiff f comes in."""
    sizes, clock, counter, c = ints(m.sizes), doubles(m.clock), ints(m.counter), doubles(m.coefficients)
    update_differences(m, dt)
    place = row(m, sizes[ERROR])
    estimate, second, last = doubles(place), doubles(row(m, NEW_SECOND)), doubles(row(m, SECOND))
    reach = dt + clock[ACCEPTED_DT] + clock[PREVIOUS_DT]
    for i in range(sizes[N]):
        part = 0 if i < sizes[N_Q] else 1 if i < sizes[N_Q] + sizes[N_V] else 2
        if counter[STEPS] == 0:
            estimate[i] = dt * dt * second[i]
        else:
            third = (second[i] - last[i]) / reach
            estimate[i] = dt * dt * (2.0 * c[ERROR_2 + part] * second[i] + 6.0 * c[ERROR_3 + part] * dt * third)
    return scaled_rms(m, place, row(m, counter[FLIP]), row(m, 1 - counter[FLIP]))
