"""One run after the other in the same memory: what many short runs of one problem would spend on making it is spent once."""

from __future__ import annotations

import math
from copy import copy
from typing import Any

import numpy as np

from sharnir.integrate.events import event_book as B
from sharnir.integrate.run import Run
from sharnir.integrate.run_end import Pace
from sharnir.integrate.stepping import run_memory
from sharnir.integrate.stepping.settings import checked_state
from sharnir.kernel import location

# what a run changes; `_output` is written before it is read
KEPT = ("_clock", "_counter", "_rows", "_motion", "_matrix", "_ahead")


class RepeatedRun:
    """A run that has not begun, and begins again with other states and other numbers of the same problem.

    The result of each is that of a `Run` of its own, to the last bit.

    >>> from sharnir.integrate import ALL_INTEGRATORS, textbook_problem
    >>> def decay(t, y, yd):
    ...     yd[0] = -y[0]
    >>> run = RepeatedRun(Run(textbook_problem(decay, 1), [1.0], [0.0, 1.0], ALL_INTEGRATORS["dopri5"]()))
    >>> for y0 in (1.0, 2.0):
    ...     run.begin([y0], run.run.problem.params, run.run.problem.work)
    ...     run.run.advance(10**6)
    ...     print(round(float(run.run.state[0]), 6))
    0.367879
    0.735759
    """

    def __init__(self, run: Run) -> None:
        run.problem = copy(run.problem)  # whose memory changes
        self.run, self._memory, self._pace = run, run._memory, run._pace
        self._first = {name: getattr(run, name).copy() for name in KEPT}
        self._weights = run._layout.coefficients.copy()  # those of Adams' formulas change with the steps
        self._watch, self._marks = run.events.watch.copy(), run.events.marks.copy()
        self._header, self._book = run.events.book[: B.LOG].copy(), run.events.book[B.ROWS :].copy()
        self._quicker_at = run._quicker_at

    @staticmethod
    def is_possible(run: Run) -> bool:
        """Whether nothing else of the run changes: no delays, no second thread, no dense records."""
        problem = run.problem
        return problem.history is None and problem.box < 0 and not run._sizes[run_memory.CAPACITY] and not run._open_end

    def begin(
        self,
        y0: Any,
        params: np.ndarray,
        work: np.ndarray,
        extent: np.ndarray | None = None,
        table: np.ndarray | None = None,
        max_step: float = math.inf,
        breaks: Any = None,
    ) -> None:
        """The run stands at its beginning again, with another initial state, in other memory, with its breaks if it has any."""
        run, events = self.run, self.run.events
        table = run.problem.table if table is None else table
        run.problem.take(table=table, params=params, work=work)
        for name, numbers in self._first.items():
            getattr(run, name)[...] = numbers
        run._layout.coefficients[...] = self._weights
        events.watch[:], events.marks[:] = self._watch, self._marks
        events.book[: B.LOG], events.book[B.ROWS :] = self._header, self._book
        run._rows[0, : run.problem.size] = checked_state(run.problem, y0)
        if breaks is not run.problem.breaks:
            self._list_breaks(breaks)
        run._settings[run_memory.MAX_STEP] = max_step
        if extent is not None:
            run._motion[1] = extent
        run._pace = Pace(self._pace._t, self._pace._end, self._pace._most)
        run._quicker, run._quicker_at = None, self._quicker_at
        places = {"table": table, "params": params, "work": work, "breaks": run._breaks}
        run._set_memory(self._memory._replace(**{name: location(array) for name, array in places.items()}))

    def _list_breaks(self, breaks: Any) -> None:
        """The breaks of other numbers, from now on; the counters are those of the beginning."""
        run = self.run
        run.problem.take(breaks=breaks)
        run._breaks, run._counter[run_memory.N_BREAKS] = np.zeros(0), 0
        run._list_breaks(float(run._grid[0]), float(run._grid[-1]))
        self._first["_counter"][...] = run._counter
