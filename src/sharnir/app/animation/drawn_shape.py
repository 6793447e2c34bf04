"""The drawn part of a flexible body: visible nodes and their displacements per elastic coordinate, in single precision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sharnir.app.animation.packing import packed
from sharnir.results.flexible_shapes import FlexibleShapes

COMPONENTS = ("magnitude", "x", "y", "z")
BLOCK = 4_000_000  # displacements that are computed at a time


@dataclass(frozen=True, eq=False)
class DrawnShape:
    """Places of nodes (n, 3) [m] and their shifts per elastic coordinate (n, 3, h), in the axes of the body.

    lines (k, 2), faces (k, 3): rows of nodes; without any, nodes are drawn as points. marks: rows of interfaces by
    "<body>:<interface>".
    """

    nodes: np.ndarray
    shapes: np.ndarray
    lines: np.ndarray
    faces: np.ndarray
    marks: dict[str, int]

    @classmethod
    def of(cls, body: FlexibleShapes) -> DrawnShape:
        """All nodes that a line, a face or an interface uses; the inside of a solid is left out.

        >>> three = FlexibleShapes("bar", np.eye(3), np.arange(3), np.ones((3, 3, 1)), None, {}, np.zeros((0, 6, 1)), [[0, 2]])
        >>> len(DrawnShape.of(three).nodes), DrawnShape.of(three).lines.tolist()
        (2, [[0, 1]])
        """
        lines, faces = np.array(body.lines, np.int64).reshape(-1, 2), np.array(body.faces, np.int64).reshape(-1, 3)
        used = np.arange(len(body.nodes))
        if len(lines) or len(faces):
            used = np.unique(np.concatenate([lines.ravel(), faces.ravel(), np.array(list(body.interfaces.values()), np.int64)]))
        row = np.zeros(len(body.nodes), np.int64)
        row[used] = np.arange(len(used))
        marks = {f"{body.name}:{name}": int(row[node]) for name, node in body.interfaces.items()}
        return cls(body.nodes[used].astype(np.float32), body.shapes[used].astype(np.float32), row[lines], row[faces], marks)

    @property
    def count(self) -> int:
        """The number h of elastic coordinates."""
        return int(self.shapes.shape[2])

    def ranges(self, w: np.ndarray) -> dict[str, tuple[float, float]]:
        """Least and largest displacement of any node over all rows of w (nt, h): magnitude and components x, y, z.

        >>> tip = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])[:, :, None]
        >>> bar = FlexibleShapes("bar", np.eye(2, 3), np.arange(2), tip, None, {}, np.zeros((0, 6, 1)))
        >>> DrawnShape.of(bar).ranges(np.array([[0.0], [-0.5], [0.25]]))
        {'magnitude': (0.0, 0.5), 'x': (0.0, 0.0), 'y': (0.0, 0.0), 'z': (-0.5, 0.25)}
        """
        rows = np.asarray(w, np.float32).reshape(-1, self.count)
        by_axis = np.ascontiguousarray(self.shapes.transpose(1, 0, 2))
        low, high, longest = np.full(3, np.inf), np.full(3, -np.inf), 0.0
        step = max(1, BLOCK // max(3 * len(self.nodes), 1))
        for first in range(0, len(rows), step):
            u = by_axis @ rows[first : first + step].T  # (3, n, step)
            low, high = np.minimum(low, u.min(axis=(1, 2))), np.maximum(high, u.max(axis=(1, 2)))
            longest = max(longest, float(np.einsum("ijk,ijk->jk", u, u).max()))
        return {"magnitude": (0.0, longest**0.5)} | {a: (float(low[c]), float(high[c])) for c, a in enumerate("xyz")}

    def with_shapes(self, chosen: np.ndarray) -> DrawnShape:
        """The same with some of the shapes only."""
        return replace(self, shapes=self.shapes[:, :, chosen])

    def to_dict(self) -> dict[str, Any]:
        """For the page: arrays as base64 text of their bytes, shape after shape."""
        return {
            "count": self.count,
            "nodes": packed(self.nodes, "<f4"),
            "shapes": packed(self.shapes.transpose(2, 0, 1), "<f4"),
            "lines": packed(self.lines, "<u4"),
            "faces": packed(self.faces, "<u4"),
            "marks": self.marks,
        }
