"""Runs with events, clocks and delays, from their beginning to their end."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.errors import FileError, ModelError, ModelWarning, SharnirError
from sharnir.integrate import Solution
from sharnir.integrate.choice import integrator_named
from sharnir.integrate.integration import CHUNK_SECONDS
from sharnir.integrate.run import Run
from sharnir.integrate.stepping.settings import Settings, allowed_evaluations
from sharnir.integrate.sundials import Sundials
from sharnir.model import Release
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.events.model_change import Change, change_model
from sharnir.simulate.events.run_parts import Part
from sharnir.simulate.events.sampling_clocks import ROUNDING, Clocks
from sharnir.simulate.events.stiffness_switch import IMPLICIT, StiffnessWatch
from sharnir.simulate.events.structure_change import Compile

LONGEST_CHUNK = 1e9  # evaluations between two looks at a run
Callback = tuple[Callable[[Any], Any], float]  # what is called, and how often [s]
Begin = Callable[..., tuple[Run, int]]  # a run of a system from a state on: begun_run with a grid and settings
FirstRun = Callable[[System, np.ndarray, Begin, float], Run]  # of a system and its state, with steps of at most this length


def run_with_events(
    system: System,
    grid: np.ndarray,
    settings: dict[str, Any],
    advance: Callable[[float], None] | None,
    compile_changed: Compile,
    callback: Callback | None = None,
    looked_at: Callable[[EventLoop], None] | None = None,
    changes: Sequence[Change] = (),
) -> tuple[Solution, EventLoop]:
    """Integrate over the grid, stopping at events, ticks of clocks and changes; `looked_at` is called now and then."""
    loop = started_loop(system, grid, settings, compile_changed, callback)
    loop.looked_at, loop.changes = looked_at, list(changes)
    return to_the_end(loop, grid, settings, advance), loop


def to_the_end(
    loop: EventLoop, grid: np.ndarray, settings: dict[str, Any], advance: Callable[[float], None] | None = None, chunk: int = 1
) -> Solution:
    """A loop that stands at its beginning goes to its end; `chunk` evaluations are made before the first look at it."""
    free = settings | {"max_step": settings.get("free_step", settings.get("max_step", math.inf))}
    limited = loop_settings(free, loop.clocks)  # filters bound the steps of the explicit method only
    given = {name: limited[name] for name in ("rtol", "atol", "max_step")}
    watch = StiffnessWatch(given) if settings["integrator"] == "auto" else None
    try:
        go(loop, math.inf, advance, watch, partial(begun_run, grid, limited | {"integrator": IMPLICIT}, False), chunk)
    except KeyboardInterrupt:
        pass
    except FileError:  # it cannot be written, so that going on would be for nothing
        raise
    except SharnirError as error:
        loop.cause = error.__cause__
        loop.fail(str(error))
    return loop.finished()


def started_loop(
    system: System,
    grid: np.ndarray,
    settings: dict[str, Any],
    compile_changed: Compile,
    callback: Callback | None = None,
    open_end: bool = False,
    first_run: FirstRun | None = None,
    y0: np.ndarray | None = None,
) -> EventLoop:
    """A run with events and clocks at its beginning: from a state, in the memory of `first_run`, if these are given."""
    own = system.with_own_work()
    if y0 is not None:
        m = own.n_q + own.n_v
        own.q0, own.v0, own.z0 = y0[: own.n_q].copy(), y0[own.n_q : m].copy(), y0[m:].copy()
    clocks = Clocks(own, callback)
    limited = loop_settings(settings, clocks)
    begin = partial(begun_run, grid, limited, open_end)
    y0 = own.y0.copy()
    clocks.start(float(grid[0]), y0)
    run = begin(own, y0, float(grid[0]), 0)[0] if first_run is None else first_run(own, y0, begin, limited["max_step"])
    first = Part(own.with_own_work(), run, 0)
    span = 1.0 if open_end else float(grid[-1] - grid[0])
    loop = EventLoop(own, run, begin, compile_changed, parts=[first], span=span, clocks=clocks)
    clocks.shown = partial(shown_times, loop, grid)
    loop.t, loop.y = float(grid[0]), y0
    functions = loop.functions()
    run.events.begin_at(functions)
    due = due_at_start(loop, functions)
    if due:
        loop.goes_on = loop.happen_all(due)
        loop.resume()
    return loop


def due_at_start(loop: EventLoop, functions: list[float]) -> list[int]:
    """Events of the first moment, to which time does not rise: those at this time, and conditions that hold if they may."""
    due = []
    for i, event in enumerate(loop.events):
        if event.enabled and event.when is None and event.at is not None and event.at <= loop.t:
            due.append(i)
        elif event.enabled and functions[i] > 0.0 and event.is_condition:
            if event.initially:
                due.append(i)
            elif any(isinstance(action, Release) for action in event.actions):
                warnings.warn(
                    f"{event.label}: {event.when!r} already holds at the start, so nothing is released until it has "
                    "become false and true again; with initially=True the event happens at the start",
                    ModelWarning,
                    stacklevel=6,
                )
    return due


def shown_times(loop: EventLoop, grid: np.ndarray) -> np.ndarray:
    """Times whose past is asked for again: outputs, and events whose energy is not known yet."""
    outputs = grid if loop.kept is None else np.array([kept.t for kept in loop.kept])
    return np.concatenate([outputs, [entry["t"] for entry, _, _ in loop.log.unweighed]])


def loop_settings(settings: dict[str, Any], clocks: Clocks) -> dict[str, Any]:
    """Settings with steps that delays allow."""
    fixed = None if settings.get("control", True) else settings["step"]
    return settings | {"max_step": clocks.longest_step(settings.get("max_step", math.inf), fixed)}


def go(
    loop: EventLoop,
    until: float = math.inf,
    advance: Callable[[float], None] | None = None,
    watch: StiffnessWatch | None = None,
    implicit: Any = None,
    chunk: int = 1,
) -> None:
    """Go on until a time, the end, or an event that stops the run; `implicit` begins the run that takes over if it is stiff."""
    run, clocks = loop.run, loop.clocks
    while loop.goes_on and (is_going(run) or happens_at_end(loop)) and until - run.t > ROUNDING * max(1.0, run.t):
        if clocks.due(run.t) and not run.at_event:
            loop.tick()
            run = loop.run
            continue
        if loop.next_change <= run.t and not run.at_event:
            change_model(loop, loop.changes.pop(0))
            run = loop.run
            continue
        if run.finished:
            loop.goes_on = loop.happen_all(due_at_end(loop))
            loop.run.resume(loop.y, loop.work_done())
            run = loop.run
            continue
        start, single = time.perf_counter(), loop.looks_at_steps
        most = clocks.room_for(1 if single else chunk, run.t)
        if watch is not None:
            most = min(most, watch.left(run, loop.ticks + len(loop.log)))
        run.advance(most, min(clocks.next_time, loop.landing, until))
        loop.take_log()
        if run.at_event:
            loop.goes_on = loop.handle()
            run = loop.run  # the structure may have changed
            continue
        if watch is not None and watch.is_stiff(run, loop.ticks + len(loop.log), clocks.quiet_for(run.t)):
            loop.go_on_with(implicit)
            run, watch = loop.run, None
        if not run.done and not single:
            pace = CHUNK_SECONDS / max(time.perf_counter() - start, 1e-9)
            chunk = 2 if chunk == 1 else max(2, int(min(LONGEST_CHUNK, most * min(16.0, max(0.1, pace)))))
        if loop.stop_at <= run.t:
            loop.stop_at = math.inf
        if loop.looked_at is not None:
            loop.looked_at(loop)
        if advance is not None:
            advance(run.t / loop.span)


def is_going(run: Run) -> bool:
    """Neither at its end nor failed."""
    return not run.done or run.at_event or run.paused


def due_at_end(loop: EventLoop) -> list[int]:
    """Timed events of the last moment: rounding puts some of them a hair's breadth behind it."""
    if all(event.when is not None for event in loop.events):
        return []
    loop.t, loop.y = loop.run.t, loop.run.state.copy()
    return loop.due_clocks(loop.functions())


def happens_at_end(loop: EventLoop) -> bool:
    """The run has reached its end, and a clock ticks at that instant."""
    return loop.run.finished and (loop.clocks.due(loop.run.t) or bool(due_at_end(loop)))


def begun_run(
    grid: np.ndarray,
    settings: dict[str, Any],
    open_end: bool,
    system: System,
    y: np.ndarray,
    t: float,
    reached: int,
    alone: bool = False,
) -> tuple[Run, int]:
    """A run of a system from a state on, over what is left of the grid; 1 if it begins between two times of the grid.

    alone : no second thread belongs to it.
    """
    chosen = integrator_named(settings["integrator"], settings.get("order"), settings["rtol"], settings.get("options"))
    if isinstance(chosen, Sundials):
        raise ModelError(
            f"integrator '{settings['integrator']}' does not support events; use 'bdf' or 'radau5'", field="integrator"
        )
    given: dict[str, Any] = {name: settings[name] for name in ("rtol", "atol", "step", "max_step", "control") if name in settings}
    given["max_evaluations"] = allowed_evaluations(settings.get("options"), settings.get("max_evaluations", 10**9))
    rest = grid[reached:]
    dropped = 0 if len(rest) and rest[0] == t else 1
    times = np.concatenate([[t], rest]) if dropped else rest
    system.hold_sides(system.work)
    problem = system.problem(audited=True).with_work(system.work)
    return Run(problem.alone() if alone else problem, y, times, chosen, Settings(**given), open_end), dropped
