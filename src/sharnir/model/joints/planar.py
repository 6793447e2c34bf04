"""A body that stays in a plane."""

from __future__ import annotations

from dataclasses import field

import numpy as np

from sharnir.arguments import shown
from sharnir.model.checks import fail, settle, unit_axis
from sharnir.model.frames import triple
from sharnir.model.joints.freedom import Freedom
from sharnir.model.joints.joint import Joint
from sharnir.model.values import Axis, default, element


@element
class Planar(Joint):
    """The child moves by (x, y) [m] in the plane with normal `axis` and turns about the normal [rad].

    x_axis : direction of the first coordinate in the plane; default: the next of x, y, z after the one nearest to the
        normal (normal z: x), made perpendicular to it. The second is normal × x_axis.

    >>> Planar("table", "ground", "puck", axis="z").freedoms[1].axis
    (0.0, 1.0, 0.0)
    """

    axis: Axis = field(kw_only=True)
    x_axis: Axis = field(kw_only=True, default=default(None))

    def _settle_axes(self) -> tuple[Freedom, ...]:
        normal = np.array(unit_axis(self.axis, self.label))
        if self.x_axis is None:
            nearest = int(np.argmax(np.abs(normal)))
            wanted = np.eye(3)[(nearest + 1) % 3]
        else:
            wanted = np.array(unit_axis(self.x_axis, self.label, "x_axis"))
        along = float(wanted @ normal)
        if self.x_axis is not None and abs(along) > 1e-9:
            fail(self.label, "x_axis", f"= {shown(self.x_axis)} must be perpendicular to axis = {shown(self.axis)}")
        first = wanted if self.x_axis is not None else unit_axis(wanted - along * normal, self.label, "x_axis")
        settle(self, axis=triple(normal), x_axis=triple(first))
        y_axis = triple(np.cross(self.axis, self.x_axis))
        return (Freedom("translation", self.x_axis), Freedom("translation", y_axis), Freedom("rotation", self.axis))

    @property
    def freedom_names(self) -> tuple[str, ...]:
        """Called "x", "y" and "angle"."""
        return ("x", "y", "angle")
