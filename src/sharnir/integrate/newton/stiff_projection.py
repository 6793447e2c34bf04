"""Correction of a state at the end of an implicit step: onto the constraints, without shaking what is stiff.

A projection moves masses, and knows nothing of springs: a body on a stiff one is left behind by 1e-8 m, feels 10⁹ m/s², and the
next steps would have to resolve how that dies out. So the fast part of the change δ is taken out of it by the matrices of the
step that has just been solved (simplified_newton.py). With δq ≈ T ξ and w = (v, z):

    (γ - Jw - σ K) u = K ξ,    δq ← δq + σ T u          (γ - Jw - σ K) δw ← γ δw

again until the speeds u that would be left over, or what a pass changes of δw, are small. Along the constraints' normals nothing
is lost: accelerations satisfy them, so C Jw and C K hold no stiffness and C u ≈ 0. What slow terms leave behind, a part dt ω of
the residual, is for the next steps. Steps so short that nothing is fast in them drift by little: a change far below the tolerance
is not made. Outputs are projected by themselves, and exactly.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.newton.difference_jacobian import scratch_vector, update_rates
from sharnir.integrate.newton.simplified_newton import add_coupling, solve_speeds, update_tangent_of
from sharnir.integrate.stepping.run_memory import (
    CORRECTIONS,
    DT,
    DT_LARGEST,
    ERROR,
    FLIP,
    GAMMA_V,
    GAMMA_Z,
    N_Q,
    N_V,
    N_W,
    RELATIVE,
    SIGMA,
    Memory,
    N,
)
from sharnir.integrate.stepping.state_rows import restore_quaternions, row, scaled_rms
from sharnir.integrate.stepping.step_functions import relax_function
from sharnir.kernel import doubles, ints, jit, shift_address

# Each pass leaves (γ² + γ d/m)/(γ² + γ d/m + k/m) of a displacement along a damped spring, less of a speed. In short steps there
# may be more of them, as long as they make up PASSES of the longest step.
PASSES, MOST_PASSES = 5, 50
WORTH = 0.1  # of the tolerance: smaller corrections wait
CALM = 0.01  # of the tolerance


@jit
def relax_coordinates(m: Memory, t: float, y: Any, change: Any) -> float:
    """δq ← δq + σ T u in a change of the state y; returns the size of u relative to the tolerance of the speeds."""
    sizes, sigma, delta = ints(m.sizes), doubles(m.clock)[SIGMA], doubles(change)
    n_q, n_v, n_w = sizes[N_Q], sizes[N_V], sizes[N_W]
    place, right = scratch_vector(m, 0), scratch_vector(m, 1)
    tangent, u, moved = update_tangent_of(m, t, y, change, place), doubles(right), doubles(place)
    for i in range(n_w):
        u[i] = 0.0
    add_coupling(m, tangent, 1.0, right)
    solve_speeds(m, right)
    update_rates(m, t, y, right, place)
    for i in range(n_q):
        delta[i] = delta[i] + sigma * moved[i]
    total, rtol, atol, state = 0.0, doubles(m.settings)[RELATIVE], doubles(m.atol), doubles(y)
    for i in range(n_v):
        ratio = u[i] / (atol[n_q + i] + rtol * abs(state[n_q + i]))
        total += ratio * ratio
    return math.sqrt(total / n_v)


@jit
def relax_speeds(m: Memory, y: Any, change: Any) -> float:
    """δw ← (γ - Jw - σ K)⁻¹ γ δw; returns by how much that has changed, relative to the tolerance."""
    sizes, clock, delta, before = ints(m.sizes), doubles(m.clock), doubles(change), doubles(scratch_vector(m, 0))
    n_q, n_v = sizes[N_Q], sizes[N_V]
    for i in range(sizes[N_W]):
        before[i] = delta[n_q + i]
        delta[n_q + i] = before[i] * (clock[GAMMA_V] if i < n_v else clock[GAMMA_Z])
    solve_speeds(m, shift_address(change, n_q))
    total, rtol, atol, state = 0.0, doubles(m.settings)[RELATIVE], doubles(m.atol), doubles(y)
    for i in range(n_v):
        ratio = (delta[n_q + i] - before[i]) / (atol[n_q + i] + rtol * abs(state[n_q + i]))
        total += ratio * ratio
    return math.sqrt(total / n_v)


@jit
def most_passes(m: Memory) -> int:
    clock = doubles(m.clock)
    return int(min(float(MOST_PASSES), max(float(PASSES), PASSES * clock[DT_LARGEST] / clock[DT])))


def relax(m: Memory, t: float, size: float) -> float:
    """Remove the fast part from the change that the projection has made to the new state, and return its new size.

    The change is that of `project_step`, which has left it in the row ERROR: before less after; `size` is relative to the
    tolerance.
    """
    sizes, counter = ints(m.sizes), ints(m.counter)
    if sizes[N_V] == 0:
        return size
    n, y, change = sizes[N], row(m, 1 - counter[FLIP]), row(m, sizes[ERROR])
    delta, state, kept = doubles(change), doubles(y), doubles(scratch_vector(m, 2))
    if size < WORTH:
        for i in range(n):
            state[i] = state[i] + delta[i]
        counter[CORRECTIONS] = counter[CORRECTIONS] - 1
        return 0.0
    for i in range(n):
        kept[i] = delta[i]
    passes = most_passes(m)
    for _ in range(passes):
        if not relax_coordinates(m, t, y, change) > CALM:
            break
    for _ in range(passes):
        if not relax_speeds(m, y, change) > CALM:
            break
    relaxed = scaled_rms(m, change, y, y)
    if not relaxed < 2.0 * size:
        return size  # the matrices belong to another place: better no use of them
    for i in range(n):
        state[i] = state[i] + (kept[i] - delta[i])
    restore_quaternions(m, y)
    return relaxed


RELAX = relax_function(relax)
