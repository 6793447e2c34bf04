"""Meshes that touch: a block and a solid with an inner corner, of edges -1 … 1, as files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import sharnir as sr

OUTLINES = {
    "block": ([(-1, -1), (1, -1), (1, 1), (-1, 1)], [(0, 1, 2), (0, 2, 3)]),
    "angle": ([(-1, -1), (1, -1), (1, 0), (0, 0), (0, 1), (-1, 1)], [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]),
}


@cache
def file_of(name: str) -> Path:
    """A prism over an outline in the plane of x and z."""
    outline, caps = OUTLINES[name]
    n = len(outline)
    corners = [(x, y, z) for y in (-1, 1) for x, z in outline]
    faces = [(a, c, b) for a, b, c in caps] + [(a + n, b + n, c + n) for a, b, c in caps]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, j + n), (i, j + n, i + n)]
    faces = [face[::-1] for face in faces]
    path = Path(mkdtemp()) / f"{name}.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    path.write_text("\n".join([*lines, *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces)]))
    return path


def solid(name: str, half: float) -> sr.Mesh:
    """Of edges -half … half."""
    return sr.Mesh(file_of(name), scale=half)
