"""Records of accepted steps for delayed signals, short enough for a polynomial to represent the signal to the tolerance."""

from __future__ import annotations

from sharnir.integrate.events.event_places import NODE, NODES_FROM, NODES_RTOL, NODES_TO
from sharnir.integrate.events.event_values import state_at
from sharnir.integrate.stepping.history_tape import CHECKED, COMPARE, DEGREE, FORGET, MOST_RECORDS, node
from sharnir.integrate.stepping.run_memory import EVALUATIONS, RTOL, Memory, T
from sharnir.kernel import call_derivative, doubles, ints, jit, shift_address

WORST = 3.0  # tolerances by which a record of the past may be off


@jit
def keep_history(m: Memory, end: float) -> None:
    """Write the step, up to an end, to records (history_tape.py) short enough to represent the delayed signals."""
    watch, start = doubles(m.watch), doubles(m.clock)[T]
    if m.history == 0 or end <= start:
        return
    watch[NODES_RTOL] = doubles(m.settings)[RTOL]
    t, length, shortest = start, end - start, (end - start) / MOST_RECORDS
    while t < end:
        t1 = end if t + 1.01 * length >= end else t + length
        keep_record(m, t, t1)
        if t1 - t > shortest and misfit_of_record(m, t, t1) > WORST:
            watch[NODE] = FORGET
            call_derivative(m.history, t, state_at(m, t), shift_address(m.watch, NODE), m.table, m.params, m.work)
            length = 0.5 * (t1 - t)
        else:
            t, length = t1, 2.0 * length
            ints(m.counter)[EVALUATIONS] = ints(m.counter)[EVALUATIONS] + (1 if t < end else 0)


@jit
def keep_record(m: Memory, start: float, end: float) -> None:
    """Values at the nodes of one record."""
    watch = doubles(m.watch)
    watch[NODES_FROM], watch[NODES_TO] = start, end
    for k in range(DEGREE + 1):
        watch[NODE] = k
        t = min(start + node(k) * (end - start), end)
        call_derivative(m.history, t, state_at(m, t), shift_address(m.watch, NODE), m.table, m.params, m.work)


@jit
def misfit_of_record(m: Memory, start: float, end: float) -> float:
    """Distance of the record from the signal it represents, in tolerances."""
    watch, worst = doubles(m.watch), 0.0
    for part in CHECKED:
        watch[NODE] = COMPARE
        t = start + part * (end - start)
        call_derivative(m.history, t, state_at(m, t), shift_address(m.watch, NODE), m.table, m.params, m.work)
        worst = max(worst, watch[NODE])
    return worst
