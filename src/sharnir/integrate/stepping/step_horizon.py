"""Step limits that keep a run from jumping over contacts and other one-sided forces.

A problem that has them says, at the beginning of every step, how long it may be (`horizon` in problem.py), and when a gap opens
or closes within it. A step that its error would allow to be longer is shortened to what is safe. It is also shortened to the
moment at which a gap passes zero, because the right-hand side is not smooth there: what is cut off would have been rejected more
than once. That holds for few contacts and a tight tolerance. In a heap of bodies there is always a gap that opens or closes, and
a loose tolerance passes over it; so a step cut short costs CUT times what any other step earns, and without credit none is.
Fixed steps are what they are; the problem keeps which of them were too long.
"""

from __future__ import annotations

from sharnir.integrate.stepping.run_memory import DT, EVEN, FLIP, LAST_SLOPE, N_GRID, RAMP, RTOL, Memory, N, T
from sharnir.integrate.stepping.state_rows import row, update_derivative
from sharnir.kernel import call_derivative, doubles, ints, jit, shift_address

# numbers at `ahead`: step that is asked for; longest safe one, time to the next opening or closing gap, 1 if a contact begins
# here; time of the last answer, and 1 if there was one; steps that may still be cut short; middle of the widest gap between the
# stages of a step, 0 for methods of several steps; then rates, a state nearby, and memory of the problem
ASKED, SAFE, CROSSING, BEGINS, BEFORE, KNOWN, CREDIT, LIMIT, CUT, GAP = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
HEADER = 10
TIGHT = 1e-5  # relative tolerance
CUT_IF_TIGHT, CUT_IF_LOOSE = 1.0, 4.0
MOST_CREDIT = 40.0
SHORTEST = 1e-13  # of a time: steps are not cut shorter


@jit
def limited_step(m: Memory, dt: float, t1: float) -> tuple[float, float]:
    """(dt, t1) of a step that is proposed, not longer than the horizon."""
    t, ahead = doubles(m.clock)[T], doubles(m.ahead)
    if not (ahead[KNOWN] == 1.0 and ahead[BEFORE] == t and dt <= ahead[ASKED] * (1.0 + 1e-12)):
        look_ahead(m, t, dt)
    if ints(m.counter)[EVEN] == 1 or ints(m.counter)[RAMP] == 1 or not ahead[LIMIT] < dt:
        return dt, t1
    return ahead[LIMIT], t + ahead[LIMIT]


@jit
def look_ahead(m: Memory, t: float, dt: float) -> None:
    """Ask for the horizon of a step from here on, and decide what it is to be."""
    clock, ahead, grid = doubles(m.clock), doubles(m.ahead), doubles(m.grid)
    update_rates(m, t)
    ahead[ASKED], ahead[CUT] = dt, CUT_IF_TIGHT if doubles(m.settings)[RTOL] < TIGHT else CUT_IF_LOOSE
    call_derivative(m.horizon, t, row(m, ints(m.counter)[FLIP]), m.ahead, m.table, m.params, m.work)
    ahead[LIMIT] = ahead[SAFE]
    if ahead[CROSSING] < min(dt, ahead[SAFE]) and ahead[CREDIT] >= ahead[CUT]:
        ahead[LIMIT] = ahead[CROSSING]
        ahead[CREDIT] -= ahead[CUT]
    else:
        ahead[CREDIT] = min(ahead[CREDIT] + 1.0, MOST_CREDIT)
    ahead[LIMIT] = max(ahead[LIMIT], SHORTEST * max(abs(t), 1e-8 * (grid[ints(m.sizes)[N_GRID] - 1] - grid[0])))
    if ahead[BEGINS] == 1.0 and ahead[LIMIT] < clock[DT] and ints(m.counter)[EVEN] == 0:
        ahead[LIMIT] *= doubles(m.settings)[RTOL] ** 0.25  # forces grow from zero, as no polynomial does: begin carefully
        clock[DT] = ahead[LIMIT]


@jit
def update_rates(m: Memory, t: float) -> None:
    """Rates of the state at the beginning of a step: an integrator has them, or not."""
    sizes, flip = ints(m.sizes), ints(m.counter)[FLIP]
    first, second = sizes[LAST_SLOPE], sizes[LAST_SLOPE + 1]
    place = shift_address(m.ahead, HEADER)
    if first == 0 or first == second:
        update_derivative(m, t, row(m, flip), place)
        return
    source, target = doubles(row(m, second if flip == 0 else first)), doubles(place)
    for k in range(sizes[N]):
        target[k] = source[k]


def memory_size(n: int, own: int) -> int:
    """Numbers at `ahead`: ours, rates of a state of n numbers, a state nearby, and the problem's own.

    >>> memory_size(2, 3)
    17
    """
    return HEADER + 2 * n + own
