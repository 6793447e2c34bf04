"""Events and what they do."""

from sharnir.model.events.actions import ALL_ACTIONS, Action, Disable, Enable, Rebound, SetParameter, SetSpeed, Stop
from sharnir.model.events.event import Event

__all__ = ["ALL_ACTIONS", "Action", "Disable", "Enable", "Event", "Rebound", "SetParameter", "SetSpeed", "Stop"]
