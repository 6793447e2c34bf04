"""What effects of events do to a state: parameters, states of signals, switches and impulses, in any system with the event."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.dynamics.events.impact import rate_row, struck_speeds
from sharnir.dynamics.signals.signal_program import ON, parameter_key
from sharnir.dynamics.signals.signal_records import rate_key
from sharnir.dynamics.system import System
from sharnir.model.events import Effect, Impulse, NewParameter, NewState, Switch


def take_effect(system: System, t: float, y: np.ndarray, key: str, effect: Effect) -> bool:
    """Change the state as an effect says; False if no impulse can. What ends a run, or switches events, changes no state."""
    if isinstance(effect, NewParameter):
        y[state_place(system, parameter_key(effect.parameter))] = value(system, t, y, key, effect.value)
    elif isinstance(effect, NewState):
        y[state_place(system, f"{effect.signal}.s")] = value(system, t, y, key, effect.value)
    elif isinstance(effect, Switch) and effect.target not in system.model.original.events:
        y[state_place(system, f"{effect.target}.{ON}")] = float(effect.on)
    elif isinstance(effect, Impulse):
        return strike(system, t, y, key, effect)
    return True


def strike(system: System, t: float, y: np.ndarray, key: str, effect: Impulse) -> bool:
    """An impulse along a measured number, so that its rate becomes what it must; False if no impulse can do that."""
    name = rate_key(key)
    rate = read(system, t, y, name)
    after = value(system, t, y, key, effect.value) if effect.restitution is None else -float(effect.restitution) * rate
    row = rate_row(system, y, t, system.assembly.program.place(name))
    v = struck_speeds(system, y, t, row, after - rate)
    if v is not None:
        y[system.n_q : system.n_q + system.n_v] = v
    return v is not None


def value(system: System, t: float, y: np.ndarray, key: str, given: Any) -> float:
    """A number that an effect needs: its own, or that of its formula, which is a signal of the name `key`."""
    return read(system, t, y, key) if isinstance(given, str) else float(given)


def read(system: System, t: float, y: np.ndarray, name: str) -> float:
    """The value of a signal at a state."""
    out = np.zeros((1, 1))
    system.observe_work(np.array([t]), y[None], system.signal_place(name), out)
    return float(out[0, 0])


def state_place(system: System, name: str) -> int:
    """Where a state of control stands in the state."""
    program = system.assembly.program
    return len(system.y0) - len(program.states) + program.state_number(name)
