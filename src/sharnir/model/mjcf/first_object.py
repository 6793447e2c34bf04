"""The first object of an OBJ file, which is all that MuJoCo reads of it.

Where tetrahedra that overlap count twice (MuJoCo's "legacy"), mass depends on how faces are divided into triangles: faces of four
corners are divided along their shorter diagonal, those of more corners by cutting off ears, as MuJoCo does. It leaves out faces
of more than a hundred corners, and keeps vertices in single precision.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sharnir.errors import ModelError
from sharnir.input_file import text as text_of_file
from sharnir.model.bodies.mesh_file import MOST_BYTES
from sharnir.model.bodies.triangles import Triangles

EDGE = np.finfo(np.float32).eps  # of a product of two edges [m²]: up to it a corner is none
MOST_CORNERS = 100  # of a face; larger ones are left out


def first_object(path: str) -> Triangles:
    """Its surface."""
    return object_of(text_of_file(path, MOST_BYTES), path)


def object_of(text: str, label: str) -> Triangles:
    """The first object with faces in the text of an OBJ file.

    >>> square = "v 0 0 0\\nv 2 0 0\\nv 3 1 0\\nv 0 1 0\\n"
    >>> object_of(square + "o a\\nf 1 2 3 4\\no b\\nf 1 2 3\\n", "square.obj").faces.tolist()
    [[0, 1, 3], [1, 2, 3]]
    """
    vertices: list[tuple[float, ...]] = []
    faces: list[list[int]] = []
    ended = False
    for number, line in enumerate(text.splitlines(), 1):
        word, *rest = line.split() or [""]
        try:
            if word == "v":
                vertices.append(tuple(float(x) for x in rest[:3]))
            elif word == "f" and not ended:
                corners = [int(x.split("/")[0]) for x in rest]
                faces.append([x - 1 if x > 0 else len(vertices) + x for x in corners])
            elif word in ("o", "g") and faces:
                ended = True
        except ValueError:
            raise ModelError(f"{label}: line {number}, {line.strip()!r}, is not one of an OBJ file") from None
    if not vertices or any(len(x) != 3 for x in vertices) or any(not 0 <= k < len(vertices) for face in faces for k in face):
        raise ModelError(f"{label}: it has no vertices, or faces of vertices that do not exist")
    single = np.array(vertices, np.float32)
    triangles = np.array([x for face in faces for x in divided(face, single)], int).reshape(-1, 3)
    return Triangles(single.astype(float), triangles, np.full(len(triangles), -1))


def divided(face: Sequence[int], places: np.ndarray) -> list[tuple[int, int, int]]:
    """A face as triangles."""
    if len(face) > MOST_CORNERS:
        return []
    if len(face) != 4:
        return ears(face, places)
    a, b, c, d = face
    if length(places[c] - places[a]) < length(places[d] - places[b]):
        return [(a, b, c), (a, c, d)]
    return [(a, b, d), (b, c, d)]


def length(a: np.ndarray) -> np.floating:
    """Its square."""
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


def ears(face: Sequence[int], places: np.ndarray) -> list[tuple[int, int, int]]:
    """Triangles that are cut off one after the other, seen along the axis nearest to the normal at the first real corner.

    A corner is cut off if no other one lies in its triangle and it turns like the triangle of its edge and the origin: that is
    no test of convexity, but MuJoCo's, which makes the mass of a mirror image another one. What is left when each corner has been
    tried is left out, also if the last one was cut off.
    """
    seen = places[:, plane_of(face, places)]
    left, found, first, tries, before = list(face), [], 0, len(face), len(face)
    while len(left) > 3 and tries > 0:
        n = len(left)
        tries, before, first = (tries - 1 if n == before else n), n, first % n
        a, b, c = (left[(first + k) % n] for k in range(3))
        turn = cross(seen[b] - seen[a], seen[c] - seen[b])
        others = [left[(first + k) % n] for k in range(3, n)]
        if turn * cross(seen[a], seen[b]) < 0 or any(is_inside(seen[[a, b, c]], seen[k]) for k in others):
            first += 1
        else:
            found.append((a, b, c))
            del left[(first + 1) % n]
    return [*found, (left[0], left[1], left[2])] if len(left) == 3 else found


def plane_of(face: Sequence[int], places: np.ndarray) -> list[int]:
    """The two axes across the normal at the first corner that is one."""
    for k in range(len(face)):
        a, b, c = (places[face[(k + i) % len(face)]] for i in range(3))
        x, y, z = np.abs(np.cross(b - a, c - b))
        if max(x, y, z) > EDGE:
            return [1, 2] if x > y and x > z else [0, 1] if z > x and z > y else [0, 2]
    return [1, 2]


def cross(a: np.ndarray, b: np.ndarray) -> np.floating:
    """The third component of the product of two vectors of a plane."""
    return a[0] * b[1] - a[1] * b[0]


def is_inside(corners: np.ndarray, point: np.ndarray) -> bool:
    """Whether a ray from the point along x leaves the triangle an odd number of times."""
    inside = False
    for k in range(3):
        a, b = corners[k], corners[k - 1]
        if (a[1] > point[1]) != (b[1] > point[1]) and point[0] < (b[0] - a[0]) * (point[1] - a[1]) / (b[1] - a[1]) + a[0]:
            inside = not inside
    return inside
