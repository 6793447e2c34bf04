"""Checks of elements that roll on a plane: wheels and balls, as constraints and as forces."""

from __future__ import annotations

import math
from typing import Any

from sharnir.model.checks import Triple, fail, number, point, settle, unit_axis, vector

FLAT = 1e-9  # sine of the angle between a wheel's axis and the normal below which it lies on its side


def check_pair(body: str, surface: str, label: str) -> None:
    """A body cannot roll or slide on itself."""
    if body == surface:
        fail(label, "surface", f"= {surface!r} is the body itself; name the body that carries the surface")


def check_side(center: Triple | None, through: Triple, normal: Triple, label: str) -> None:
    """The centre must lie on the side of the plane to which the normal points."""
    if center is None:
        return
    height = math.fsum(n * (c - p) for n, c, p in zip(normal, center, through, strict=True))
    if height <= 0.0:
        fail(
            label, "center", f"= {center!r} is {-height:g} m below the plane; reverse the normal, or move the centre or the plane"
        )


def settle_wheel(wheel: Any, label: str, remedy: str = "") -> None:
    """Store the checked centre, axis, radius and tube of a wheel and the plane that it is on; `remedy`: for a tube too thick."""
    check_pair(wheel.wheel, wheel.surface, label)
    settle(wheel, center=point(wheel.center, label, "center"), through=vector(wheel.through, 3, label, "through"))
    settle(wheel, axis=unit_axis(wheel.axis, label), normal=unit_axis(wheel.normal, label, "normal"))
    settle(wheel, radius=number(wheel.radius, label, "radius", above=0), tube=number(wheel.tube, label, "tube", low=0))
    if wheel.tube >= wheel.radius:
        fail(label, "tube", f"= {wheel.tube!r} must be less than radius = {wheel.radius!r}{remedy}")
    check_upright(wheel.axis, wheel.normal, label)
    check_side(wheel.center, wheel.through, wheel.normal, label)


def check_upright(axis: Triple, normal: Triple, label: str) -> None:
    """A wheel must not lie on its side."""
    (a, b, c), (x, y, z) = axis, normal
    if math.hypot(b * z - c * y, c * x - a * z, a * y - b * x) < FLAT:
        fail(label, "axis", f"= {axis!r} is parallel to the normal: the wheel lies on its side; tilt axis or normal")
