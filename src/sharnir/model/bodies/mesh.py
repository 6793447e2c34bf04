"""Solids bounded by triangles that a file holds."""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sharnir.arguments import shown
from sharnir.errors import FileError, ModelError
from sharnir.model.bodies.mesh_file import SUFFIXES, digest_of, triangles_of
from sharnir.model.bodies.shapes import Shape
from sharnir.model.bodies.triangles import Triangles
from sharnir.model.checks import Rows, colour, fail, settle, vector
from sharnir.model.frames import rotation_matrix, rows, stored_rotation, triple
from sharnir.model.values import Colour, Orientation, Text, Vector, default, element

DRAWN = 10_000  # triangles in a picture, at the most; finer meshes are drawn coarser


@element
class Mesh(Shape):
    """A solid whose surface is a mesh of triangles in a file (STL, OBJ, PLY, GLB, glTF, OFF, 3MF, DAE).

    Volume, centre and inertia are exact integrals over the inside of a closed mesh. A mesh that is not closed is a picture only:
    the body needs mass, com and inertia of its own.

    Parameters
    ----------
    file : path of the file.
    scale : of its lengths, a number or one for each axis; 0.001 for a file in millimetres.
    position, rotation : of the file's axes in the axes of the body.
    color : instead of the colours in the file.

    >>> Mesh("part.step")
    Traceback (most recent call last):
    sharnir.errors.ModelError: Mesh: file = 'part.step' must end in one of .stl, .obj, .ply, .glb, .gltf, .off, .3mf, .dae
    """

    file: Text = field(compare=False)
    scale: Vector = default((1.0, 1.0, 1.0))
    position: Vector = default((0.0, 0.0, 0.0))
    rotation: Orientation = default(None)
    color: Colour = default(None)
    digest: str = field(init=False, repr=False, default="")

    def __post_init__(self) -> None:
        try:
            path = Path(self.file)
        except TypeError:
            fail("Mesh", "file", f"= {shown(self.file)} must be the path of a file")
        if path.suffix.lower() not in SUFFIXES:
            fail("Mesh", "file", f"= {shown(str(path))} must end in one of {', '.join(SUFFIXES)}")
        scale = (self.scale,) * 3 if isinstance(self.scale, (int, float)) else self.scale
        settle(self, file=str(path), scale=vector(scale, 3, "Mesh", "scale"))
        if not all(self.scale):
            fail("Mesh", "scale", f"= {shown(self.scale)} must not contain zero")
        settle(self, position=vector(self.position, 3, "Mesh", "position"), rotation=stored_rotation(self.rotation, "Mesh"))
        settle(self, color=colour(self.color, "Mesh"))
        try:
            settle(self, digest=digest_of(path))
        except FileError as error:
            raise ModelError(f"Mesh: file: {error}", field="file") from None

    @cached_property
    def triangles(self) -> Triangles:
        """The surface in the axes of the body."""
        surface = triangles_of(Path(self.file), self.digest)
        return surface.moved(np.array(self.scale), np.array(rotation_matrix(self.rotation)), np.array(self.position))

    @cached_property
    def _integrals(self) -> tuple[float, np.ndarray, np.ndarray]:
        open_edges = self.triangles.open_edges()
        name = Path(self.file).name
        if open_edges:
            remedy = "give the body mass, com and inertia, or close the mesh"
            raise ModelError(
                f"Mesh {name!r} is not closed ({open_edges} open or crossed edges), so that it has no volume; {remedy}"
            )
        volume, center, inertia = self.triangles.integrals()
        if volume < 0:
            volume = -volume  # all triangles are listed from inside; centre and inertia are the same
        return volume, center, inertia

    def outside(self, user: str) -> Triangles:
        """The surface with triangles that are counterclockwise from outside; an error of its user if it has no inside."""
        surface = self.triangles
        open_edges = surface.open_edges()
        if open_edges:
            raise ModelError(
                f"{user}: mesh {Path(self.file).name!r} is not closed ({open_edges} open or crossed edges), so that it has no "
                "inside to keep out of; close it, or use other shapes"
            )
        return surface if surface.integrals()[0] > 0.0 else replace(surface, faces=surface.faces[:, ::-1])

    def hull(self) -> tuple[np.ndarray, float]:
        """Corners of the convex hull, and its volume."""
        try:
            return self.triangles.hull()
        except ModelError as error:
            raise ModelError(f"Mesh {Path(self.file).name!r}: {error}") from None

    @property
    def closed(self) -> bool:
        """Whether it has an inside."""
        return self.triangles.open_edges() == 0

    @property
    def volume(self) -> float:
        """Volume [m³]."""
        return self._integrals[0]

    @property
    def center(self) -> tuple[float, float, float]:
        """Centre of the volume."""
        return triple(self._integrals[1])

    def unit_inertia(self) -> Rows:
        """Inertia about the centre per unit mass [m²], body axes."""
        return rows(self._integrals[2])

    def picture(self) -> list[Any]:
        """One mesh for each colour."""
        surface = self.triangles.coarser(DRAWN)
        records = []
        for number in np.unique(surface.colors) if self.color is None else [None]:
            faces = surface.faces if number is None else surface.faces[surface.colors == number]
            used, row = np.unique(faces, return_inverse=True)
            color = self.color if number is None else None if number < 0 else surface.palette[number]
            record = {"kind": "mesh", "vertices": surface.vertices[used].tolist(), "faces": row.reshape(-1, 3).tolist()}
            records.append(record | ({} if color is None else {"color": color}))
        return records
