"""The list of all shapes of this package."""

from __future__ import annotations

from sharnir.model.bodies.mesh import Mesh
from sharnir.model.bodies.shapes import Box, Cylinder, Rod, Shape, Sphere

ALL_SHAPES: tuple[type[Shape], ...] = (Box, Cylinder, Sphere, Rod, Mesh)
