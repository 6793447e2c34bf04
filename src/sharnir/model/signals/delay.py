"""Delays: a signal as it was some time ago, exactly or by a rational function."""

from __future__ import annotations

from math import comb, factorial

from sharnir.arguments import shown
from sharnir.model.checks import fail, number, settle
from sharnir.model.signals.blocks import Block, TransferFunction
from sharnir.model.signals.signal_element import Equations
from sharnir.model.values import Integer, Number, OptionalNumber, default, element


class PastValue:
    """Stands in `Equations.calls` for what was kept of the past: a function of (tape, t, value before the start)."""


PAST = PastValue()


@element
class Delay(Block):
    """The input as it was `time` seconds ago.

    Steps of the integrator are no longer than the delay. What is delayed is kept for every step, on the integrator's own
    interpolation. initial : the input before the start; None: as it is at the start.

    >>> Delay("late", "O.q", time=0.1).equations().past
    'u'
    """

    name: str
    input: str
    time: Number = default(0.01)
    initial: OptionalNumber = default(None)
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle(self, time=number(self.time, label, "time", above=0))
        if self.initial is not None:
            settle(self, initial=number(self.initial, label, "initial"))

    def equations(self) -> Equations:
        numbers = {"T": self.time, "before": self.initial or 0.0}
        return Equations(
            {"": "x"}, numbers=numbers, held={"tape": 0.0}, calls={"x": (PAST, ("tape", "t - T", "before"))}, past="u"
        )


@element
class PadeDelay(Block):
    """exp(-time s) by a rational function: an approximate delay with states, for linear equations and modes.

    order : of both polynomials; the lower order of the numerator (order - 1) avoids an immediate jump.

    >>> PadeDelay("late", "O.q", time=6.0, order=2).transfer_function.denominator
    (6.0, 4.0, 1.0)
    """

    name: str
    input: str
    time: Number = default(0.01)
    order: Integer = default(4)
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle(self, time=number(self.time, label, "time", above=0))
        if not isinstance(self.order, int) or isinstance(self.order, bool) or not 1 <= self.order <= 10:
            fail(label, "order", f"= {shown(self.order)} must be a whole number 1 … 10")

    @property
    def transfer_function(self) -> TransferFunction:
        """The Padé approximant [order - 1, order] of exp(-x), x = time s."""
        n, m, T = self.order, self.order - 1, self.time
        down = [factorial(m + n - k) * comb(n, k) / factorial(m + n) * T**k for k in range(n + 1)]
        up = [(-1) ** k * factorial(m + n - k) * comb(m, k) / factorial(m + n) * T**k for k in range(m + 1)]
        return TransferFunction(self.name, self.input, tuple(reversed(up)), tuple(reversed(down)))

    def equations(self) -> Equations:
        return self.transfer_function.equations()
