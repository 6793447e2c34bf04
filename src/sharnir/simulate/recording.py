"""States of a run → its Result: the parts that have outputs, their channels joined, statistics and the log of events."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from sharnir.dynamics.system import System
from sharnir.integrate import Solution
from sharnir.results import Channel, Result
from sharnir.simulate.channels.channel_groups import Observer
from sharnir.simulate.channels.joined_channels import JoinedChannels
from sharnir.simulate.channels.model_scene import scene_of
from sharnir.simulate.channels.run_channels import RunChannels
from sharnir.simulate.channels.statistics import statistics
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.sensitivity import Sensitivities


def record(
    system: System,
    solution: Solution,
    seconds: float,
    failure: str | None,
    loop: EventLoop | None = None,
    audit: dict[str, Any] | None = None,
) -> Result:
    """The result of a run with all its channels; `loop` is that of a run with events, `audit` goes to its stats."""
    parts = [(system, solution.t, solution.y)] if loop is None else recorded_parts(loop)
    observers = [Observer(*part) for part in parts]
    stats = statistics(observers, solution.stats if loop is None else loop.stats(), seconds) | (audit or {})
    own = RunChannels(observers[0])
    channels: Mapping[str, Channel] = own
    if len(observers) > 1:
        channels = JoinedChannels([(RunChannels(o), len(o.t)) for o in observers])
    events: list[dict[str, Any]] = []
    if loop is not None:
        events = loop.log.entries
        stats |= {"events": len(events)} | ({"stopped": loop.message} if loop.message else {})
    t = np.concatenate([o.t for o in observers])
    given: dict[str, Any] = {"title": system.model.name, "scene": partial(scene_of, system), "stats": stats, "events": events}
    sensitivities = Sensitivities(observers[0].system, t, events, "" if loop is None else unvaried(loop))
    given |= {"sensitivities": sensitivities, "flexible": own.flexible.shapes}
    return Result(t, channels, failure=failure, **given)


def unvaried(loop: EventLoop) -> str:
    """What has happened in a run that its derivatives do not follow."""
    program = loop.system.assembly.program
    systems = [part.system for part in loop.parts]
    if any(system.model.original is not systems[0].model.original for system in systems):
        return "the model was changed on the way"
    if any(system.assembly is not systems[0].assembly for system in systems):
        return "events changed the structure"
    if len(loop.clocks.tickers) > (0 if program is None else len(program.updates)):
        return "a callback acted on it"
    return ""


def recorded_parts(loop: EventLoop) -> list[tuple[System, np.ndarray, np.ndarray]]:
    """The parts of a run with events that have outputs (the first if none has): system, times, states."""
    found: list[tuple[System, np.ndarray, np.ndarray]] = []
    if loop.kept is not None:
        if loop.stopped_at is not None and loop.stopped_at[0] > loop.kept[-1].t:
            end, state = loop.stopped_at
            loop.kept.append(loop.kept[-1]._replace(part=loop.parts[-1], t=end, y=state, work=loop.run.integral))
        for _, group in groupby(loop.kept, lambda x: id(x.part)):
            parts, times, states, _ = zip(*group, strict=True)
            found.append((parts[0].system, np.array(times), np.array(states)))
        return found
    for part, after in zip(loop.parts, [*loop.parts[1:], None], strict=True):
        end = after.first if after is not None and after.run is part.run else part.run.outputs
        solution = part.run.solution()
        found.append((part.system, solution.t[part.first : end], solution.y[part.first : end]))
    if loop.stopped_at is not None and loop.stopped_at[0] > found[-1][1][-1:].max(initial=-math.inf):
        system, t, y = found[-1]
        found[-1] = (system, np.append(t, loop.stopped_at[0]), np.vstack([y, loop.stopped_at[1][None]]))
    return [x for x in found if len(x[1])] or found[:1]


def available_parts(loop: EventLoop, final: bool) -> list[tuple[System, np.ndarray, np.ndarray]]:
    """All parts of a run that may still go on, one for each of `loop.parts`: system, times, states.

    The last output may change as long as the run stands at its time; it is there at the end (`final`) only.
    """
    found: list[tuple[System, np.ndarray, np.ndarray]] = []
    for part, after in zip(loop.parts, [*loop.parts[1:], None], strict=True):
        end = after.first if after is not None and after.run is part.run else part.run.outputs
        end = end if final or after is not None else max(part.first, end - 1)
        t, y = part.run.rows(part.first, end)
        found.append((part.system, t, y))
    if (
        final
        and loop.stopped_at is not None
        and loop.stopped_at[0] > max((x[1][-1] for x in found if len(x[1])), default=-math.inf)
    ):
        system, t, y = found[-1]
        found[-1] = (system, np.append(t, loop.stopped_at[0]), np.vstack([y, loop.stopped_at[1][None]]))
    return found
