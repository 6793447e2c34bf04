"""Kernels that all integrators share: linear combinations of rows, norms, quaternions, choice of the step, output.

Rows are handled as vector registers of 8 floats (`lanes`), whatever the number of problems side by side.
"""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.memory import (
    ANCHOR,
    BAD_START,
    BLOCK,
    BLOCKS,
    CAPACITY,
    DT,
    DT_LARGEST,
    DT_SMALLEST,
    EVALUATIONS,
    EVEN,
    FINISHED,
    FLIP,
    FULL,
    MAX_EVALUATIONS,
    MAX_STEP,
    N_GRID,
    N_QUATERNIONS,
    NEXT,
    RECORD,
    RTOL,
    RUNNING,
    SCRATCH,
    STARTED,
    STATUS,
    STEP,
    STEPS,
    STRIDE,
    SUBSTEP,
    SUBSTEPS,
    TOO_MANY,
    USED,
    Memory,
    N,
    T,
)
from sharnir.kernel import call_derivative, doubles, ints, jit, lanes, shift_address, sqrt


@jit
def row(m: Memory, r: int) -> Any:
    """Address of row r."""
    return shift_address(m.rows, r * BLOCK * ints(m.sizes)[BLOCKS])


@jit
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
    """Root mean square of difference_i / (atol_i + rtol * max(|y0_i|, |y1_i|)); NaN if anything is not finite."""
    n, rtol, atol = ints(m.sizes)[N], doubles(m.settings)[RTOL], doubles(m.atol)
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


@jit
def update_output(m: Memory, k: int, y: Any) -> None:
    """Grid point k of the output = y."""
    n = ints(m.sizes)[N]
    target, values = doubles(shift_address(m.output, k * n)), doubles(y)
    for i in range(n):
        target[i] = values[i]


@jit
def begin(m: Memory, f0: Any) -> None:
    """First derivative, from the initial state in row 0; status BAD_START if they are not finite."""
    counter, clock = ints(m.counter), doubles(m.clock)
    y0 = row(m, counter[FLIP])  # not row(m, 0): a literal argument would compile one more copy of the function
    restore_quaternions(m, y0)
    update_output(m, counter[NEXT], y0)
    counter[STARTED], counter[NEXT] = 1, 1
    clock[T] = doubles(m.grid)[0]
    clock[ANCHOR] = clock[T]
    clock[DT], clock[DT_SMALLEST] = doubles(m.settings)[STEP], math.inf
    if ints(m.sizes)[N_GRID] == 1:
        counter[STATUS] = FINISHED
        return
    update_derivative(m, clock[T], y0, f0)
    if not (all_finite(m, y0) and all_finite(m, f0)):
        counter[STATUS] = BAD_START


@jit
def first_step(m: Memory, f0: Any, f1: Any, order: int) -> float:
    """Step whose error should be about 1 % of the tolerance: Hairer, Nørsett, Wanner I, II.4, "starting step size"."""
    sizes, clock, grid, scratch = ints(m.sizes), doubles(m.clock), doubles(m.grid), row(m, ints(m.sizes)[SCRATCH])
    y0 = row(m, ints(m.counter)[FLIP])
    n, t, span = sizes[N], clock[T], grid[sizes[N_GRID] - 1] - clock[T]
    d0, d1 = scaled_rms(m, y0, y0, y0), scaled_rms(m, f0, y0, y0)
    dt = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    dt = min(dt, span, doubles(m.settings)[MAX_STEP])
    start, slope, end, change = doubles(y0), doubles(f0), doubles(scratch), doubles(f1)
    for i in range(n):
        end[i] = start[i] + dt * slope[i]
    update_derivative(m, t + dt, scratch, f1)
    for i in range(n):
        change[i] -= slope[i]
    d2 = scaled_rms(m, f1, y0, y0) / dt
    largest = max(d1, d2)
    if not largest < math.inf:  # the trial step left the domain of f: let the step control grow from a tiny step
        return 1e-3 * dt
    better = max(1e-6, 1e-3 * dt) if largest <= 1e-15 else (0.01 / largest) ** (1.0 / order)
    return min(100.0 * dt, better, span)


@jit
def trimmed_step(m: Memory) -> tuple[float, float]:
    """(dt, t1) of the next controlled step: the end of the grid is hit exactly, and not by a sliver of a step."""
    clock, grid = doubles(m.clock), doubles(m.grid)
    t, t_end = clock[T], grid[ints(m.sizes)[N_GRID] - 1]
    longest, rest = doubles(m.settings)[MAX_STEP], t_end - clock[T]
    dt = min(clock[DT], longest)
    if 1.01 * dt >= rest and rest <= longest:
        return rest, t_end
    if 2.0 * dt > rest:
        dt = 0.5 * rest
    return dt, t + dt


@jit
def even_step(m: Memory) -> tuple[float, float]:
    """(dt, t1) of the next of equal steps, not longer than asked, that lead from ANCHOR to the next grid point."""
    clock, counter, settings = doubles(m.clock), ints(m.counter), doubles(m.settings)
    goal, start = doubles(m.grid)[counter[NEXT]], clock[ANCHOR]
    if counter[SUBSTEP] == 0:
        longest = min(settings[STEP], settings[MAX_STEP])
        counter[SUBSTEPS] = max(1, math.ceil((goal - start) / longest * (1.0 - 1e-12)))
    dt, number = (goal - start) / counter[SUBSTEPS], counter[SUBSTEP] + 1
    return dt, goal if number == counter[SUBSTEPS] else start + number * dt


@jit
def is_too_small(m: Memory, dt: float, t1: float) -> bool:
    """The step is lost in the rounding of t (and it is not merely the rest of the interval)."""
    grid = doubles(m.grid)
    t_begin, t_end = grid[0], grid[ints(m.sizes)[N_GRID] - 1]
    return ints(m.counter)[EVEN] == 0 and t1 < t_end and dt < 1e-15 * max(abs(t1), 1e-8 * (t_end - t_begin))


@jit
def may_step(m: Memory) -> bool:
    """The run goes on, there is room for a dense record, and evaluations are left? Otherwise the status says why not."""
    counter, sizes = ints(m.counter), ints(m.sizes)
    if counter[STATUS] != RUNNING:
        return False
    if sizes[CAPACITY] > 0 and counter[USED] == sizes[CAPACITY]:
        counter[STATUS] = FULL
    elif counter[EVALUATIONS] >= sizes[MAX_EVALUATIONS]:
        counter[STATUS] = TOO_MANY
    return counter[STATUS] == RUNNING


@jit
def new_record(m: Memory, t0: float, t1: float) -> Any:
    """Address of the next dense record: HEADER floats, of which t0 and t1 are the first, then its rows."""
    counter = ints(m.counter)
    record = shift_address(m.block, counter[USED] * ints(m.sizes)[RECORD])
    header = doubles(record)
    header[0], header[1] = t0, t1
    counter[USED] = counter[USED] + 1
    return record


@jit
def close_step(m: Memory, dt: float, t1: float) -> None:
    """After an accepted step: swap roles of the rows, move the clock, see whether the grid is done."""
    counter, clock = ints(m.counter), doubles(m.clock)
    counter[FLIP] = 1 - counter[FLIP]
    counter[STEPS] = counter[STEPS] + 1
    clock[T] = t1
    clock[DT_SMALLEST], clock[DT_LARGEST] = min(clock[DT_SMALLEST], dt), max(clock[DT_LARGEST], dt)
    counter[SUBSTEP] = counter[SUBSTEP] + 1
    if counter[SUBSTEP] == counter[SUBSTEPS]:
        counter[SUBSTEP], clock[ANCHOR] = 0, t1
    if counter[NEXT] == ints(m.sizes)[N_GRID]:
        counter[STATUS] = FINISHED
