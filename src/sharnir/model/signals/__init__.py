"""Signals: sensors, formulas, blocks of control."""

from sharnir.model.signals.blocks import (
    PID,
    Derivative,
    Integral,
    Limit,
    LowPass,
    StateSpace,
    TransferFunction,
)
from sharnir.model.signals.delay import Delay, PadeDelay
from sharnir.model.signals.inputs import Input
from sharnir.model.signals.lookup import Function, Lookup
from sharnir.model.signals.nonlinear import DeadZone, Quantizer, RateLimiter, Relay
from sharnir.model.signals.observed import ALL_OBSERVED, ForceOutput, JointDrive, JointReaction
from sharnir.model.signals.sampled import (
    Difference,
    DiscreteStateSpace,
    DiscreteTransferFunction,
    HeldOutput,
    Sampled,
    SampleHold,
)
from sharnir.model.signals.sensors import ALL_SENSORS, Acceleration, Angle, AngularAcceleration, AngularVelocity, Position
from sharnir.model.signals.signal import Signal
from sharnir.model.signals.signal_element import Equations, Measurement, SignalElement, formula_names, measurement

ALL_SIGNALS: tuple[type[SignalElement], ...] = SignalElement.family.own()

__all__ = [
    "ALL_OBSERVED",
    "ALL_SENSORS",
    "ALL_SIGNALS",
    "PID",
    "Acceleration",
    "Angle",
    "AngularAcceleration",
    "AngularVelocity",
    "DeadZone",
    "Delay",
    "Derivative",
    "Difference",
    "DiscreteStateSpace",
    "DiscreteTransferFunction",
    "Equations",
    "ForceOutput",
    "Function",
    "HeldOutput",
    "Input",
    "Integral",
    "JointDrive",
    "JointReaction",
    "Limit",
    "Lookup",
    "LowPass",
    "Measurement",
    "PadeDelay",
    "Position",
    "Quantizer",
    "RateLimiter",
    "Relay",
    "SampleHold",
    "Sampled",
    "Signal",
    "SignalElement",
    "StateSpace",
    "TransferFunction",
    "formula_names",
    "measurement",
]
