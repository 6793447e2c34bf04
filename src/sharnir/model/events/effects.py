"""What actions consist of: elementary changes that the engine makes, compiled where it can, in Python where it must.

An action says once which effects it has; both ways of doing them read the same list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Effect:
    """One elementary change; `formula`: what is evaluated at the event for it, as text, or None."""

    @property
    def formula(self) -> str | None:
        """The formula of its value."""
        value = getattr(self, "value", None)
        return value if isinstance(value, str) else None


@dataclass(frozen=True)
class NewParameter(Effect):
    """A parameter of the model gets another value, a number or a formula."""

    parameter: str
    value: Any


@dataclass(frozen=True)
class NewState(Effect):
    """The state of a signal gets another value, a number or a formula."""

    signal: str
    value: Any


@dataclass(frozen=True)
class Switch(Effect):
    """An event or a signal is switched on or off."""

    target: str
    on: bool


@dataclass(frozen=True)
class Impulse(Effect):
    """An impulse along a variable, behind which its rate is `value`, or -restitution × the rate before, if that is given."""

    variable: Any
    value: Any = 0.0
    restitution: float | None = None


@dataclass(frozen=True)
class End(Effect):
    """The run ends."""

    message: str = ""


KNOWN_EFFECTS = (NewParameter, NewState, Switch, Impulse, End)
