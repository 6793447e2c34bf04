"""integrator="auto": explicit at first; an implicit integrator takes over where it needs much less work.

No eigenvalues are estimated. When an explicit run has made many evaluations, Radau IIA tries to cover half the stretch of time
that the latest ones have covered. If it needs less than half of their work, the problem is stiff there, and Radau goes on from
the last output; if not, the explicit run goes on as if nothing had happened, and Radau is tried again after twice as many.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sharnir.dynamics.memory.memory_builder import aligned
from sharnir.dynamics.memory.switch_memory import OUTSIDE, SETTLE
from sharnir.integrate import Solution, integrate
from sharnir.integrate.choice import integrator_named
from sharnir.integrate.integration import CHUNK_SECONDS
from sharnir.integrate.run import Run
from sharnir.integrate.stepping.problem import Problem
from sharnir.integrate.stepping.settings import Settings, allowed_evaluations

FIRST_TRIAL = 50_000  # evaluations before an implicit integrator is tried
IMPLICIT = "radau5"
MOST_SPEEDS = 200  # of problems whose Jacobian, by differences and dense, is worth a trial
ADVANTAGE = 0.5  # part of the explicit work at which it is worth to change


def integrate_auto(
    problem: Problem, y0: np.ndarray, grid: np.ndarray, settings: dict[str, Any], advance: Callable[[float], None] | None = None
) -> Solution:
    """As `integrate` with integrator="auto", but stiff problems are handed over to Radau IIA.

    >>> from sharnir.integrate import textbook_problem
    >>> def fast(t, y, yd):
    ...     yd[0] = -1e5 * (y[0] - 2.0)
    >>> settings = {"integrator": "auto", "rtol": 1e-6, "atol": 1e-8}
    >>> solution = integrate_auto(textbook_problem(fast, 1), np.zeros(1), np.linspace(0.0, 10.0, 11), settings)
    >>> solution.stats["integrator"], round(float(solution.y[-1, 0]), 6)
    ('dopri5 → radau5', 2.0)
    """
    chosen = integrator_named("auto", settings.get("order"), settings["rtol"], settings.get("options"))
    given: dict[str, Any] = {name: settings[name] for name in ("rtol", "atol", "max_step") if name in settings}
    given["max_evaluations"] = allowed_evaluations(settings.get("options"), settings.get("max_evaluations", 10**9))
    run = Run(problem, y0, grid, chosen, Settings(**given))  # type: ignore[arg-type] # "auto" is one of our own
    if "free_step" in settings:  # filters bound the steps of the explicit method only
        given["max_step"] = settings["free_step"]
    with problem.second_thread():
        return _finished(problem, run, grid, given, advance)


def _finished(
    problem: Problem, run: Run, grid: np.ndarray, given: dict[str, Any], advance: Callable[[float], None] | None
) -> Solution:
    """The run to its end, or to where it is handed over."""
    stop, mark = FIRST_TRIAL // 2, (0, run.t)  # marks are numbers of evaluations, so that clocks decide nothing
    chunk = 1  # the first evaluation compiles, if that has not happened yet
    try:
        while not run.done:
            begin = time.perf_counter()
            run.advance(min(chunk, max(1, stop - run.stats["evaluations"])))
            pace = CHUNK_SECONDS / max(time.perf_counter() - begin, 1e-9)
            chunk = 2 if chunk == 1 else max(2, int(chunk * min(16.0, max(0.1, pace))))
            if advance is not None:
                advance(run.fraction)
            count = run.stats["evaluations"]
            if run.done or count < stop:
                continue
            if stop >= FIRST_TRIAL and is_stiff(problem, run, mark, grid, given):
                return handed_over(problem, run.solution(), grid, given, advance)
            stop, mark = 2 * stop, (count, run.t)
    except KeyboardInterrupt:
        pass  # the solution says "interrupted" and holds what was computed
    return run.solution()


def is_stiff(problem: Problem, run: Run, mark: tuple[int, float], grid: np.ndarray, given: dict[str, Any]) -> bool:
    """Whether Radau covers, with much less work, half a stretch of time as long as the run has covered since a mark."""
    if problem.n - problem.n_q > MOST_SPEEDS:
        return False
    (first, t_first), (last, t_last) = mark, (run.stats["evaluations"], run.t)
    so_far = run.solution()
    begin = float(so_far.t[-1])
    end = min(begin + 0.5 * (t_last - t_first), float(grid[-1]))
    work = (last - first) * (end - begin) / max(t_last - t_first, 1e-300)  # explicit evaluations for this stretch
    if not end > begin:
        return False
    return pays(run.present_problem, so_far.y[-1], begin, end, work, given)


def pays(problem: Problem, y: np.ndarray, begin: float, end: float, work: float, given: dict[str, Any]) -> bool:
    """Whether Radau covers a stretch of time with much less work; in a memory of its own: sides of switches are held in it.

    `problem` is the present one of a run: a trial must neither derive equations nor their derivatives. Without events nobody
    turns switches: then none are held.
    """
    limits = given | {"max_evaluations": max(1, int(ADVANTAGE * work))}
    trial = replace(problem, work=aligned([problem.work]))
    if problem.sides >= 0:
        trial.work[problem.sides] = OUTSIDE if problem.events is None else SETTLE
    found = integrate(trial, y, [begin, end], IMPLICIT, **limits)
    if found.status == "interrupted":  # Ctrl-C met the trial, and is for the whole run
        raise KeyboardInterrupt
    return found.success and work_of(problem, found.stats) < ADVANTAGE * work


class StiffnessWatch:
    """Tries Radau on the way of a run that events and clocks interrupt, after numbers of evaluations that double."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given
        self._run: Run | None = None
        self._stop, self._mark = 0, (0, 0.0, 0)

    def left(self, run: Run, happened: int) -> int:
        """Evaluations until the next look; clocks of the machine decide nothing. `happened`: events and ticks so far."""
        if run is not self._run:  # the structure has changed
            self._run, self._stop, self._mark = run, FIRST_TRIAL // 2, (run.evaluations, run.t, happened)
        return max(1, self._stop - run.evaluations)

    def is_stiff(self, run: Run, happened: int, longest: float) -> bool:
        """Whether it is time to look, and Radau is worth it; `longest`: how far a trial may go, to the next tick or delay."""
        if run.done or run is not self._run or run.evaluations < self._stop or run.problem.n - run.problem.n_q > MOST_SPEEDS:
            return False
        (first, t_first, before), stop = self._mark, self._stop
        covered, count = run.t - t_first, run.evaluations - first
        self._stop, self._mark = 2 * stop, (run.evaluations, run.t, happened)
        stretch = min(0.5 * covered / (1 + happened - before), longest)  # Radau, too, restarts after every event
        if stop < FIRST_TRIAL or not stretch > 1e-12 * max(1.0, run.t):
            return False
        quiet = replace(run.present_problem, events=None, directions=(), passing=(), stopping=(), actions=None, history=None)
        return pays(quiet, run.state.copy(), run.t, run.t + stretch, count * stretch / covered, self._given)


def work_of(problem: Problem, stats: dict[str, Any]) -> float:
    """Work of an implicit run in evaluations; a factorization of n³ counts as n²/20 of them."""
    n = problem.n - problem.n_q
    return stats["evaluations"] + stats["factorizations"] * n**2 / 20.0


def handed_over(
    problem: Problem, before: Solution, grid: np.ndarray, given: dict[str, Any], advance: Callable[[float], None] | None
) -> Solution:
    """The rest of the way by the implicit integrator, and both parts as one solution."""
    k, start = len(before.t), before.t[-1]
    part, reached = ((float(t) - grid[0]) / (grid[-1] - grid[0]) for t in (start, before.stats["t_reached"]))
    rest = None if advance is None else (lambda fraction: advance(float(max(reached, part + (1.0 - part) * fraction))))
    if problem.sides >= 0:  # it goes back to the last output
        problem.work[problem.sides] = SETTLE
    after = integrate(problem, before.y[-1], grid[k - 1 :], IMPLICIT, progress=rest, **given)
    stats = dict(after.stats)
    for name in ("steps", "rejected", "evaluations", "corrections"):
        if name in stats:
            stats[name] += before.stats[name]
    for name in ("largest_step", "position_residual", "speed_residual"):
        if name in stats:
            stats[name] = float(np.nanmax([stats[name], before.stats[name]]))
    stats["smallest_step"] = float(np.nanmin([stats["smallest_step"], before.stats["smallest_step"]]))
    stats |= {"integrator": f"{before.stats['integrator']} → {IMPLICIT}", "implicit_from": float(start)}
    y = np.concatenate([before.y, after.y[1:]])
    kept = None
    if before.integrals is not None and after.integrals is not None:
        kept = np.concatenate([before.integrals, before.integrals[-1] + after.integrals[1:]])
    return Solution(grid[: len(y)], y, after.status, after.message, stats, end=after.end, integrals=kept)
