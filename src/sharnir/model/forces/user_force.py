"""A force by a function of the user."""

from __future__ import annotations

from typing import ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import fail, reference, sequence, settle
from sharnir.model.element import WRENCH, WRENCH_UNITS
from sharnir.model.forces.force_element import ForceElement, Outputs
from sharnir.model.given_functions import check_arguments
from sharnir.model.values import BodyNames, Code, element


@element
class UserForce(ForceElement):
    """A force computed by a Python function, compiled into the step loop where possible.

    function : f(t, r, R, v, w, force, torque) with arrays over `bodies`: positions of the origins r (n, 3), rotations
        R (n, 3, 3) body -> world, velocities v (n, 3) and angular velocities w (n, 3) in world axes. It fills force (n, 3)
        and torque (n, 3), in world axes at the bodies' origins.

    >>> def drag(t, r, R, v, w, force, torque):
    ...     for k in range(3):
    ...         force[0, k] = -0.1 * v[0, k]
    >>> UserForce("drag", ("ball",), drag).bodies
    ('ball',)
    """

    name: str
    bodies: BodyNames
    function: Code
    mutual: ClassVar[bool] = False

    def __post_init__(self) -> None:
        label = self._settle_names()
        given = (self.bodies,) if isinstance(self.bodies, str) or hasattr(self.bodies, "name") else self.bodies
        bodies = sequence(given, label, "bodies", "a tuple of bodies or their names")
        names = tuple(reference(body, label, "bodies") for body in bodies)
        if not names or len(set(names)) != len(names):
            fail(label, "bodies", f"= {names!r} must name at least one body, and each once")
        if not callable(self.function):
            fail(label, "function", f"= {shown(self.function)} must be a function f(t, r, R, v, w, force, torque)")
        check_arguments(self.function, 7, "f(t, r, R, v, w, force, torque)", label, "function")
        settle(self, bodies=names)

    @property
    def outputs(self) -> Outputs:  # type: ignore[override]
        """Force and torque on each body."""
        keys = ["force"] if len(self.bodies) == 1 else [f"force_{body}" for body in self.bodies]
        return tuple((key, WRENCH_UNITS, WRENCH) for key in keys)
