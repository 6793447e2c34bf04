"""Events and what they do."""

from sharnir.model.events.actions import Action, Disable, Enable, Rebound, SetParameter, SetSignal, SetSpeed, Stop
from sharnir.model.events.event import ALL_ACTIONS, Event
from sharnir.model.events.structure_actions import (
    START,
    STRUCTURE_ACTIONS,
    Attach,
    Join,
    Lock,
    Release,
    SetMotion,
    StructureAction,
    Unlock,
)

__all__ = [
    "ALL_ACTIONS",
    "START",
    "STRUCTURE_ACTIONS",
    "Action",
    "Attach",
    "Disable",
    "Enable",
    "Event",
    "Join",
    "Lock",
    "Rebound",
    "Release",
    "SetMotion",
    "SetParameter",
    "SetSignal",
    "SetSpeed",
    "Stop",
    "StructureAction",
    "Unlock",
]
