"""A slide."""

from __future__ import annotations

from dataclasses import field

from sharnir.model.checks import store, unit_axis
from sharnir.model.joints.freedom import Freedom, single_freedom
from sharnir.model.joints.joint import Joint
from sharnir.model.values import Axis, element


@element
class Prismatic(Joint):
    """The child slides along `axis` [m].

    axis : "x", "y", "z", "-x", … or three numbers, in world axes of the drawing (or in the joint frame).

    >>> Prismatic("slide", "ground", "slider", axis="x").units
    ('m',)
    """

    axis: Axis = field(kw_only=True)

    def _settle_axes(self) -> tuple[Freedom, ...]:
        axis = unit_axis(self.axis, self.label)
        store(self, "axis", axis)
        return single_freedom("translation", axis)
