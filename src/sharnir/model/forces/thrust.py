"""A rocket engine, whose body becomes lighter as it burns."""

from __future__ import annotations

from typing import Any, ClassVar

from sharnir.arguments import sequence, shown
from sharnir.model.checks import fail, number, point, settle, unit_axis, vector
from sharnir.model.events import Event, SetSignal
from sharnir.model.forces.force_element import ForceElement
from sharnir.model.given_functions import stored_entry
from sharnir.model.signals import Equations, SignalElement
from sharnir.model.values import Axis, BodyName, Number, NumberList, NumberOrFormula, OptionalVector, default, element


@element
class Thrust(ForceElement):
    """Thrust along an axis fixed in the body, which loses the mass that is burnt: flow = thrust / exhaust_speed.

    force : thrust [N], a number or a formula of t, signals and parameters; it ends with the propellant.
    axis : direction of the force on the body, in the reference drawing.
    at : where the jet leaves, in the drawing; default: the body's position.
    exhaust_speed : effective speed of the jet [m/s].
    propellant : mass that can be burnt [kg]; the body's own mass is that at the start, propellant included.
    tank : centre of the propellant in the drawing; default: the body's centre of mass. It stays there as the tank empties.
    tank_inertia : of the full propellant about its centre, body axes: three or six numbers, as for Body.
    jet_damping : include the Coriolis forces of the flow from the tank to the nozzle.

    >>> Thrust("engine", "rocket", 5000.0, axis="z", exhaust_speed=2500, propellant=300).flow
    '(5000.0)/2500.0'
    """

    name: str
    body: BodyName
    force: NumberOrFormula
    axis: Axis
    exhaust_speed: Number
    propellant: Number
    at: OptionalVector = default(None)
    tank: OptionalVector = default(None)
    tank_inertia: NumberList = default((0.0, 0.0, 0.0))
    jet_damping: bool = True
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"force": ("t",)}
    outputs: ClassVar[Any] = (("thrust", "N", ()), ("propellant", "kg", ()), ("flow", "kg/s", ()))

    def __post_init__(self) -> None:
        label = self._settle_names()
        given = self.force if isinstance(self.force, str) else number(self.force, label, "force", low=0)
        settle(self, force=stored_entry(given, ("t",), label, "force"))
        settle(
            self, axis=unit_axis(self.axis, label, "axis"), at=point(self.at, label, "at"), tank=point(self.tank, label, "tank")
        )
        settle(self, exhaust_speed=number(self.exhaust_speed, label, "exhaust_speed", above=0))
        settle(self, propellant=number(self.propellant, label, "propellant", above=0))
        entries = sequence(self.tank_inertia, label, "tank_inertia", "3 or 6 numbers")
        count = 6 if len(entries) == 6 else 3
        inertia = vector(entries, count, label, "tank_inertia")
        settle(self, tank_inertia=inertia + (0.0,) * (6 - count))
        if min(inertia[:3]) < 0.0:
            fail(label, "tank_inertia", f"= {shown(self.tank_inertia)} has a negative moment")

    @property
    def signal(self) -> str:
        """Name of its thrust among the signals; no signal of a user has a blank in its name."""
        return f"thrust {self.name}"

    def events(self, joints: Any) -> list[Event]:
        """The end of the propellant."""
        return [Event(f"{self.name} burnout", f"{self.name}.propellant < 0", SetSignal(self.signal, 0.0), times=1)]

    def signals(self) -> dict[str, SignalElement]:
        return {self.signal: Engine(self)}

    @property
    def flow(self) -> str:
        """Mass that leaves per second, as a formula."""
        return f"({self.force})/{self.exhaust_speed!r}"


class Engine(SignalElement, listed=False):
    """The thrust of an engine as a signal; states: m, the mass in its tank, and s, which is 1 until an event finds it empty."""

    def __init__(self, force: Thrust) -> None:
        self.force = force

    @property
    def label(self) -> str:
        return self.force.label

    def formulas(self) -> list[tuple[str, str]]:
        return [("force", str(self.force.force))]

    def input_formulas(self) -> dict[str, str]:
        return {"u": str(self.force.force)}  # apart from the equations: s and m may be names of the model, too

    def equations(self) -> Equations:
        states, numbers = {"s": 1.0, "m": self.force.propellant}, {"c": self.force.exhaust_speed}
        return Equations({"": "u*s"}, states, {"s": "0", "m": "-u*s/c"}, numbers)
