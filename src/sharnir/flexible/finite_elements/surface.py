"""The surface of a mesh of solids as triangles, for pictures."""

from __future__ import annotations

import numpy as np

from sharnir.flexible.finite_elements.solid_element import solid_element

# a face (corners, then mid nodes of its sides, then its own mid node) cut into triangles
TRIANGLES = {
    3: ((0, 1, 2),),
    4: ((0, 1, 2), (0, 2, 3)),
    6: ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
    8: ((0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 7), (5, 6, 7)),
    9: ((0, 4, 8), (4, 1, 8), (1, 5, 8), (5, 2, 8), (2, 6, 8), (6, 3, 8), (3, 7, 8), (7, 0, 8)),
}
CORNERS = {3: 3, 4: 4, 6: 3, 8: 4, 9: 4}


def surface_triangles(cells: list[tuple[str, np.ndarray]]) -> np.ndarray:
    """(k, 3) triangles of all faces that belong to one cell only, seen from outside counter-clockwise.

    >>> surface_triangles([("tetra", np.array([[0, 1, 2, 3], [1, 2, 3, 4]]))]).shape
    (6, 3)
    """
    groups: dict[int, list[np.ndarray]] = {}
    for kind, table in cells:
        for face in solid_element(kind).faces:
            groups.setdefault(len(face), []).append(table[:, list(face)])
    faces = {width: np.vstack(parts) for width, parts in groups.items()}
    keys = {width: _keys(table[:, : CORNERS[width]]) for width, table in faces.items()}
    everything = np.vstack(list(keys.values()))
    _, where, counts = np.unique(everything, axis=0, return_inverse=True, return_counts=True)
    outside = counts[where.ravel()] == 1
    found, first = [], 0
    for width, table in faces.items():
        own = table[outside[first : first + len(table)]]
        first += len(table)
        found += [own[:, list(triangle)] for triangle in TRIANGLES[width]]
    return np.vstack(found).astype(np.int64)


def _keys(corners: np.ndarray) -> np.ndarray:
    """(f, 4) corners in ascending order; triangles get -1 in front."""
    ordered = np.sort(corners, axis=1)
    if ordered.shape[1] == 4:
        return ordered
    return np.hstack([np.full((len(ordered), 1), -1, dtype=ordered.dtype), ordered])
