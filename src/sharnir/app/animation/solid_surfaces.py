"""Surfaces of the shapes of a scene as triangles with normals, in the axes of their body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sharnir.model.frames import rotation_matrix

AROUND = 32  # corners of circles
STICK = 0.0115  # radius of a stick, of the size of the mechanism


class Surface(NamedTuple):
    """Vertices (n, 3), their normals (n, 3), and triangles (m, 3) that show their outside counterclockwise."""

    vertices: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray


def surface(shape: Mapping[str, Any], size: float) -> Surface:
    """The surface of a shape, as `SceneItem` holds it.

    >>> box = surface({"kind": "box", "size": (2, 2, 2), "center": (1, 0, 0)}, 1.0)
    >>> box.vertices.min(axis=0).tolist(), len(box.triangles)
    ([0.0, -1.0, -1.0], 12)
    """
    kind = shape["kind"]
    if kind == "rod":
        return rod(shape["start"], shape["end"], shape.get("radius") or thickness(shape, size))
    if kind == "mesh":
        return placed(flat(np.asarray(shape["vertices"], float), shape["faces"]), shape)
    made = {"box": box, "cylinder": cylinder, "sphere": sphere}[kind](shape)
    return placed(made, shape)


def thickness(shape: Mapping[str, Any], size: float) -> float:
    """The radius of a rod that has none."""
    length = float(np.linalg.norm(np.subtract(shape["end"], shape["start"])))
    return min(0.06 * length, 0.012 * size)


def stick_surface(start: Sequence[float], end: Sequence[float], size: float) -> Surface:
    """A stick between two points."""
    return rod(start, end, STICK * size)


def placed(made: Surface, shape: Mapping[str, Any]) -> Surface:
    """A surface where and how its shape is placed."""
    turn = np.array(rotation_matrix(shape["rotation"])) if shape.get("rotation") is not None else np.eye(3)
    center = np.asarray(shape["center"], float) if shape.get("center") is not None else np.zeros(3)
    return Surface(made.vertices @ turn.T + center, made.normals @ turn.T, made.triangles)


def flat(points: np.ndarray, faces: Sequence[Sequence[int]]) -> Surface:
    """Faces with corners of their own, so that edges are sharp."""
    triangles = np.array([[f[0], f[k], f[k + 1]] for f in faces for k in range(1, len(f) - 1)], int).reshape(-1, 3)
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    good = length[:, 0] > 0.0
    corners, normals = corners[good], normals[good] / length[good]
    return Surface(
        corners.reshape(-1, 3), np.repeat(normals, 3, axis=0), np.arange(3 * len(corners), dtype=np.int64).reshape(-1, 3)
    )


def box(shape: Mapping[str, Any]) -> Surface:
    """A box about the origin."""
    corners = (
        np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * np.asarray(shape["size"], float) / 2
    )
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return flat(corners, faces)


def cylinder(shape: Mapping[str, Any]) -> Surface:
    """A cylinder about the origin along its axis."""
    return revolved(turned_profile(shape["radius"], shape["length"]), shape.get("axis") or (0.0, 0.0, 1.0))


def turned_profile(radius: float, length: float) -> list[tuple[float, float, float, float]]:
    """Points (r, z) of a cylinder with the directions (r, z) of their normals."""
    h = 0.5 * length
    return [(0, -h, 0, -1), (radius, -h, 0, -1), (radius, -h, 1, 0), (radius, h, 1, 0), (radius, h, 0, 1), (0, h, 0, 1)]


def sphere(shape: Mapping[str, Any]) -> Surface:
    """A sphere about the origin."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, AROUND // 2 + 1)
    r = float(shape["radius"])
    return revolved([(r * np.cos(a), r * np.sin(a), np.cos(a), np.sin(a)) for a in angles], (0.0, 0.0, 1.0))


def rod(start: Sequence[float], end: Sequence[float], radius: float) -> Surface:
    """A bar with round ends between two points."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(b - a))
    if length == 0.0:
        return Surface(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3), int))
    angles = np.linspace(-np.pi / 2, 0, AROUND // 4 + 1)
    below = [(radius * np.cos(u), radius * np.sin(u) - length / 2, np.cos(u), np.sin(u)) for u in angles]
    above = [(r, -z, n, -m) for r, z, n, m in reversed(below)]
    made = revolved([*below, *above], tuple((b - a) / length))
    return Surface(made.vertices + 0.5 * (a + b), made.normals, made.triangles)


def revolved(profile: Sequence[tuple[float, float, float, float]], axis: Sequence[float]) -> Surface:
    """A profile (r, z, normal r, normal z), from below to above, turned about an axis."""
    rows = np.array(profile, float)
    angles = 2 * np.pi * np.arange(AROUND) / AROUND
    cosine, sine = np.cos(angles), np.sin(angles)
    count = len(rows)

    def ring(r: np.ndarray, z: np.ndarray) -> np.ndarray:
        x, y = np.outer(r, cosine), np.outer(r, sine)
        return np.stack([x, y, np.repeat(z[:, None], AROUND, axis=1)], axis=2).reshape(-1, 3)

    vertices, normals = ring(rows[:, 0], rows[:, 1]), ring(rows[:, 2], rows[:, 3])
    k, j = np.meshgrid(np.arange(count - 1), np.arange(AROUND), indexing="ij")
    a, b = k * AROUND + j, k * AROUND + (j + 1) % AROUND
    c, d = a + AROUND, b + AROUND
    triangles = np.concatenate([np.stack([a, b, d], axis=2).reshape(-1, 3), np.stack([a, d, c], axis=2).reshape(-1, 3)])
    corners = vertices[triangles]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    triangles = triangles[area > 1e-12 * max(area.max(initial=0.0), 1e-300)]
    turn = from_z(np.asarray(axis, float))
    return Surface(vertices @ turn.T, normals @ turn.T, triangles)


def from_z(axis: np.ndarray) -> np.ndarray:
    """A rotation that takes z to an axis.

    >>> bool(np.allclose(from_z(np.array([0.0, 2.0, 0.0])) @ [0, 0, 1], [0, 1, 0]))
    True
    """
    w = axis / np.linalg.norm(axis)
    u = np.cross([0.0, 1.0, 0.0] if abs(w[1]) < 0.9 else [1.0, 0.0, 0.0], w)
    u /= np.linalg.norm(u)
    return np.column_stack([u, np.cross(w, u), w])
