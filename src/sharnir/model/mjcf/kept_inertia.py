"""Inertia of a mesh as MuJoCo keeps it: principal moments and axes, the axes to a tenth of a millionth of a radian or so."""

from __future__ import annotations

import math

import numpy as np

DROPPED = 1e-7  # products of inertia, of the largest entry
MOST_TURNS = 500


def kept_inertia(J: np.ndarray) -> np.ndarray:
    """What is left of an inertia when the axes are turned by Jacobi's method until all products are small, and these are dropped.

    >>> kept_inertia(np.array([[1.0, 1e-8, 0.0], [1e-8, 2.0, 0.0], [0.0, 0.0, 2.5]]))[0]
    array([1., 0., 0.])
    """
    axes, least, D = np.eye(3), DROPPED * np.abs(J).max(), J
    for _ in range(MOST_TURNS):
        i, j = largest_product(D)
        if abs(D[i, j]) <= least:
            break
        axes = axes @ turn(D, i, j)
        D = axes.T @ J @ axes
    return (axes * np.diag(D)) @ axes.T


def largest_product(D: np.ndarray) -> tuple[int, int]:
    """Its row and column; the last of equal ones."""
    xy, xz, yz = abs(D[0, 1]), abs(D[0, 2]), abs(D[1, 2])
    if xy > xz and xy > yz:
        return 0, 1
    return (0, 2) if xz > yz else (1, 2)


def turn(D: np.ndarray, i: int, j: int) -> np.ndarray:
    """The smaller rotation that makes product i, j zero (Golub and Van Loan, Matrix Computations, 8.5)."""
    ratio = (D[j, j] - D[i, i]) / (2.0 * D[i, j])
    tangent = math.copysign(1.0 / (abs(ratio) + math.hypot(1.0, ratio)), ratio)
    cosine = 1.0 / math.hypot(1.0, tangent)
    G = np.eye(3)
    G[i, i] = G[j, j] = cosine
    G[i, j], G[j, i] = tangent * cosine, -tangent * cosine
    return G
