"""Two bodies welded together."""

from __future__ import annotations

from sharnir.model.joints.freedom import Freedom
from sharnir.model.joints.joint import Joint
from sharnir.model.values import element


@element
class Fixed(Joint):
    """No relative motion.

    >>> Fixed("weld", "ground", "frame").n_v
    0
    """

    def _settle_axes(self) -> tuple[Freedom, ...]:
        """None."""
        return ()
