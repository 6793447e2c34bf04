"""A closed surface of triangles → the numbers from which kernels find the nearest point: a tree of boxes, triangles, normals."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.contact.mesh_distance import COUNT, FIRST, HEADER, HIGH, LOW, NODE
from sharnir.model.bodies.triangles import Triangles

LEAF = 4  # triangles of a node without children, at the most
FLAT = 1e-9  # area of a triangle over the square of its longest edge, below which its normal is noise


def mesh_numbers(surface: Triangles) -> np.ndarray:
    """Header, nodes, triangles in the order of the leaves; triangles are counterclockwise as seen from outside.

    >>> corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> faces = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    >>> len(mesh_numbers(Triangles(corners, faces, -np.ones(4, int)))) == 1 + 8 + 4 * 30
    True
    """
    places = surface.vertices[surface.faces]
    nodes: list[np.ndarray] = []
    order = _split(nodes, places.min(axis=1), places.max(axis=1), np.arange(len(places)), 0)
    table = np.array(nodes)
    return np.concatenate([[HEADER + table.size], table.ravel(), _records(surface)[order].ravel()])


def _split(nodes: list[np.ndarray], low: np.ndarray, high: np.ndarray, chosen: np.ndarray, first: int) -> np.ndarray:
    """Add the node of the chosen triangles and those below it, the first child next to it; the triangles in order.

    first : number of the first of them in the order of the leaves.
    """
    node = np.zeros(NODE)
    node[LOW : LOW + 3], node[HIGH : HIGH + 3] = low[chosen].min(axis=0), high[chosen].max(axis=0)
    nodes.append(node)
    if len(chosen) <= LEAF:
        node[FIRST], node[COUNT] = first, len(chosen)
        return chosen
    axis = int(np.argmax(node[HIGH : HIGH + 3] - node[LOW : LOW + 3]))
    middle = (low + high)[chosen, axis]
    half = len(chosen) // 2
    parted = chosen[np.argpartition(middle, half)]
    before = _split(nodes, low, high, parted[:half], first)
    node[FIRST] = len(nodes)
    return np.concatenate([before, _split(nodes, low, high, parted[half:], first + half)])


def _records(surface: Triangles) -> np.ndarray:
    """Of each triangle: corners, unit normals of the face, of its edges and of its corners."""
    faces, places = surface.faces, surface.vertices[surface.faces]
    edges = np.roll(places, -1, axis=1) - places
    longest = np.linalg.norm(edges, axis=2).max(axis=1)
    across = np.cross(edges[:, 0], edges[:, 1])
    area = np.linalg.norm(across, axis=1)
    real = area > FLAT * longest**2
    face = np.where(real[:, None], across / np.where(real, area, 1.0)[:, None], 0.0)
    corner = np.zeros_like(surface.vertices)
    for k in range(3):
        one, other = edges[:, k], -edges[:, k - 1]
        angle = np.arctan2(np.linalg.norm(np.cross(one, other), axis=1), np.einsum("ij,ij->i", one, other))
        np.add.at(corner, faces[:, k], angle[:, None] * face)
    corner = _unit(corner)
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2), axis=2).reshape(-1, 2)
    _, row = np.unique(ends[:, 0] * np.int64(len(corner)) + ends[:, 1], return_inverse=True)
    total = np.zeros((row.max() + 1, 3))
    np.add.at(total, row.reshape(-1), np.repeat(face, 3, axis=0))
    edge = _unit(total)[row.reshape(-1)].reshape(-1, 3, 3)
    lost = ~edge.any(axis=2)  # between triangles without area, or folded
    edge[lost] = _unit(corner[faces] + np.roll(corner[faces], -1, axis=1))[lost]
    return np.concatenate([places.reshape(-1, 9), face, edge.reshape(-1, 9), corner[faces].reshape(-1, 9)], axis=1)


def _unit(vectors: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, size, out=np.zeros_like(vectors), where=size > 1e-12)
