"""Actions of events that the engine carries out without Python → its records (compiled_actions.py)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.memory import event_layout as A
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.memory_builder import Assembly
from sharnir.dynamics.signals.signal_evaluation import CALM, EVENTS
from sharnir.dynamics.signals.signal_program import ON, SignalProgram, parameter_key
from sharnir.dynamics.signals.signal_records import event_effects, event_key, rate_key
from sharnir.model.events import Effect, Event, Impulse, NewParameter, NewState, StructureAction, Switch

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

MOST_SPEEDS = 200  # and equations of a mechanism whose impacts are compiled: they need dense matrices


class Actions:
    """Records of the actions of a model's events."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly, self.blocks = assembly, assembly.blocks
        self.program: SignalProgram = assembly.program
        self.events = list(assembly.model.events.values())
        header, n_v = self.blocks.header, assembly.coordinates.n_v
        self.strikes = not header[L.N_ELASTIC] and 0 < n_v <= MOST_SPEEDS and header[L.N_ROW] <= MOST_SPEEDS

    def append(self) -> None:
        """Records of events, followed by those of actions, and memory for impacts."""
        records: list[list[int]] = []
        actions: list[list[int]] = []
        start = self.blocks.size("table") + A.EVENT_SIZE * len(self.events)
        for event in self.events:
            found = self.actions_of(event)
            begin = start + A.ACTION_SIZE * len(actions)
            actions += found or []
            clock = self.number(event.next_time(-math.inf) if event.when is None else 0.0, event.every or 0.0)
            time = self.program.place(f"{event_key(event.name)}.T") if event.when is None else -1
            end = start + A.ACTION_SIZE * len(actions)
            records.append([int(found is not None), begin, end, event.times or 0, time, clock, event.crossing[1]])
        self.blocks.append("table", L.T_ACTION, [x for record in [*records, *actions] for x in record])
        c = self.assembly.coordinates
        if any(action[A.KIND] == A.STRIKE for action in actions):
            m = int(self.blocks.header[L.N_ROW])
            size = c.n_q + c.n_v + c.n_z + c.n_v * (c.n_v + 2 * m + 5) + m + 1
            self.blocks.append("work", L.W_ACTION, np.zeros(size))
            self.blocks.append("work", L.W_COMPOSITE, np.zeros(21 * self.assembly.count))

    def number(self, *values: float) -> int:
        """Where numbers stand in `params`."""
        return self.blocks.append("params", None, list(values))

    def actions_of(self, event: Event) -> list[list[int]] | None:
        """Records of an event's effects; None if Python must do them."""
        if any(isinstance(action, StructureAction) for action in event.actions):
            return None
        found = [self.record(key, effect) for key, _, effect in event_effects(event)]
        return None if any(record is None for record in found) else [record for record in found if record is not None]

    def record(self, key: str, effect: Effect) -> list[int] | None:
        """One effect; None: it ends the run, or needs more than the engine does at events."""
        program = self.program
        if isinstance(effect, Switch):
            names = [other.name for other in self.events]
            if effect.target in names:
                return [A.SWITCH, names.index(effect.target), int(effect.on), 0, 0]
            return [A.SET_STATE, program.state_number(f"{effect.target}.{ON}"), -1, self.number(float(effect.on)), 0]
        if isinstance(effect, Impulse) and not self.strikes_at(effect.variable):
            return None
        if isinstance(effect, Impulse) and effect.restitution is not None:
            return [A.STRIKE, program.place(rate_key(key)), -1, self.number(effect.restitution), 1]
        if not isinstance(effect, (NewParameter, NewState, Impulse)):
            return None
        signal, number = -1, 0
        if effect.formula is not None:
            if key in program.late_names and not self.blocks.header[L.EVENTS_LATE]:
                return None
            signal = program.place(key)
        else:
            number = self.number(float(effect.value))
        if isinstance(effect, NewParameter):
            return [A.SET_STATE, program.state_number(parameter_key(effect.parameter)), signal, number, 0]
        if isinstance(effect, NewState):
            return [A.SET_STATE, program.state_number(f"{effect.signal}.s"), signal, number, 0]
        return [A.STRIKE, program.place(rate_key(key)), signal, number, 0]

    def strikes_at(self, moved: Any) -> bool:
        """Whether an impact is compiled: not on joints that are apart or driven, which is an error or no impact at all."""
        model = self.assembly.model
        driven = {name for name, joint in model.joints.items() if any(joint.driven)}
        return self.strikes and not any(name in model.released or name in driven for name in moved.joints)


def append_actions(assembly: Assembly) -> None:
    """What the events of a model do, as far as it is compiled."""
    if assembly.program is not None and assembly.model.events:
        Actions(assembly).append()


def rebounds(effect: Effect) -> bool:
    """Whether an effect turns a rate round, so that what it belongs to may come to rest."""
    return isinstance(effect, Impulse) and effect.restitution is not None


def event_parts(system: Equations) -> dict[str, Any]:
    """Arguments of a Problem that belong to events and delays."""
    events, table = system.model.events.values(), system.table
    n = int(table[L.N_SWITCH])
    parts: dict[str, Any] = {
        "events": EVENTS,
        "switches": n,
        "bends": sum(system.assembly.functions.sides.bends),
        "directions": [event.crossing[1] if event.enabled else 2 for event in events] + [0] * n,
        "passing": [not event.actions and event.times is None and event.when is not None for event in events] + [False] * n,
        "stopping": [any(rebounds(effect) for _, _, effect in event_effects(event)) for event in events] + [False] * n,
    }
    if n or any(table[table[L.T_ACTION] + A.EVENT_SIZE * i + A.LIGHT] for i in range(table[L.N_EVENT])):
        from sharnir.dynamics.events.compiled_actions import ACTIONS

        parts["actions"] = ACTIONS
    if system.assembly.program is not None and system.assembly.program.delays:
        from sharnir.dynamics.signals.delay_recording import HISTORY

        parts["history"] = HISTORY
    elif not events:
        parts |= {"calm": CALM, "gentle": system.assembly.functions.sides.gentle}
    return parts
