"""Signals given by formulas: sensors and what is computed from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sharnir.model.checks import fail, settle
from sharnir.model.signals.element import Equations, SignalElement, check_variables, formula_names


@dataclass(frozen=True)
class Signal(SignalElement):
    """A number that is computed all along the motion: a sensor, or a formula of sensors and other signals.

    formula : text. In it names in `variables`, their rates `x_dot` and `x_ddot`, other signals, `t`, parameters of the model,
        and in short `O.q`, `O.v`, `O.a` (coordinate of joint O, its rate and second rate) and `rod.x`, `rod.x_dot`, `rod.x_ddot`
        (world position, velocity, acceleration of body rod).
    variables : JointCoordinate, PointCoordinate, PointDistance, DirectionCosine or PointVelocity by name.
    unit : for the channel.

    Signals stand in formulas of forces, of other signals and of events by their name, and are channels of the result. What
    contains accelerations cannot be in a force that makes them: put a filter between.

    >>> Signal("error", "1 - O.q").measured
    {'O.q': Measurement(variable=JointCoordinate(joint='O', freedom=None), rate=0)}
    """

    name: str
    formula: str
    variables: Any = field(default_factory=dict, hash=False)
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_name()
        if not isinstance(self.formula, str):
            fail(label, "formula", f"= {self.formula!r} must be text, such as '1 - O.q'")
        settle(self, variables=check_variables(self.variables, label))
        names = formula_names(self.formula, label, "formula")
        for name in self.variables:
            if not {name, f"{name}_dot", f"{name}_ddot"} & set(names):
                fail(label, "variables", f"has {name!r}, which the formula does not contain; use it or leave it out")
        _ = self.measured

    def formulas(self) -> list[tuple[str, str]]:
        return [("formula", self.formula)]

    def equations(self) -> Equations:
        return Equations({"": self.formula})
