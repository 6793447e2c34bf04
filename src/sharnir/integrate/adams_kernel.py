"""Compiled loop of the Adams–Bashforth–Moulton method with variable steps, in modified divided differences.

Notation as in L. F. Shampine, M. K. Gordon, *Computer Solution of Ordinary Differential Equations* (1975), chapter 5: psi_i sums of
the last i steps, phi_i modified divided differences of f at x_n, beta_i their change of scale to the new step, g_i integrals. We keep
phi_i(n) until the step is accepted, so that a rejected step leaves nothing to undo.

Rows: 0, 1 state at both ends of the step (they swap roles after an accepted step); SCRATCH, and after it the derivative at the
predicted point and at the new point; ERROR; DENSE: correction of the dense output, and DENSE + i: phi_i.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.memory import (
    ADAMS_ORDER,
    ANCHOR,
    BLOCK,
    BLOCKS,
    CAPACITY,
    DENSE,
    DENSE_ROWS,
    DT,
    ERROR,
    ERROR_ORDER,
    EVALUATIONS,
    EVEN,
    EXTRAPOLATE,
    FAILURES,
    FLIP,
    FRESH,
    HEADER,
    MAX_STEP,
    N_GRID,
    NEXT,
    NOT_FINITE,
    RAMP,
    REJECTED,
    RUNNING,
    SCRATCH,
    STARTED,
    STATUS,
    STEADY,
    STEP,
    SUBSTEP,
    SUBSTEPS,
    TARGET_ORDER,
    TOO_SMALL,
    Memory,
    T,
)
from sharnir.integrate.stepping import (
    all_finite,
    begin,
    close_step,
    even_step,
    first_step,
    is_too_small,
    may_step,
    new_record,
    restore_quaternions,
    row,
    scaled_rms,
    trimmed_step,
    update_derivative,
    update_output,
)
from sharnir.kernel import doubles, entry, ints, jit, lanes, shift

# places in `coefficients`, each of 16 numbers, of which item i is used for index i = 1, 2, …
PSI, BETA, G, WORK, NEW_PSI = 0, 16, 32, 48, 64


@jit
def update_weights(m: Memory, dt: float, count: int) -> None:
    """g_i for i = 1 … count, the integrals over a step dt from x_n of the polynomials that multiply phi_i(n): S&G, INTRP."""
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


@jit
def predict(m: Memory, dt: float, k: int) -> None:
    """Predicted state (row 1 - FLIP), and the derivative that the extrapolated differences foretell (row SCRATCH)."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    blocks = sizes[BLOCKS]
    beta, g = shift(doubles(m.coefficients), BETA), shift(doubles(m.coefficients), G)
    y0, y1, foretold = lanes(row(m, flip)), lanes(row(m, 1 - flip)), lanes(row(m, sizes[SCRATCH]))
    phi = lanes(row(m, sizes[DENSE]))
    for e in range(blocks):
        integral = g[k] * phi[k * blocks + e]
        slope = beta[k] * phi[k * blocks + e]
        for i in range(k - 1, 0, -1):
            integral = integral + g[i] * phi[i * blocks + e]
            slope = slope + beta[i] * phi[i * blocks + e]
        y1[e] = y0[e] + dt * integral
        foretold[e] = slope


@jit
def correct(m: Memory, dt: float, k: int) -> float:
    """Corrected state in place of the predicted one; returns the error relative to the tolerance: S&G (5.14), (6.9)."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    beta, g = shift(doubles(m.coefficients), BETA), shift(doubles(m.coefficients), G)
    low, high = dt * g[k] / beta[k], dt * g[k + 1] / beta[k + 1]
    chosen = high if sizes[EXTRAPOLATE] == 1 else low
    y0, y1, foretold = row(m, flip), lanes(row(m, 1 - flip)), lanes(row(m, sizes[SCRATCH]))
    found, estimate = lanes(row(m, sizes[SCRATCH] + 1)), lanes(row(m, sizes[ERROR]))
    for e in range(sizes[BLOCKS]):
        surprise = found[e] - foretold[e]
        y1[e] = y1[e] + chosen * surprise
        estimate[e] = (high - low) * surprise
    restore_quaternions(m, row(m, 1 - flip))
    counter = ints(m.counter)
    if counter[EVEN] == 1 or (counter[RAMP] == 1 and k == sizes[TARGET_ORDER]):
        return 0.0 if all_finite(m, row(m, 1 - flip)) else math.nan
    return scaled_rms(m, row(m, sizes[ERROR]), y0, row(m, 1 - flip))


@jit
def update_differences(m: Memory, k: int) -> None:
    """phi_i(n+1), i = 1 … k+1, in place of phi_i(n); psi(n+1) in place of psi(n): S&G (5.11)."""
    sizes, coefficients = ints(m.sizes), doubles(m.coefficients)
    blocks, beta = sizes[BLOCKS], shift(coefficients, BETA)
    phi, found, foretold = lanes(row(m, sizes[DENSE])), lanes(row(m, sizes[SCRATCH] + 2)), lanes(row(m, sizes[SCRATCH]))
    for e in range(blocks):
        top = found[e] - foretold[e]
        phi[(k + 1) * blocks + e] = top
        for i in range(k, 0, -1):
            top = top + beta[i] * phi[i * blocks + e]
            phi[i * blocks + e] = top
    for i in range(1, k + 2):
        coefficients[PSI + i] = coefficients[NEW_PSI + i]


@jit
def interpolate(m: Memory, x: float, k: int, weight: float) -> Any:
    """State at the time x after the new point (in the scratch row), plus the given part of the correction in row DENSE."""
    sizes = ints(m.sizes)
    blocks = sizes[BLOCKS]
    update_weights(m, x, k + 1)
    g, phi, scratch = shift(doubles(m.coefficients), G), lanes(row(m, sizes[DENSE])), row(m, sizes[SCRATCH])
    y1, result = lanes(row(m, 1 - ints(m.counter)[FLIP])), lanes(scratch)
    for e in range(blocks):
        integral = g[k + 1] * phi[(k + 1) * blocks + e]
        for i in range(k, 0, -1):
            integral = integral + g[i] * phi[i * blocks + e]
        result[e] = y1[e] + x * integral + weight * phi[e]
    return scratch


@jit
def write_outputs(m: Memory, t: float, dt: float, t1: float, k: int) -> None:
    """Grid points in (t, t1], and the dense record of the step.

    The polynomial through f at the last k + 1 points ends in y1 but misses y0 by a local error, which row DENSE takes back by a
    cubic with slope 0 at both ends: the dense output and its slope are continuous (as in Watts and Shampine, BIT 26 (1986) 84).
    """
    counter, sizes, grid = ints(m.counter), ints(m.sizes), doubles(m.grid)
    inside = counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] < t1
    if sizes[CAPACITY] > 0 or inside:
        counter[FRESH] = 0  # g is overwritten
        reached = lanes(interpolate(m, -dt, k, 0.0))
        y0, gap = lanes(row(m, counter[FLIP])), lanes(row(m, sizes[DENSE]))
        for e in range(sizes[BLOCKS]):
            gap[e] = y0[e] - reached[e]
    if sizes[CAPACITY] > 0:
        update_record(m, t, t1, k)
    while counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] <= t1:
        number = counter[NEXT]
        state = row(m, 1 - counter[FLIP])
        if grid[number] < t1:
            x = (grid[number] - t) / dt
            state = interpolate(m, grid[number] - t1, k, (1.0 - x) * (1.0 - x) * (1.0 + 2.0 * x))
            restore_quaternions(m, state)
        update_output(m, number, state)
        counter[NEXT] = number + 1


@jit
def update_record(m: Memory, t: float, t1: float, k: int) -> None:
    """Dense record: t0, t1, number of differences, psi; rows y1, correction, phi_1, phi_2, …"""
    sizes = ints(m.sizes)
    blocks = sizes[BLOCKS]
    record = new_record(m, t, t1)
    header, target, psi = doubles(record), shift(lanes(record), HEADER // BLOCK), doubles(m.coefficients)
    header[2] = k + 1
    for i in range(1, k + 2):
        header[2 + i] = psi[PSI + i]
    y1, rows = lanes(row(m, 1 - ints(m.counter)[FLIP])), lanes(row(m, sizes[DENSE]))
    for e in range(blocks):
        target[e] = 1.0 * y1[e]
    for e in range((sizes[DENSE_ROWS] - 1) * blocks):
        target[blocks + e] = 1.0 * rows[e]


@jit
def accept(m: Memory, dt: float, t1: float, error: float, k: int) -> None:
    """Order and length of the next step: S&G, blocks 3 and 4 of STEP, but once reached the order stays."""
    counter, clock, sizes, settings = ints(m.counter), doubles(m.clock), ints(m.sizes), doubles(m.settings)
    close_step(m, dt, t1)
    if k < sizes[TARGET_ORDER]:
        counter[ADAMS_ORDER] = k + 1
        counter[STEADY] = 0
        clock[DT] = 2.0 * dt if counter[FAILURES] + counter[RAMP] == 0 else dt
    elif counter[RAMP] == 1:
        # Up to the even step without control: these errors are of the order of the method. Doubling at every step would
        # magnify the rounding in the differences, so we wait until the last change has left them.
        longest = min(settings[STEP], settings[MAX_STEP])
        if 1.001 * dt > longest:
            counter[RAMP], counter[EVEN], counter[SUBSTEP], clock[ANCHOR] = 0, 1, 0, t1
        elif counter[SUBSTEP] > k:
            counter[SUBSTEP], clock[DT] = 0, min(2.0 * dt, longest)
    elif counter[EVEN] == 0:
        factor = (0.5 / max(error, 1e-20)) ** (1.0 / (k + 1))  # to an error of 0.5
        if factor >= 2.0:
            clock[DT] = 2.0 * dt
        elif factor >= 1.25 and counter[STEADY] > k + 1:
            # S&G wait until they can double; a smaller change after k + 2 equal steps saves 10 % of the evaluations
            clock[DT] = 0.95 * factor * dt
        elif factor >= 1.0:
            clock[DT] = dt
        else:
            clock[DT] = dt * min(0.9, max(0.5, factor))
    counter[FAILURES] = 0


@jit
def reject(m: Memory, dt: float) -> None:
    """Half the step; from the third time on also back to the first order, for f is not as smooth as the differences say."""
    counter, clock = ints(m.counter), doubles(m.clock)
    counter[REJECTED] = counter[REJECTED] + 1
    counter[FAILURES] = counter[FAILURES] + 1
    counter[FRESH] = 0
    if counter[EVEN] == 1 or (counter[RAMP] == 1 and counter[ADAMS_ORDER] == ints(m.sizes)[TARGET_ORDER]):
        counter[STATUS] = NOT_FINITE
    clock[DT] = 0.5 * dt
    if counter[FAILURES] >= 3:
        clock[DT] = 0.1 * dt
        counter[ADAMS_ORDER] = 1


@entry
def advance(m: Memory, limit: int) -> None:
    """Go on with a run until it ends, a dense block is full, or `limit` evaluations have been made in all."""
    counter, clock, sizes = ints(m.counter), doubles(m.clock), ints(m.sizes)
    if counter[STARTED] == 0:
        phi_1 = row(m, sizes[DENSE] + 1)
        begin(m, phi_1)
        counter[ADAMS_ORDER] = 1
        if counter[EVEN] == 1 and sizes[TARGET_ORDER] > 1:
            counter[EVEN], counter[RAMP], clock[DT] = 0, 1, 0.0
        if clock[DT] == 0.0 and counter[STATUS] == RUNNING:
            clock[DT] = first_step(m, phi_1, row(m, sizes[SCRATCH] + 1), sizes[ERROR_ORDER])
    while counter[EVALUATIONS] < limit and may_step(m):
        t, k, y1 = clock[T], counter[ADAMS_ORDER], row(m, 1 - counter[FLIP])
        f_predicted, f1 = row(m, sizes[SCRATCH] + 1), row(m, sizes[SCRATCH] + 2)
        dt, t1 = even_step(m) if counter[EVEN] == 1 else trimmed_step(m)
        if is_too_small(m, dt, t1):
            counter[STATUS] = TOO_SMALL if all_finite(m, y1) else NOT_FINITE
            return
        steady = dt == doubles(m.coefficients)[PSI + 1]
        if not (steady and counter[FRESH] == 1 and counter[STEADY] >= k + 2):
            update_step_weights(m, dt, k)
            counter[FRESH] = 1
        predict(m, dt, k)
        update_derivative(m, t1, y1, f_predicted)
        error = correct(m, dt, k)
        if error <= 1.0:
            update_derivative(m, t1, y1, f1)
            if not all_finite(m, f1):
                error = math.nan
        if error <= 1.0:
            counter[STEADY] = counter[STEADY] + 1 if steady else 1
            update_differences(m, k)
            write_outputs(m, t, dt, t1, k)
            accept(m, dt, t1, error, k)
        else:
            reject(m, dt)
