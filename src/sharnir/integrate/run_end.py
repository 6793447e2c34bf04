"""How a run ended: finished, interrupted, or the reason why it could not continue."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sharnir.integrate.stepping import run_memory

if TYPE_CHECKING:
    from sharnir.integrate.run import Run


def run_message(run: Run) -> str:
    """Where a run stands, and why it does not go on."""
    status, t = int(run._counter[run_memory.STATUS]), f"t = {run.t:.9g}"
    if status == run_memory.BAD_START:
        bad = np.flatnonzero(~np.isfinite(run._rows[0, : run.problem.size]))
        what = f"the initial state (entry {bad[0]})" if bad.size else "the derivative of the initial state"
        return f"{what} is not finite at {t}; check initial values and parameters"
    if status == run_memory.NOT_PROJECTED:
        position, speed = run._clock[run_memory.REPORT : run_memory.REPORT + 2]
        what = "the state after" if run._counter[run_memory.STEPS] else "the initial state at"
        return (
            f"{what} {t} cannot be brought onto the constraints (residuals {position:.3g} of positions, {speed:.3g} of "
            "speeds): they contradict each other there, or a step is too long; check initial values, or tighten the tolerance"
        )
    return {
        run_memory.FINISHED: f"finished at {t}",
        run_memory.EVENT: f"an event at {t}",
        run_memory.PAUSED: f"paused at {t}",
        run_memory.RUNNING: f"interrupted at {t}",
        run_memory.NOT_FINITE: f"the state or its derivative became infinite or NaN after {t}",
        run_memory.NOT_SOLVED: f"the equations of the step after {t} could not be solved: make the fixed step shorter, or let "
        "the integrator choose it (control=True)",
        run_memory.TOO_SMALL: f"the step became smaller than rounding allows after {t}: a singularity, a discontinuity, "
        f"or too tight a tolerance (rtol = {run._settings[run_memory.RTOL]:g})",
        run_memory.TOO_MANY: f"stopped at {t} after {run._counter[run_memory.EVALUATIONS]} evaluations: too stiff for "
        "an explicit integrator (use radau5), or too tight a tolerance; loosen it, soften the stiffest spring, or "
        "raise max_evaluations",
        run_memory.STALLED: stall_message(run),
    }[status]


def stall_message(run: Run) -> str:
    """Steps become shorter and shorter."""
    done, limit = int(run._counter[run_memory.EVALUATIONS]), run._pace.limit
    place = f"would not pass t = {limit:.9g}" if limit < run._grid[-1] else "would not reach its end"
    return (
        f"stopped at t = {run.t:.9g} after {done} evaluations: steps become shorter and shorter (now "
        f"{run._clock[run_memory.DT]:.2g}) and the run {place}. Look for what becomes zero or infinite there, or for a "
        "force that jumps back and forth; to continue anyway, raise max_evaluations "
        f"({run._sizes[run_memory.MAX_EVALUATIONS]:.3g})"
    )


FIRST = 1 << 15  # evaluations at the first look; it only takes the time


PATIENCE = 1 << 20  # evaluations before which nothing is given up


DOUBLINGS = 4  # that must have been slower each


SLOWER = 1.3  # times the progress of the doubling before: even steps make 2, a motion that becomes evenly faster √2


CRAWL = 1000.0  # times the evaluations allowed


class Pace:
    """Looks at a run when its evaluations reach `mark`; clocks play no part, so that every run ends the same each time.

    >>> pace = Pace(0.0, 2.0, 10**9)
    >>> while not pace.stalled:  # 1 - t is inversely proportional to the evaluations made
    ...     pace.look(pace.mark, 1.0 - 100.0 / pace.mark)
    >>> pace.mark // 2 == PATIENCE, round(pace.limit, 6)
    (True, 1.0)
    """

    def __init__(self, begin: float, end: float, max_evaluations: int) -> None:
        self.mark, self.stalled, self.limit = FIRST, False, math.inf
        self._t, self._end, self._most = begin, end, max_evaluations
        self._progress, self._slower, self._ratio, self._last = 0.0, 0, 0.0, 0.0

    def look(self, evaluations: int, t: float) -> None:
        """At (or just above) the mark: `stalled` and `limit`, the time that will not be passed, are brought up to date."""
        progress, before, self._t = t - self._t, self._progress, t
        ratio = progress / before if before > 0.0 else math.inf
        comparable = self.mark > 2 * FIRST  # the first stretch begins with 0 evaluations
        slower = comparable and (ratio <= SLOWER or progress == 0.0)
        self._slower = self._slower + 1 if slower else 0
        self._ratio = max(self._ratio, ratio if progress > 0.0 else 0.0) if slower else 0.0
        self._progress, self._last = progress, ratio if progress > 0.0 else 0.0
        if evaluations >= PATIENCE:
            self.stalled = self._series_ends(evaluations, t) or self._crawls(evaluations, t)
        while self.mark <= evaluations:
            self.mark *= 2

    def _series_ends(self, evaluations: int, t: float) -> bool:
        if self._slower < DOUBLINGS:
            return False
        left = max(0, math.ceil(math.log2(max(1.0, self._most / evaluations))))
        if self._last < 1.0:
            self.limit = rounded(t, self._progress * self._last / (1.0 - self._last))
        return t + self._progress * sum(self._ratio**j for j in range(1, left + 1)) < self._end

    def _crawls(self, evaluations: int, t: float) -> bool:
        return 0.5 * evaluations * (self._end - t) > CRAWL * self._most * self._progress


def rounded(t: float, distance: float) -> float:
    """t + distance with no more decimals than the distance, which is an estimate, is worth; not below t.

    >>> rounded(0.99994, 6.3e-5)
    1.0
    """
    limit = t + distance
    coarse = round(limit, math.floor(-math.log10(distance))) if 0.0 < distance < math.inf else limit
    return coarse if coarse > t else limit
