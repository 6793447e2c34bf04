"""Flexible bodies in the page: shapes once, elastic coordinates for each frame, the range of colours over the whole run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sharnir.app.animation.color_map import COLORS
from sharnir.app.animation.drawn_shape import COMPONENTS, DrawnShape
from sharnir.app.animation.packing import packed
from sharnir.app.animation.poses import Frames
from sharnir.results import Result

UNSEEN = 1e-8  # of the largest displacement: less than single precision shows


@dataclass(frozen=True, eq=False)
class Deformation:
    """A flexible body of a result: what is drawn of it and its elastic coordinates (nt, h); (1, h) if they never change."""

    shape: DrawnShape
    w: np.ndarray

    @classmethod
    def of(cls, result: Result, name: str) -> Deformation:
        """From the shapes of the result and its channel "<name>.w"; without such a channel the body is not deformed."""
        shape = DrawnShape.of(result.flexible[name])
        moves = f"{name}.w" in result
        return cls(shape, result[f"{name}.w"].reshape(len(result.t), shape.count) if moves else np.zeros((1, shape.count)))

    def good(self, frames: Frames) -> np.ndarray:
        """Elastic coordinates at all samples that the page may show."""
        return self.w[frames.good] if len(self.w) == len(frames.good) else self.w

    def record(self, frames: Frames) -> dict[str, Any]:
        """What the page holds: the shape, without shapes that take no part, and elastic coordinates at the frames."""
        chosen = taking_part(self.shape, self.good(frames))
        return self.shape.with_shapes(chosen).to_dict() | {"w": packed(frames.values(self.w)[:, chosen], "<f4")}


def taking_part(shape: DrawnShape, w: np.ndarray) -> np.ndarray:
    """Numbers of the shapes that one could see: all others together displace no node by more than single precision resolves.

    >>> shape = DrawnShape(np.zeros((1, 3)), np.ones((1, 3, 3)), np.zeros((0, 2)), np.zeros((0, 3)), {})
    >>> taking_part(shape, np.array([[1e-3, 0.0, 1e-20], [0.0, 0.0, 0.0]])).tolist()
    [0]
    """
    most = np.abs(w).max(axis=0, initial=0.0) * np.abs(shape.shapes).max(axis=(0, 1), initial=0.0)
    return np.flatnonzero(most > UNSEEN * most.max(initial=0.0) / max(len(most), 1))


def displacement_data(bodies: list[Deformation], frames: Frames, scale: float) -> dict[str, Any] | None:
    """Ranges of displacements over all samples and all bodies, in metres; the colours; how much larger to draw them."""
    if not bodies:
        return None
    parts = [body.shape.ranges(body.good(frames)) for body in bodies]
    ranges = {name: [min(p[name][0] for p in parts), max(p[name][1] for p in parts)] for name in COMPONENTS}
    return {"ranges": ranges, "colors": list(COLORS), "scale": float(scale)}
