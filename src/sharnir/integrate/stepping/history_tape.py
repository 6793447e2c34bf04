"""A tape: values of the past, as polynomials over the accepted steps of a run.

Every step leaves one record, or several where its polynomial is not the signal: beginning and end, and values at six Chebyshev
nodes between them, taken from the dense output of the integrator. What outputs look back at is never forgotten, so that it can
be computed again when the run is over.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sharnir.kernel import jit

DEGREE = 5  # of the polynomials
USED, BEFORE = 0, 1  # numbers in front of the records: how many there are, the value before the first one
FRONT = 2
RECORD = 2 + DEGREE + 1  # beginning, end, values


@jit
def node(k: int) -> float:
    """Chebyshev nodes with both ends, on 0 … 1."""
    return 0.5 - 0.5 * math.cos(math.pi * k / DEGREE)


MOST_RECORDS = 1024  # of one step
COMPARE, FORGET = -1, -2  # in place of the number of a node, see delay_recording.py
CHECKED = (0.236, 0.587)  # parts of a record, between its nodes, at which it is compared with the signal


@jit
def write_tape(tape: Any, k: int, t0: float, t1: float, u: float) -> None:
    """Value k of the record of a step; the record counts when it is complete."""
    at = FRONT + RECORD * int(tape[USED])
    tape[at], tape[at + 1], tape[at + 2 + k] = t0, t1, u
    if k == DEGREE:
        tape[USED] += 1.0


@jit
def read_tape(tape: Any, t: float) -> float:
    """The value at a time; before the first record a constant, behind the last one its polynomial."""
    count = int(tape[USED])
    if count == 0 or t <= tape[FRONT]:
        return tape[BEFORE]
    a, b = 0, count
    while b - a > 1:  # the last record that begins before t
        middle = (a + b) // 2
        if tape[FRONT + RECORD * middle] < t:
            a = middle
        else:
            b = middle
    return record_value(tape, FRONT + RECORD * a, t)


@jit
def record_value(tape: Any, at: int, t: float) -> float:
    """The polynomial of one record, which begins at this place."""
    x = (t - tape[at]) / (tape[at + 1] - tape[at])
    top, bottom = 0.0, 0.0
    for k in range(DEGREE + 1):  # barycentric formula; Berrut, Trefethen, SIAM Review 46 (2004), 5.4
        d = x - node(k)
        if d == 0.0:
            return tape[at + 2 + k]
        weight = (-1.0) ** k * (0.5 if k == 0 or k == DEGREE else 1.0) / d
        top += weight * tape[at + 2 + k]
        bottom += weight
    return top / bottom


@jit
def misfit(tape: Any, t: float, u: float, rtol: float) -> float:
    """How far the last record is from the signal, which is u at a time, in tolerances."""
    at = FRONT + RECORD * (int(tape[USED]) - 1)
    size = abs(u)
    for k in range(DEGREE + 1):
        size = max(size, abs(tape[at + 2 + k]))
    return abs(record_value(tape, at, t) - u) / (rtol * size + 1e-2 * rtol)


@jit
def take_back(tape: Any) -> None:
    """The last record does not count."""
    tape[USED] -= 1.0


def new_tape(before: float, records: int) -> np.ndarray:
    """An empty tape with room for some records.

    >>> tape = new_tape(1.0, 4)
    >>> for k in range(6):
    ...     write_tape(tape, k, 0.0, 2.0, (2.0 * node(k)) ** 3)
    >>> read_tape(tape, -1.0), round(read_tape(tape, 1.0), 12)
    (1.0, 1.0)
    """
    tape = np.zeros(FRONT + RECORD * records)
    tape[BEFORE] = before
    return tape


def room(tape: np.ndarray) -> int:
    """Records that still fit.

    >>> room(new_tape(0.0, 7))
    7
    """
    return (len(tape) - FRONT) // RECORD - int(tape[USED])


def thin(tape: np.ndarray, needed: np.ndarray, since: float) -> None:
    """Forget records that end before `since`, except the first one and those that hold one of the times `needed`.

    >>> tape = new_tape(0.0, 4)
    >>> for step in range(4):
    ...     for k in range(6):
    ...         write_tape(tape, k, step, step + 1.0, step + node(k))
    >>> thin(tape, np.array([1.5]), 3.5)
    >>> int(tape[USED]), round(float(read_tape(tape, 1.5)), 12), round(float(read_tape(tape, 3.25)), 12)
    (3, 1.5, 3.25)
    """
    used = int(tape[USED])
    if used == 0:
        return
    records = tape[FRONT : FRONT + RECORD * used].reshape(used, RECORD)
    keep = records[:, 1] >= since
    keep[:1] = True  # where the tape begins
    keep[np.maximum(np.searchsorted(records[:, 0], needed, side="left") - 1, 0)] = True  # as read_tape finds them
    kept = records[keep].ravel()
    tape[FRONT : FRONT + len(kept)] = kept
    tape[USED] = keep.sum()
