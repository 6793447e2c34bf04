"""Clocks of a run: signals that are sampled, callbacks, and the tapes of delays.

Sampled signals are states of control that stand still between ticks. So every output holds the values of its time, and nothing
must be remembered when channels are computed behind the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.arguments import mapping, number, shown
from sharnir.dynamics.evaluation import python_entries
from sharnir.dynamics.signals.compiled_program import compiled_update
from sharnir.dynamics.signals.signal_program import Update, past_key
from sharnir.dynamics.system import System
from sharnir.errors import ModelError, SharnirError, SimulationError
from sharnir.integrate.stepping.history_tape import BEFORE, MOST_RECORDS, RECORD, USED, new_tape, room, thin
from sharnir.kernel import location, number_of
from sharnir.model.signals import Input, Sampled
from sharnir.simulate.channels.moment import Moment
from sharnir.simulate.events.input_courses import Courses

SPARE = 3 * MOST_RECORDS  # records of one step beyond those that are counted as evaluations
RECORDS = 1000 + SPARE  # of a tape at first
ROUNDING = 1e-12  # of a time
BACK = 3.0  # delays that a tape goes back: one, and steps on their way, which are no longer
MOST_AT_ONCE = 20_000  # evaluations between looks at the tapes


@dataclass
class Ticker:
    """One clock and what it does: update the state y at t, and say whether it did."""

    period: float
    first: float
    act: Callable[[float, np.ndarray], bool]
    count: int = 0

    @property
    def next_time(self) -> float:
        """Of the next tick."""
        return self.first if self.count == 0 else self.first + self.count * self.period


class Sampler:
    """What happens at the ticks of one signal's clock, in one system."""

    def __init__(self, system: System, number: int) -> None:
        self.system, program = system, system.assembly.program
        self.update: Update = program.updates[number]
        self.code = compiled_update(program, self.update)
        first = len(system.y0) - len(program.states)
        self.places = np.array([first + k for k in self.update.states], int)
        sensors, signals = system.first_sensor, system.first_signal
        self.sensors, self.signals = system.work[sensors:], system.work[signals:]
        self.out, self.rates, self.nothing = np.zeros(max(1, len(self.update.lines))), np.zeros(len(system.y0)), np.zeros((1, 1))
        self.derivative = getattr(system.derivative, "address", system.derivative)
        element = self.update.element
        counts = isinstance(element, Sampled) and bool(element.outputs)
        self.counter = first + program.state_number(f"{self.update.name}.s") if counts else -1

    def values(self, t: float, y: np.ndarray) -> np.ndarray:
        """What the formulas give at a state."""
        s = self.system
        given = (s.table, s.params, s.work, self.rates)
        python_entries.observe_work(self.derivative, np.array([t]), y[None], 0, self.nothing, *given)
        python_entries.call_program(self.code.address, t, self.sensors, self.signals, self.out)
        return self.out[: len(self.update.lines)].copy()

    def act(self, t: float, y: np.ndarray) -> bool:
        """Change the states that the clock rules; True if they have changed."""
        values = self.values(t, y)
        if isinstance(self.update.element, Sampled):
            values = called(self.update.element, t, values)
        changed = bool((y[self.places] != values).any())
        y[self.places] = values
        if self.counter >= 0:
            y[self.counter] += 1.0
        return changed or self.counter >= 0


class Clocks:
    """All clocks of a system, its inputs and its tapes."""

    def __init__(self, system: System | None = None, callback: tuple[Callable[[Any], Any], float] | None = None) -> None:
        self.tickers: list[Ticker] = []
        self.tapes: dict[str, np.ndarray] = {}
        self.shown: Callable[[], np.ndarray] = lambda: np.zeros(0)  # times that are looked at again when the run is over
        self.courses = Courses(system)
        if system is None:
            return
        self.system = system  # changes with the structure
        for k, update in enumerate(self.program.updates if self.program is not None else ()):
            self.tickers.append(Ticker(update.clock[0], update.clock[1], self._sampler(k)))
        if callback is not None:
            self.tickers.append(Ticker(callback[1], 0.0, self._caller(*callback)))

    @property
    def program(self) -> Any:
        """The SignalProgram, or None."""
        return self.system.assembly.program

    @property
    def next_time(self) -> float:
        """Of the next tick of any clock."""
        return min((ticker.next_time for ticker in self.tickers), default=math.inf)

    def start(self, t: float, y: np.ndarray) -> None:
        """Tapes, functions that remember something, and ticks at the beginning."""
        for update in self.program.updates if self.program is not None else ():
            reset = getattr(getattr(update.element, "function", None), "reset", None)
            if callable(reset):
                reset()
        self._start_tapes(t, y)
        if self.due(t):
            self.tick(t, y)

    def due(self, t: float) -> bool:
        """Whether some clock ticks at t; what differs by rounding only is the same moment."""
        return self.next_time <= t + ROUNDING * max(1.0, abs(t))

    def tick(self, t: float, y: np.ndarray) -> bool:
        """Do what is due at t, in the order of declaration; True if y has changed."""
        changed = False
        for ticker in self.tickers:
            slack = ROUNDING * max(1.0, abs(t))
            while ticker.next_time <= t + slack:
                at = max(ticker.next_time, t - slack)  # the clock's own time, which the run has met but for rounding
                ticker.count += 1
                changed = ticker.act(at, y) or changed
        return changed

    def _sampler(self, number: int) -> Callable[[float, np.ndarray], bool]:
        sampler: Sampler | None = None

        def act(t: float, y: np.ndarray) -> bool:
            nonlocal sampler
            if sampler is None or sampler.system is not self.system:
                sampler = Sampler(self.system, number)
            return sampler.act(t, y)

        return act

    def _caller(self, callback: Callable[[Any], Any], period: float) -> Callable[[float, np.ndarray], bool]:
        def act(t: float, y: np.ndarray) -> bool:
            try:
                given = callback(Moment(self.system, t, y))
            except SharnirError:
                raise
            except Exception as error:
                raise SimulationError(f"callback: at t = {t:.6g} it raised {shown(error)}") from error
            nothing = given is None or (isinstance(given, (int, float, str, tuple, list)) and not given)
            changed = self.set_inputs({} if nothing else given, y)
            return self.follow(t, t + period, y) or changed

        return act

    def set_inputs(self, values: Any, y: np.ndarray) -> bool:
        """Values of inputs by name; True if any is new. Of one that motions follow also (value, rate)."""
        signals, changed = self.system.model.signals, False
        for name, given in mapping(values, "callback", "inputs", "values of inputs by name").items():
            if not isinstance(signals.get(name), Input):
                known = ", ".join(key for key, signal in signals.items() if isinstance(signal, Input)) or "none"
                raise ModelError(f"model '{self.system.model.name}': '{name}' is not an Input; inputs are {known}")
            value, *rate = given if isinstance(given, (tuple, list)) and given else (given,)
            if rate and (name not in self.courses.courses or len(rate) > 1):
                raise ModelError(
                    f"Input '{name}' = {given!r}: a pair (value, rate) is for inputs that motions follow; give a number"
                )
            value = number(value, f"Input '{name}'", "value")
            self.courses.rates |= {name: number(rate[0], f"Input '{name}'", "rate")} if rate else {}
            k = self.input_state(name, y)
            changed = changed or y[k] != value
            y[k] = value
        return changed

    def input_state(self, name: str, y: np.ndarray) -> int:
        """Where the value of an input stands in the state."""
        return len(y) - len(self.program.states) + self.program.state_number(f"{name}.s")

    def follow(self, t: float, until: float, y: np.ndarray) -> bool:
        """Motions go over to the inputs that they follow until the end of a communication step; True if something moves."""
        if not self.courses.courses:
            return False
        moves = self.courses.go_on(t, until, {name: float(y[self.input_state(name, y)]) for name in self.courses.courses})
        self.hand_over(self.system)
        return moves

    # ---- tapes ----------------------------------------------------------------------------------------------------------

    def longest_step(self, given: float, fixed: float | None) -> float:
        """A step must not need what has not been computed yet; `fixed` is the length of fixed steps."""
        delays = self.program.delays.values() if self.program is not None else ()
        shortest = min((element.time for element in delays), default=math.inf)
        if fixed is not None and fixed > shortest:
            raise ModelError(f"a fixed step of {fixed:g} s is longer than the shortest delay, {shortest:g} s; use a shorter step")
        return min(given, shortest)

    def quiet_for(self, t: float) -> float:
        """How long nothing ticks, and no delay needs what has not been computed yet."""
        return min(self.next_time - t, self.longest_step(math.inf, None))

    def _start_tapes(self, t: float, y: np.ndarray) -> None:
        delays = self.program.delays if self.program is not None else {}
        self.tapes = {name: new_tape(element.initial or 0.0, RECORDS) for name, element in delays.items()}
        self.hand_over(self.system)
        for name, element in delays.items():
            if element.initial is None:
                out = np.zeros((1, 1))
                place = self.system.signal_place(past_key(name))
                self.system.observe_work(np.array([t]), y[None], place, out)
                self.tapes[name][BEFORE] = out[0, 0]

    def hand_over(self, system: System) -> None:
        """Write the addresses of its tapes into a system, which keeps them alive."""
        system.__dict__["tapes"] = [*self.tapes.values(), *self.courses.hand_over(system)]
        for name, tape in self.tapes.items():
            system.work[system.signal_place(f"{name}.tape")] = number_of(location(tape))

    def room_for(self, evaluations: int, t: float) -> int:
        """How many evaluations may be made before tapes are looked at again; every step is at least one. t : time reached."""
        if not self.tapes:
            return evaluations
        wanted = min(evaluations, MOST_AT_ONCE)
        for name, tape in self.tapes.items():
            if room(tape) >= wanted + SPARE:
                continue
            delay = self.program.delays[name].time
            thin(tape, self.shown() - delay, t - BACK * delay)
            if room(tape) < max(wanted + SPARE, tape[USED]):
                self.tapes[name] = np.concatenate([tape, np.zeros(len(tape) + RECORD * (wanted + SPARE))])
        self.hand_over(self.system)
        return wanted


def called(element: Sampled, t: float, inputs: np.ndarray) -> np.ndarray:
    """What a user's function gives, one number per output."""
    wanted = len(element.outputs) or 1
    try:
        given = element.function(t, *(float(x) for x in inputs))
    except Exception as error:
        raise SimulationError(f"{element.label}: at t = {t:.6g} the function raised {error!r}") from error
    try:
        values = np.array(given, float).reshape(-1)
    except (TypeError, ValueError):
        values = np.zeros(0)
    if len(values) != wanted or not np.isfinite(values).all():
        raise SimulationError(f"{element.label}: at t = {t:.6g} the function gave {given!r}; {wanted} finite numbers are needed")
    return values
