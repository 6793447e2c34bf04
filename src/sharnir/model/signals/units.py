"""Units of signals that are nothing but one sensor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sharnir.model.constraints.variables import DirectionCosine, JointCoordinate
from sharnir.model.signals.element import SignalElement, measurement
from sharnir.model.signals.observed import ForceOutput, JointDrive, JointReaction, SystemNumber
from sharnir.model.signals.sensors import Angle, AngularAcceleration, AngularVelocity
from sharnir.model.signals.signal import Signal

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
    x = None if found is None else found.variable
    if found is None or isinstance(x, ForceOutput):
        return ""
    if isinstance(x, JointReaction):
        return "N" if x.component.startswith("f") else "N m"
    if isinstance(x, SystemNumber):
        return SYSTEM.get(x.quantity, "J")
    length = "m"
    if isinstance(x, (JointCoordinate, JointDrive)):
        joint = joints.get(str(x.joint))
        names = () if joint is None else joint.freedom_names
        k = names.index(x.freedom) if x.freedom in names else x.freedom or 0
        length = "" if joint is None or not isinstance(k, int) or k >= len(joint.units) else joint.units[k]
        if isinstance(x, JointDrive):
            return {"m": "N", "rad": "N m"}.get(length, "")
    elif isinstance(x, (Angle, AngularVelocity, AngularAcceleration)):
        length = "rad"
    elif isinstance(x, DirectionCosine):
        return ("1", "1/s", "1/s²")[found.rate]
    return length + RATES[found.rate] if length else ""
