"""Whether a run will come to its end: its progress between numbers of evaluations that double.

Where a solution runs into a singularity at t*, steps shrink with the distance from it, and from one doubling to the next a run
covers a constant part ρ ≤ 1 of the stretch that it covered before: t tends to t*, whatever the patience. A run that gets on,
however slowly, covers twice as much (ρ = 2), and one that comes into a hard phase does so again as soon as it is in it. A run
is given up only if ρ ≤ 1 in all of the last doublings and the geometric series, continued to the largest number of evaluations
allowed, does not reach the end; or if at the present pace that would take a thousand times as many.
"""

from __future__ import annotations

import math

FIRST = 1 << 15  # evaluations at the first look; it only takes the time
PATIENCE = 1 << 20  # evaluations before which nothing is given up
DOUBLINGS = 4  # that must have been slower each
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
        slower = comparable and (ratio <= 1.0 or progress == 0.0)
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
        if self._ratio < 1.0:
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
