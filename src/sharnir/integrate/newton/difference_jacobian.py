"""Jacobian of an implicit integrator: exact where the problem has one, else by compiled differences along speeds and tangents.

The state is y = (q, v, z) with q̇ = T(q) v, and w = (v, z). Filled are Jw = ∂ẇ/∂w and K = ∂ẇ/∂q T, columns of differences
of the right-hand side, not ∂q̇/∂q: simplified_newton.py says why. A coordinate q is moved along T(q), so that a quaternion stays a
rotation.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.stepping.run_memory import (
    BLOCKS,
    COLUMN,
    CURRENT,
    FACTORED_DT,
    JACOBIANS,
    M_JACOBIAN,
    M_SCRATCH,
    M_TANGENT,
    N_Q,
    N_V,
    N_W,
    RTOL,
    Memory,
    N,
)
from sharnir.integrate.stepping.state_rows import update_derivative
from sharnir.kernel import LANES, call_derivative, doubles, ints, jit, shift_address

ROUNDING = 2.220446049250313e-16


@jit
def scratch_vector(m: Memory, k: int) -> Any:
    """Address of state-sized vector k = 0 … 4 beside the matrices."""
    sizes = ints(m.sizes)
    return shift_address(m.matrix, sizes[M_SCRATCH] + k * LANES * sizes[BLOCKS])


@jit
def update_rates(m: Memory, t: float, y: Any, speeds: Any, out: Any) -> None:
    """out[0:n_q] = T(q) times n_v speeds, for the q of y; writes scratch vector 4."""
    sizes = ints(m.sizes)
    n_q, n_v = sizes[N_Q], sizes[N_V]
    v, result = doubles(speeds), doubles(out)
    if m.rates == 0:
        for i in range(n_v):
            result[i] = v[i]
        return
    place = scratch_vector(m, 4)
    state, values = doubles(place), doubles(y)
    for i in range(sizes[N]):
        state[i] = values[i]
    for i in range(n_v):
        state[n_q + i] = v[i]
    call_derivative(m.rates, t, place, out, m.table, m.params, m.work)


@jit
def update_tangent(m: Memory, t: float, y: Any, out: Any) -> None:
    """out[n_q:n_q + n_v] = ξ with T(q) ξ ≈ out[0:n_q], for the q of y."""
    sizes, values = ints(m.sizes), doubles(out)
    if m.tangents == 0:
        for i in range(sizes[N_V]):
            values[sizes[N_Q] + i] = values[i]
    else:
        call_derivative(m.tangents, t, y, out, m.table, m.params, m.work)


@jit
def least_size(m: Memory, i: int, most: float) -> float:
    """What counts as small for entry i of the state: atol / rtol, where the tolerance goes from relative to absolute."""
    atol, rtol = doubles(m.atol)[i], doubles(m.settings)[RTOL]
    return most if atol >= most * rtol else atol / rtol


@jit
def increment(m: Memory, i: int, size: float, direction: float) -> float:
    """Length of a difference for entry i, v or z, or for the coordinate of this size whose speed it is; towards where it goes.

    √ε times the size for z. In a mechanism numbers are added to others of any size, say lengths to a distance: there, between
    relative and absolute, and not below 1e-11 of the size.
    """
    if i < ints(m.sizes)[N_Q] + ints(m.sizes)[N_V]:
        length = max(math.sqrt(ROUNDING * max(size, least_size(m, i, 1e-4))), 1e-11 * size)
    else:
        length = math.sqrt(ROUNDING) * max(size, least_size(m, i, 1.0))
    return -length if direction < 0.0 else length


@jit
def update_column(m: Memory, t: float, y: Any, f0: Any, length: float, column: Any) -> None:
    """column = (ẇ(y) - ẇ) / length, for the displaced state y."""
    sizes, place = ints(m.sizes), scratch_vector(m, 1)
    n_q = sizes[N_Q]
    update_derivative(m, t, y, place)
    new, old, result = doubles(place), doubles(f0), doubles(column)
    for i in range(sizes[N_W]):
        result[i] = (new[n_q + i] - old[n_q + i]) / length


@jit
def update_tangent_columns(m: Memory, t: float, y: Any, f0: Any) -> None:
    """K by differences along q + T e_k δ."""
    sizes, values = ints(m.sizes), doubles(y)
    n_q, n_v = sizes[N_Q], sizes[N_V]
    trial, unit, along = scratch_vector(m, 0), scratch_vector(m, 2), scratch_vector(m, 3)
    moved, e, direction = doubles(trial), doubles(unit), doubles(along)
    for k in range(n_v):
        e[k] = 0.0
    for k in range(n_v):
        e[k] = 1.0
        update_rates(m, t, y, unit, along)
        e[k] = 0.0
        size = 0.0
        for i in range(n_q):
            if direction[i] != 0.0:
                size = max(size, abs(values[i]))
        length = increment(m, n_q + k, size, values[n_q + k])
        for i in range(n_q):
            moved[i] = values[i] + length * direction[i]
        update_column(m, t, trial, f0, length, shift_address(m.matrix, sizes[M_TANGENT] + k * sizes[COLUMN]))
    for i in range(n_q):
        moved[i] = values[i]


@jit
def update_differences(m: Memory, t: float, y: Any, f0: Any) -> None:
    """K and Jw at (t, y): 2 n_v + n_z evaluations.

    f0 must be f(t, y) as evaluated: an approximation that is good enough for a step would be magnified 10⁸ times.
    """
    sizes, values, slope = ints(m.sizes), doubles(y), doubles(f0)
    n_q, trial = sizes[N_Q], scratch_vector(m, 0)
    moved = doubles(trial)
    for i in range(sizes[N]):
        moved[i] = values[i]
    if sizes[N_V] > 0:
        update_tangent_columns(m, t, y, f0)
    for k in range(sizes[N_W]):
        i = n_q + k
        moved[i] = values[i] + increment(m, i, abs(values[i]), slope[i])
        length = moved[i] - values[i]
        update_column(m, t, trial, f0, length, shift_address(m.matrix, sizes[M_JACOBIAN] + k * sizes[COLUMN]))
        moved[i] = values[i]


@jit
def has_exact_jacobian(m: Memory, t: float, y: Any) -> bool:
    """K and Jw at (t, y) as the problem's own function gives them; False if it has none, or not there."""
    if m.jacobian == 0:
        return False
    sizes = ints(m.sizes)
    place = shift_address(m.matrix, sizes[M_TANGENT])  # Jw stands behind K (newton_memory.py)
    call_derivative(m.jacobian, t, y, place, m.table, m.params, m.work)
    found = doubles(place)
    for k in range(sizes[N_V] + sizes[N_W]):
        for i in range(sizes[N_W]):
            if not abs(found[k * sizes[COLUMN] + i]) < math.inf:
                return False
    return True


@jit
def update_jacobian(m: Memory, t: float, y: Any, f0: Any) -> None:
    """K and Jw at (t, y), exact or by differences. The factors are then out of date."""
    counter = ints(m.counter)
    if not has_exact_jacobian(m, t, y):
        update_differences(m, t, y, f0)
    counter[JACOBIANS] = counter[JACOBIANS] + 1
    counter[CURRENT] = 1
    doubles(m.clock)[FACTORED_DT] = 0.0
