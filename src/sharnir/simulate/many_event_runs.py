"""Many runs with events, clocks, delays or tanks that empty: one after the other, each with memory of its own."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.results import Result
from sharnir.simulate.audit.many_audits import ManyAudits
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.events.event_run import run_with_events
from sharnir.simulate.events.structure_change import Compile
from sharnir.simulate.recording import record, recorded_parts


def runs_in_turn(
    systems: list[System],
    y0: np.ndarray,
    grid: np.ndarray,
    settings: dict[str, Any],
    compile_changed: Compile,
    audits: ManyAudits,
) -> tuple[np.ndarray, dict[int, str], dict[int, Result]]:
    """States of all runs on the grid, what failed and why, and their results, each as `simulate` gives it."""
    y = np.full((len(y0), len(grid), y0.shape[1]), np.nan)
    failures: dict[int, str] = {}
    results: dict[int, Result] = {}
    for i, start in enumerate(y0):
        begin = perf_counter()
        system = systems[i if len(systems) > 1 else 0]
        solution, loop = run_with_events(_started_at(system, start), grid, settings, None, compile_changed)
        stopped = loop.failed or not loop.goes_on
        if solution.status in ("interrupted", "paused") and not stopped:
            raise KeyboardInterrupt
        if loop.failed or (solution.status != "finished" and not stopped):
            failures[i] = loop.message if loop.failed else solution.message
        audit = audits.take_loop(i, loop, not settings["control"])
        results[i] = record(loop.system, solution, perf_counter() - begin, failures.get(i), loop, audit)
        if i in audits.remarks:
            results[i].stats["warnings"] = audits.remarks[i]
        _fill(y[i], grid, system, loop)
    return y, failures, results


def _started_at(system: System, y: np.ndarray) -> System:
    """The system with memory of its own and another initial state."""
    own = system.with_own_work()
    own.q0, own.v0, own.z0 = (part.copy() for part in np.split(y, [system.n_q, system.n_q + system.n_v]))
    return own


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
