"""How much a run has to do: ticks of clocks and steps, refused at the start if it could never finish."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.integrate.choice import integrator_named
from sharnir.integrate.stepping.settings import allowed_evaluations
from sharnir.simulate.filter_step_limit import LONGEST as FILTER

MOST_TICKS = 10**8  # of one clock in a run, as many as outputs
NEAREST = 1e-10  # s, or of the time reached: clocks that tick faster cannot be told from rounding, which joins moments


class Clock(NamedTuple):
    """Something that happens again and again: what a user called it, its period, and how often at most."""

    words: str
    period: float
    most: float


class StepBound(NamedTuple):
    """Steps are at most this long, and who says so."""

    words: str
    longest: float


def check_run_length(
    system: System, settings: dict[str, Any], end: float, communication: float | None = None, start: float = 0.0
) -> None:
    """Refuse a run between two times whose clocks tick, or whose steps are, more often than can be computed or told apart."""
    for clock in clocks(system, communication):
        check_period(clock, start, end)
    check_steps(system, settings, end - start)


def clocks(system: System, communication: float | None) -> Iterator[Clock]:
    """All clocks of a run: timed events, sampled signals, the callback."""
    periodic = any(event.every is not None for event in system.assembly.structure.events.values())
    for event in system.model.events.values() if periodic else ():
        if event.every is not None:
            yield Clock(f"{event.label}: every", event.every, math.inf if event.times is None else event.times)
    program = system.assembly.program
    for update in () if program is None else program.updates:
        yield Clock(f"{update.element.label}: period", update.clock[0], math.inf)
    if communication is not None:
        yield Clock("communication", communication, math.inf)


def check_period(clock: Clock, start: float, end: float) -> None:
    """A clock ticks at most MOST_TICKS times, and its ticks are apart.

    >>> check_period(Clock("Event 'tick': every", 1e-9, math.inf), 0.0, 10.0)
    Traceback (most recent call last):
    sharnir.errors.ModelError: Event 'tick': every = 1e-09 s makes 1e+10 ticks until t = 10; at most 1e+08 are allowed, so give at
    least 1e-07 s
    """
    last = min(end, start + clock.most * clock.period)
    nearest = NEAREST * max(1.0, last)
    fewest = (end - start) / MOST_TICKS
    count = (end - start) / clock.period
    if min(count, clock.most) > MOST_TICKS:
        raise ModelError(
            f"{clock.words} = {clock.period:g} s makes {count:.3g} ticks until t = {end:g}; at most {MOST_TICKS:.0e} are "
            f"allowed, so give at least {max(fewest, nearest):.3g} s"
        )
    if clock.period < nearest:
        raise ModelError(
            f"{clock.words} = {clock.period:g} s is too short: times nearer than {NEAREST:g} s, or this part of the time "
            f"reached (t = {last:g}), cannot be distinguished, so give at least {nearest:.3g} s"
        )


def check_steps(system: System, settings: dict[str, Any], span: float) -> None:
    """As many steps as a bound of their length makes can be computed with the evaluations that are allowed."""
    allowed = allowed_evaluations(settings.get("options"))
    chosen = integrator_named(settings["integrator"], settings.get("order"), settings["rtol"], settings.get("options"))
    each = chosen.tableau.stages if hasattr(chosen, "tableau") else 1
    for bound in step_bounds(system, settings):
        steps = span / bound.longest
        if steps * each > allowed:
            raise ModelError(
                f"{bound.words} makes {steps:.3g} steps of {chosen.name} in {span:g} s, with {each} evaluations each; "
                f"{allowed:.3g} evaluations are allowed, so it must be at least {span * each / allowed:.3g} s (or raise "
                "options={'max_evaluations': …})"
            )


def step_bounds(system: System, settings: dict[str, Any]) -> Iterator[StepBound]:
    """What bounds the length of steps: a fixed step, max_step, filters, delays."""
    if not settings.get("control", True) and settings.get("step") is not None:
        yield StepBound(f"step = {settings['step']:g} s", settings["step"])
    longest = settings.get("max_step", math.inf)
    free = settings.get("free_step", longest)
    if math.isfinite(free):
        yield StepBound(f"max_step = {free:g} s", free)
    if longest < free and settings["integrator"] != "auto":  # which goes over to an implicit one
        words = f"the fastest filter, with a time constant of {longest / FILTER:.3g} s, bounds the step of this integrator and"
        yield StepBound(words, longest)
    program = system.assembly.program
    for element in () if program is None else program.delays.values():
        yield StepBound(f"{element.label}: time = {element.time:g} s", element.time)
