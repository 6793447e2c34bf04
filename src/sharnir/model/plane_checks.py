"""Checks of what rolls on a plane: wheels and balls, by constraints and by forces."""

from __future__ import annotations

import math

from sharnir.model.checks import Triple, fail

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


def check_upright(axis: Triple, normal: Triple, label: str) -> None:
    """A wheel must not lie on its side."""
    (a, b, c), (x, y, z) = axis, normal
    if math.hypot(b * z - c * y, c * x - a * z, a * y - b * x) < FLAT:
        fail(label, "axis", f"= {axis!r} is parallel to the normal: the wheel lies on its side; tilt axis or normal")
