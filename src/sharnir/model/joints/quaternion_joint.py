"""What joints with a quaternion (w, x, y, z) among their coordinates have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.arguments import shown
from sharnir.model.checks import fail, sequence, unit, vector
from sharnir.model.formula import parse
from sharnir.model.given_functions import stored_entry
from sharnir.model.joints.freedom import Freedom
from sharnir.model.joints.joint import Joint, is_zero
from sharnir.model.values import element

REMEDY = "use FreedomSequence, whose coordinates are angles"


@element
class QuaternionJoint(Joint, listed=False):
    """A joint whose orientation is a unit quaternion; its speeds are components in child body axes."""

    def _settle_axes(self) -> tuple[Freedom, ...]:
        """Empty: the orientation is not a sequence of elementary freedoms."""
        return ()

    def _quaternion(self, value: Any) -> tuple[float, ...]:
        """A unit quaternion from the initial values."""
        four = vector(sequence(value, self.label, "q", "a quaternion (w, x, y, z)"), 4, self.label, "q")
        if max(map(abs, four)) == 0.0:
            fail(self.label, "q", "= (0, 0, 0, 0) is not a rotation; the identity is (1, 0, 0, 0)")
        return unit(four)

    def _settle_motion(self) -> None:
        if self.motion is not None and any(entry is not None for entry in self._entries(self.motion, "motion")):
            fail(self.label, "motion", f"cannot be prescribed here; {REMEDY}")
        if self.limits is not None:
            fail(self.label, "limits", f"cannot be given here; {REMEDY}")
        super()._settle_motion()

    def _names(self, text: str) -> frozenset[str]:
        """Names in a formula, which is checked on the way."""
        return parse(stored_entry(text, ("v", "t"), self.label, "torque"), ("v", "t"), None).names

    def _settle_forces(self) -> None:
        for entry in () if is_zero(self.torque) else self._entries(self.torque, "torque"):
            if not isinstance(entry, (str, int, float, np.number)):
                fail(
                    self.label, "torque", f"= {shown(entry)} must be a number or a formula of (v, t) here; {REMEDY}, or UserForce"
                )
            if isinstance(entry, str) and "q" in self._names(entry):
                fail(self.label, "torque", f"= {shown(entry)} must not contain q, a quaternion has no single angle; {REMEDY}")
        super()._settle_forces()
        if any(self.rest):
            fail(self.label, "rest", f"= {shown(self.rest)} must be zero here; {REMEDY}, or Bushing")
