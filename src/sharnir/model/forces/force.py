"""Forces and torques on one body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sharnir.model.checks import Reference, choice, point, settle
from sharnir.model.element import Element, three_entries


@dataclass(frozen=True)
class Force(Element):
    """A force on a body at a point that is fixed in it.

    force : three entries, each number, formula of t, Table of t or function f(t) [N].
    at : point in the reference drawing (world axes); default: the centre of mass.
    axes : "world", or "body" for a force that turns with the body.

    >>> Force("thrust", "rocket", (0, 0, "100*step(2 - t)"), axes="body").force[2]
    '100*step(2 - t)'
    """

    name: str
    body: Reference
    force: Any
    at: Any = None
    axes: str = "world"
    body_fields: ClassVar[tuple[str, ...]] = ("body",)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"force": ("t",)}

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, force=three_entries(self.force, label, "force"), at=point(self.at, label, "at"))
        choice(self.axes, ("world", "body"), label, "axes")


@dataclass(frozen=True)
class Torque(Element):
    """A torque on a body: three entries of t [N m], in world or body axes.

    >>> Torque("wind", "rotor", (0, 0, 2)).torque
    (0.0, 0.0, 2.0)
    """

    name: str
    body: Reference
    torque: Any
    axes: str = "world"
    body_fields: ClassVar[tuple[str, ...]] = ("body",)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"torque": ("t",)}

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, torque=three_entries(self.torque, label, "torque"))
        choice(self.axes, ("world", "body"), label, "axes")
