"""Many runs with events, clocks, delays or tanks that empty: one after the other, in one memory if possible."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate import Run, Solution
from sharnir.results import Result
from sharnir.simulate.audit.many_audits import ManyAudits
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.events.event_run import Begin, started_loop, to_the_end
from sharnir.simulate.events.run_parts import EndedRun
from sharnir.simulate.events.structure_change import Compile
from sharnir.simulate.recording import record, recorded_parts
from sharnir.simulate.runs_in_one_memory import OneMemory

PIECE = 1000  # evaluations before the first look at a run whose functions have been called before


def runs_in_turn(
    systems: list[System],
    y0: np.ndarray,
    grid: np.ndarray,
    settings: list[dict[str, Any]],
    compile_changed: Compile,
    audits: ManyAudits,
) -> tuple[np.ndarray, dict[int, str], dict[int, Callable[[], Result]]]:
    """States of all runs on the grid, what failed and why, and what makes their results, each as `simulate` gives it."""
    y = np.full((len(y0), len(grid), y0.shape[1]), np.nan)
    failures: dict[int, str] = {}
    results: dict[int, Callable[[], Result]] = {}
    memory = OneMemory()
    for i, start in enumerate(y0):
        begin = perf_counter()
        system = systems[i if len(systems) > 1 else 0]
        _ = system.extents  # found once, for all copies
        loop = started_loop(system, grid, settings[i], compile_changed, first_run=partial(_first_run, memory), y0=start)
        solution = to_the_end(loop, grid, settings[i], chunk=PIECE if i else 1)
        stopped = loop.failed or not loop.goes_on
        if solution.status in ("interrupted", "paused") and not stopped:
            raise KeyboardInterrupt
        if loop.failed or (solution.status != "finished" and not stopped):
            failures[i] = loop.message if loop.failed else solution.message
        audit = audits.take_loop(i, loop, not settings[i]["control"])
        if len(loop.parts) == 1:
            solution = _leave(loop, solution, y[i])
        else:
            memory.give_away()
            _fill(y[i], grid, system, loop)
        results[i] = partial(record, loop.system, solution, perf_counter() - begin, failures.get(i), loop, audit)
    return y, failures, results


def _first_run(memory: OneMemory, system: System, y0: np.ndarray, begin: Begin, max_step: float) -> Run:
    """The run of a system from its beginning on, in the memory of the one before if possible."""
    system.hold_sides(system.work)

    run = memory.again(system, y0, system.work, max_step)
    return run or memory.first(system, lambda: begin(system, y0, 0.0, 0, True)[0])


def _leave(loop: EventLoop, solution: Solution, y: np.ndarray) -> Solution:
    """Keep what is asked of a run that has ended, for the next one overwrites its memory: its states, in y."""
    y[: len(solution.t)] = solution.y
    kept = Solution(solution.t, y[: len(solution.t)], solution.status, solution.message, solution.stats)
    ended: Any = EndedRun(loop.run.problem, kept)  # results ask for no more of a run
    loop.run = loop.parts[0].run = ended
    return kept


def _fill(y: np.ndarray, grid: np.ndarray, system: System, loop: EventLoop) -> None:
    """States at the times of the grid, as long as the structure is the one with which all runs begin."""
    for part, t, states in recorded_parts(loop):
        if (part.coordinates, part.speeds) == (system.coordinates, system.speeds) and part.n_z == system.n_z:
            rows = on_grid(grid, t)
            y[rows[rows >= 0]] = states[rows >= 0]


def on_grid(grid: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Numbers of times on a grid, -1 for those between its points.

    >>> on_grid(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.2, 1.0]))
    array([ 0, -1,  2])
    """
    rows = np.minimum(np.searchsorted(grid, t), len(grid) - 1)
    return np.where(grid[rows] == t, rows, -1)
