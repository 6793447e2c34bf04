"""Kernels on rows of a run's memory: derivative, linear combinations, norms, quaternions.

Rows are handled as whole vector registers (`lanes`), whatever the number of problems side by side. What is called in every step
is `inline`, here and in the loops: passing the addresses of a run's memory costs more than most of these functions.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.stepping.run_memory import BLOCKS, EVALUATIONS, N_QUATERNIONS, RELATIVE, STRIDE, Memory, N
from sharnir.kernel import LANES, call_derivative, doubles, inline, ints, jit, lanes, shift_address, sqrt


@inline
def row(m: Memory, r: int) -> Any:
    """Address of row r."""
    return shift_address(m.rows, r * LANES * ints(m.sizes)[BLOCKS])


@inline
def update_derivative(m: Memory, t: float, y: Any, ydot: Any) -> None:
    call_derivative(m.derivative, t, y, ydot, m.table, m.params, m.work)
    counter = ints(m.counter)
    counter[EVALUATIONS] = counter[EVALUATIONS] + 1


@jit
def update_combination(out: Any, start: Any, scale: float, m: Memory, places: Any, first: int, last: int) -> None:
    """out = start + scale * sum over j in first..last-1 of coefficients[j] * rows[places[j]]"""
    blocks = ints(m.sizes)[BLOCKS]
    rows, coefficients = lanes(m.rows), doubles(m.coefficients)
    result, origin = lanes(out), lanes(start)
    for e in range(blocks):
        total = coefficients[first] * rows[places[first] * blocks + e]
        for j in range(first + 1, last):
            total = total + coefficients[j] * rows[places[j] * blocks + e]
        result[e] = origin[e] + scale * total


@jit
def update_sum(out: Any, scale: float, m: Memory, places: Any, first: int, last: int) -> None:
    """out = scale * sum over j in first..last-1 of coefficients[j] * rows[places[j]]"""
    blocks = ints(m.sizes)[BLOCKS]
    rows, coefficients = lanes(m.rows), doubles(m.coefficients)
    result = lanes(out)
    for e in range(blocks):
        total = coefficients[first] * rows[places[first] * blocks + e]
        for j in range(first + 1, last):
            total = total + coefficients[j] * rows[places[j] * blocks + e]
        result[e] = scale * total


@jit
def scaled_rms(m: Memory, difference: Any, y0: Any, y1: Any) -> float:
    """Root mean square of difference_i / (atol_i + rtol * max(|y0_i|, |y1_i|)); NaN if anything is not finite.

    Where the tolerance follows the motion (motion_scale.py) it is all in atol.
    """
    n, rtol, atol = ints(m.sizes)[N], doubles(m.settings)[RELATIVE], doubles(m.atol)
    d, a, b = doubles(difference), doubles(y0), doubles(y1)
    total = 0.0
    for i in range(n):
        ratio = d[i] / (atol[i] + rtol * max(abs(a[i]), abs(b[i])))
        total += ratio * ratio
    return math.sqrt(total / n)


@jit
def all_finite(m: Memory, y: Any) -> bool:
    values = doubles(y)
    total = 0.0
    for i in range(ints(m.sizes)[N]):
        total += 0.0 * values[i]  # NaN as soon as one value is infinite or NaN
    return total == 0.0


@jit
def restore_quaternions(m: Memory, y: Any) -> None:
    """q / |q| for every quaternion of every lane."""
    sizes, where, values = ints(m.sizes), ints(m.quaternions), doubles(y)
    stride = sizes[STRIDE]
    for k in range(sizes[N_QUATERNIONS]):
        for lane in range(stride):
            i = where[k] * stride + lane
            w, x, y_, z = values[i], values[i + stride], values[i + 2 * stride], values[i + 3 * stride]
            factor = 1.0 / sqrt(w * w + x * x + y_ * y_ + z * z)
            values[i], values[i + stride] = factor * w, factor * x
            values[i + 2 * stride], values[i + 3 * stride] = factor * y_, factor * z
