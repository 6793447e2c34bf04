"""Output of an accepted step: values at the grid points in it, and its record for dense output."""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.stepping.projection import project
from sharnir.integrate.stepping.run_memory import (
    ASTRAY,
    BLOCKS,
    CAPACITY,
    DENSE,
    DENSE_HEADER,
    DENSE_ROWS,
    FLIP,
    FOUND_T,
    HEADER,
    INTEGRALS,
    N_GRID,
    NEXT,
    NOT_PROJECTED,
    RECORD,
    RUNNING,
    SCRATCH,
    STATUS,
    USED,
    Memory,
    N,
)
from sharnir.integrate.stepping.state_rows import row
from sharnir.integrate.stepping.step_functions import call_interpolate
from sharnir.kernel import LANES, doubles, inline, ints, jit, lanes, shift, shift_address

SAME_MOMENT = 1e-14  # of a time


@jit
def write_output(m: Memory, y: Any) -> None:
    """The next grid point of the output = y."""
    n, counter = ints(m.sizes)[N], ints(m.counter)
    target, values = doubles(shift_address(m.output, counter[NEXT] * n)), doubles(y)
    for i in range(n):
        target[i] = values[i]
    if ints(m.sizes)[INTEGRALS] == 1:
        doubles(m.integrals)[counter[NEXT]] = values[n]
    counter[NEXT] = counter[NEXT] + 1


@jit
def write_projected(m: Memory, t: float, y: Any) -> None:
    """The next grid point of the output = the interpolated state y, brought onto the constraints; or the status says no."""
    counter = ints(m.counter)
    project(m, t, y)
    if counter[ASTRAY] == 1:
        counter[STATUS] = NOT_PROJECTED
    else:
        write_output(m, y)


@inline
def is_interpolated(m: Memory, t1: float, calm: bool) -> bool:
    """Somebody will ask for states within the step that ends at t1; not a search for events, if it is calm."""
    next_output, sizes = ints(m.counter)[NEXT], ints(m.sizes)
    inside = next_output < sizes[N_GRID] and doubles(m.grid)[next_output] < t1
    return sizes[CAPACITY] > 0 or inside or (m.events != 0 and not calm)


@jit
def keep_record(m: Memory, t: float, t1: float) -> None:
    """The next dense record: t, t1, what else an integrator has put into the header, then the rows of the polynomial."""
    counter, sizes = ints(m.counter), ints(m.sizes)
    record = shift_address(m.block, counter[USED] * sizes[RECORD])
    header, numbers = doubles(record), shift(doubles(m.clock), DENSE_HEADER)
    header[0], header[1] = t, t1
    for i in range(2, HEADER):
        header[i] = numbers[i]
    target, source = shift(lanes(record), HEADER // LANES), lanes(row(m, sizes[DENSE]))
    for e in range(sizes[DENSE_ROWS] * sizes[BLOCKS]):
        target[e] = 1.0 * source[e]
    counter[USED] = counter[USED] + 1


@inline
def end_of_outputs(m: Memory, t1: float) -> float:
    """Outputs go until the end of the step, or until an event: those of its moment, to rounding, show what was before it."""
    if m.events == 0 or doubles(m.watch)[FOUND_T] == math.inf:
        return t1
    return doubles(m.watch)[FOUND_T] + SAME_MOMENT * abs(doubles(m.watch)[FOUND_T])


@jit
def write_outputs(m: Memory, t: float, dt: float, t1: float) -> None:
    """Grid points in (t, t1]; the state at the end is written as it is, unless its projection has been relaxed."""
    counter, sizes, grid, end = ints(m.counter), ints(m.sizes), doubles(m.grid), end_of_outputs(m, t1)
    while counter[STATUS] == RUNNING and counter[NEXT] < sizes[N_GRID] and grid[counter[NEXT]] <= end:
        goal = grid[counter[NEXT]]
        if goal == t1 and m.relax == 0:
            write_output(m, row(m, 1 - counter[FLIP]))
        else:
            call_interpolate(m.interpolate, m, goal, t, dt, t1)
            write_projected(m, goal, row(m, sizes[SCRATCH]))
