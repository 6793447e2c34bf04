"""Springs between two points, elastic elements with six axes."""

from __future__ import annotations

from typing import Any, ClassVar

from sharnir.model.checks import number, point, settle, vector
from sharnir.model.element import ELONGATION, WRENCH, WRENCH_UNITS, check_ends
from sharnir.model.forces.force_element import ForceElement
from sharnir.model.frames import stored_rotation
from sharnir.model.given_functions import stored_entry
from sharnir.model.values import (
    BodyName,
    Number,
    OptionalFunctionValue,
    OptionalNumber,
    OptionalVector,
    Orientation,
    SixNumbers,
    Vector,
    default,
    element,
)


@element
class Spring(ForceElement):
    """A spring-damper between two points.

    at_a, at_b : points in the reference drawing (world axes); default: the positions of the bodies.
    length : length without tension; default: the distance in the drawing.
    stiffness, damping : tension = stiffness × elongation + damping × its rate [N/m, N s/m].
    force : added tension as a number, formula of (x, v, t), Table of x, or function f(x, v, t), with x the elongation.

    >>> Spring("return", "ground", "slider", stiffness=200, damping=1, length=0.3).length
    0.3
    """

    name: str
    a: BodyName
    b: BodyName
    at_a: OptionalVector = default(None)
    at_b: OptionalVector = default(None)
    stiffness: Number = default(0.0)
    damping: Number = default(0.0)
    length: OptionalNumber = default(None)
    force: OptionalFunctionValue = default(None)
    formula_fields: ClassVar[dict[str, tuple[str, ...]]] = {"force": ELONGATION}
    outputs: ClassVar[Any] = (("length", "m", ()), ("rate", "m/s", ()), ("force", "N", ()))

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_ends(self.a, self.b, label)
        settle(self, at_a=point(self.at_a, label, "at_a"), at_b=point(self.at_b, label, "at_b"))
        settle(self, stiffness=number(self.stiffness, label, "stiffness", low=0))
        settle(self, damping=number(self.damping, label, "damping", low=0))
        if self.length is not None:
            settle(self, length=number(self.length, label, "length", low=0))
        if self.force is not None:
            settle(self, force=stored_entry(self.force, ELONGATION, label, "force"))

    @property
    def conservative(self) -> bool:
        return not self.damping and self.force is None

    def coil(self) -> Any:
        return (self.a, self.at_a), (self.b, self.at_b)


@element
class Bushing(ForceElement):
    """An elastic six-axis element between two bodies, along its own axes (x, y, z, then rotations about them).

    at : point in the reference drawing (world axes), where the element is relaxed; `rotation`: its axes there.
    stiffness, damping, preload : six numbers each; preload acts on b.

    >>> Bushing("mount", "ground", "engine", at=(0, 0, 0), stiffness=(1e5,) * 3 + (100,) * 3).damping
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """

    name: str
    a: BodyName
    b: BodyName
    at: Vector
    rotation: Orientation = default(None)
    stiffness: SixNumbers = default((0.0,) * 6)
    damping: SixNumbers = default((0.0,) * 6)
    preload: SixNumbers = default((0.0,) * 6)
    outputs: ClassVar[Any] = (("force", WRENCH_UNITS, WRENCH),)

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_ends(self.a, self.b, label)
        settle(self, at=vector(self.at, 3, label, "at"), rotation=stored_rotation(self.rotation, label))
        settle(self, stiffness=vector(self.stiffness, 6, label, "stiffness", low=0))
        settle(self, damping=vector(self.damping, 6, label, "damping", low=0))
        settle(self, preload=vector(self.preload, 6, label, "preload"))

    @property
    def conservative(self) -> bool:
        return not any(self.damping) and not any(self.preload)
