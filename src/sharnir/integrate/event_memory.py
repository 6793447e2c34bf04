"""What Python sees of the events of a run: which functions count, which have fired, which have passed."""

from __future__ import annotations

import math

import numpy as np

from sharnir.integrate import event_values as E
from sharnir.integrate.memory import WATCH_HEADER
from sharnir.integrate.problem import Problem

LOG = 4096  # passing events that are noted before the run comes back to Python


class EventMemory:
    """`watch` and `marks` of events.py.

    >>> from sharnir.integrate import textbook_problem
    >>> def decay(t, y, yd):
    ...     yd[0] = -y[0]
    >>> EventMemory(textbook_problem(decay, 1)).fired
    ()
    """

    def __init__(self, problem: Problem) -> None:
        self.count, log = len(problem.directions), LOG if any(problem.passing) else 0
        self.watch = np.zeros(WATCH_HEADER + 7 * self.count + 2 * log)
        self.watch[E.FOUND_T] = math.inf
        passing = problem.passing or (False,) * self.count
        numbers = [*np.zeros(E.MARKS_HEADER), *problem.directions, *passing, *np.zeros(self.count)]
        self.marks = np.array(numbers, np.int64)
        self.marks[E.COUNT], self.marks[E.CAPACITY_LOG] = self.count, log

    @property
    def fired(self) -> tuple[int, ...]:
        """Functions that ended the last piece of the run, in their order."""
        first = E.MARKS_HEADER + E.FIRED * self.count
        return tuple(i for i, fired in enumerate(self.marks[first : first + self.count].tolist()) if fired)

    @property
    def passed(self) -> list[tuple[float, int]]:
        """Times and numbers of functions that only pass."""
        first = WATCH_HEADER + 7 * self.count
        log = self.watch[first : first + 2 * int(self.marks[E.LOGGED])].reshape(-1, 2)
        return [(float(t), int(i)) for t, i in log]

    def take_passed(self) -> list[tuple[float, int]]:
        """`passed`, and forget them."""
        found = self.passed
        self.marks[E.LOGGED] = 0
        return found

    def take_over(self, other: EventMemory) -> None:
        """Go on with what another run of the same events has seen."""
        self.watch[:], self.marks[:] = other.watch, other.marks

    def direction(self, i: int) -> int:
        """In which direction function i counts: 1 rising, -1 falling, 0 both, 2 neither."""
        return int(self.marks[E.MARKS_HEADER + i])

    def set_direction(self, i: int, direction: int) -> None:
        """From here on function i counts in this direction."""
        self.marks[E.MARKS_HEADER + i] = direction
