"""A Cardan joint."""

from __future__ import annotations

from dataclasses import field

from sharnir.model.checks import fail, settle, unit_axis
from sharnir.model.joints.freedom import Freedom, shared_freedom
from sharnir.model.joints.joint import Joint
from sharnir.model.values import Axis, element


@element
class Universal(Joint):
    """The child turns about `axis`, fixed in the parent, then about `axis2`, fixed in the child [rad].

    >>> Universal("cardan", "ground", "shaft", axis="x", axis2="y").n_v
    2
    """

    axis: Axis = field(kw_only=True)
    axis2: Axis = field(kw_only=True)

    def _settle_axes(self) -> tuple[Freedom, ...]:
        settle(self, axis=unit_axis(self.axis, self.label), axis2=unit_axis(self.axis2, self.label, "axis2"))
        if abs(sum(a * b for a, b in zip(self.axis, self.axis2, strict=True))) > 1.0 - 1e-9:
            fail(self.label, "axis2", f"= {self.axis2!r} is parallel to axis; they must differ, usually by a right angle")
        return (shared_freedom("rotation", self.axis), shared_freedom("rotation", self.axis2))

    @property
    def freedom_names(self) -> tuple[str, ...]:
        """Called "angle1" and "angle2"."""
        return ("angle1", "angle2")
