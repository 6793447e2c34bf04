"""A run with events: the integrator stops at each, its actions are carried out, and the run continues from there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, NoReturn

import numpy as np

from sharnir.dynamics.evaluation.python_entries import call_once
from sharnir.dynamics.events.compiled_actions import MOMENT, NEVER
from sharnir.dynamics.events.event_records import rebounds
from sharnir.dynamics.events.impact import impulse_moves
from sharnir.dynamics.signals.signal_evaluation import EVENTS
from sharnir.dynamics.signals.signal_records import action_effects, event_effects, event_key, rate_key
from sharnir.dynamics.system import System
from sharnir.errors import ModelError
from sharnir.integrate import Solution
from sharnir.integrate.events import event_book as B
from sharnir.integrate.events.chattering import complaint
from sharnir.integrate.run import Run
from sharnir.model import Event, Model
from sharnir.model.changed_structure import Structure
from sharnir.model.events import Effect, End, Impulse, StructureAction, Switch
from sharnir.simulate.channels.statistics import joined_stats
from sharnir.simulate.events.event_log import EventLog
from sharnir.simulate.events.run_parts import Kept, Part
from sharnir.simulate.events.sampling_clocks import Clocks
from sharnir.simulate.events.state_effects import take_effect
from sharnir.simulate.events.structure_change import Compile, StructureChange
from sharnir.simulate.events.waiting_events import OFF, WaitingEvents

AT_REST = "give it a contact force (a law of JointLimit or Contact), or an action that holds it, such as Lock"


@dataclass
class EventLoop:
    """The state of a run with events."""

    system: System  # with memory of its own
    run: Run
    begin: Callable[[System, np.ndarray, float, int], tuple[Run, int]]  # a run of another system from a state on
    compile: Compile
    log: EventLog = field(default_factory=EventLog)
    parts: list[Part] = field(default_factory=list)
    structure: Structure = field(default_factory=Structure)
    message: str = ""  # why it stopped early
    failed: bool = False
    span: float = 1.0  # length of the run
    t: float = 0.0  # the moment that is looked at, and the state there
    y: np.ndarray = field(default_factory=lambda: np.zeros(0))
    reached: int = 0  # output times before this run
    dropped: int = 0  # 1: the first output of this run is none of those asked for
    clocks: Clocks = field(default_factory=Clocks)
    goes_on: bool = True
    implicit_from: float | None = None  # when it was found to be stiff
    ticks: int = 0
    kept: list[Kept] | None = None  # times and states, if they are not those of the run's outputs
    looked_at: Callable[[EventLoop], None] | None = None  # what follows the run, such as a file
    cause: BaseException | None = None  # what a user's function raised
    stopped_at: tuple[float, np.ndarray] | None = None  # by Stop
    events: list[Event] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    changes: list[Any] = field(default_factory=list)  # of the model, that are still to come (model_change.py)
    stop_at: float = math.inf  # what follows the run wants to look at it at the end of the step that reaches this time
    continued: set[tuple[str, int]] = field(default_factory=set)  # freedoms whose motion continues from where a change found them

    def __post_init__(self) -> None:
        self._first, self._given = self.system, None  # type: System, Model | None
        same = self.system.same_elements
        self.events = list(same.events.values())
        self.waiting = WaitingEvents(same)
        self.waiting.update(self.structure, self.run.events)

    @property
    def original(self) -> Model:
        """The model with the structure of its beginning, as the last change has given it."""
        return self._first.model.original if self._given is None else self._given

    def go_on_from(self, model: Model) -> None:
        """A change has given the model other numbers."""
        self._given = self.waiting.original = model
        self.events = list(model.events.values())

    def handle(self) -> bool:
        """Do what the events of this moment do, and those that they cause; False if the run ends there."""
        events = self.run.events
        self.t, self.y = self.run.t, self.run.state.copy()
        self.log.take_passed(self.run.events, self.events)
        if events.resting:
            return self.look_at_rest()
        pending = list(self.run.fired)
        if self.run.problem.actions is not None:
            (answer, i), pending = events.answer, events.asked
            if answer == B.CHATTER:
                self.fail(complaint(self.events[i].name, events.book))
                return False
            if answer == B.STUCK:
                self.refuse_strike(self.events[i])
        goes_on = self.happen_all(pending)
        if goes_on:
            self.resume()
        return goes_on

    def look_at_rest(self) -> bool:
        """Functions go on although their events turn something round: it is at rest, if that moves the function."""
        events = self.run.events
        for i in events.resting:
            event, program = self.events[i], self.system.assembly.program
            keys = [rate_key(key) for key, _, effect in event_effects(event) if rebounds(effect)]
            if any(impulse_moves(self.system, self.t, self.y, program.place(key), partial(self.function, i)) for key in keys):
                last = events.last_time(i)
                self.fail(
                    f"{event.label}: the rebounding body came to rest at t = {last:.6g}, and nothing holds it there; {AT_REST}"
                )
                return False
            events.let_pass(i)
        self.resume(0.0)  # nothing happens here; the book still has the work of the event before
        return True

    def happen_all(self, pending: list[int]) -> bool:
        """Events of one moment in their order, and those that they cause; False if the run ends there."""
        goes_on, sides, marked, self.waiting.awoken = True, self.run.events.sides, self.run.events.marked, set()
        first = before = self.functions()
        pending = self.with_clocks(pending, first)
        while pending and goes_on:
            for i in pending:
                if goes_on and self.run.events.direction(i) != OFF:  # an event before it may have switched it off
                    goes_on = self.happen(i, self.events[i])
            after = self.functions()
            sided = [sides.get(i, before[i]) if after[i] != before[i] else before[i] for i in range(len(after))]
            pending = [i for i in range(len(after)) if i not in pending and self.has_jumped(i, sided[i], after[i])]
            before = after
        for i in marked:
            jump = B.JUMP if self.events[i].when is not None else MOMENT * max(1.0, abs(self.t))
            if abs(before[i] - first[i]) > max(100.0 * abs(first[i]), jump):
                self.run.events.forget_side(i)
        return goes_on

    def with_clocks(self, pending: list[int], values: list[float]) -> list[int]:
        """Events of this moment with the timed ones that differ by rounding only, in their order."""
        return sorted({*pending, *self.due_clocks(values)}) if pending else []

    def due_clocks(self, values: list[float]) -> list[int]:
        """Timed events of this moment, to rounding."""
        timed = (i for i, e in enumerate(self.events) if e.when is None and self.run.events.direction(i) != OFF)
        return [i for i in timed if abs(values[i]) <= MOMENT * max(1.0, abs(self.t))]

    def tick(self) -> None:
        """What is sampled at this moment changes the state, and may cause events."""
        self.t, self.y, self.ticks = self.run.t, self.run.state.copy(), self.ticks + 1
        before = self.functions()
        if not self.clocks.tick(self.t, self.y):
            return
        after = self.functions()
        self.run.amend(self.y, self.y != self.run.state)
        if self.kept and self.kept[-1].t == self.t:
            self.kept[-1] = self.kept[-1]._replace(y=self.y.copy(), work=self.run.integral + self.work_done())
        self.goes_on = self.happen_all([i for i in range(len(after)) if self.has_jumped(i, before[i], after[i])])
        if self.goes_on:
            self.resume()

    def resume(self, work: float | None = None) -> None:
        """Go on with the state that events have made."""
        self.system.hold_sides(self.system.work)
        self.run.resume(self.y, self.work_done() if work is None else work)

    def work_done(self) -> float:
        """What the events of this moment have done, compiled ones and those of Python: the energy that they have changed."""
        work, before = self.compiled_work, self.run.state
        if self.run.problem.balance is not None and not np.array_equal(before, self.y):
            energies = self.system.observe_stored(np.full(2, self.t), np.array([before, self.y])).sum(axis=1)
            work += float(energies[1] - energies[0])
        return work

    @property
    def compiled_work(self) -> float:
        """What compiled actions of this moment have done before they left the rest to Python."""
        acted = self.run.at_event and self.run.problem.actions is not None
        return float(self.run.events.book[B.WORK]) if acted else 0.0

    def functions(self, y: np.ndarray | None = None) -> list[float]:
        """Values of all event functions at the moment, at its state or another one."""
        out, s = np.zeros(len(self.events) + self.system.n_switches), self.system
        if self.events:
            call_once(EVENTS.address, self.t, self.y if y is None else y, out, s.table, s.params, s.work)
        return out[: len(self.events)].tolist()

    def function(self, i: int, y: np.ndarray) -> float:
        return self.functions(y)[i]

    def has_jumped(self, i: int, before: float, after: float) -> bool:
        """What an event has changed has taken another event's function over zero."""
        if i in self.waiting.awoken:
            return self.waiting.lets_go(i, after)
        d = self.run.events.direction(i)
        return (d in (0, 1) and before < 0.0 <= after) or (d in (0, -1) and before > 0.0 >= after)

    def happen(self, i: int, event: Event) -> bool:
        """One event: its actions in their order change the state, parameters, the structure."""
        goes_on, entry = True, self.log.begin(self.t, event.name, self.y)
        for structural, group in groupby(enumerate(event.actions), lambda x: isinstance(x[1], StructureAction)):
            if structural:
                self.change_structure(event, [action for _, action in group])
                continue
            for k, action in group:
                for key, effect in action_effects(event, k):
                    goes_on = self.act(event, key, action, effect) and goes_on
        if not goes_on:  # what comes after Stop in the list belongs to the same moment
            self.stopped_at = (self.t, self.y.copy())
        self.set_clock(event)
        chatters = self.run.events.happens(i, self.t)
        if event.times is not None and self.run.events.times(i) >= event.times:
            self.run.events.set_direction(i, OFF)
        self.log.end(entry, self.y)
        if chatters:
            self.fail(complaint(event.name, self.run.events.book))
        return goes_on and not chatters

    def set_clock(self, event: Event) -> None:
        """When a timed event happens next."""
        if event.when is None:
            self.work[self.place(f"{event_key(event.name)}.T")] = min(event.next_time(self.t), NEVER)

    def act(self, event: Event, key: str, action: Any, effect: Effect) -> bool:
        """One effect; False: it ends the run."""
        if isinstance(effect, End):
            self.message = effect.message or f"event '{event.name}'"
            return False
        if isinstance(effect, Switch) and effect.target in self.original.events:
            i = list(self.original.events).index(effect.target)
            self.run.events.set_direction(i, self.events[i].crossing[1] if effect.on else OFF)
            self.set_clock(self.events[i])
            return True
        moved = effect.variable if isinstance(effect, Impulse) else None
        acts = moved is None or self.structure.strikes(self.original, event, action, moved, self.t)
        if acts and not take_effect(self.system, self.t, self.y, key, effect):
            self.refuse_strike(event)
        return True

    def change_structure(self, event: Event, actions: list[Any]) -> None:
        """Other joints: another system and another run, which goes on with the same events."""
        self.log.weigh(self.system)
        self.reached += max(0, self.run.outputs - self.dropped)  # several changes at one moment: this run may not have begun
        change = StructureChange(self.original, self.structure, self.system, self.t, self.y, self.compile, event.label)
        change.apply(actions)
        self.structure, self.y = change.structure, change.y
        self.system, self.places = change.system.with_own_work(), {}
        self.clocks.system = self.system
        self.begin_run()
        self.waiting.update(self.structure, self.run.events)

    @property
    def next_change(self) -> float:
        """When the model changes next."""
        return float(self.changes[0].t) if self.changes else math.inf

    @property
    def landing(self) -> float:
        """The time of the next change, if a step has to end there exactly."""
        return self.next_change if self.changes and self.changes[0].exact else math.inf

    @property
    def looks_at_steps(self) -> bool:
        """Whether the end of every step matters."""
        return self.stop_at < math.inf or self.landing != self.next_change

    def begin_run(self) -> None:
        """Another run from the moment on, which goes on with the same events."""
        self.parts[-1].end = (self.run.t, self.run.state.copy(), self.run.integral + self.compiled_work)
        run, self.dropped = self.begin(self.system, self.y, self.t, self.reached)
        run.events.take_over(self.run.events)
        kept = self.dropped if self.kept is None else len(self.kept)
        self.parts, self.run = [*self.parts, Part(self.system.with_own_work(self.work), run, kept)], run

    def go_on_with(self, begin: Callable[[System, np.ndarray, float, int], tuple[Run, int]]) -> None:
        """Another integrator from here on."""
        self.log.weigh(self.system)
        self.log.take_passed(self.run.events, self.events)
        self.t, self.y, self.begin = self.run.t, self.run.state.copy(), begin
        self.reached += max(0, self.run.outputs - self.dropped)
        self.implicit_from = self.t
        self.begin_run()

    def stats(self) -> dict[str, Any]:
        """Counts of all runs together."""
        extra = {} if self.implicit_from is None else {"implicit_from": self.implicit_from}
        return extra | joined_stats([run.stats for run in {id(part.run): part.run for part in self.parts}.values()])

    @property
    def work(self) -> np.ndarray:
        return self.system.work

    def place(self, name: str) -> int:
        """Where a signal or a held value stands in the engine's memory."""
        if name not in self.places:
            self.places[name] = self.system.signal_place(name)
        return self.places[name]

    def take_log(self) -> None:
        """What compiled actions have done."""
        self.log.take(self.run.events.take_log(), self.events)

    def refuse_strike(self, event: Event) -> NoReturn:
        raise ModelError(
            f"{event.label}: at t = {self.t:.6g} no impulse can change this rate because joints or drives prescribe it; "
            "choose another variable for Rebound or SetSpeed"
        )

    def finished(self) -> Solution:
        """What has been computed, with the log in order."""
        self.take_log()
        self.log.weigh(self.system)
        self.log.take_passed(self.run.events, self.events)
        self.log.entries.sort(key=lambda entry: entry["t"])
        for part in self.parts:
            self.clocks.hand_over(part.system)
        return self.run.solution()

    def fail(self, message: str) -> None:
        """The run ends here with an error, which carries what was computed."""
        self.failed, self.message = True, message
