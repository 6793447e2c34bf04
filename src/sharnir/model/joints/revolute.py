"""A hinge."""

from __future__ import annotations

from dataclasses import field

from sharnir.model.checks import store, unit_axis
from sharnir.model.joints.freedom import Freedom, single_freedom
from sharnir.model.joints.joint import Joint
from sharnir.model.values import Axis, element


@element
class Revolute(Joint):
    """The child turns about `axis` [rad].

    axis : "x", "y", "z", "-x", … or three numbers, in world axes of the drawing (or in the joint frame).

    >>> Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=20).v
    (20.0,)
    """

    axis: Axis = field(kw_only=True)

    def _settle_axes(self) -> tuple[Freedom, ...]:
        axis = unit_axis(self.axis, self.label)
        store(self, "axis", axis)
        return single_freedom("rotation", axis)
