"""A screw in its nut."""

from __future__ import annotations

from dataclasses import field

from sharnir.model.checks import number, settle, unit_axis
from sharnir.model.joints.freedom import Freedom, shared_freedom
from sharnir.model.joints.joint import Joint
from sharnir.model.values import Axis, Number, element


@element
class Screw(Joint):
    """The child turns about `axis` by q [rad] and moves along it by pitch × q.

    pitch : advance per radian [m/rad] (advance per turn divided by 2π); negative for a left-handed screw.

    >>> Screw("lead", "ground", "nut", axis="z", pitch=0.002).freedoms[0].pitch
    0.002
    """

    axis: Axis = field(kw_only=True)
    pitch: Number = field(kw_only=True)

    def _settle_axes(self) -> tuple[Freedom, ...]:
        settle(self, axis=unit_axis(self.axis, self.label), pitch=number(self.pitch, self.label, "pitch"))
        return (shared_freedom("screw", self.axis, self.pitch),)
