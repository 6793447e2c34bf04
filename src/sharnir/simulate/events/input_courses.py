"""Inputs that motions follow: every communication step adds a piece to their courses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sharnir.dynamics.memory.input_course import FRONT, RECORD, USED, read_course
from sharnir.dynamics.system import System
from sharnir.kernel import location, number_of

RECORDS = 1000  # at first
MET = 1e-9  # of a step: times that differ by rounding


class Course:
    """One input on its way: cubic pieces with continuous speed.

    A piece leads from where the course is to the value that is given for the end of the step. Its speed there is given too, or
    that of the parabola through the last three values; so values of a uniformly accelerated motion are followed exactly.

    >>> course = Course(0.0)
    >>> for k in range(3):
    ...     _ = course.go_on(k * 0.5, (k + 1) * 0.5, ((k + 1) * 0.5) ** 2)
    >>> [round(float(read_course(course.memory, 1.25, k)), 12) for k in range(3)]
    [1.5625, 2.5, 2.0]
    """

    def __init__(self, initial: float) -> None:
        self.initial = initial
        self.memory = np.zeros(FRONT + RECORD * RECORDS)

    def go_on(self, t: float, until: float, value: float, rate: float | None = None) -> bool:
        """Lead to a value at the time `until`; False if nothing moves, before and behind t."""
        used = int(self.memory[USED])
        if used and self.memory[FRONT + RECORD * (used - 1)] == t:  # the same step is given again
            used -= 1
            self.memory[USED] = used
        before = self.memory[FRONT + RECORD * (used - 1) :][:RECORD] if used else np.zeros(RECORD)
        h, p0, v0 = until - t, self.initial, 0.0
        if used:
            met = abs(t - before[1]) <= MET * h  # so that what comes to rest is at rest, without rounding
            p0, v0 = before[6:] if met else (read_course(self.memory, t, k) for k in (0, 1))
        mean = (value - p0) / h
        if rate is None and not used:
            rate = 2.0 * mean
        elif rate is None:
            last = (p0 - before[2]) / (t - before[0])
            rate = mean + (mean - last) * h / (until - before[0])
        piece = (p0, v0, (3.0 * mean - 2.0 * v0 - rate) / h, (v0 + rate - 2.0 * mean) / h**2)
        if FRONT + RECORD * (used + 1) > len(self.memory):
            self.memory = np.concatenate([self.memory, np.zeros(len(self.memory) - FRONT)])
        self.memory[FRONT + RECORD * used :][:RECORD] = (t, until, *piece, value, rate)
        self.memory[USED] = used + 1
        return any(piece[1:]) or bool(before[3:6].any())


class Courses:
    """All courses of a run."""

    def __init__(self, system: System | None = None) -> None:
        known = {} if system is None else system.assembly.functions.courses
        self.courses = {name: Course(initial) for name, (_, initial) in known.items()}
        self.rates: dict[str, float] = {}  # given with values for the next step

    def go_on(self, t: float, until: float, values: Mapping[str, float]) -> bool:
        """The next communication step; True if something moves."""
        moves = [course.go_on(t, until, values[name], self.rates.get(name)) for name, course in self.courses.items()]
        self.rates = {}
        return any(moves)

    def hand_over(self, system: System) -> list[np.ndarray]:
        """Write the addresses of its courses into a system; returns what it must keep alive."""
        first = system.first_motion
        for name, course in self.courses.items():
            system.work[first + system.assembly.functions.courses[name][0]] = number_of(location(course.memory))
        return [course.memory for course in self.courses.values()]
