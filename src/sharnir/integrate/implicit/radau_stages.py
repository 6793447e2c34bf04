"""Stages of Radau IIA of order 5: Newton iteration in transformed variables, error estimate, collocation polynomial.

Notation and numbers of E. Hairer, G. Wanner, *Solving Ordinary Differential Equations II*, 2nd ed. 1996, IV.8, and of RADAU5:
z_i = y(t + c_i dt) - y0 is kept in rows Z, w = (T⁻¹ ⊗ I) z in rows W, f(t + c_i dt, y0 + z_i) and then the increments in rows F.
With T⁻¹ A⁻¹ T = diag(γ, [[α, -β], [β, α]]) the equations fall into a real and a complex one:

    (γ/dt - J) Δw_1 = T⁻¹ f - γ/dt w_1,      ((α + iβ)/dt - J) (Δw_2 + i Δw_3) = …
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.newton.simplified_newton import (
    CONVERGED,
    DIVERGES,
    GO_ON,
    begin_iteration,
    newton_tolerance,
    solve,
    solve_complex,
    update_complex_factors,
    update_factors,
    verdict,
)
from sharnir.integrate.stepping.run_memory import (
    ACCEPTED_DT,
    BLOCKS,
    DENSE,
    ERROR,
    EVEN,
    FACTORED_DT,
    FAILURES,
    FLIP,
    ITERATIONS,
    RATE,
    RELATIVE,
    STEPS,
    Memory,
    N,
)
from sharnir.integrate.stepping.state_rows import row, scaled_rms, update_derivative
from sharnir.kernel import doubles, ints, jit, lanes

Z, W, F = 4, 7, 10  # first rows
LIMIT, EVEN_LIMIT = 7, 25  # Newton iterations; a step that may not be shortened gets more

C1, C2 = 0.15505102572168219, 0.64494897427831781  # (4 ∓ √6)/10, and c3 = 1
GAMMA = 3.6378342527444957  # 3 + ∛9 - ∛3
ALPHA, BETA = 2.6810828736277521, -3.0504301992474105
E1, E2, E3 = -10.048809399827416, 1.3821427331607488, -0.33333333333333333  # (-13 ∓ 7√6)/3, -1/3
T11, T12, T13 = 0.09443876248897524, -0.14125529502095421, 0.03002919410514742
T21, T22, T23 = 0.25021312296533332, 0.20412935229379994, -0.38294211275726192  # and T31, T32, T33 = 1, 1, 0
V11, V12, V13 = 4.17871859155190428, 0.32768282076106237, 0.52337644549944951  # T⁻¹
V21, V22, V23 = -4.17871859155190428, -0.32768282076106237, 0.47662355450055044
V31, V32, V33 = 0.50287263494578682, -2.57192694985560522, 0.59603920482822492


@jit
def update_transformed(m: Memory, source: int, target: int) -> None:
    """Rows target … target + 2 = T⁻¹ times rows source … source + 2."""
    a1, a2, a3 = lanes(row(m, source)), lanes(row(m, source + 1)), lanes(row(m, source + 2))
    b1, b2, b3 = lanes(row(m, target)), lanes(row(m, target + 1)), lanes(row(m, target + 2))
    for e in range(ints(m.sizes)[BLOCKS]):
        x1, x2, x3 = 1.0 * a1[e], 1.0 * a2[e], 1.0 * a3[e]
        b1[e] = V11 * x1 + V12 * x2 + V13 * x3
        b2[e] = V21 * x1 + V22 * x2 + V23 * x3
        b3[e] = V31 * x1 + V32 * x2 + V33 * x3


@jit
def update_starting_values(m: Memory, dt: float) -> None:
    """Rows Z by extrapolation of the last step's polynomial; zero in the first step and after a failed one."""
    sizes, counter = ints(m.sizes), ints(m.counter)
    known = counter[STEPS] > 0 and counter[FAILURES] == 0
    ratio = dt / doubles(m.clock)[ACCEPTED_DT] if known else 0.0
    p1, p2, p3 = lanes(row(m, sizes[DENSE] + 1)), lanes(row(m, sizes[DENSE] + 2)), lanes(row(m, sizes[DENSE] + 3))
    for i in range(3):
        s = ratio * (C1 if i == 0 else C2 if i == 1 else 1.0)
        z = lanes(row(m, Z + i))
        for e in range(sizes[BLOCKS]):
            z[e] = s * (p1[e] + (s - (C2 - 1.0)) * (p2[e] + (s - (C1 - 1.0)) * p3[e]))
    update_transformed(m, Z, W)


@jit
def update_stage_derivatives(m: Memory, t: float, dt: float) -> None:
    """Rows F = f(t + c_i dt, y0 + z_i); the arguments are built in row ERROR."""
    sizes = ints(m.sizes)
    place, y0 = row(m, sizes[ERROR]), lanes(row(m, ints(m.counter)[FLIP]))
    argument = lanes(place)
    for i in range(3):
        z = lanes(row(m, Z + i))
        for e in range(sizes[BLOCKS]):
            argument[e] = y0[e] + z[e]
        update_derivative(m, t + dt * (C1 if i == 0 else C2 if i == 1 else 1.0), place, row(m, F + i))


@jit
def update_increments(m: Memory, t: float, dt: float) -> None:
    """Rows F: from stage derivatives to Δw."""
    y0 = row(m, ints(m.counter)[FLIP])
    update_transformed(m, F, F)
    f1, f2, f3 = lanes(row(m, F)), lanes(row(m, F + 1)), lanes(row(m, F + 2))
    w1, w2, w3 = lanes(row(m, W)), lanes(row(m, W + 1)), lanes(row(m, W + 2))
    gamma, alpha, beta = GAMMA / dt, ALPHA / dt, BETA / dt
    for e in range(ints(m.sizes)[BLOCKS]):
        f1[e] = f1[e] - gamma * w1[e]
        f2[e] = f2[e] - alpha * w2[e] + beta * w3[e]
        f3[e] = f3[e] - alpha * w3[e] - beta * w2[e]
    solve(m, t, y0, gamma, row(m, F))
    solve_complex(m, t, y0, alpha, beta, row(m, F + 1), row(m, F + 2))


@jit
def size_of_increments(m: Memory) -> float:
    """Root mean square of Δw, relative to the tolerance at y0."""
    n, rtol, atol = ints(m.sizes)[N], doubles(m.settings)[RELATIVE], doubles(m.atol)
    y0, d1, d2, d3 = doubles(row(m, ints(m.counter)[FLIP])), doubles(row(m, F)), doubles(row(m, F + 1)), doubles(row(m, F + 2))
    total = 0.0
    for i in range(n):
        weight = 1.0 / (atol[i] + rtol * abs(y0[i]))
        a, b, c = d1[i] * weight, d2[i] * weight, d3[i] * weight
        total += a * a + b * b + c * c
    return math.sqrt(total / (3 * n))


@jit
def add_increments(m: Memory) -> None:
    """w += Δw, z = T w."""
    d1, d2, d3 = lanes(row(m, F)), lanes(row(m, F + 1)), lanes(row(m, F + 2))
    w1, w2, w3 = lanes(row(m, W)), lanes(row(m, W + 1)), lanes(row(m, W + 2))
    z1, z2, z3 = lanes(row(m, Z)), lanes(row(m, Z + 1)), lanes(row(m, Z + 2))
    for e in range(ints(m.sizes)[BLOCKS]):
        x1, x2, x3 = w1[e] + d1[e], w2[e] + d2[e], w3[e] + d3[e]
        w1[e], w2[e], w3[e] = x1, x2, x3
        z1[e] = T11 * x1 + T12 * x2 + T13 * x3
        z2[e] = T21 * x1 + T22 * x2 + T23 * x3
        z3[e] = x1 + x2


@jit
def solve_stages(m: Memory, t: float, dt: float) -> bool:
    """Factors for this step, if they are not there, and Newton's method for rows Z; False if it does not converge."""
    counter, clock = ints(m.counter), doubles(m.clock)
    if abs(clock[FACTORED_DT] - dt) > 1e-9 * dt:
        clock[FACTORED_DT] = 0.0
        if not (update_factors(m, GAMMA / dt, GAMMA / dt, dt / GAMMA) and update_complex_factors(m, ALPHA / dt, BETA / dt)):
            return False
        clock[FACTORED_DT] = dt
    update_starting_values(m, dt)
    begin_iteration(m)
    clock[RATE] = 0.0
    limit = EVEN_LIMIT if counter[EVEN] == 1 else LIMIT
    tolerance, before, said, iteration = newton_tolerance(m, row(m, counter[FLIP])), 0.0, GO_ON, 0
    while said == GO_ON:
        iteration += 1
        update_stage_derivatives(m, t, dt)
        update_increments(m, t, dt)
        size = size_of_increments(m)
        said = verdict(m, iteration, limit, size, before, tolerance)
        before = size
        if said != DIVERGES:
            add_increments(m)
    counter[ITERATIONS] = iteration
    return said == CONVERGED


@jit
def update_error(m: Memory, t: float, dt: float) -> float:
    """Error relative to the tolerance: a formula of order 3 against the method, filtered by (γ/dt - J)⁻¹ ((8.19), (8.20))."""
    sizes, counter = ints(m.sizes), ints(m.counter)
    flip, blocks, place = counter[FLIP], sizes[BLOCKS], row(m, sizes[ERROR])
    y0, y1, f0 = row(m, flip), row(m, 1 - flip), lanes(row(m, 2 + flip))
    z1, z2, z3, estimate = lanes(row(m, Z)), lanes(row(m, Z + 1)), lanes(row(m, Z + 2)), lanes(place)
    e1, e2, e3 = E1 / dt, E2 / dt, E3 / dt
    for e in range(blocks):
        estimate[e] = f0[e] + e1 * z1[e] + e2 * z2[e] + e3 * z3[e]
    solve(m, t, y0, GAMMA / dt, place)
    error = scaled_rms(m, place, y0, y1)
    if error > 1.0 and (counter[STEPS] == 0 or counter[FAILURES] > 0):
        # once more from y0 + error: the first formula is too large where J is
        moved, slope, start = row(m, F), row(m, F + 1), lanes(y0)
        argument, rate = lanes(moved), lanes(slope)
        for e in range(blocks):
            argument[e] = start[e] + estimate[e]
        update_derivative(m, t, moved, slope)
        for e in range(blocks):
            estimate[e] = rate[e] + e1 * z1[e] + e2 * z2[e] + e3 * z3[e]
        solve(m, t, y0, GAMMA / dt, place)
        error = scaled_rms(m, place, y0, y1)
    return error


@jit
def update_polynomial(m: Memory) -> None:
    """Rows DENSE …: y(t1 + s dt) = y1 + s (P1 + (s - c2 + 1) (P2 + (s - c1 + 1) P3)), -1 ≤ s ≤ 0, through y0, stages and y1.

    y1 differs from y0 + z3 by what quaternions and projection have changed; a linear term takes that in.
    """
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    blocks = sizes[BLOCKS]
    z1, z2, z3, rows = lanes(row(m, Z)), lanes(row(m, Z + 1)), lanes(row(m, Z + 2)), lanes(row(m, sizes[DENSE]))
    y0, y1 = lanes(row(m, flip)), lanes(row(m, 1 - flip))
    for e in range(blocks):
        last = (z2[e] - z3[e]) / (C2 - 1.0)
        middle = (z1[e] - z2[e]) / (C1 - C2)
        bend = (middle - last) / (C1 - 1.0)
        rows[e] = 1.0 * y1[e]
        rows[blocks + e] = last + (y1[e] - y0[e] - z3[e])
        rows[2 * blocks + e] = bend
        rows[3 * blocks + e] = bend - (middle - z1[e] / C1) / C2


@jit
def update_new_state(m: Memory) -> Any:
    """y1 = y0 + z3; returns its address."""
    flip, place = ints(m.counter)[FLIP], row(m, 1 - ints(m.counter)[FLIP])
    y0, y1, z3 = lanes(row(m, flip)), lanes(place), lanes(row(m, Z + 2))
    for e in range(ints(m.sizes)[BLOCKS]):
        y1[e] = y0[e] + z3[e]
    return place
