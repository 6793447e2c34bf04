"""A shaft that slides and turns in its bearing."""

from __future__ import annotations

from dataclasses import field

from sharnir.model.checks import settle, unit_axis
from sharnir.model.joints.freedom import Freedom, shared_freedom
from sharnir.model.joints.joint import Joint
from sharnir.model.values import Axis, element


@element
class Cylindrical(Joint):
    """The child slides along [m] and turns about [rad] `axis`, independently.

    axis : "x", "y", "z", "-x", … or three numbers, in world axes of the drawing (or in the joint frame).

    >>> Cylindrical("shaft", "ground", "spindle", axis="z").freedom_names
    ('shift', 'angle')
    """

    axis: Axis = field(kw_only=True)

    def _settle_axes(self) -> tuple[Freedom, ...]:
        settle(self, axis=unit_axis(self.axis, self.label))
        return (shared_freedom("translation", self.axis), shared_freedom("rotation", self.axis))

    @property
    def freedom_names(self) -> tuple[str, ...]:
        """Called "shift" and "angle"."""
        return ("shift", "angle")
