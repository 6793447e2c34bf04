"""Signals: sensors, formulas, blocks of control."""

from sharnir.model.signals.blocks import (
    ALL_BLOCKS,
    PID,
    Derivative,
    Integral,
    Limit,
    LowPass,
    StateSpace,
    TransferFunction,
)
from sharnir.model.signals.element import Equations, Measurement, SignalElement, formula_names, measurement
from sharnir.model.signals.observed import ALL_OBSERVED, ForceOutput, JointDrive, JointReaction
from sharnir.model.signals.signal import Signal

ALL_SIGNALS = (Signal, *ALL_BLOCKS)

__all__ = [
    "ALL_BLOCKS",
    "ALL_OBSERVED",
    "ALL_SIGNALS",
    "PID",
    "Derivative",
    "Equations",
    "ForceOutput",
    "Integral",
    "JointDrive",
    "JointReaction",
    "Limit",
    "LowPass",
    "Measurement",
    "Signal",
    "SignalElement",
    "StateSpace",
    "TransferFunction",
    "formula_names",
    "measurement",
]
