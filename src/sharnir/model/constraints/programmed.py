"""A coordinate that follows a function of time, as an equation beside the joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sharnir.model.constraints.constraint_element import ConstraintElement
from sharnir.model.constraints.variables import JointCoordinate


@dataclass(frozen=True)
class Programmed(ConstraintElement, listed=False):
    """q = motion(t) for one freedom that the coordinates leave free: what a drive that takes hold does at that moment.

    Models have `motion` of joints instead, which takes the freedom out of the equations.

    >>> Programmed("held", JointCoordinate("O", 0), 0.5).joints
    ('O',)
    """

    name: str
    coordinate: JointCoordinate
    motion: Any

    @property
    def body_references(self) -> list[tuple[str, str]]:
        return []

    @property
    def joint_references(self) -> list[tuple[str, str]]:
        return [("coordinate", self.coordinate.joint)]
