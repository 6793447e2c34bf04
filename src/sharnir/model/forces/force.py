"""Forces and torques on one body."""

from __future__ import annotations

from typing import ClassVar, Literal

from sharnir.model.checks import choice, point, settle
from sharnir.model.element import three_entries
from sharnir.model.forces.force_element import ForceElement
from sharnir.model.values import BodyName, OptionalVector, ThreeFunctions, default, element


@element
class Force(ForceElement):
    """A force on a body at a point that is fixed in it.

    force : three entries, each number, formula of t, Table of t or function f(t) [N].
    at : point in the reference drawing (world axes); default: the centre of mass.
    axes : "world", or "body" for a force that turns with the body.

    >>> Force("thrust", "rocket", (0, 0, "100*step(2 - t)"), axes="body").force[2]
    '100*step(2 - t)'
    """

    name: str
    body: BodyName
    force: ThreeFunctions
    at: OptionalVector = default(None)
    axes: Literal["world", "body"] = "world"
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"force": ("t",)}

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, force=three_entries(self.force, label, "force"), at=point(self.at, label, "at"))
        choice(self.axes, ("world", "body"), label, "axes")


@element
class Torque(ForceElement):
    """A torque on a body: three entries of t [N m], in world or body axes.

    >>> Torque("wind", "rotor", (0, 0, 2)).torque
    (0.0, 0.0, 2.0)
    """

    name: str
    body: BodyName
    torque: ThreeFunctions
    axes: Literal["world", "body"] = "world"
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"torque": ("t",)}

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, torque=three_entries(self.torque, label, "torque"))
        choice(self.axes, ("world", "body"), label, "axes")
