"""What an integrator has to know of the events of a system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sharnir.dynamics.memory import event_layout as A
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.signals.signal_evaluation import EVENTS
from sharnir.model import Rebound

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def event_parts(system: Equations) -> dict[str, Any]:
    """Arguments of a Problem that belong to events and delays."""
    events, table = system.model.events.values(), system.table
    parts: dict[str, Any] = {
        "events": EVENTS,
        "directions": [event.crossing[1] if event.enabled else 2 for event in events],
        "passing": [not event.actions and event.times is None and event.when is not None for event in events],
        "stopping": [any(isinstance(action, Rebound) for action in event.actions) for event in events],
    }
    if any(table[table[A.T_ACTION] + A.EVENT_SIZE * i + A.LIGHT] for i in range(table[L.N_EVENT])):
        from sharnir.dynamics.events.compiled_actions import ACTIONS

        parts["actions"] = ACTIONS
    if system.assembly.program is not None and system.assembly.program.delays:
        from sharnir.dynamics.signals.delay_recording import HISTORY

        parts["history"] = HISTORY
    return parts
