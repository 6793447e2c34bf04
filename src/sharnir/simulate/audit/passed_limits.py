"""Joints that have left the range of their `limits` although nothing holds them there: limits are data, stops are forces."""

from __future__ import annotations

import math

import numpy as np

from sharnir.model import JointLimit, Model
from sharnir.results import Result

ROUNDING = 1e-6  # of a bound (at least of 1): what is further out is outside
LISTED = 5  # joints that are named


def passed_limits(model: Model, result: Result) -> str:
    """A sentence about joints that were outside of their limits without a stop: which, from when, how far; "" if none was.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("b", mass=1), sr.Prismatic("z", "ground", "b", axis="z", limits=(-1, 0)))
    >>> import warnings
    >>> with warnings.catch_warnings(record=True):
    ...     result = m.simulate(1.0)
    >>> passed_limits(m, result).split(";")[0]
    "joint 'z' passes its limits: z.q is below -1 from t = 0.452 s on, farthest at t = 1 s with -4.905 m"
    """
    stopped = {(force.joint, force.freedom) for force in model.forces.values() if isinstance(force, JointLimit)}
    found = []
    for joint in model.joints.values():
        for k, limits in enumerate(joint.limits or ()):
            if limits is None or (joint.name, k) in stopped or joint.coordinates != "angles" or joint.motion[k] is not None:
                continue
            name, values = _course(result, joint, k)
            if values is not None and np.isfinite(values).any():
                found += _worst(name, joint.coordinate_units[k], result.t, values, limits.lower, limits.upper)
    if not found:
        return ""
    names = [name for name, _ in found]
    joints = ", ".join(repr(name.split(".q")[0]) for name in names[:LISTED])
    more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
    many = len(found) > 1
    return (
        f"joint{'s' if many else ''} {joints}{more} pass{'' if many else 'es'} {'their' if many else 'its'} limits: "
        f"{', '.join(text for _, text in found[:LISTED])}; limits by themselves do not stop a joint, add a JointLimit "
        "(joint_limits makes them for all joints), or leave limits= out"
    )


def _course(result: Result, joint: object, k: int) -> tuple[str, np.ndarray | None]:
    """Name and values of one coordinate of a joint over time."""
    name = f"{joint.name}.q"  # type: ignore[attr-defined]
    if name not in result.channels:
        return name, None
    values = result[name]
    if values.ndim == 1:
        return name, values
    label = joint.freedom_names[k]  # type: ignore[attr-defined]
    return f"{name}.{label}" if label else name, values[:, k]


def _worst(name: str, unit: str, t: np.ndarray, values: np.ndarray, lower: float, upper: float) -> list[tuple[str, str]]:
    """Name and text of the farthest point outside, if there is one."""
    known = np.where(np.isfinite(values), values, 0.5 * (max(lower, -1e300) + min(upper, 1e300)))
    for bound, over, word in ((lower, lower - known, "below"), (upper, known - upper, "above")):
        if math.isfinite(bound) and over.max() > ROUNDING * max(1.0, abs(bound)):
            since = f"from t = {_first_outside(t, over):.3g} s on" if over[0] <= 0.0 else "from the start"
            at = int(np.argmax(over))
            return [(name, f"{name} is {word} {bound:.4g} {since}, farthest at t = {t[at]:.4g} s with {values[at]:.4g} {unit}")]
    return []


def _first_outside(t: np.ndarray, over: np.ndarray) -> float:
    """When the first row above zero was reached, between it and the one before.

    >>> _first_outside(np.array([0.0, 1.0, 2.0]), np.array([-1.0, -1.0, 3.0]))
    1.25
    """
    k = int(np.argmax(over > 0.0))
    return float(t[k] - (t[k] - t[k - 1]) * over[k] / (over[k] - over[k - 1]))
