"""The value of a joint's coordinate at the start, as the model says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sharnir.model.constraints.variables import JointCoordinate
from sharnir.model.formula import parse
from sharnir.model.given_functions import Table

if TYPE_CHECKING:
    from sharnir.model.contents import Contents


def initial_coordinate(coordinate: JointCoordinate, model: Contents) -> float:
    """q at t = 0: of the joint, of its prescribed motion, or of the joint that it follows.

    >>> from sharnir.model import Body, Model, Revolute
    >>> m = Model()
    >>> _ = m.add(Body("arm", mass=1), Revolute("O", "ground", "arm", axis="z", motion="2 + t"))
    >>> initial_coordinate(JointCoordinate("O", 0), m)
    2.0
    """
    joint = model.joints[coordinate.joint]
    if joint.mimic is not None:
        leader, multiplier, offset = joint.mimic
        return multiplier * initial_coordinate(JointCoordinate(leader, 0), model) + offset
    motion = joint.motion[coordinate.freedom]
    return joint.q[coordinate.freedom] if motion is None else _start(motion, model)


def _start(motion: Any, model: Contents) -> float:
    """A function of time at t = 0."""
    entry = motion[0] if isinstance(motion, tuple) else motion
    if isinstance(entry, str):
        return parse(entry, ("t",), model.parameters).evaluate(t=0.0)
    return entry.evaluate(0.0) if isinstance(entry, Table) else float(entry(0.0)) if callable(entry) else entry
