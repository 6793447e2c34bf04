"""Units of signals that consist of a single sensor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sharnir.model.signals.signal import Signal
from sharnir.model.signals.signal_element import SignalElement, measurement

RATES = ("", "/s", "/s²")
SYSTEM = {"center_of_mass": "m", "momentum": "N s", "angular_momentum": "N m s"}


def signal_unit(signal: SignalElement, joints: Mapping[str, Any]) -> str:
    """The unit that was given, or that of the only sensor in the formula; else nothing.

    >>> signal_unit(Signal("speed", "rod.x_dot"), {}), signal_unit(Signal("turn", "rod.wz"), {})
    ('m/s', 'rad/s')
    """
    if signal.unit or not isinstance(signal, Signal):
        return signal.unit
    name = signal.formula.strip()
    if name not in signal.measured:
        return ""
    found = measurement(name, signal.variables, name, signal.label)
    return "" if found is None else found.variable.unit(found.rate, joints)
