"""Blocks that bend, step or switch their input."""

from __future__ import annotations

import math
from typing import ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import fail, number, settle
from sharnir.model.signals.blocks import Block, Limit, limits_of
from sharnir.model.signals.signal_element import Equations
from sharnir.model.values import Number, NumberList, default, element


@element
class DeadZone(Limit):
    """Zero between two limits; outside them, the amount by which the input exceeds them.

    >>> DeadZone("felt", "O.q", limits=(-0.1, 0.1)).equations().outputs
    {'': 'max(u - high, 0) + min(u - low, 0)'}
    """

    output: ClassVar[str] = "max(u - high, 0) + min(u - low, 0)"


@element
class Quantizer(Block):
    """The input rounded to multiples of `step`.

    >>> Quantizer("seen", "O.q", step=0.01).equations().outputs
    {'': 'h*floor(u/h + 0.5)'}
    """

    name: str
    input: str
    step: Number = default(1.0)
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle(self, step=number(self.step, label, "step", above=0))

    def equations(self) -> Equations:
        return Equations({"": "h*floor(u/h + 0.5)"}, numbers={"h": self.step})


@element
class RateLimiter(Block):
    """Follows the input no faster than `limits` = (least, greatest) rate, and otherwise with a lag of `time_constant`.

    >>> RateLimiter("soft", "wanted", limits=(-1, 1), time_constant=0.01).equations().rates
    {'s': 'min(max((u - s)/T, low), high)'}
    """

    name: str
    input: str
    limits: NumberList = default((-1.0, 1.0))
    time_constant: Number = default(0.01)
    initial: Number = default(0.0)
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        settle(self, limits=limits_of(self.limits, label), initial=number(self.initial, label, "initial"))
        settle(self, time_constant=number(self.time_constant, label, "time_constant", above=0))
        if not self.limits or not self.limits[0] <= 0.0 <= self.limits[1]:
            fail(label, "limits", f"= {shown(self.limits)} must be (least, greatest) rate, with zero between them")

    def equations(self) -> Equations:
        numbers = {"T": self.time_constant, "low": self.limits[0], "high": self.limits[1]}
        return Equations({"": "s"}, {"s": self.initial}, {"s": "min(max((u - s)/T, low), high)"}, numbers)


@element
class Relay(Block):
    """A switch with hysteresis: `on` from the moment the input rises above `high`, `off` from when it falls below `low`.

    The moments are events, "<name> on" and "<name> off", located to rounding error. Between the limits it keeps its state; at
    the start it is off there, or on if `initial` says so.

    >>> Relay("heater", "20 - T", low=-1, high=1).switches["on"]
    ('(20 - T) > 1.0', 1.0)
    """

    name: str
    input: str
    low: Number = default(0.0)
    high: Number = default(1.0)
    off: Number = default(0.0)
    on: Number = default(1.0)
    initial: bool = False
    unit: str = ""

    def __post_init__(self) -> None:
        label = self._settle_inputs()
        for name in ("low", "high", "off", "on"):
            settle(self, **{name: number(getattr(self, name), label, name)})
        settle(self, initial=bool(self.initial))
        if not self.low < self.high:
            fail(label, "high", f"= {shown(self.high)} must be above low = {shown(self.low)}; without hysteresis it chatters")

    @property
    def switches(self) -> dict[str, tuple[str, float]]:
        return {"on": (f"({self.input}) > {self.high!r}", 1.0), "off": (f"({self.input}) < {self.low!r}", 0.0)}

    def equations(self) -> Equations:
        numbers = {"low": self.low, "high": self.high, "on": self.on, "off": self.off}
        start = {"s": "if(u > high, 1, if(u < low, 0, s))"}  # what holds at the start does not become true
        states = {"s": 1.0 if self.initial else 0.0}
        return Equations({"": "if(s > 0.5, on, off)"}, states, numbers=numbers, clock=(math.inf, 0.0), updates=start)
