"""What an event does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sharnir.model.checks import Reference, fail, number, reference, settle
from sharnir.model.constraints.variables import stored_coordinate
from sharnir.model.signals.element import formula_names


class Action:
    """One thing that an event does; actions of an event are done in their order."""

    formula_fields: ClassVar[tuple[str, ...]] = ()

    @property
    def label(self) -> str:
        return type(self).__name__

    def formulas(self) -> list[tuple[str, str]]:
        """(field, text) of formulas that are evaluated at the event."""
        return [(field, text) for field in self.formula_fields if isinstance(text := getattr(self, field), str)]

    def _settle_value(self, field: str) -> None:
        value = getattr(self, field)
        if isinstance(value, str):
            formula_names(value, self.label, field)
        else:
            settle(self, **{field: number(value, self.label, field)})


@dataclass(frozen=True)
class Stop(Action):
    """End the run there.

    >>> Stop("it fell over").message
    'it fell over'
    """

    message: str = ""


@dataclass(frozen=True)
class SetParameter(Action):
    """Give a parameter of the model another value: a number, or a formula of signals, sensors, parameters and t.

    Formulas of forces and signals see it from then on. What is computed once, before the run, cannot be changed so.

    >>> SetParameter("gain", "2*gain").value
    '2*gain'
    """

    parameter: str
    value: Any
    formula_fields: ClassVar[tuple[str, ...]] = ("value",)

    def __post_init__(self) -> None:
        if not isinstance(self.parameter, str):
            fail(self.label, "parameter", f"= {self.parameter!r} must be the name of a parameter of the model")
        self._settle_value("value")


@dataclass(frozen=True)
class SetSpeed(Action):
    """Give the speed of a joint's freedom another value; others keep theirs as far as constraints let them.

    In a mechanism with loops the speeds that satisfy the constraints follow with the smallest change, weighted by masses.

    >>> SetSpeed("O", "-0.8*O.v").coordinate
    JointCoordinate(joint='O', freedom=None)
    """

    coordinate: Any
    value: Any
    formula_fields: ClassVar[tuple[str, ...]] = ("value",)

    def __post_init__(self) -> None:
        settle(self, coordinate=stored_coordinate(self.coordinate, self.label, "coordinate"))
        self._settle_value("value")


@dataclass(frozen=True)
class Rebound(Action):
    """An impact along a variable of the mechanism: its rate is reversed, times `restitution`.

    variable : JointCoordinate, PointCoordinate, PointDistance or DirectionCosine, or a joint. The impulse acts along it, so
        all speeds change as mechanics says, momentum is kept where nothing is held, and constraints stay satisfied.
    restitution : 0 (plastic) … 1 (elastic).

    >>> Rebound("rail", 0.8).variable
    JointCoordinate(joint='rail', freedom=None)
    """

    variable: Any
    restitution: float = 1.0

    def __post_init__(self) -> None:
        from sharnir.model.constraints.variables import ALL_VARIABLES

        if not isinstance(self.variable, ALL_VARIABLES):
            settle(self, variable=stored_coordinate(self.variable, self.label, "variable"))
        if self.variable.is_rate:
            fail(self.label, "variable", f"= {self.variable!r} is a velocity; name the position whose rate is reversed")
        settle(self, restitution=number(self.restitution, self.label, "restitution", low=0))
        if self.restitution > 1.0:
            fail(self.label, "restitution", f"= {self.restitution!r} must not be above 1: an impact makes no energy")


@dataclass(frozen=True)
class Enable(Action):
    """Let another event happen from now on, or switch a signal on again.

    >>> Enable("second hit").event
    'second hit'
    """

    event: Reference

    def __post_init__(self) -> None:
        settle(self, event=reference(self.event, self.label, "event", "event"))


@dataclass(frozen=True)
class Disable(Action):
    """Do not let an event happen any more, or switch a signal off: it is zero, and its states stand still.

    >>> Disable("hit").event
    'hit'
    """

    event: Reference

    def __post_init__(self) -> None:
        settle(self, event=reference(self.event, self.label, "event", "event"))


@dataclass(frozen=True)
class SetSignal(Action):
    """Give an Input, an integral, a filter, … another value: its state, from which it goes on.

    >>> SetSignal("integral", 0).value
    0.0
    """

    signal: Reference
    value: Any
    formula_fields: ClassVar[tuple[str, ...]] = ("value",)

    def __post_init__(self) -> None:
        settle(self, signal=reference(self.signal, self.label, "signal", "signal"))
        self._settle_value("value")


STATE_ACTIONS = (Stop, SetParameter, SetSpeed, SetSignal, Rebound, Enable, Disable)
