"""The point of a polyhedron that is nearest to a given one: least-distance programming by Lawson and Hanson."""

from __future__ import annotations

import numpy as np

FLAT = 1e-10  # rows shorter than this bound nothing


def nearest_within(center: np.ndarray, rows: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray | None:
    """The z nearest to `center` with low ≤ rows z ≤ high; None if there is none.

    Lawson and Hanson, Solving Least Squares Problems, chapter 23: a problem of least squares with multipliers that are not
    negative, one for each bound, whose residual is the direction from the center to the solution.

    >>> nearest_within(np.array([2.0, 1.0]), np.eye(2), np.array([-1.0, -1.0]), np.array([1.0, 3.0]))
    array([1., 1.])
    """
    from scipy.optimize import nnls

    length = np.linalg.norm(rows, axis=1)
    bound = length > FLAT
    unit = rows[bound] / length[bound, None]
    here = unit @ center
    G = np.vstack([unit, -unit])
    h = np.concatenate([low[bound] / length[bound] - here, here - high[bound] / length[bound]])
    finite = np.isfinite(h)
    G, h = G[finite], h[finite]
    if not (h > 0.0).any():
        return center
    size = float(np.abs(h).max())
    E = np.vstack([G.T, h / size])
    multipliers, distance = nnls(E, np.append(np.zeros(len(center)), 1.0), maxiter=20 * E.shape[1] + 100)
    if distance < 1e-10:
        return None
    residual = E @ multipliers
    residual[-1] -= 1.0
    return center - size * residual[:-1] / residual[-1]
