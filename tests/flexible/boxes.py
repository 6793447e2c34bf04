"""Meshes of a box with every kind of cell, and small eigenproblems."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

TETS = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))
WEDGES = ((0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7))
TET_EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
HEX_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
HEX_FACES = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))
WEDGE_EDGES = ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5))


def bricks(counts, size):
    """Points and hexahedra of a box from the origin to `size`."""
    nx, ny, nz = counts
    x, y, z = np.meshgrid(*(np.linspace(0, length, n + 1) for length, n in zip(size, counts, strict=True)), indexing="ij")
    i, j, k = (a.ravel() for a in np.meshgrid(np.arange(nx), np.arange(ny), np.arange(nz), indexing="ij"))

    def at(a, b, c):
        return ((i + a) * (ny + 1) + j + b) * (nz + 1) + k + c

    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    return np.stack([x.ravel(), y.ravel(), z.ravel()], 1), np.stack([at(*corner) for corner in corners], 1)


def with_mids(points, cells, groups):
    """Mid nodes of edges or faces (groups of corners) appended to points and cells."""
    keys = np.concatenate([np.sort(cells[:, list(group)], axis=1) for group in groups])
    found, where = np.unique(keys, axis=0, return_inverse=True)
    extra = len(points) + where.reshape(len(groups), len(cells)).T
    return np.vstack([points, points[found].mean(axis=1)]), np.hstack([cells, extra])


def box(kind, counts=(2, 2, 2), size=(1.0, 0.7, 0.5)):
    """(points, {kind: cells}) of a box."""
    points, cubes = bricks(counts, size)
    if kind.startswith("tetra"):
        cells = np.vstack([cubes[:, list(tet)] for tet in TETS])
        if kind == "tetra10":
            points, cells = with_mids(points, cells, TET_EDGES)
    elif kind.startswith("wedge"):
        cells = np.vstack([cubes[:, list(wedge)] for wedge in WEDGES])
        if kind == "wedge15":
            points, cells = with_mids(points, cells, WEDGE_EDGES)
    else:
        cells = cubes
        if kind != "hexahedron":
            points, cells = with_mids(points, cubes, HEX_EDGES)
        if kind == "hexahedron27":
            points, faces = with_mids(points, cubes, HEX_FACES)
            middle = len(points) + np.arange(len(cubes))[:, None]
            points = np.vstack([points, points[cubes].mean(axis=1)])
            cells = np.hstack([cells, faces[:, 8:], middle])
    return points, {kind: cells}


def frequencies(model, count):
    """The lowest angular frequencies, dense for small models, shift-invert for others."""
    if model.size <= 600:
        # turned round, with a shift: freedoms without mass and free bodies are both allowed
        K, M = model.stiffness.toarray(), model.mass.toarray()
        shift = 1e-6 * np.trace(K) / np.trace(M)
        values = 1 / eigh(M, K + shift * M, eigvals_only=True)[::-1][:count] - shift
    else:
        values = np.sort(eigsh(model.stiffness.tocsc(), count, model.mass.tocsc(), sigma=-1.0, return_eigenvectors=False))
    return np.sqrt(np.maximum(values, 0.0))
