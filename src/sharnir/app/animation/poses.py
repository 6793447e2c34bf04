"""Poses and elastic coordinates over time for pictures, reduced to the frames that are shown."""

from __future__ import annotations

import numpy as np

from sharnir.errors import ModelError
from sharnir.results import Result, UnknownChannelError

MOST_BYTES = 4_000_000  # of poses in one page; more bodies get fewer frames
LEAST_FRAMES = 200


def item_poses(result: Result, name: str) -> np.ndarray:
    """Rows (x, y, z, qw, qx, qy, qz); a single row if the item stands still or has no channels.

    >>> item_poses(Result([0.0, 1.0]), "ground")
    array([[0., 0., 0., 1., 0., 0., 0.]])
    """
    found = [known_values(result, f"{name}.{quantity}") for quantity in ("position", "rotation")]
    if found[0] is None and found[1] is None:
        return np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    n = len(result.t)
    position = np.zeros((n, 3)) if found[0] is None else found[0]
    rotation = np.tile([1.0, 0.0, 0.0, 0.0], (n, 1)) if found[1] is None else found[1]
    poses = np.column_stack([position, rotation])
    return poses[:1] if n > 1 and np.all(poses == poses[0]) else poses


def known_values(result: Result, name: str) -> np.ndarray | None:
    """Values of a channel; None if the result has not got it, or cannot compute it from those it has.

    >>> known_values(Result([0.0, 1.0]), "arm.position") is None
    True
    """
    try:
        return result[name]
    except UnknownChannelError:
        return None


class Frames:
    """The times of a result that a page shows, at most `rate` in a second, and what happens at these times.

    poses, elastic: rows at the times t, one table for each item; a single row stands still. Times at which any of these
    numbers is not finite are left out.

    >>> frames = Frames(np.linspace(0, 1, 1001), [np.ones((1001, 7))], [], 60.0)
    >>> len(frames.times), frames.poses(np.ones((1001, 7))).shape
    (61, (61, 7))
    """

    def __init__(self, t: np.ndarray, poses: list[np.ndarray], elastic: list[np.ndarray], rate: float) -> None:
        self.good = np.isfinite(t)
        moving = [p for p in (*poses, *elastic) if len(p) == len(t)]
        for p in moving:
            self.good &= np.all(np.isfinite(p), axis=1)
        if not self.good.any():
            raise ModelError("animate: no sample of the result has finite poses")
        self.t = t = t[self.good]
        most = max(LEAST_FRAMES, MOST_BYTES // (4 * max(sum(p.shape[1] for p in moving), 7)))
        count = min(int(np.ceil((t[-1] - t[0]) * rate - 1e-9)) + 1, most)
        self.times = t if len(t) <= max(count, 2) else np.linspace(t[0], t[-1], max(count, 2))

    def poses(self, p: np.ndarray) -> np.ndarray:
        """Poses at the times of the frames."""
        if len(p) != len(self.good):
            return p
        return p[self.good] if self.times is self.t else interpolated(self.t, p[self.good], self.times)

    def values(self, w: np.ndarray) -> np.ndarray:
        """Elastic coordinates at the times of the frames, linear in between."""
        if len(w) != len(self.good) or self.times is self.t:
            return w[self.good] if len(w) == len(self.good) else w
        rows = w[self.good]
        return np.column_stack([np.interp(self.times, self.t, column) for column in rows.T]) if rows.size else rows[:0]


def interpolated(t: np.ndarray, poses: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Poses at `times`: linear in position, spherical in rotation.

    >>> quarter = np.array([[0, 0, 0, 1, 0, 0, 0], [2, 0, 0, 0, 0, 0, 1.0]])
    >>> interpolated(np.array([0.0, 1.0]), quarter, np.array([0.5])).round(4)
    array([[1.    , 0.    , 0.    , 0.7071, 0.    , 0.    , 0.7071]])
    """
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    width = t[k + 1] - t[k]
    s = np.divide(times - t[k], width, out=np.ones_like(times), where=width > 0)[:, None]
    a, b = poses[k, 3:], poses[k + 1, 3:]
    cosine = np.sum(a * b, axis=1, keepdims=True)
    b = np.where(cosine < 0, -b, b)  # q and -q are the same rotation; take the shorter way
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    small = angle < 1e-6
    sine = np.where(small, 1.0, np.sin(angle))
    rotation = np.where(small, (1 - s) * a + s * b, (np.sin((1 - s) * angle) * a + np.sin(s * angle) * b) / sine)
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    return np.column_stack([poses[k, :3] + s * (poses[k + 1, :3] - poses[k, :3]), rotation])
