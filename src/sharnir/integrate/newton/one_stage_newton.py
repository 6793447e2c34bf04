"""Newton's method for one implicit formula y = y⁰ + change, change + Ψ = c f(t, y), as multistep methods and DIRK stages have it.

Rows: CHANGE y - y⁰, which begins with 0; PSI Ψ; FOUND the derivative, then the Newton increment.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.newton.difference_jacobian import ROUNDING, update_jacobian
from sharnir.integrate.newton.simplified_newton import (
    CONVERGED,
    DIVERGES,
    WANTED,
    begin_iteration,
    newton_tolerance,
    solve,
    update_factors,
    verdict,
)
from sharnir.integrate.stepping.run_memory import BLOCKS, CURRENT, EVEN, FACTORED_DT, FLIP, ITERATIONS, PROSPECT, Memory
from sharnir.integrate.stepping.state_rows import all_finite, row, scaled_rms, update_derivative
from sharnir.kernel import doubles, ints, jit, lanes

CHANGE, PSI, FOUND = 3, 4, 5  # rows
LIMIT, EVEN_LIMIT = 4, 25  # iterations; a step that may not be shortened gets more


@jit
def is_ready(m: Memory, t: float, y: Any, c: float) -> bool:
    """Derivative at the predicted state, Jacobian if one is wanted, factors of 1/c - J if c has changed; False: not possible."""
    counter, clock, found = ints(m.counter), doubles(m.clock), row(m, FOUND)
    update_derivative(m, t, y, found)
    if counter[CURRENT] == WANTED:
        if not all_finite(m, found):
            return False
        update_jacobian(m, t, y, found)
    if abs(clock[FACTORED_DT] - c) < 1e-9 * c:  # even steps between grid points differ by rounding
        return True
    clock[FACTORED_DT], clock[PROSPECT] = c, 1.0  # nothing is known about convergence with a new matrix
    return update_factors(m, 1.0 / c, 1.0 / c, c)


@jit
def forget_jacobian(m: Memory) -> None:
    """A step that failed is tried again shorter, from another prediction: a Jacobian made at the old one may be far too large."""
    counter = ints(m.counter)
    if counter[CURRENT] == 1:
        counter[CURRENT] = WANTED


@jit
def solve_formula(m: Memory, t: float, y: Any, c: float) -> bool:
    """The y that solves the formula, in place of y⁰; False if Newton's method does not converge."""
    counter = ints(m.counter)
    if not is_ready(m, t, y, c):
        return False
    y0, found = row(m, counter[FLIP]), row(m, FOUND)
    state, increment, psi, change = lanes(y), lanes(found), lanes(row(m, PSI)), lanes(row(m, CHANGE))
    tolerance, before, limit = newton_tolerance(m, y0), 0.0, EVEN_LIMIT if counter[EVEN] == 1 else LIMIT
    begin_iteration(m)
    # an old Jacobian that is too large makes increments small, not right: one iteration will do only if its rate is known
    rounding = 10.0 * ROUNDING * max(scaled_rms(m, y0, y0, y0), scaled_rms(m, y, y0, y))
    enough = math.inf if doubles(m.clock)[PROSPECT] < 0.3 else rounding
    for iteration in range(1, limit + 1):
        if iteration > 1:
            update_derivative(m, t, y, found)
        for e in range(ints(m.sizes)[BLOCKS]):
            increment[e] = increment[e] - (psi[e] + change[e]) / c
        solve(m, t, y0, 1.0 / c, found)
        for e in range(ints(m.sizes)[BLOCKS]):
            state[e] = state[e] + increment[e]
            change[e] = change[e] + increment[e]
        size = scaled_rms(m, found, y0, y)
        said = verdict(m, iteration, limit, size, before, tolerance)
        counter[ITERATIONS], before = iteration, size
        if said == DIVERGES and size <= rounding:  # the quotient of two roundings says nothing about convergence
            return True
        if said == DIVERGES or (said == CONVERGED and (iteration > 1 or size <= enough)):
            return said == CONVERGED
    return False
