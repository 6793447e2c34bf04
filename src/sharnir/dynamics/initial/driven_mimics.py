"""Joints that mimic one whose motion is prescribed, or which an event has locked: their motion is prescribed as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sharnir.kernel.user import inner_function
from sharnir.model import Model, Table


def with_driven_followers(model: Model) -> Model:
    """The model with such motions written out; the same one if there are none.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("a", mass=1), sr.Body("b", mass=1), sr.Revolute("A", "ground", "a", axis="z", motion="2*t"))
    >>> _ = m.add(sr.Revolute("B", "ground", "b", axis="z", mimic=("A", 3.0)))
    >>> with_driven_followers(m).joints["B"].motion
    ('(3.0)*(2*t) + (0.0)',)
    """
    driven = {}
    for name, joint in model.joints.items():
        leader = model.joints.get(joint.mimic[0]) if joint.mimic is not None else None
        if joint.mimic is not None and leader is not None and leader.n_v == 1 and leader.motion[0] is not None:
            driven[name] = replace(joint, mimic=None, motion=scaled_motion(leader.motion[0], *joint.mimic[1:]))
    if not driven:
        return model
    other = model.copy()
    other._released, other._original = dict(model.released), model.original
    other._joints |= driven
    return other


def scaled_motion(motion: Any, factor: float, offset: float) -> Any:
    """factor × motion + offset, whichever way the motion is given.

    >>> scaled_motion(("t", 1.0, 0.0), 2.0, 5.0)
    ('(2.0)*(t) + (5.0)', 2.0, 0.0)
    """
    if isinstance(motion, tuple):
        return (scaled_motion(motion[0], factor, offset), *(scaled_motion(part, factor, 0.0) for part in motion[1:]))
    if isinstance(motion, str):
        return f"({factor!r})*({motion}) + ({offset!r})"
    if isinstance(motion, Table):
        return replace(motion, y=tuple(factor * y + offset for y in motion.y))
    if callable(motion):
        inner = inner_function(motion)
        return lambda time: factor * inner(time) + offset
    return factor * motion + offset
