"""Elementary freedoms: one scalar coordinate each."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from sharnir.arguments import shown
from sharnir.model.checks import AXES, Triple, choice, fail, number, settle, unit_axis
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import Axis, Direction, Number, Numbers, default, element


@element
class Freedom(Parametric):
    """One scalar freedom: a rotation about, a translation along, or a screw motion about `axis`.

    The axis is in world axes of the drawing (or in the joint frame, if frames are given), at zero coordinates.

    >>> Freedom("screw", "z", pitch=0.01).unit
    'rad'
    """

    kind: str
    axis: Axis
    pitch: Number = default(0.0)
    kinds: ClassVar[tuple[str, ...]] = ("rotation", "translation", "screw")

    def __post_init__(self) -> None:
        choice(self.kind, self.kinds, "Freedom", "kind")
        settle(self, axis=unit_axis(self.axis, "Freedom"), pitch=number(self.pitch, "Freedom", "pitch [m/rad]"))
        if self.kind != "screw" and self.pitch:
            fail("Freedom", "pitch", f"= {shown(self.pitch)} is given for a {self.kind}; only a screw has a pitch")

    @property
    def unit(self) -> str:
        """Unit of the coordinate."""
        return "m" if self.kind == "translation" else "rad"


@lru_cache(maxsize=1000)
def shared_freedom(kind: str, axis: Triple, pitch: float = 0.0) -> Freedom:
    """The freedom of a joint along a unit vector; joints with the same share it.

    >>> shared_freedom("rotation", (0.0, 1.0, 0.0)) is shared_freedom("rotation", (0.0, 1.0, 0.0))
    True
    """
    return Freedom(kind, axis, pitch)


@lru_cache(maxsize=1000)
def single_freedom(kind: str, axis: Triple) -> tuple[Freedom, ...]:
    """The freedoms of a hinge or a slide; those along the same axis share them.

    >>> single_freedom("rotation", (0.0, 1.0, 0.0)) is single_freedom("rotation", (0.0, 1.0, 0.0))
    True
    """
    return (shared_freedom(kind, axis),)


def Rotation(axis: Direction | Numbers) -> Freedom:
    """A rotation about an axis, for FreedomSequence.

    >>> Rotation("x").axis
    (1.0, 0.0, 0.0)
    """
    return Freedom("rotation", axis)


def Translation(axis: Direction | Numbers) -> Freedom:
    """A translation along an axis, for FreedomSequence.

    >>> Translation("x").kind
    'translation'
    """
    return Freedom("translation", axis)


# every relative motion of two bodies: three displacements, then rotations about z, y, x
SIX_FREEDOMS = (*(Translation(AXES[k]) for k in "xyz"), *(Rotation(AXES[k]) for k in "zyx"))
