"""How the derivative of a motion by a number p jumps where an event or a tick of a clock changes the state.

An event happens at τ, where g(τ, y; p) = 0, and leaves y⁺ = h(τ, y⁻; p). With ẏ = f and S = ∂y/∂p,

    τ' = -(∂g/∂y S⁻ + ∂g/∂p) / ġ,   S⁺ = ∂h/∂t τ' + ∂h/∂y (S⁻ + f⁻ τ') + ∂h/∂p - f⁺ τ',

the saltation of S. Timed events and ticks move as their times do. Derivatives of g and h are differences of sixth order, along
the change of the state and over systems with other values of p; where shorter ones are others, there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from sharnir.dynamics.evaluation.python_entries import call_once, observe_rates
from sharnir.dynamics.signals.signal_evaluation import EVENTS
from sharnir.dynamics.signals.signal_records import action_effects
from sharnir.dynamics.straight_line.neighbours import PLACES, Neighbours, sixth_order
from sharnir.errors import ModelError, SimulationError
from sharnir.model.events import End, Event
from sharnir.model.signals import Sampled
from sharnir.simulate.events.sampling_clocks import ROUNDING, Sampler
from sharnir.simulate.events.state_effects import take_effect

STEP = 3e-3  # of differences along a change of the state: radians, or sizes of the mechanism
OTHER = 0.618  # length of other differences; stairs do not fit both
SAME = 1e-5  # relative difference between derivatives by two steps that is rounding
TOUCHING = 1e-3  # share of a change that is linear, below which a function touches zero rather than crosses it
TOGETHER = 1e-8  # of a time: events that are no further apart happen at one moment


@dataclass
class Moment:
    """When something changes the state: events; ticks, each the number of an update and of its tick; events that these cause."""

    t: float
    events: list[Event] = field(default_factory=list)
    ticks: list[tuple[int, int]] = field(default_factory=list)
    caused: list[Event] = field(default_factory=list)

    @property
    def ends_run(self) -> bool:
        """Whether the run ends there."""
        return any(isinstance(x, End) for event in self.events for action in event.actions for x in action.effects())


def moments_of(system: Any, log: Sequence[dict[str, Any]], end: float) -> list[Moment]:
    """All moments of a run in their order; events that only are noted change nothing."""
    events = system.model.original.events
    acting = [entry for entry in log if events[entry["name"]].actions]
    found = [Moment(t, [events[entry["name"]] for entry in group]) for t, group in groupby(acting, lambda entry: entry["t"])]
    for k, update in enumerate(_updates(system)):
        period, first = update.clock
        count = 0
        while (t := first + count * period) <= end + ROUNDING * max(1.0, end):
            found.append(Moment(t, ticks=[(k, count)]))
            count += 1
    return list(_merged(sorted(found, key=lambda x: x.t)))


def _merged(moments: Sequence[Moment]) -> Iterator[Moment]:
    """Those of the same time as one."""
    last: Moment | None = None
    for x in moments:
        if last is not None and x.t - last.t <= ROUNDING * max(1.0, x.t):
            last.events, last.ticks = last.events + x.events, last.ticks + x.ticks
            continue
        if last is not None:
            yield last
        last = x
    if last is not None:
        yield last


def check_samples(system: Any, who: str) -> None:
    """Refuse what remembers more than states do."""
    program = system.assembly.program
    for name in program.delays if program is not None else ():
        raise ModelError(f"{who}: signal '{name}' looks back in time, which is not supported; leave delays out")
    for update in _updates(system):
        if isinstance(update.element, Sampled):
            raise ModelError(
                f"{who}: {update.element.label} is a function in Python, which may remember what it was asked before; write it "
                "with blocks such as SampleHold and DiscretePID"
            )


def _updates(system: Any) -> list[Any]:
    program = system.assembly.program
    return [] if program is None else program.updates


class Saltation:
    """Jumps of the derivative s = size × ∂y/∂p of the motion of a system.

    neighbours : systems with other values of p; None if p is an initial value.
    """

    def __init__(self, system: Any, neighbours: Neighbours | None, size: float, who: str) -> None:
        self.system, self.neighbours, self.size, self.who = system.with_own_work(), neighbours, size, who
        self.names = list(system.model.original.events)
        self._samplers: dict[tuple[int, int], Sampler] = {}

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """ẏ."""
        s, found = self.system, np.zeros((1, len(y)))
        f = getattr(s.derivative, "address", s.derivative)
        observe_rates(f, np.array([t]), np.ascontiguousarray(y[None]), found, s.table, s.params, s.work)
        return found[0]

    def crossing(self, event: Event, t: float, y: np.ndarray) -> tuple[float, float]:
        """g of an event and ġ along the motion; 0 where that is nothing beside higher derivatives: the motion touches g = 0."""
        k, f = self.names.index(event.name), self.rates(t, y)
        rate = float(self._along(lambda t, y: _events(self.system, t, y)[k], t, y, 1.0, f))
        near = 3.0 * STEP / max(1.0, float(np.abs(f).max(initial=0.0)))
        far = max(abs(_events(self.system, t + x, y + x * f)[k]) for x in (-near, near))
        return _events(self.system, t, y)[k], rate if abs(rate) * near > TOUCHING * far else 0.0

    def at_start(self, moment: Moment, y: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(y, s) behind what happens at the first moment, which does not move."""
        return self._behind(moment, y, s, 0.0)

    def behind(self, moment: Moment, t: float, y: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(y, s) behind a moment."""
        shifts = {event.name: shift for event in moment.events if (shift := self._shift(event, t, y, s)) is not None}
        crossing = [event for event in moment.events if event.name in shifts]
        caused = [event for event in moment.events if event.name not in shifts]
        shifts |= {f"tick {count} of clock {k}": self._tick_shift(k, count) for k, count in moment.ticks}
        values = np.array(list(shifts.values()))
        if np.ptp(values) <= SAME * np.abs(values).max():
            return self._behind(Moment(t, crossing, moment.ticks, caused), y, s, float(values[0]))
        who = f"{self.who}: {' and '.join(shifts)} happen at the same moment, t = {t:.6g}"
        if moment.ticks or caused:
            raise ModelError(f"{who}, and would not for other values")
        ends = []
        for order in (crossing, crossing[::-1]):
            end = y, s
            for event in order:
                end = self._behind(Moment(t, [event]), *end, shifts[event.name])
            ends.append(np.concatenate(end))
        if np.abs(ends[0] - ends[1]).max() > SAME * np.abs(ends[0]).max():
            raise ModelError(f"{who}, and what follows depends on their order")
        return end

    def _shift(self, event: Event, t: float, y: np.ndarray, s: np.ndarray) -> float | None:
        """size × ∂τ/∂p of an event; None if its function does not cross zero here, so that another event has caused it."""
        if event.when is None:
            return self._over_systems(lambda x: _time_of(x.model.original.events[event.name], event, t))
        g, rate = self.crossing(event, t, y)
        if abs(g) > TOGETHER * max(1.0, t) * abs(rate):
            return None
        k = self.names.index(event.name)
        change = float(self._along(lambda t, y: _events(self.system, t, y)[k], t, y, 0.0, s))
        change += self._over_systems(lambda x: _events(x, t, y)[k])
        return -change / rate

    def _tick_shift(self, k: int, count: int) -> float:
        return self._over_systems(lambda x: _updates(x)[k].clock[1] + count * _updates(x)[k].clock[0])

    def _behind(self, moment: Moment, y: np.ndarray, s: np.ndarray, shift: float) -> tuple[np.ndarray, np.ndarray]:
        """(y, s) behind a moment that moves by `shift`."""
        t = moment.t
        after = self._jump(self.system, moment, t, y)
        moving = s + shift * self.rates(t, y)
        found = self._along(lambda t, y: self._jump(self.system, moment, t, y), t, y, shift, moving)
        found = found + self._over_systems(lambda x: self._jump(x, moment, t, y))
        return after, found - shift * self.rates(t, after)

    def _jump(self, system: Any, moment: Moment, t: float, y: np.ndarray) -> np.ndarray:
        """h: events, ticks, and what these cause."""
        y = y.copy()
        self._happen(system, moment.events, t, y)
        for k, _ in moment.ticks:
            self._sampler(system, k).act(t, y)
        self._happen(system, moment.caused, t, y)
        return y

    def _happen(self, system: Any, events: Sequence[Event], t: float, y: np.ndarray) -> None:
        for event in (system.model.original.events[event.name] for event in events):
            for k in range(len(event.actions)):
                for key, effect in action_effects(event, k):
                    if not take_effect(system, t, y, key, effect):
                        raise ModelError(f"{self.who}: {event.label}: no impulse can change this rate")

    def _sampler(self, system: Any, k: int) -> Sampler:
        if (id(system), k) not in self._samplers:
            self._samplers[id(system), k] = Sampler(system, k)
        return self._samplers[id(system), k]

    def _over_systems(self, function: Callable[[Any], Any]) -> Any:
        """size × ∂/∂p of something that a system has."""
        return 0.0 if self.neighbours is None else self.size * self.neighbours.slope(function)

    def _along(self, function: Callable[[float, np.ndarray], Any], t: float, y: np.ndarray, dt: float, dy: np.ndarray) -> Any:
        """The derivative of a function of (t, y) along a change of these."""
        largest = max(abs(dt), float(np.abs(dy).max(initial=0.0)))
        if not largest:
            return np.zeros_like(np.asarray(function(t, y), float))
        values = []
        for step in (STEP / largest, OTHER * STEP / largest):
            sampled = [np.asarray(function(t + k * step * dt, y + k * step * dy), float) for k in PLACES]
            values.append(sixth_order(sampled, step))
        rounding = 1e-9 * np.abs(sampled).max() * largest / STEP
        if np.abs(values[0] - values[1]).max() > SAME * np.abs(values[0]).max() + rounding:
            raise ModelError(f"{self.who}: what happens at t = {t:.6g} jumps with the state, and has no derivative")
        return values[0]


def _events(system: Any, t: float, y: np.ndarray) -> np.ndarray:
    """Functions of all events."""
    out = np.zeros(len(system.model.original.events) + system.n_switches)
    call_once(EVENTS.address, t, np.ascontiguousarray(y), out, system.table, system.params, system.work)
    return out


def _time_of(other: Event, event: Event, t: float) -> float:
    """When another model's timed event happens that happens at t in this one."""
    count = round((t - _first(event)) / event.every) if event.every else 0
    return _first(other) + count * (other.every or 0.0)


def _first(event: Event) -> float:
    """When a timed event happens first."""
    return float((event.every if event.at is None else event.at) or 0.0)


@dataclass
class VariedMotion:
    """(y, s) over the times of output, from moment to moment; `go` integrates both from a time over others."""

    go: Callable[[float, np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    jumps: Saltation
    times: np.ndarray

    def over(self, y: np.ndarray, s: np.ndarray, moments: Sequence[Moment]) -> tuple[np.ndarray, np.ndarray]:
        """States and their changes at the times of output: in front of an event, behind a tick."""
        self.y, self.s = (np.empty((len(self.times), len(y))) for _ in range(2))
        self.row, self.t, self.now = 0, float(self.times[0]), (y, s)
        for moment in moments:
            if moment.t <= self.times[0]:
                self.now = self.jumps.at_start(moment, *self.now)
                continue
            self._reach(moment)
            self.now = self.jumps.behind(moment, self.t, *self.now)
            if moment.ends_run:
                self.y[self.row :], self.s[self.row :] = self.now
                return self.y, self.s
        self._advance(float(self.times[-1]), len(self.times))
        return self.y, self.s

    def _reach(self, moment: Moment) -> None:
        """Go on to a moment: the first of its events that crosses zero says exactly when it is."""
        rows = np.searchsorted(self.times, moment.t - ROUNDING * max(1.0, moment.t) if moment.ticks else moment.t, "right")
        located = next((event for event in moment.events if event.when is not None), None)
        timed = moment.ticks or any(event.when is None for event in moment.events)
        if timed or located is None:
            self._advance(moment.t, int(rows))
            return
        near = moment.t - 0.05 * (moment.t - self.t)
        self._advance(near, int(np.searchsorted(self.times, near, "right")))
        self._advance(self._located(located, moment.t), int(rows))

    def _located(self, event: Event, t: float) -> float:
        """When an event happens in the motion that is computed here: Newton's method."""
        for _ in range(20):
            y, _ = self._at(t)
            g, rate = self.jumps.crossing(event, t, y)
            shift = -g / rate if rate else np.inf
            if abs(shift) <= 4.0 * np.finfo(float).eps * max(1.0, t):
                return t
            if t == self.t and -TOGETHER * max(1.0, t) < shift < 0.0:
                return t  # right behind another one
            t = max(self.t, t + shift)
            if not np.isfinite(t) or t > self.times[-1] + 1.0:
                break
        raise SimulationError(
            f"{self.jumps.who}: {event.label} is not found near t = {t:.6g}: the motion touches the condition, or the run is too "
            "inaccurate; give simulate a smaller tolerance"
        )

    def _at(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """(y, s) at a time a little later."""
        if t - self.t <= ROUNDING * max(1.0, t):
            return self.now
        y, s = self.go(self.t, *self.now, np.array([t]))
        return y[-1], s[-1]

    def _advance(self, t: float, rows: int) -> None:
        """Go on to a time, filling rows of output up to a number."""
        rows = max(rows, self.row)
        wanted = np.clip(self.times[self.row : rows], self.t, max(t, self.t))
        grid = np.append(wanted, t)
        later = grid > self.t + ROUNDING * max(1.0, t)
        y, s = (np.tile(x, (len(grid), 1)) for x in self.now)
        if later.any():
            times, place = np.unique(grid[later], return_inverse=True)
            found = self.go(self.t, *self.now, times)
            y[later], s[later] = (x[place] for x in found)
        self.y[self.row : rows], self.s[self.row : rows] = y[:-1], s[:-1]
        self.row, self.t, self.now = rows, max(t, self.t), (y[-1], s[-1])
