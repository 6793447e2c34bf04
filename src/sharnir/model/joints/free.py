"""No joint at all: the coordinates of a body that moves freely relative to another."""

from __future__ import annotations

from typing import ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import fail, sequence, settle, vector
from sharnir.model.joints.quaternion_joint import QuaternionJoint
from sharnir.model.values import element


@element
class Free(QuaternionJoint):
    """The child moves freely.

    q : position (3) of the child relative to the drawing, in joint axes, and unit quaternion (w, x, y, z).
    v : velocity of the child's origin and angular velocity, both in child body axes.

    >>> Free("flight", "ground", "stone", v=(1, 0, 2, 0, 0, 0)).n_q
    7
    """

    coordinates: ClassVar[str] = "free"

    @property
    def n_q(self) -> int:
        """Seven: position and quaternion."""
        return 7

    @property
    def n_v(self) -> int:
        """Six: velocity and angular velocity."""
        return 6

    @property
    def freedom_names(self) -> tuple[str, ...]:
        """Called "x", "y", "z" for the velocity, "rx", "ry", "rz" for the angular velocity."""
        return ("x", "y", "z", "rx", "ry", "rz")

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Called "x", "y", "z" for the position, "qw", "qx", "qy", "qz" for the quaternion."""
        return ("x", "y", "z", "qw", "qx", "qy", "qz")

    @property
    def units(self) -> tuple[str, ...]:
        """Metres and radians."""
        return ("m",) * 3 + ("rad",) * 3

    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """Metres, and none for the quaternion."""
        return ("m",) * 3 + ("1",) * 4

    def _settle_state(self) -> None:
        if self.q is None:
            q: tuple[float, ...] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        else:
            entries = sequence(self.q, self.label, "q", "7 numbers: position and quaternion (w, x, y, z)")
            if len(entries) != 7:
                fail(
                    self.label,
                    "q",
                    f"= {shown(self.q)} has {len(entries)} entries; 7 are needed: position and quaternion (w, x, y, z)",
                )
            q = vector(entries[:3], 3, self.label, "q") + self._quaternion(entries[3:])
        settle(self, q=q, v=self._per_freedom(self.v, "v"))

    def _settle_forces(self) -> None:
        super()._settle_forces()
        if any(self.stiffness):
            fail(self.label, "stiffness", f"= {shown(self.stiffness)} must be zero here; use Bushing or FreedomSequence")
        if any(self.armature):
            fail(
                self.label, "armature", f"= {shown(self.armature)} must be zero here: nothing turns with it; use FreedomSequence"
            )
