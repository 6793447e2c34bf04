"""A run with events: the integrator stops at each, what it does is done, and the run goes on from there."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sharnir.dynamics import layout as L
from sharnir.dynamics.assemble_signals import action_key, event_key
from sharnir.dynamics.impact import rate_row, struck_speeds
from sharnir.dynamics.observation import call_once
from sharnir.dynamics.signals import EVENTS
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.integrate import Solution
from sharnir.integrate.choice import integrator_named
from sharnir.integrate.integration import CHUNK_SECONDS
from sharnir.integrate.run import Run
from sharnir.integrate.settings import Settings, allowed_evaluations
from sharnir.integrate.sundials import Sundials
from sharnir.model import Disable, Enable, Event, Rebound, SetParameter, SetSpeed, Stop
from sharnir.simulate.kinematics import is_driven

ACCUMULATING = 12  # happenings of one event that are looked at
MOMENT = 1e-6  # part of the run: events that come ever faster, and would all have happened within it, chatter
NEVER = 1e100  # s; differences of infinities are no numbers


@dataclass
class Part:
    """Outputs from one change of parameters to the next."""

    system: System
    first: int  # number of its first output


@dataclass
class EventLoop:
    """The state of a run with events."""

    system: System  # with memory of its own
    run: Run
    log: list[dict[str, Any]] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    recent: dict[str, list[float]] = field(default_factory=dict)
    message: str = ""  # why it stopped early
    chattered: bool = False
    span: float = 1.0  # length of the run

    @property
    def events(self) -> list[Event]:
        return list(self.system.model.events.values())

    def handle(self) -> bool:
        """Do what the events of this moment do, and those that they cause; False if the run ends there."""
        t, y = self.run.t, self.run.state.copy()
        self.note_passed()
        pending, done, goes_on = list(self.run.fired), set(), True
        while pending and goes_on:
            before = self.functions(t, y)
            for i in pending:
                done.add(i)
                if goes_on and self.run.events.direction(i) != 2:  # an event before it may have switched it off
                    goes_on = self.happen(i, self.events[i], t, y)
            after = self.functions(t, y)
            pending = [i for i in range(len(after)) if i not in done and self.has_jumped(i, before[i], after[i])]
        if goes_on:
            self.run.resume(y)
        return goes_on

    def functions(self, t: float, y: np.ndarray) -> np.ndarray:
        """Values of all event functions at a state."""
        out, s = np.zeros(len(self.events)), self.system
        call_once(EVENTS.address, t, y, out, s.table, s.params, s.work)
        return out

    def has_jumped(self, i: int, before: float, after: float) -> bool:
        """What an event has changed has taken another event's function over zero."""
        d = self.run.events.direction(i)
        return (d in (0, 1) and before < 0.0 <= after) or (d in (0, -1) and before > 0.0 >= after)

    def happen(self, i: int, event: Event, t: float, y: np.ndarray) -> bool:
        """One event: its actions in their order change the state y."""
        before, goes_on = self.energy(t, y), True
        self.counts[event.name] = self.counts.get(event.name, 0) + 1
        for k, action in enumerate(event.actions):
            goes_on = self.act(event, k, action, t, y) and goes_on
        if event.when is None:
            self.work[self.place(f"{event_key(event.name)}.T")] = min(event.next_time(t), NEVER)
        if event.times is not None and self.counts[event.name] >= event.times:
            self.run.events.set_direction(i, 2)
        self.log.append({"t": t, "name": event.name, "energy_before": before, "energy_after": self.energy(t, y)})
        return goes_on and not self.chatters(event.name, t)

    def act(self, event: Event, k: int, action: Any, t: float, y: np.ndarray) -> bool:
        if isinstance(action, Stop):
            self.message = action.message or f"event '{event.name}'"
            return False
        if isinstance(action, SetParameter):
            self.change_parameter(action.parameter, self.value(event, k, action.value, t, y))
        elif isinstance(action, Rebound):
            self.strike(event, action_key(event.name, k), lambda rate: -action.restitution * rate, t, y)
        elif isinstance(action, SetSpeed):
            wanted = self.value(event, k, action.value, t, y)
            self.strike(event, f"{action_key(event.name, k)} rate", lambda rate: wanted, t, y)
        elif isinstance(action, (Enable, Disable)):
            i = list(self.system.model.events).index(str(action.event))
            self.run.events.set_direction(i, self.events[i].crossing[1] if isinstance(action, Enable) else 2)
        return True

    @property
    def work(self) -> np.ndarray:
        return self.system.work

    def place(self, name: str) -> int:
        """Where a signal or a held value stands in the engine's memory."""
        return int(self.system.table[L.W_SIGNAL]) + self.system.assembly.program.place(name)

    def read(self, name: str, t: float, y: np.ndarray) -> float:
        """The value of a signal at a state."""
        out = np.zeros((1, 1))
        self.system.observe_work(np.array([t]), y[None], self.place(name), out)
        return float(out[0, 0])

    def value(self, event: Event, k: int, given: Any, t: float, y: np.ndarray) -> float:
        return self.read(action_key(event.name, k), t, y) if isinstance(given, str) else given

    def change_parameter(self, name: str, value: float) -> None:
        """From here on another value; outputs from here on belong to another part."""
        done = len(self.run.solution().t)
        if self.parts[-1].first < done:
            self.parts.append(Part(own_copy_with(self.system, self.work), done))
        self.work[self.place(name)] = value
        self.parts[-1].system.work[self.place(name)] = value

    def strike(self, event: Event, name: str, after: Callable[[float], float], t: float, y: np.ndarray) -> None:
        """An impulse along a measured number, so that its rate becomes what it must."""
        rate = self.read(name, t, y)
        row = rate_row(self.system, y, t, self.system.assembly.program.place(name))
        v = struck_speeds(self.system, y, t, row, after(rate) - rate)
        if v is None:
            raise ModelError(
                f"{event.label}: at t = {t:.6g} no impulse can change this rate, joints or drives hold it; choose another "
                "variable for Rebound or SetSpeed"
            )
        y[self.system.n_q : self.system.n_q + self.system.n_v] = v

    def energy(self, t: float, y: np.ndarray) -> float:
        return float(self.system.observe_energy(np.array([t]), y[None])[0].sum())

    def chatters(self, name: str, t: float) -> bool:
        """Whether an event happens ever faster, or again and again at one moment; then the run ends and says so."""
        times = self.recent.setdefault(name, [])
        times.append(t)
        if len(times) <= ACCUMULATING:
            return False
        times.pop(0)
        gaps = np.diff(times)
        shrinks = bool((gaps[1:] < 0.98 * gaps[:-1]).all())
        ratio = gaps[-1] / gaps[-2] if gaps[-2] > 0.0 else 1.0
        rest = gaps[-1] * ratio / (1.0 - ratio) if shrinks else np.inf
        if rest > MOMENT * self.span and times[-1] - times[0] > 1e-12 * self.span:
            return False
        self.chattered = True
        end = f"would happen infinitely often before t = {t + rest:.9g}" if shrinks else f"happens again and again at t = {t:.9g}"
        self.message = (
            f"event '{name}' {end}: it chatters. What comes to rest needs a contact force, or an action that holds it; a switch "
            "needs a dead band; `times=` limits how often an event may happen"
        )
        return True

    def note_passed(self) -> None:
        """Events without actions, as the integrator has logged them."""
        for t, i in self.run.events.take_passed():
            self.log.append({"t": t, "name": self.events[i].name})


def own_copy_with(system: System, work: np.ndarray) -> System:
    """The system with memory of its own, as it is now."""
    other = copy.copy(system)
    other.__dict__.pop("_single", None)
    other.work = work.copy()
    return other


def run_with_events(
    system: System, grid: np.ndarray, settings: dict[str, Any], advance: Callable[[float], None] | None
) -> tuple[Solution, EventLoop]:
    """Integrate over the grid, stopping at events."""
    if system.n_v == 0 or is_driven(system):
        raise ModelError(
            f"model '{system.model.name}': all its motion is prescribed, so nothing is integrated and no event is looked for; "
            "free a coordinate, or leave the events out and look at the result"
        )
    chosen = integrator_named(settings["integrator"], settings.get("order"), settings["rtol"], settings.get("options"))
    if isinstance(chosen, Sundials):
        raise ModelError(
            f"integrator '{settings['integrator']}' does not watch events; use 'bdf' or 'radau5'", field="integrator"
        )
    given: dict[str, Any] = {name: settings[name] for name in ("rtol", "atol", "step", "max_step", "control") if name in settings}
    given["max_evaluations"] = allowed_evaluations(settings.get("options"), settings.get("max_evaluations", 10**9))
    own = own_copy_with(system, system.work)
    problem = own.problem().with_work(own.work)
    run = Run(problem, own.y0, grid, chosen, Settings(**given))
    loop = EventLoop(own, run, parts=[Part(own_copy_with(own, own.work), 0)], span=float(grid[-1] - grid[0]))
    chunk, goes_on = 1, True
    try:
        while goes_on and (not run.done or run.fired):
            begin = time.perf_counter()
            run.advance(chunk)
            if run.fired:
                goes_on = loop.handle()
                continue
            pace = CHUNK_SECONDS / max(time.perf_counter() - begin, 1e-9)
            chunk = 2 if chunk == 1 else max(2, int(chunk * min(16.0, max(0.1, pace))))
            if advance is not None:
                advance(run.fraction)
    except KeyboardInterrupt:
        pass
    loop.note_passed()
    loop.log.sort(key=lambda entry: entry["t"])
    return run.solution(), loop
