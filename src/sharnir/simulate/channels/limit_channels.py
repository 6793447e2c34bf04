"""Channels of stops in joints: depth and force, from the joint's coordinate and speed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sharnir.model import JointLimit, Model
from sharnir.results import Channel


def joint_stops(model: Model) -> dict[str, JointLimit]:
    """Stops by name."""
    return {name: force for name, force in model.forces.items() if isinstance(force, JointLimit)}


def limit_channel(model: Model, stop: JointLimit, key: str, values: Callable[[str], np.ndarray]) -> Channel:
    """One channel of a stop; `values` gives those of another channel."""
    unit = model.joints[str(stop.joint)].units[stop.freedom]
    force_unit = "N" if unit == "m" else "N m"
    return Channel(f"{stop.name}.{key}", partial(_values, model, stop, key, values), unit if key == "depth" else force_unit)


def _values(model: Model, stop: JointLimit, key: str, values: Callable[[str], np.ndarray]) -> np.ndarray:
    q, v = (_column(values(f"{stop.joint}.{x}"), stop.freedom) for x in "qv")
    lower, upper = stop.bounds(model.joints)
    if key == "depth":
        return np.maximum(lower - q, q - upper)
    if stop.law is None:
        return np.zeros(len(q))
    force: Any = np.vectorize(stop.law.force, otypes=[float])
    return force(lower - q, -v) - force(q - upper, v)


def _column(values: np.ndarray, freedom: int) -> np.ndarray:
    return values if values.ndim == 1 else values[:, freedom]
