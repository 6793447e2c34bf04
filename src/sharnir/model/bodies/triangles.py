"""Surfaces of triangles: closedness, exact integrals over the volume inside, fewer triangles for a picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.errors import ModelError


@dataclass(frozen=True, eq=False)
class Triangles:
    """A surface.

    Parameters
    ----------
    vertices : (n, 3) [m].
    faces : (m, 3), rows of vertices, counterclockwise as seen from outside.
    colors : (m,), rows of `palette`; -1: none.
    palette : colours "#rrggbb".
    """

    vertices: np.ndarray
    faces: np.ndarray
    colors: np.ndarray
    palette: tuple[str, ...] = ()

    def moved(self, scale: np.ndarray, rotation: np.ndarray, position: np.ndarray) -> Triangles:
        """R (scale · x) + position; a mirrored surface keeps its outside."""
        faces = self.faces if np.prod(scale) > 0 else self.faces[:, ::-1]
        return Triangles((self.vertices * scale) @ rotation.T + position, faces, self.colors, self.palette)

    def merged(self) -> Triangles:
        """Vertices of equal places as one, triangles without area left out.

        >>> twice = Triangles(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0]]), np.array([[3, 1, 2]]), np.array([-1]))
        >>> len(twice.merged().vertices)
        3
        """
        vertices, row = np.unique(self.vertices + 0.0, axis=0, return_inverse=True)
        faces = row.reshape(-1)[self.faces]
        real = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
        return Triangles(vertices, faces[real], self.colors[real], self.palette)

    def open_edges(self) -> int:
        """Edges that do not belong to exactly two triangles which pass them in opposite directions: 0 if it is closed."""
        a, b = (np.concatenate([self.faces[:, i] for i in order]).astype(np.int64) for order in ((0, 1, 2), (1, 2, 0)))
        n = len(self.vertices)
        there, count = np.unique(a * n + b, return_counts=True)
        back, opposite = np.unique(b * n + a, return_counts=True)
        matching = np.isin(there, back[opposite == 1]) & (count == 1)
        return int(len(there) - matching.sum())

    def integrals(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Volume V, centre c, and inertia about c per unit mass: sums over tetrahedra with their tips at one point, exact.

        A tetrahedron (o, a, b, c) has the volume v = det(a, b, c)/6 and ∫ x xᵀ dV = v/20 (Σ p pᵀ + s sᵀ), s = a + b + c.

        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> outside = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> volume, center, inertia = Triangles(corners, outside, -np.ones(4, int)).integrals()
        >>> round(6 * volume, 12), center, round(float(inertia[0, 0]), 6)
        (1.0, array([0.25, 0.25, 0.25]), 0.075)
        """
        tip = self.vertices.mean(axis=0)  # near the surface, so that no digits are lost far from the origin
        a, b, c = (self.vertices[self.faces[:, k]] - tip for k in range(3))
        v = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
        volume = float(v.sum())
        s = a + b + c
        second = sum(np.einsum("i,ij,ik->jk", v, p, p) for p in (a, b, c, s)) / 20.0
        center = (v @ s) / (4.0 * volume)
        second = second / volume - np.outer(center, center)
        return volume, center + tip, np.trace(second) * np.eye(3) - second

    def area(self) -> float:
        """Area of the surface."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())

    def hull(self) -> tuple[np.ndarray, float]:
        """Corners of the convex hull, and its volume.

        >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]])
        >>> around, volume = Triangles(corners, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 4]]), -np.ones(3, int)).hull()
        >>> len(around), round(6 * volume, 12)
        (4, 1.0)
        """
        from scipy.spatial import ConvexHull, QhullError

        try:
            hull = ConvexHull(self.vertices)
        except (QhullError, ValueError):
            raise ModelError("its vertices lie in one plane, so it has no convex hull; use another shape") from None
        return self.vertices[hull.vertices], float(hull.volume)

    def coarser(self, most: int) -> Triangles:
        """At most about so many triangles: vertices of one cell of a grid become one, in their middle (Rossignac and Borrel)."""
        found, cells = self, int(np.sqrt(most))
        while len(found.faces) > most and cells > 2:
            found, cells = self._clustered(cells), int(0.8 * cells)
        return found

    def _clustered(self, cells: int) -> Triangles:
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        place = np.floor((self.vertices - low) / (max((high - low).max(), 1e-300) / cells)).astype(np.int64)
        key = (place[:, 0] * (cells + 1) + place[:, 1]) * (cells + 1) + place[:, 2]
        _, row, count = np.unique(key, return_inverse=True, return_counts=True)
        middle = np.stack([np.bincount(row, self.vertices[:, k]) / count for k in range(3)], axis=1)
        return Triangles(middle, row[self.faces], self.colors, self.palette).merged()
