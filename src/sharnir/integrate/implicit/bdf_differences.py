"""Backward differences of the BDF: coefficients, change of the step, prediction, correction, interpolation.

Notation as in L. F. Shampine, M. W. Reichelt, *The MATLAB ODE Suite*, SIAM J. Sci. Comput. 18 (1997) 1, section 2: D_j is the
backward difference ∇ʲy of order j at constant distance dt of the points. The formula of order k is

    Σ_{j=1…k} ∇ʲy_{n+1} / j  -  κ_k γ_k (y_{n+1} - y⁰_{n+1})  =  dt f(t_{n+1}, y_{n+1}),     γ_k = Σ_{j=1…k} 1/j

with the predicted y⁰ = Σ_{j=0…k} D_j; that is y - y⁰ + Ψ = dt/α_k f with α_k = (1 - κ_k) γ_k, Ψ = Σ_{j=1…k} γ_j D_j / α_k. κ = 0
gives the BDF. Orders 1 and 2 have the κ of the "NDF", which spares steps and leaves them A-stable; the higher ones have κ = 0,
because there it costs stability near the imaginary axis, where mechanical systems have their frequencies.

Rows: 0, 1 state at both ends of the step (they swap roles after an accepted step); those of one_stage_newton.py; SCRATCH,
ERROR; DENSE + j: D_j, j = 0 … 7; RESCALED + j: the same while they change.
"""

from __future__ import annotations

from typing import Any

from sharnir.integrate.newton.one_stage_newton import CHANGE, PSI
from sharnir.integrate.stepping.run_memory import BLOCKS, DENSE, FLIP, HISTORY_DT, ORDER, SCRATCH, Memory
from sharnir.integrate.stepping.state_rows import restore_quaternions, row
from sharnir.kernel import doubles, ints, jit, lanes, shift

LARGEST = 5
KAPPA = (0.0, -0.1850, -1.0 / 9.0, 0.0, 0.0, 0.0)
GAMMA = tuple(sum((1.0 / j for j in range(1, k + 1)), 0.0) for k in range(LARGEST + 1))
ALPHA = tuple((1.0 - kappa) * gamma for kappa, gamma in zip(KAPPA, GAMMA, strict=True))
# of order k: the error of a step is this times y - y⁰
ERROR_CONSTANT = tuple(kappa * gamma + 1.0 / (k + 1) for k, (kappa, gamma) in enumerate(zip(KAPPA, GAMMA, strict=True)))

ERROR_ROW, FIRST_DIFFERENCE, RESCALED = 7, 8, 16  # rows
WIDTH = 8  # of the small matrices in `coefficients`


@jit
def update_change_matrix(place: Any, k: int, factor: float) -> None:
    """R of Shampine and Reichelt: R_ij = Π_{l=1…i} (l - 1 - j factor)/l, i, j = 0 … k."""
    for j in range(k + 1):
        product = 1.0
        for i in range(k + 1):
            if i > 0:
                product *= (i - 1.0 - factor * j) / i
            place[WIDTH * i + j] = product


@jit
def change_step(m: Memory, dt: float) -> None:
    """Differences of the same polynomial at the distance dt: D ← (R(factor) R(1))ᵀ D."""
    clock, k = doubles(m.clock), ints(m.counter)[ORDER]
    place = doubles(m.coefficients)
    new, unit, product = place, shift(place, WIDTH * WIDTH), shift(place, 2 * WIDTH * WIDTH)
    update_change_matrix(new, k, dt / clock[HISTORY_DT])
    update_change_matrix(unit, k, dt / dt)
    for i in range(k + 1):
        for j in range(k + 1):
            total = 0.0
            for l in range(k + 1):
                total += new[WIDTH * i + l] * unit[WIDTH * l + j]
            product[WIDTH * i + j] = total
    blocks, differences, target = ints(m.sizes)[BLOCKS], lanes(row(m, FIRST_DIFFERENCE)), lanes(row(m, RESCALED))
    for e in range(blocks):
        for j in range(1, k + 1):
            sum_ = product[WIDTH + j] * differences[blocks + e]
            for i in range(2, k + 1):
                sum_ = sum_ + product[WIDTH * i + j] * differences[i * blocks + e]
            target[j * blocks + e] = sum_
        for j in range(1, k + 1):
            differences[j * blocks + e] = 1.0 * target[j * blocks + e]
    clock[HISTORY_DT] = dt


@jit
def begin_differences(m: Memory, dt: float, f0: Any) -> None:
    """Order 1, from the state in row FLIP and its derivative."""
    counter = ints(m.counter)
    counter[ORDER] = 1
    doubles(m.clock)[HISTORY_DT] = dt
    y0, slope = lanes(row(m, counter[FLIP])), lanes(f0)
    first, second = lanes(row(m, FIRST_DIFFERENCE)), lanes(row(m, FIRST_DIFFERENCE + 1))
    for e in range(ints(m.sizes)[BLOCKS]):
        first[e] = 1.0 * y0[e]
        second[e] = dt * slope[e]


@jit
def predict(m: Memory) -> None:
    """y⁰ as a first value of the new state, Ψ in row PSI; y - y⁰ = 0."""
    counter = ints(m.counter)
    blocks, k = ints(m.sizes)[BLOCKS], counter[ORDER]
    differences, y1 = lanes(row(m, FIRST_DIFFERENCE)), lanes(row(m, 1 - counter[FLIP]))
    psi, change = lanes(row(m, PSI)), lanes(row(m, CHANGE))
    for e in range(blocks):
        total = 1.0 * differences[k * blocks + e]
        weighted = GAMMA[k] * total
        for j in range(k - 1, 0, -1):
            total = total + differences[j * blocks + e]
            weighted = weighted + GAMMA[j] * differences[j * blocks + e]
        y1[e] = differences[e] + total
        psi[e] = weighted / ALPHA[k]
        change[e] = 0.0 * psi[e]


@jit
def update_differences(m: Memory) -> None:
    """D_0 … D_{k+2} at the new point, from the change y - y⁰ = ∇^{k+1} y."""
    counter = ints(m.counter)
    blocks, k = ints(m.sizes)[BLOCKS], counter[ORDER]
    d, change, y1 = lanes(row(m, FIRST_DIFFERENCE)), lanes(row(m, CHANGE)), lanes(row(m, 1 - counter[FLIP]))
    for e in range(blocks):
        d[(k + 2) * blocks + e] = change[e] - d[(k + 1) * blocks + e]
        d[(k + 1) * blocks + e] = 1.0 * change[e]
        for j in range(k, 0, -1):
            d[j * blocks + e] = d[j * blocks + e] + d[(j + 1) * blocks + e]
        d[e] = 1.0 * y1[e]


@jit
def update_interpolation(m: Memory, x: float) -> None:
    """State at the time x dt, -1 ≤ x ≤ 0, after the new point, in the scratch row: D_0 + Σ D_j x (x + 1) … (x + j - 1) / j!."""
    sizes, k = ints(m.sizes), ints(m.counter)[ORDER]
    blocks, place, d = sizes[BLOCKS], row(m, sizes[SCRATCH]), lanes(row(m, sizes[DENSE]))
    result = lanes(place)
    for e in range(blocks):
        total = 0.0 * d[e]
        for j in range(k, 0, -1):
            total = (x + (j - 1.0)) / j * (d[j * blocks + e] + total)
        result[e] = d[e] + total
    restore_quaternions(m, place)
