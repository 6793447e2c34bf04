"""A ball in its socket."""

from __future__ import annotations

from typing import ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import fail, settle
from sharnir.model.joints.quaternion_joint import QuaternionJoint
from sharnir.model.values import element


@element
class Ball(QuaternionJoint):
    """The child turns freely about a point.

    q : unit quaternion (w, x, y, z): rotation of the child from its orientation in the drawing, where it is (1, 0, 0, 0).
    v : angular velocity of the child relative to the parent, in child body axes [rad/s].
    stiffness : the same about all axes: torque -stiffness × rotation vector.
    torque : three entries in child body axes, each a number or a formula of (v, t).

    >>> Ball("neck", "ground", "head", v=(0, 0, 1)).q
    (1.0, 0.0, 0.0, 0.0)
    """

    coordinates: ClassVar[str] = "ball"

    @property
    def n_q(self) -> int:
        """Four: the quaternion."""
        return 4

    @property
    def n_v(self) -> int:
        """Three: the angular velocity."""
        return 3

    @property
    def freedom_names(self) -> tuple[str, ...]:
        """Called "x", "y", "z"."""
        return ("x", "y", "z")

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Called "w", "x", "y", "z"."""
        return ("w", "x", "y", "z")

    @property
    def units(self) -> tuple[str, ...]:
        """Radians."""
        return ("rad",) * 3

    @property
    def coordinate_units(self) -> tuple[str, ...]:
        """None."""
        return ("1",) * 4

    def _settle_state(self) -> None:
        q = (1.0, 0.0, 0.0, 0.0) if self.q is None else self._quaternion(self.q)
        settle(self, q=q, v=self._per_freedom(self.v, "v"))

    def _settle_forces(self) -> None:
        super()._settle_forces()
        if len(set(self.stiffness)) > 1:
            fail(
                self.label,
                "stiffness",
                f"= {shown(self.stiffness)} must be one number; use FreedomSequence or Bushing for several",
            )
        if len(set(self.armature)) > 1:
            fail(self.label, "armature", f"= {shown(self.armature)} must be one number; use FreedomSequence for several")
