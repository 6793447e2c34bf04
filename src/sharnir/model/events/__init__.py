"""Events and their actions."""

from sharnir.model.events.actions import Action, Disable, Enable, Rebound, SetParameter, SetSignal, SetSpeed, Stop
from sharnir.model.events.effects import Effect, End, Impulse, NewParameter, NewState, Switch
from sharnir.model.events.event import ALL_ACTIONS, Event
from sharnir.model.events.structure_actions import (
    START,
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
    "Action",
    "Attach",
    "Disable",
    "Effect",
    "Enable",
    "End",
    "Event",
    "Impulse",
    "Join",
    "Lock",
    "NewParameter",
    "NewState",
    "Rebound",
    "Release",
    "SetMotion",
    "SetParameter",
    "SetSignal",
    "SetSpeed",
    "Stop",
    "StructureAction",
    "Switch",
    "Unlock",
]
