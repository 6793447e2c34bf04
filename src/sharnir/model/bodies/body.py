"""Rigid bodies: mass, centre of mass, inertia, placement in the reference drawing, picture."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from sharnir.arguments import NUMBERS, bool_of, is_triple, shown
from sharnir.errors import ModelError
from sharnir.model.bodies.shapes import Shape, solid
from sharnir.model.checks import Rows, colour, element_name, fail, number, point, sequence, settle, store, vector
from sharnir.model.frames import Frame, quaternion, rotation_matrix, stored_rotation
from sharnir.model.parameters.template import Parametric
from sharnir.model.values import (
    Colour,
    DerivedNumber,
    DerivedVector,
    InertiaNumbers,
    OptionalNumber,
    OptionalVector,
    Orientation,
    Solids,
    Vector,
    default,
    element,
)

ORIGIN, POINT = (0.0, 0.0, 0.0), (0.0,) * 6  # centre of mass and inertia of a point mass
INERTIA_TOLERANCE = 1e-9  # relative to the largest moment: rounding of printed inertias is not an error


@element
class Body(Parametric):
    """A rigid body.

    Parameters
    ----------
    name : unique among the bodies.
    mass : [kg]; from `density` and `shape` if not given, 0 if there is neither.
    com : centre of mass in body axes [m]; default: the centre of `shape`, or the body's origin.
    inertia : about the centre of mass in body axes [kg m²]: (Jxx, Jyy, Jzz), (Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) (the
        entries of the matrix) or 3×3; default: from `shape`; without a shape the body is a point mass.
        Stored as six numbers; `inertia_matrix` is the 3×3 matrix.
    position, rotation : of the body's frame in the reference drawing (world axes); rotation as quaternion (w, x, y, z) or 3×3.
    shape : one shape or several; they give the picture and, where not given, mass, com and inertia.
    density : [kg/m³], instead of mass.
    color : "steelblue", "#4682b4" or (r, g, b) from 0 to 1.
    velocity, angular_velocity : initial values in world axes, for a body that is free.
    any_inertia : accept an inertia that no real body has, such as those of some published robots.

    >>> Body("ball", mass=2, inertia=(1, 1, 1)).inertia_matrix[0]
    (1.0, 0.0, 0.0)
    """

    name: str
    mass: DerivedNumber = default(None)
    com: DerivedVector = default(None)
    inertia: InertiaNumbers = default(None)
    position: Vector = default((0.0, 0.0, 0.0))
    rotation: Orientation = default(None)
    shape: Solids = default(None)
    density: OptionalNumber = default(None)
    color: Colour = default(None)
    velocity: OptionalVector = default(None)
    angular_velocity: OptionalVector = default(None)
    any_inertia: bool = False

    def __post_init__(self) -> None:
        element_name(self.name, "Body")
        label = self.label
        if not is_triple(self.position):
            settle(self, position=vector(self.position, 3, label, "position"))
        if self.rotation is not None:
            settle(self, rotation=stored_rotation(self.rotation, label))
        if self.velocity is not None or self.angular_velocity is not None:
            angular = point(self.angular_velocity, label, "angular_velocity")
            settle(self, velocity=point(self.velocity, label, "velocity"), angular_velocity=angular)
        if self.color is not None or self.shape is not None:
            settle(self, color=colour(self.color, label), shape=stored_shape(self.shape, label))
        if self.any_inertia is not False:
            settle(self, any_inertia=bool_of(self.any_inertia, label, "any_inertia"))
        if self.shape is None and self.density is None:
            store(self, "mass", number(0.0 if self.mass is None else self.mass, label, "mass", low=0))
            if not is_triple(self.com):
                store(self, "com", ORIGIN if self.com is None else vector(self.com, 3, label, "com"))
            store(self, "inertia", POINT if self.inertia is None else stored_inertia(self.inertia, label, self.any_inertia))
        else:
            self._settle_mass(label)

    def _settle_mass(self, label: str) -> None:
        """Fill mass, com and inertia from the shape where they are not given, and check them."""
        shapes = self.shapes
        if shapes and self.mass is None and self.density is None:
            fail(label, "mass", "is missing: give mass= or density= with the shape (mass=0 for a picture only)")
        if self.density is not None and not shapes:
            fail(label, "density", "needs a shape; give shape= or mass=")
        # shapes that are pictures only are not measured
        needed = self.density is not None or (self.mass != 0 and (self.com is None or self.inertia is None))
        measured = shapes and (needed or all(shape.closed for shape in shapes))
        try:
            volume, center, unit_inertia = solid(shapes) if measured else (0.0, ORIGIN, (ORIGIN,) * 3)
        except OverflowError:
            fail(label, "shape", f"= {shown(self.shape)} is so large that its volume is not a number")
        mass = number(0.0 if self.mass is None else self.mass, label, "mass", low=0)
        if self.density is not None:
            settle(self, density=number(self.density, label, "density", low=0))
            weighed = number(self.density * volume, label, "mass")
            if self.mass is not None and abs(mass - weighed) > 1e-12 * weighed:
                fail(label, "density", f"= {shown(self.density)} gives {weighed!r} kg, but mass = {mass!r}; give one of them")
            mass = weighed
        com = center if self.com is None else vector(self.com, 3, label, "com")
        if self.inertia is None:
            inertia = six(mass * np.array(unit_inertia)) if measured else POINT
        else:
            inertia = stored_inertia(self.inertia, label, self.any_inertia)
        settle(self, mass=mass, com=com, inertia=inertia)

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"Body {self.name!r}"

    @property
    def described(self) -> str:
        """Its description in summaries."""
        return f"{self.mass:g} kg"

    @property
    def inertia_matrix(self) -> Rows:
        """Inertia about the centre of mass in body axes, 3×3."""
        xx, yy, zz, xy, xz, yz = self.inertia
        return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))

    @property
    def rotation_matrix(self) -> Rows:
        """Body axes -> world axes in the reference drawing."""
        return rotation_matrix(self.rotation)

    @property
    def quaternion(self) -> tuple[float, float, float, float]:
        """The same rotation as a unit quaternion (w, x, y, z)."""
        return quaternion(self.rotation)

    @property
    def frame(self) -> Frame:
        """The body's frame in the reference drawing, as far as the body itself defines it."""
        return Frame.stored(self.position, self.rotation)

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The shapes as a tuple (empty if there is none)."""
        if self.shape is None:
            return ()
        return self.shape if isinstance(self.shape, tuple) else (self.shape,)


def stored_shape(value: Any, label: str) -> Any:
    """None, a shape, or a tuple of shapes."""
    if value is None or isinstance(value, Shape):
        return value
    kinds = Shape.family.names
    shapes = sequence(value, label, "shape", f"one or several of {kinds}")
    for shape in shapes:
        if not isinstance(shape, Shape):
            fail(label, "shape", f"= {shown(shape)} must be one of {kinds}")
    return shapes[0] if len(shapes) == 1 else shapes or None


def six(matrix: Any) -> tuple[float, ...]:
    """(Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) of a symmetric matrix."""
    J = np.asarray(matrix, float)
    return tuple(float(J[i, j]) + 0.0 for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))


def stored_inertia(value: Any, label: str, unphysical: bool = False) -> tuple[float, ...]:
    """Six checked numbers from 3, 6 or 3×3; `unphysical`: also those that no real body has.

    >>> stored_inertia((1, 2, 3), "Body 'arm'")
    (1.0, 2.0, 3.0, 0.0, 0.0, 0.0)
    """
    entries = sequence(value, label, "inertia", "3 or 6 numbers or a 3×3 matrix")
    if len(entries) == 6:
        inertia = vector(entries, 6, label, "inertia")
    elif len(entries) == 3 and (NUMBERS.issuperset(map(type, entries)) or not any(np.ndim(entry) for entry in entries)):
        inertia = vector(entries, 3, label, "inertia") + (0.0, 0.0, 0.0)
    elif len(entries) == 3:
        J = np.array([vector(row, 3, label, f"inertia[{k}]") for k, row in enumerate(entries)])
        if np.abs(J - J.T).max() > INERTIA_TOLERANCE * np.abs(J).max():
            fail(label, "inertia", f"= {shown(value)} is not symmetric")
        inertia = six(0.5 * (J + J.T))
    else:
        fail(label, "inertia", f"= {shown(value)} must be (Jxx, Jyy, Jzz), (Jxx, Jyy, Jzz, Jxy, Jxz, Jyz) or a 3×3 matrix")
    if not unphysical:
        check_physical(inertia, label)
    return inertia


def check_physical(inertia: tuple[float, ...], label: str) -> None:
    """No real body has a negative principal moment, or one larger than the sum of the other two."""
    if is_physical(inertia):
        return
    xx, yy, zz, xy, xz, yz = inertia
    a, b, c = (float(value) for value in np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    slack = INERTIA_TOLERANCE * max(abs(a), abs(c))
    moments = f"(principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m²)"
    if a < -slack:
        fail(label, "inertia", f"= {inertia!r} has a negative principal moment {moments}; check signs and products of inertia")
    if c > a + b + slack:
        remedy = "no moment of a real body exceeds the sum of the other two; check units, and that it is about the centre of mass"
        raise ModelError(f"{label}: inertia = {inertia!r} is not physical {moments}: {remedy}", field="inertia")


@lru_cache(maxsize=1000)
def is_physical(inertia: tuple[float, ...]) -> bool:
    """Whether a real body certainly has this inertia: its second moments Σ m r rᵀ = ½ tr(J) 1 - J are positive definite.

    Their eigenvalues are half of what the sum of two principal moments of J exceeds the third by. False where rounding decides.

    >>> is_physical((1.0, 2.0, 2.5, 0.0, 0.0, 0.1)), is_physical((1.0, 2.0, 3.1, 0.0, 0.0, 0.0))
    (True, False)
    """
    xx, yy, zz, xy, xz, yz = inertia
    half = 0.5 * (xx + yy + zz)
    a, b, c = half - xx, half - yy, half - zz
    least = 1e-14 * half
    if a <= least:
        return False
    b, c, yz = b - xy * xy / a, c - xz * xz / a, yz + xy * xz / a  # elimination of the first row; off the diagonal is -J
    return b > least and c - yz * yz / b > least
