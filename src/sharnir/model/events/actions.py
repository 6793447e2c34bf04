"""Actions of events."""

from __future__ import annotations

from typing import ClassVar

from sharnir.arguments import shown
from sharnir.families import Family, Registered
from sharnir.model.checks import fail, number, reference, settle
from sharnir.model.constraints.variables import Variable, stored_coordinate
from sharnir.model.events.effects import Effect, End, Impulse, NewParameter, NewState, Switch
from sharnir.model.parameters.template import Parametric
from sharnir.model.signals.signal_element import formula_names
from sharnir.model.values import Coordinate, Number, NumberOrFormula, Reference, VariableValue, default, element


class Action(Registered, Parametric, listed=False):
    """One thing that an event does; actions of an event are done in their order. Defining a subclass lists it.

    What it does is a list of effects, which the engine does compiled or in Python.

    >>> SetParameter("gain", 2.0).effects()
    (NewParameter(parameter='gain', value=2.0),)
    """

    family: ClassVar[Family] = Family("action")

    @property
    def label(self) -> str:
        return type(self).__name__

    def effects(self) -> tuple[Effect, ...]:
        """Its effects, in this order."""
        raise NotImplementedError

    def formulas(self) -> list[str]:
        """Formulas that are evaluated at the event."""
        return [text for effect in self.effects() if (text := effect.formula) is not None]

    def _settle_value(self, field: str) -> None:
        value = getattr(self, field)
        if isinstance(value, str):
            formula_names(value, self.label, field)
        else:
            settle(self, **{field: number(value, self.label, field)})


@element
class Stop(Action):
    """End the run there.

    >>> Stop("it fell over").message
    'it fell over'
    """

    message: str = ""

    def effects(self) -> tuple[Effect, ...]:
        return (End(self.message),)


@element
class SetParameter(Action):
    """Give a parameter of the model another value: a number, or a formula of signals, sensors, parameters and t.

    Formulas of forces and signals see it from then on. Quantities computed once, before the run, cannot be changed in this way.

    >>> SetParameter("gain", "2*gain").value
    '2*gain'
    """

    parameter: Reference
    value: NumberOrFormula

    def __post_init__(self) -> None:
        if not isinstance(self.parameter, str):
            fail(self.label, "parameter", f"= {shown(self.parameter)} must be the name of a parameter of the model")
        self._settle_value("value")

    def effects(self) -> tuple[Effect, ...]:
        return (NewParameter(self.parameter, self.value),)


@element
class SetSpeed(Action):
    """Give the speed of a joint's freedom another value; others keep theirs as far as the constraints allow.

    In a mechanism with loops the speeds that satisfy the constraints follow with the smallest change, weighted by masses.

    >>> SetSpeed("O", "-0.8*O.v").coordinate
    JointCoordinate(joint='O', freedom=None)
    """

    coordinate: Coordinate
    value: NumberOrFormula

    def __post_init__(self) -> None:
        settle(self, coordinate=stored_coordinate(self.coordinate, self.label, "coordinate"))
        self._settle_value("value")

    def effects(self) -> tuple[Effect, ...]:
        return (Impulse(self.coordinate, self.value),)


@element
class Rebound(Action):
    """An impact along a variable of the mechanism: its rate is reversed, times `restitution`.

    variable : JointCoordinate, PointCoordinate, PointDistance or DirectionCosine, or a joint. The impulse acts along it, so all
        speeds change by the laws of impact, momentum is conserved where nothing is held, and constraints stay satisfied.
    restitution : 0 (plastic) … 1 (elastic).

    >>> Rebound("rail", 0.8).variable
    JointCoordinate(joint='rail', freedom=None)
    """

    variable: VariableValue
    restitution: Number = default(1.0)

    def __post_init__(self) -> None:
        if not (isinstance(self.variable, Variable) and self.variable.elementary):
            settle(self, variable=stored_coordinate(self.variable, self.label, "variable"))
        if self.variable.is_rate:
            fail(self.label, "variable", f"= {shown(self.variable)} is a velocity; name the position whose rate is reversed")
        settle(self, restitution=number(self.restitution, self.label, "restitution", low=0))
        if self.restitution > 1.0:
            fail(self.label, "restitution", f"= {shown(self.restitution)} must not be above 1: an impact cannot create energy")

    def effects(self) -> tuple[Effect, ...]:
        return (Impulse(self.variable, restitution=self.restitution),)


@element
class Enable(Action):
    """Enable another event from now on, or switch a signal on again.

    >>> Enable("second hit").event
    'second hit'
    """

    event: Reference

    def __post_init__(self) -> None:
        settle(self, event=reference(self.event, self.label, "event", "event"))

    def effects(self) -> tuple[Effect, ...]:
        return (Switch(self.event, on=True),)


@element
class Disable(Action):
    """Disable an event, or switch a signal off: it is then zero, and its states are constant.

    >>> Disable("hit").event
    'hit'
    """

    event: Reference

    def __post_init__(self) -> None:
        settle(self, event=reference(self.event, self.label, "event", "event"))

    def effects(self) -> tuple[Effect, ...]:
        return (Switch(self.event, on=False),)


@element
class SetSignal(Action):
    """Give an Input, an integral, a filter, … another value: its state, from which it continues.

    >>> SetSignal("integral", 0).value
    0.0
    """

    signal: Reference
    value: NumberOrFormula

    def __post_init__(self) -> None:
        settle(self, signal=reference(self.signal, self.label, "signal", "signal"))
        self._settle_value("value")

    def effects(self) -> tuple[Effect, ...]:
        return (NewState(self.signal, self.value),)
