"""Simplified Newton iteration for implicit integrators: reduced matrices, their solutions, convergence.

The state is y = (q, v, z) with q̇ = T(q) v. Every implicit step solves (γ - J) Δ = r with J = ∂f/∂y. With T frozen, and
∂(T v)/∂q left out (it is of the size of the speeds, not stiff), the first block row gives Δq = (r_q + T Δv)/γ, and for w = (v, z)
remains

    (γ - Jw - K/γ) Δw = r_w + K ξ/γ,      Jw = ∂ẇ/∂w,   K = ∂ẇ/∂q T,   r_q ≈ T ξ

so that the matrix has the size of the speeds, however many coordinates there are. A problem without q and v has w = z = y.
Sequence: `update_jacobian` (difference_jacobian.py), `update_factors`, then `solve` with right-hand sides in rows of the size of
y, and `verdict` after every iteration; FACTORED_DT is for the integrator to set. Sources: E. Hairer, G. Wanner, *Solving Ordinary
Differential Equations II*, 2nd ed. 1996, IV.8, and the program RADAU5.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.newton import dense_lu
from sharnir.integrate.newton.difference_jacobian import ROUNDING, scratch_vector, update_rates, update_tangent
from sharnir.integrate.stepping.motion_scale import look_again
from sharnir.integrate.stepping.run_memory import (
    COLUMN,
    CURRENT,
    DT,
    EVEN,
    FACTORIZATIONS,
    FAILURES,
    GAMMA_V,
    GAMMA_Z,
    INTEGRALS,
    M_COMPLEX_PIVOTS,
    M_FACTORS,
    M_IMAGINARY,
    M_JACOBIAN,
    M_PIVOTS,
    M_REAL,
    M_TANGENT,
    N_Q,
    N_V,
    N_W,
    NOT_SOLVED,
    PROSPECT,
    RATE,
    REJECTED,
    RTOL,
    SIGMA,
    STATUS,
    Memory,
    N,
)
from sharnir.integrate.stepping.state_rows import scaled_rms
from sharnir.kernel import doubles, ints, jit, shift_address

GO_ON, CONVERGED, DIVERGES = 0, 1, 2  # what `verdict` says
WANTED = -1  # counter[CURRENT]: the Jacobian must be computed again


@jit
def update_matrix(m: Memory, place: Any, weight: float) -> None:
    """The matrix at this place = -Jw - weight K."""
    sizes, out = ints(m.sizes), doubles(place)
    jacobian, tangent = doubles(shift_address(m.matrix, sizes[M_JACOBIAN])), doubles(shift_address(m.matrix, sizes[M_TANGENT]))
    split, total = sizes[N_V] * sizes[COLUMN], sizes[N_W] * sizes[COLUMN]
    for i in range(split):
        out[i] = -jacobian[i] - weight * tangent[i]
    for i in range(split, total):
        out[i] = -jacobian[i]


@jit
def update_factors(m: Memory, gamma_v: float, gamma_z: float, weight: float) -> bool:
    """LU factors of diag(γ_v, γ_z) - Jw - weight K; False if that is singular. `solve` needs γ_v = γ_z = γ, weight = 1/γ."""
    sizes, counter, clock = ints(m.sizes), ints(m.counter), doubles(m.clock)
    clock[GAMMA_V], clock[GAMMA_Z], clock[SIGMA] = gamma_v, gamma_z, weight
    place, column = shift_address(m.matrix, sizes[M_FACTORS]), sizes[COLUMN]
    update_matrix(m, place, weight)
    a = doubles(place)
    for k in range(sizes[N_W]):
        a[k * column + k] += gamma_v if k < sizes[N_V] else gamma_z
    counter[FACTORIZATIONS] = counter[FACTORIZATIONS] + 1
    return dense_lu.factorize(place, shift_address(m.matrix, sizes[M_PIVOTS]), column, sizes[N_W])


@jit
def update_complex_factors(m: Memory, re: float, im: float) -> bool:
    """LU factors of γ - Jw - K/γ, γ = re + i im; False if that is singular."""
    sizes, counter = ints(m.sizes), ints(m.counter)
    real, imaginary = shift_address(m.matrix, sizes[M_REAL]), shift_address(m.matrix, sizes[M_IMAGINARY])
    column, size = sizes[COLUMN], re * re + im * im
    update_matrix(m, real, re / size)
    a, b, tangent = doubles(real), doubles(imaginary), doubles(shift_address(m.matrix, sizes[M_TANGENT]))
    split, total = sizes[N_V] * column, sizes[N_W] * column
    for i in range(split):
        b[i] = im / size * tangent[i]
    for i in range(split, total):
        b[i] = 0.0
    for k in range(sizes[N_W]):
        a[k * column + k] += re
        b[k * column + k] += im
    counter[FACTORIZATIONS] = counter[FACTORIZATIONS] + 1
    return dense_lu.factorize_complex(real, imaginary, shift_address(m.matrix, sizes[M_COMPLEX_PIVOTS]), column, sizes[N_W])


@jit
def solve_speeds(m: Memory, right: Any) -> None:
    """Δw in place of the right-hand side for w alone (n_w numbers), with the factors of `update_factors`."""
    sizes = ints(m.sizes)
    factors, pivots = shift_address(m.matrix, sizes[M_FACTORS]), shift_address(m.matrix, sizes[M_PIVOTS])
    dense_lu.solve(factors, pivots, sizes[COLUMN], sizes[N_W], right)


@jit
def add_coupling(m: Memory, tangent: Any, scale: float, right: Any) -> None:
    """right[0:n_w] += scale K ξ."""
    sizes, xi, r = ints(m.sizes), doubles(tangent), doubles(right)
    for k in range(sizes[N_V]):
        column, factor = doubles(shift_address(m.matrix, sizes[M_TANGENT] + k * sizes[COLUMN])), scale * xi[k]
        for i in range(sizes[N_W]):
            r[i] = r[i] + factor * column[i]


@jit
def update_tangent_of(m: Memory, t: float, y: Any, right: Any, place: Any) -> Any:
    """Address of ξ (n_v numbers) with T ξ ≈ right[0:n_q]; `place` is a scratch vector."""
    n_q = ints(m.sizes)[N_Q]
    r, copy = doubles(right), doubles(place)
    for i in range(n_q):
        copy[i] = r[i]
    update_tangent(m, t, y, place)
    return shift_address(place, n_q)


@jit
def solve(m: Memory, t: float, y: Any, gamma: float, right: Any) -> None:
    """right ← (γ - J)⁻¹ right for a row of the size of the state; T is taken at (t, y)."""
    sizes = ints(m.sizes)
    n_q, r = sizes[N_Q], doubles(right)
    w = shift_address(right, n_q)
    if sizes[INTEGRALS] == 1:
        r[sizes[N]] = r[sizes[N]] / gamma  # nothing depends on it
    if sizes[N_V] == 0:
        solve_speeds(m, w)
        return
    add_coupling(m, update_tangent_of(m, t, y, right, scratch_vector(m, 0)), 1.0 / gamma, w)
    solve_speeds(m, w)
    place = scratch_vector(m, 1)
    update_rates(m, t, y, w, place)
    rates = doubles(place)
    for i in range(n_q):
        r[i] = (r[i] + rates[i]) / gamma


@jit
def solve_complex(m: Memory, t: float, y: Any, gamma_re: float, gamma_im: float, re: Any, im: Any) -> None:
    """As `solve`, for complex γ and a right-hand side in two rows."""
    sizes = ints(m.sizes)
    n_q, a, b = sizes[N_Q], doubles(re), doubles(im)
    w_re, w_im = shift_address(re, n_q), shift_address(im, n_q)
    size = gamma_re * gamma_re + gamma_im * gamma_im
    c, d = gamma_re / size, -gamma_im / size  # 1/γ
    if sizes[INTEGRALS] == 1:
        x, z = a[sizes[N]], b[sizes[N]]
        a[sizes[N]], b[sizes[N]] = c * x - d * z, c * z + d * x
    if sizes[N_V] > 0:
        xi = update_tangent_of(m, t, y, re, scratch_vector(m, 0))
        eta = update_tangent_of(m, t, y, im, scratch_vector(m, 1))
        add_coupling(m, xi, c, w_re)
        add_coupling(m, eta, -d, w_re)
        add_coupling(m, xi, d, w_im)
        add_coupling(m, eta, c, w_im)
    real, imaginary = shift_address(m.matrix, sizes[M_REAL]), shift_address(m.matrix, sizes[M_IMAGINARY])
    pivots = shift_address(m.matrix, sizes[M_COMPLEX_PIVOTS])
    dense_lu.solve_complex(real, imaginary, pivots, sizes[COLUMN], sizes[N_W], w_re, w_im)
    if sizes[N_V] > 0:
        first, second = scratch_vector(m, 0), scratch_vector(m, 1)
        update_rates(m, t, y, w_re, first)
        update_rates(m, t, y, w_im, second)
        p, q = doubles(first), doubles(second)
        for i in range(n_q):
            x, z = a[i] + p[i], b[i] + q[i]
            a[i], b[i] = c * x - d * z, c * z + d * x


@jit
def newton_tolerance(m: Memory, y: Any) -> float:
    """How far from the solution of its equations a step may stay, relative to the tolerance of the run; above rounding."""
    rtol = doubles(m.settings)[RTOL]
    return max(10.0 * ROUNDING * scaled_rms(m, y, y, y), min(0.03, max(1e-4, math.sqrt(rtol))))


@jit
def begin_iteration(m: Memory) -> None:
    """Before the first iteration: what the last step said about convergence counts, but less (RADAU5: faccon**0.8).

    Other than there not below 0.001: a contact that closes in this step has not been heard of before.
    """
    clock = doubles(m.clock)
    clock[PROSPECT] = max(1e-3, clock[PROSPECT] ** 0.8)


@jit
def verdict(m: Memory, iteration: int, limit: int, size: float, before: float, tolerance: float) -> int:
    """GO_ON, CONVERGED or DIVERGES after iteration 1, 2, … `limit`, from the scaled size of its increment and of the one before.

    RATE is the geometric mean of the quotients of the last increments, PROSPECT = RATE / (1 - RATE) the part of the last
    increment that is still missing (Hairer and Wanner II, (IV.8.10)); it diverges if `limit` iterations will not do. One
    iteration is enough only if its increment is below the tolerance of the run.
    """
    clock = doubles(m.clock)
    if not size < math.inf:
        return DIVERGES
    if iteration > 1 and size > 0.0:
        quotient = size / before
        rate = quotient if iteration == 2 else math.sqrt(quotient * clock[RATE])
        clock[RATE] = rate
        if rate >= 0.99:
            return DIVERGES
        clock[PROSPECT] = rate / (1.0 - rate)
        if clock[PROSPECT] * size * rate ** (limit - iteration) > tolerance:
            return DIVERGES
    if clock[PROSPECT] * size <= tolerance and (iteration > 1 or size <= 1.0):
        return CONVERGED
    return GO_ON if iteration < limit else DIVERGES


@jit
def recover(m: Memory, dt: float) -> None:
    """Newton's method did not converge: a new Jacobian, and if it has one already, half the step."""
    counter, clock = ints(m.counter), doubles(m.clock)
    if counter[CURRENT] == 0:
        counter[CURRENT] = WANTED
        return
    counter[REJECTED] = counter[REJECTED] + 1
    counter[FAILURES] = counter[FAILURES] + 1
    look_again(m, dt)
    clock[DT] = 0.5 * dt
    if counter[EVEN] == 1:
        counter[STATUS] = NOT_SOLVED
