"""What Python sees of the events of a run: which functions count, which have fired, which have passed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sharnir.integrate.events import event_book as B
from sharnir.integrate.events import event_places as E
from sharnir.integrate.stepping.problem import Problem
from sharnir.integrate.stepping.run_memory import FOUND_T, UNSURE, WATCH_HEADER

ZERO = 1e-12  # of a function, in its own units, at the start of a run
LOG = 4096  # passing events that are noted before the run comes back to Python


class EventMemory:
    """`watch` and `marks` of event_places.py, and the book of events; `span` is the length of the run.

    >>> from sharnir.integrate import textbook_problem
    >>> def decay(t, y, yd):
    ...     yd[0] = -y[0]
    >>> EventMemory(textbook_problem(decay, 1)).fired
    ()
    """

    def __init__(self, problem: Problem, span: float = 1.0) -> None:
        self.count, log = len(problem.directions), LOG if any(problem.passing) else 0
        self.watch = np.zeros(WATCH_HEADER + E.VALUES * self.count + 2 * log)
        self.watch[FOUND_T] = self.watch[E.BEGIN_SLOPE_T] = self.watch[E.END_SLOPE_T] = self.watch[E.JUMP_T] = math.inf
        passing = problem.passing or (False,) * self.count
        stopping = problem.stopping or (False,) * self.count
        numbers = [
            *np.zeros(E.MARKS_HEADER),
            *problem.directions,
            *passing,
            *np.zeros(self.count),
            *stopping,
            *np.zeros(self.count),
        ]
        self.marks = np.array(numbers, np.int64)
        self.marks[E.COUNT], self.marks[E.CAPACITY_LOG] = self.count, log
        self.marks[E.FIRST_SWITCH] = self.count - problem.switches
        self.book = np.zeros(B.ROWS + (B.KINDS + B.RECENT) * self.count if self.count else B.LOG)
        self.book[B.SPAN] = span

    @property
    def fired(self) -> tuple[int, ...]:
        """Functions that ended the last piece of the run, in their order."""
        return tuple(i for i, fired in enumerate(self._fired) if fired == E.HAS_FIRED)

    @property
    def resting(self) -> tuple[int, ...]:
        """Functions that go on, although their events turn something round."""
        return tuple(i for i, fired in enumerate(self._fired) if fired == E.RESTING)

    @property
    def marked(self) -> list[int]:
        """Functions that are zero to rounding."""
        return [i for i, fired in enumerate(self._fired) if fired]

    @property
    def sides(self) -> dict[int, int]:
        """Of functions that are zero to rounding, but did not fire: on which side they are, 1 or -1."""
        return {i: 1 if fired == E.ABOVE else -1 for i, fired in enumerate(self._fired) if fired in (E.ABOVE, E.BELOW)}

    def begin_at(self, values: Sequence[float]) -> None:
        """Values of all functions at the start: those that are zero to rounding are on the side to which they go."""
        for i, g in enumerate(values):
            if abs(g) <= ZERO:
                self.marks[E.MARKS_HEADER + E.FIRED * self.count + i], self.marks[UNSURE] = E.HAS_FIRED, 1
                self.watch[WATCH_HEADER + E.LOW * self.count + i] = 0.01 * ZERO if self.direction(i) == -1 else -0.01 * ZERO

    def let_pass(self, i: int) -> None:
        """Function i may go on, now and later: its event turns something else round."""
        self.marks[E.MARKS_HEADER + E.STOPPING * self.count + i] = 0
        self.forget_side(i)

    def forget_side(self, i: int) -> None:
        """Function i is where its value says."""
        self.marks[E.MARKS_HEADER + E.FIRED * self.count + i] = 0

    @property
    def _fired(self) -> list[int]:
        first = E.MARKS_HEADER + E.FIRED * self.count
        return [int(mark) for mark in self.marks[first : first + self.count].tolist()]

    @property
    def passed(self) -> list[tuple[float, int]]:
        """Times and numbers of functions that only pass."""
        first = WATCH_HEADER + E.VALUES * self.count
        log = self.watch[first : first + 2 * int(self.marks[E.LOGGED])].reshape(-1, 2)
        return [(float(t), int(i)) for t, i in log]

    def take_passed(self) -> list[tuple[float, int]]:
        """`passed`, and forget them."""
        found = self.passed
        self.marks[E.LOGGED] = 0
        return found

    def take_over(self, other: EventMemory) -> None:
        """Go on with what another run of the same events has seen; where formulas switch otherwise, with the events alone."""
        if self.count == other.count:
            self.watch[:], self.marks[:], self.book[:] = other.watch, other.marks, other.book
            return
        events, header = int(self.marks[E.FIRST_SWITCH]), slice(0, B.ROWS)
        own = self.marks[[E.COUNT, E.FIRST_SWITCH, E.CAPACITY_LOG]].copy()
        self.marks[: E.MARKS_HEADER] = other.marks[: E.MARKS_HEADER]
        self.marks[[E.COUNT, E.FIRST_SWITCH, E.CAPACITY_LOG]] = own
        self.watch[:WATCH_HEADER] = other.watch[:WATCH_HEADER]
        for mine, theirs, first, kinds in (
            (self.watch, other.watch, WATCH_HEADER, E.VALUES),
            (self.marks, other.marks, E.MARKS_HEADER, (len(self.marks) - E.MARKS_HEADER) // max(self.count, 1)),
        ):
            for kind in range(kinds):
                at, was = first + kind * self.count, first + kind * other.count
                mine[at : at + events] = theirs[was : was + events]
        log, was_log = WATCH_HEADER + E.VALUES * self.count, WATCH_HEADER + E.VALUES * other.count
        self.watch[log:] = other.watch[was_log:]
        if not events:
            return
        self.book[header] = other.book[header]
        for kind in range(B.KINDS):
            at, was = B.ROWS + kind * self.count, B.ROWS + kind * other.count
            self.book[at : at + events] = other.book[was : was + events]
        at, was = B.ROWS + B.KINDS * self.count, B.ROWS + B.KINDS * other.count
        self.book[at : at + B.RECENT * events] = other.book[was : was + B.RECENT * events]

    def direction(self, i: int) -> int:
        """In which direction function i counts: 1 rising, -1 falling, 0 both, 2 neither."""
        return int(self.marks[E.MARKS_HEADER + i])

    def set_direction(self, i: int, direction: int) -> None:
        """From here on function i counts in this direction."""
        self.marks[E.MARKS_HEADER + i] = direction

    def happens(self, i: int, t: float) -> int:
        """Count event i; not zero if it chatters (chattering.py)."""
        from sharnir.integrate.events.chattering import count_happening

        return int(count_happening(self.book, self.count, i, t))

    def times(self, i: int) -> int:
        """How often event i has happened."""
        return int(self.book[B.ROWS + B.COUNT * self.count + i])

    def last_time(self, i: int) -> float:
        """When event i has happened last."""
        return float(self.book[B.ROWS + B.KINDS * self.count + B.RECENT * (i + 1) - 1])

    @property
    def asked(self) -> list[int]:
        """Functions whose events compiled actions have left to Python."""
        return [int(i) for i in np.flatnonzero(self.book[B.ROWS + B.PENDING * self.count :][: self.count])]

    @property
    def answer(self) -> tuple[float, int]:
        """What compiled actions have said last (ASK, …), and of which event."""
        return float(self.book[B.ANSWER]), int(self.book[B.CULPRIT])

    def take_log(self) -> np.ndarray:
        """What compiled actions have noted, and forget it: rows of t, event, energy before, energy after."""
        size = B.LOG_ENTRY * int(self.book[B.LOGGED])
        self.book[B.LOGGED] = 0.0
        return self.book[B.LOG : B.LOG + size].reshape(-1, B.LOG_ENTRY).copy()
