"""Runs of systems that differ in numbers only, one after the other in the memory of the first: each thread has one of its own."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate import Run, Settings, Solution, integrate, integrator_named
from sharnir.integrate.integration import finished_solution
from sharnir.integrate.repeated_run import RepeatedRun
from sharnir.integrate.stepping.settings import allowed_evaluations
from sharnir.integrate.sundials import Sundials


class OneMemory:
    """The memory of a run, in which runs of other systems begin, as far as these are the same but for numbers.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=1), sr.Prismatic("rail", "ground", "stone", axis="z"))
    >>> system, memory = m.compile(), OneMemory()
    >>> def made():
    ...     return Run(system.problem(), system.y0, np.array([0.0, 1.0]), integrator_named("dopri5"))
    >>> run = memory.first(system, made)
    >>> run is memory.again(system, system.y0, system.work_of_run())
    True
    """

    def __init__(self) -> None:
        self._repeated: RepeatedRun | None = None
        self._system: System | None = None
        self._places = self._words = np.zeros(0, np.int64)  # what a system writes into its table when it is asked for its problem

    def first(self, system: System, made: Callable[[], Run]) -> Run:
        """A run that is made now; runs that do no more than change its memory can follow in it."""
        before = system.table.copy(), system.params.copy(), system.work.copy()
        self._system, self._repeated, run = system, None, made()
        self._places = np.flatnonzero(system.table != before[0])
        self._words = system.table[self._places]
        kept = all(np.array_equal(x, y, equal_nan=True) for x, y in zip(before[1:], (system.params, system.work), strict=True))
        if kept and not system.has_tanks and RepeatedRun.is_possible(run):
            self._repeated = RepeatedRun(run)
        return run

    def again(self, system: System, y0: np.ndarray, work: np.ndarray, max_step: float = math.inf) -> Run | None:
        """The run of a system from its beginning on, instead of the one before; None if there is none that it could follow."""
        if self._repeated is None or not self._fits(system):
            return None
        if system.table is not self._repeated.run.problem.table:
            system.table[self._places] = self._words
        breaks = system.assembly.functions.breaks
        found = breaks if breaks.any else None
        self._repeated.begin(y0, system.params, work, system.extents, system.table, max_step, found)
        return self._repeated.run

    def _fits(self, system: System) -> bool:
        """Whether a system has the equations of the one whose memory is there, and other numbers at most."""
        known = self._system
        if known is None or (system.assembly is known.assembly and system.table is known.table):
            return known is not None
        return system.plan is not None and system.plan is known.plan and system.derived is known.derived is None

    def give_away(self) -> None:
        """Somebody else needs the memory; the next run has one of its own."""
        self._repeated = self._system = None


class RunsInOneMemory(threading.local):
    """Solutions over one grid with the same settings.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=1), sr.Prismatic("rail", "ground", "stone", axis="z"))
    >>> runs = RunsInOneMemory(np.array([0.0, 1.0]), {"integrator": "dopri5", "rtol": 1e-8, "atol": 1e-10})
    >>> system = m.compile()
    >>> [round(float(runs.solution(system, np.array([0.0, v]))[0].y[-1, 0]), 6) for v in (0.0, 1.0)]
    [-4.905, -3.905]
    """

    def __init__(self, grid: np.ndarray, settings: dict[str, Any]) -> None:
        self.grid, self.settings = grid, settings
        self._memory = OneMemory()

    def solution(self, system: System, y0: np.ndarray, max_step: float = math.inf) -> tuple[Solution, np.ndarray]:
        """The run of a system from a state, and its memory; the next one overwrites the states of this one."""
        work = system.work_of_run()
        run = self._memory.again(system, y0, work, max_step) or self._first(system, y0, work, max_step)
        if run is None:
            problem = system.problem(audited=True).alone()
            return integrate(problem, y0, self.grid, **self.settings | {"max_step": max_step}), problem.work
        return finished_solution(run), work

    def _first(self, system: System, y0: np.ndarray, work: np.ndarray, max_step: float) -> Run | None:
        """A run in new memory; None if another program makes it."""
        given = self.settings | {"max_step": max_step}
        rtol, options = given["rtol"], given.pop("options", None)
        chosen = integrator_named(given.pop("integrator"), given.pop("order", None), rtol, options)
        if isinstance(chosen, Sundials):
            return None
        settings = Settings(**given, max_evaluations=allowed_evaluations(options))

        def made() -> Run:
            return Run(system.problem(audited=True).alone().with_work(work), y0, self.grid, chosen, settings)

        return self._memory.first(system, made)
