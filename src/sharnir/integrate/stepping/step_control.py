"""Step sizes that are not the integrator's own choice: the first step, stops, equal steps, and the end of a run."""

from __future__ import annotations

import math
from typing import Any

from sharnir.integrate.stepping.run_memory import (
    ANCHOR,
    ASTRAY,
    CAPACITY,
    DT,
    DT_LARGEST,
    DT_SMALLEST,
    EVALUATIONS,
    EVEN,
    EVEN_STEPS,
    FACTORED_DT,
    FAILURES,
    FINISHED,
    FLIP,
    FULL,
    LAND_T,
    MAX_EVALUATIONS,
    MAX_STEP,
    N_GRID,
    NEXT,
    NEXT_BREAK,
    NOT_FINITE,
    NOT_PROJECTED,
    ONE_STEP,
    ORDER,
    PAUSED,
    RAMP,
    RESUMED,
    RUNNING,
    SCRATCH,
    STARTED,
    STATUS,
    STEP,
    STEPS,
    STEPS_BEFORE,
    STOP,
    SUBSTEP,
    SUBSTEPS,
    TARGET_ORDER,
    TOO_MANY,
    TOO_SMALL,
    USED,
    Memory,
    N,
    T,
)
from sharnir.integrate.stepping.state_rows import all_finite, row, scaled_rms, update_derivative
from sharnir.integrate.stepping.step_horizon import limited_step
from sharnir.kernel import doubles, inline, ints, jit


@jit
def first_step(m: Memory, f0: Any, f1: Any, order: int) -> float:
    """Step whose error should be about 1 % of the tolerance: Hairer, Nørsett, Wanner I, II.4, "starting step size"."""
    sizes, clock, grid, scratch = ints(m.sizes), doubles(m.clock), doubles(m.grid), row(m, ints(m.sizes)[SCRATCH])
    y0 = row(m, ints(m.counter)[FLIP])
    n, t, span = sizes[N], clock[T], grid[sizes[N_GRID] - 1] - clock[T]
    d0, d1 = scaled_rms(m, y0, y0, y0), scaled_rms(m, f0, y0, y0)
    dt = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    dt = max(dt, 1e-12 * abs(t))  # a state that is zero but for rounding, behind an event, must not ask for steps below that of t
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


@inline
def next_step(m: Memory) -> tuple[float, float]:
    """(dt, t1) of the step to try."""
    dt, t1 = even_step(m) if ints(m.counter)[EVEN] == 1 else trimmed_step(m)
    return (dt, t1) if m.horizon == 0 else limited_step(m, dt, t1)


@inline
def goal_of_steps(m: Memory) -> float:
    """The time that controlled steps must not pass, and hit exactly: the end of the grid, or a stop or break before it."""
    return min(doubles(m.grid)[ints(m.sizes)[N_GRID] - 1], doubles(m.clock)[STOP], doubles(m.clock)[LAND_T], next_break(m))


@inline
def next_break(m: Memory) -> float:
    """The last moment before the right-hand side stops being smooth; infinite: it does not."""
    return doubles(m.breaks)[2 * ints(m.counter)[NEXT_BREAK]]


@inline
def behind_break(m: Memory) -> float:
    """The first moment behind it."""
    return doubles(m.breaks)[2 * ints(m.counter)[NEXT_BREAK] + 1]


@inline
def trimmed_step(m: Memory) -> tuple[float, float]:
    """(dt, t1) of the next controlled step: the goal is hit exactly, and not by a sliver of a step."""
    clock = doubles(m.clock)
    t, t_end = clock[T], goal_of_steps(m)
    longest, rest = doubles(m.settings)[MAX_STEP], t_end - clock[T]
    dt = min(clock[DT], longest)
    if 1.01 * dt >= rest and rest <= longest:
        return rest, t_end
    if 2.0 * dt > rest:
        dt = 0.5 * rest
    return dt, t + dt


@inline
def even_step(m: Memory) -> tuple[float, float]:
    """(dt, t1) of the next of equal steps, not longer than asked, that lead from ANCHOR to the next grid point, stop or break."""
    clock, counter, settings = doubles(m.clock), ints(m.counter), doubles(m.settings)
    goal, start = min(doubles(m.grid)[counter[NEXT]], clock[STOP], clock[LAND_T], next_break(m)), clock[ANCHOR]
    if counter[SUBSTEP] == 0:
        longest = min(settings[STEP], settings[MAX_STEP])
        counter[SUBSTEPS] = max(1, math.ceil((goal - start) / longest * (1.0 - 1e-12)))
    dt, number = (goal - start) / counter[SUBSTEPS], counter[SUBSTEP] + 1
    return dt, goal if number == counter[SUBSTEPS] else start + number * dt


@inline
def is_too_small(m: Memory, dt: float, t1: float) -> bool:
    """The step is lost in the rounding of t (and it is not merely the rest of the interval)."""
    grid = doubles(m.grid)
    t_begin, t_end = grid[0], grid[ints(m.sizes)[N_GRID] - 1]
    return ints(m.counter)[EVEN] == 0 and t1 < goal_of_steps(m) and dt < 1e-15 * max(abs(t1), 1e-8 * (t_end - t_begin))


@jit
def failure(m: Memory, y: Any) -> int:
    """Why a run ends whose step has become too small; y is the last attempt."""
    if ints(m.counter)[ASTRAY] == 1:
        return NOT_PROJECTED
    return TOO_SMALL if all_finite(m, y) else NOT_FINITE


@inline
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


@inline
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
    if counter[NEXT] == ints(m.sizes)[N_GRID] and counter[STATUS] == RUNNING:
        counter[STATUS] = FINISHED
    if t1 >= clock[STOP] and counter[STATUS] == RUNNING:
        counter[STATUS] = PAUSED


@inline
def is_controlled(m: Memory) -> bool:
    """The length of this step follows from its error. That of even steps does not, nor of those that lead up to them."""
    counter = ints(m.counter)
    return counter[EVEN] == 0 and not (counter[RAMP] == 1 and counter[ORDER] == ints(m.sizes)[TARGET_ORDER])


@jit
def climb(m: Memory, dt: float, t1: float) -> None:
    """Up to the even step without control: these errors are of the order of the method.

    Doubling at every step would magnify the rounding in the differences, so we wait until the last change has left them.
    """
    counter, clock, settings = ints(m.counter), doubles(m.clock), doubles(m.settings)
    longest = min(settings[STEP], settings[MAX_STEP])
    if 1.001 * dt > longest:
        counter[RAMP], counter[EVEN], counter[SUBSTEP], clock[ANCHOR] = 0, 1, 0, t1
    elif counter[SUBSTEP] > ints(m.sizes)[TARGET_ORDER]:
        counter[SUBSTEP], clock[DT] = 0, min(2.0 * dt, longest)


@jit
def begin_anew(m: Memory) -> None:
    """The state in row 0 is where the run begins once more."""
    counter, clock, sizes = ints(m.counter), doubles(m.clock), ints(m.sizes)
    counter[STEPS_BEFORE] = counter[STEPS_BEFORE] + counter[STEPS]
    counter[FLIP] = counter[STARTED] = counter[STEPS] = counter[SUBSTEP] = counter[FAILURES] = counter[RAMP] = 0
    counter[RESUMED], counter[EVEN], counter[STATUS] = 1, sizes[EVEN_STEPS], RUNNING
    clock[FACTORED_DT] = 0.0
    if sizes[EVEN_STEPS] == 1:
        clock[DT] = doubles(m.settings)[STEP]
    elif sizes[ONE_STEP] == 0:
        clock[DT] = 0.0  # the history is gone: begin as carefully as at first
