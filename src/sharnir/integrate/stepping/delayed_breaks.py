"""Delayed breaks: a jump at an event reappears in the right-hand side after every delay.

The list of breaks (break_times.py) has room behind its end for them, and behind that the delays themselves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sharnir.integrate.stepping.run_memory import BREAK_CAPACITY, N_BREAKS, N_DELAYS, NEXT_BREAK, Memory, T
from sharnir.kernel import doubles, ints, jit

SPARE = 256  # breaks for which there is room
MARGIN = 4e-15  # of a time on both sides of a break


@jit
def add_delayed_breaks(m: Memory) -> None:
    """The run begins anew at its present time: every delay brings that back."""
    sizes, t = ints(m.sizes), doubles(m.clock)[T]
    for k in range(sizes[N_DELAYS]):
        add_break(m, t + doubles(m.breaks)[2 * (sizes[BREAK_CAPACITY] + 1) + k])


@jit
def add_break(m: Memory, t: float) -> None:
    """One more break, in its place among those to come; without room for it, what has passed goes first."""
    counter, breaks, capacity = ints(m.counter), doubles(m.breaks), ints(m.sizes)[BREAK_CAPACITY]
    if counter[N_BREAKS] == capacity:
        passed = counter[NEXT_BREAK]
        for i in range(2 * (counter[N_BREAKS] + 1 - passed)):
            breaks[i] = breaks[2 * passed + i]
        counter[N_BREAKS], counter[NEXT_BREAK] = counter[N_BREAKS] - passed, 0
    if counter[N_BREAKS] == capacity:
        return
    before, behind = t - MARGIN * max(1.0, abs(t)), t + MARGIN * max(1.0, abs(t))
    k = counter[N_BREAKS]  # an infinite one stands there
    while k > counter[NEXT_BREAK] and breaks[2 * k - 2] > behind:
        k -= 1
    if k > counter[NEXT_BREAK] and breaks[2 * k - 1] >= before:  # it is there already
        breaks[2 * k - 1] = max(breaks[2 * k - 1], behind)
        return
    for i in range(2 * counter[N_BREAKS] + 1, 2 * k - 1, -1):
        breaks[i + 2] = breaks[i]
    breaks[2 * k], breaks[2 * k + 1] = before, behind
    counter[N_BREAKS] = counter[N_BREAKS] + 1


def breaks_with_room(found: Any, delays: Sequence[float]) -> np.ndarray:
    """Rows of breaks, an infinite one, room for more and another infinite one, then delays; flat.

    >>> breaks_with_room([[1.0, 2.0]], [0.5])[[0, 1, 2, -1]].tolist()
    [1.0, 2.0, inf, 0.5]
    """
    room = SPARE if len(delays) else 0
    rows = np.full((len(found) + room + 1, 2), math.inf)
    rows[: len(found)] = found
    return np.concatenate([rows.ravel(), np.asarray(delays, float)])
