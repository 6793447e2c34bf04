"""Signals whose values come from outside."""

from __future__ import annotations

from sharnir.model.checks import number, settle
from sharnir.model.signals.signal_element import Equations, SignalElement
from sharnir.model.values import Number, default, element


@element
class Input(SignalElement):
    """A number that is set from outside while the model runs: by a stepper, a callback, another program (FMU) or an event.

    It is constant between settings, and equal to `initial` before the first one. In a `motion=` it is the position at the end of
    each communication step, and the drive moves there smoothly.

    >>> Input("torque", initial=2.0, unit="N m").equations().states
    {'s': 2.0}
    """

    name: str
    initial: Number = default(0.0)
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_name()
        settle(self, initial=number(self.initial, label, "initial"))

    def formulas(self) -> list[tuple[str, str]]:
        return []

    def equations(self) -> Equations:
        return Equations({"": "s"}, {"s": self.initial})
