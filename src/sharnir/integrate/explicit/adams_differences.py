"""Modified divided differences of the Adams methods: weights, prediction, correction, interpolation.

Notation as in L. F. Shampine, M. K. Gordon, *Computer Solution of Ordinary Differential Equations* (1975), chapter 5, and
in their programs STEP and INTRP: psi_i sum of the last i steps, phi_i modified divided differences of f at x_n, beta_i their
change of scale to the new step. Our g_i is theirs times beta_i: it multiplies phi_i(n) itself, which we keep until the step is
accepted, so that a rejected step leaves nothing to undo, and prediction and interpolation use the same weights.

Rows: 0, 1 state at both ends of the step (they swap roles after an accepted step); SCRATCH, and after it the derivative at the
predicted point and at the new point; ERROR; DENSE: the new state, if somebody interpolates, after it the correction of the dense
output, and DENSE + 1 + i: phi_i.
"""

from __future__ import annotations

import math

from sharnir.integrate.stepping.run_memory import (
    BLOCKS,
    DENSE,
    ERROR,
    EXTRAPOLATE,
    FLIP,
    SCRATCH,
    Memory,
)
from sharnir.integrate.stepping.state_rows import all_finite, restore_quaternions, row, scaled_rms
from sharnir.integrate.stepping.step_control import is_controlled
from sharnir.kernel import doubles, inline, ints, jit, lanes, shift

FLOOR = 0.25  # of the estimate with a history of equal steps: the least that a surprise counts for
# places in `coefficients`, each of 16 numbers, of which item i is used for index i = 1, 2, …
PSI, BETA, G, WORK, NEW_PSI = 0, 16, 32, 48, 64


@jit
def update_weights(m: Memory, dt: float, count: int) -> None:
    """g_i for i = 1 … count, the integrals over a step dt from x_n of the polynomials that multiply phi_i(n), as in INTRP."""
    coefficients = doubles(m.coefficients)
    psi, g, w = shift(coefficients, PSI), shift(coefficients, G), shift(coefficients, WORK)
    for q in range(1, count + 1):
        w[q] = 1.0 / q
    g[1] = 1.0
    before = 0.0
    for i in range(2, count + 1):
        gamma, eta = (dt + before) / psi[i - 1], dt / psi[i - 1]
        for q in range(1, count + 2 - i):
            w[q] = gamma * w[q] - eta * w[q + 1]
        g[i] = w[1]
        before = psi[i - 1]


@jit
def update_step_weights(m: Memory, dt: float, k: int) -> None:
    """g, beta and psi(n+1) of a step dt; psi(n) stays."""
    coefficients = doubles(m.coefficients)
    psi, beta, new_psi = shift(coefficients, PSI), shift(coefficients, BETA), shift(coefficients, NEW_PSI)
    if psi[1] == 0.0:
        psi[1] = dt  # before the first step it does not matter: it cancels
    update_weights(m, dt, k + 1)
    beta[1], new_psi[1] = 1.0, dt
    for i in range(1, k + 1):
        beta[i + 1] = beta[i] * new_psi[i] / psi[i]
        new_psi[i + 1] = psi[i] + dt


@inline
def predict(m: Memory, dt: float, k: int) -> None:
    """Predicted state (row 1 - FLIP), and the derivative that the extrapolated differences foretell (row SCRATCH)."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    blocks = sizes[BLOCKS]
    beta, g = shift(doubles(m.coefficients), BETA), shift(doubles(m.coefficients), G)
    y0, y1, foretold = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, sizes[SCRATCH]))
    phi = lanes(row(m, sizes[DENSE] + 1))
    for e in range(blocks):
        integral = g[k] * phi[k * blocks + e]
        slope = beta[k] * phi[k * blocks + e]
        for i in range(k - 1, 0, -1):
            integral = integral + g[i] * phi[i * blocks + e]
            slope = slope + beta[i] * phi[i * blocks + e]
        y1[e] = y0[e] + dt * integral
        foretold[e] = slope


@inline
def correct(m: Memory, dt: float, k: int) -> float:
    """Corrected state in place of the predicted one; returns the error relative to the tolerance.

    The error is the difference of the correctors of order k and k + 1; the latter is carried on (local extrapolation).
    Behind steps that were much longer it is blind to what appears within this one, such as a pulse in free flight: a polynomial
    through points far apart is nearly straight here. So a share of what equal steps would say counts, dt |γ*_k| ≈ 0.24 dt k^-1.5.
    """
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    beta, g = shift(doubles(m.coefficients), BETA), shift(doubles(m.coefficients), G)
    low, high = dt * g[k] / beta[k], dt * g[k + 1] / beta[k + 1]
    chosen = high if sizes[EXTRAPOLATE] == 1 else low
    share = max(abs(high - low), FLOOR * 0.24 * dt / (k * math.sqrt(k)))
    y0, y1, foretold = row(m, flip), lanes(row(m, 1 - flip)), lanes(row(m, sizes[SCRATCH]))
    found, estimate = lanes(row(m, sizes[SCRATCH] + 1)), lanes(row(m, sizes[ERROR]))
    for e in range(sizes[BLOCKS]):
        surprise = found[e] - foretold[e]
        y1[e] = y1[e] + chosen * surprise
        estimate[e] = share * surprise
    restore_quaternions(m, row(m, 1 - flip))
    if not is_controlled(m):
        return 0.0 if all_finite(m, row(m, 1 - flip)) else math.nan
    return scaled_rms(m, row(m, sizes[ERROR]), y0, row(m, 1 - flip))


@inline
def update_differences(m: Memory, k: int) -> None:
    """phi_i(n+1), i = 1 … k+1, in place of phi_i(n); psi(n+1) in place of psi(n)."""
    sizes, coefficients = ints(m.sizes), doubles(m.coefficients)
    blocks, beta = sizes[BLOCKS], shift(coefficients, BETA)
    phi, found, foretold = lanes(row(m, sizes[DENSE] + 1)), lanes(row(m, sizes[SCRATCH] + 2)), lanes(row(m, sizes[SCRATCH]))
    for e in range(blocks):
        top = found[e] - foretold[e]
        phi[(k + 1) * blocks + e] = top
        for i in range(k, 0, -1):
            top = top + beta[i] * phi[i * blocks + e]
            phi[i * blocks + e] = top
    for i in range(1, k + 2):
        coefficients[PSI + i] = coefficients[NEW_PSI + i]


@jit
def update_interpolation(m: Memory, x: float, k: int, weight: float) -> None:
    """State at the time x after the new point (in the scratch row), plus the given part of the correction."""
    sizes = ints(m.sizes)
    blocks = sizes[BLOCKS]
    update_weights(m, x, k + 1)
    g, phi, scratch = shift(doubles(m.coefficients), G), lanes(row(m, sizes[DENSE] + 1)), row(m, sizes[SCRATCH])
    y1, result = lanes(row(m, 1 - ints(m.counter)[FLIP])), lanes(scratch)
    for e in range(blocks):
        integral = g[k + 1] * phi[(k + 1) * blocks + e]
        for i in range(k, 0, -1):
            integral = integral + g[i] * phi[i * blocks + e]
        result[e] = y1[e] + x * integral + weight * phi[e]
