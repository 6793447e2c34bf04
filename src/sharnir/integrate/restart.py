"""From where SUNDIALS begins anew: a corrected state, less the fast part of its correction (see relaxation.py)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

PASSES = 5


def jacobian(derivative: Callable[[float, np.ndarray, np.ndarray], None], t: float, y: np.ndarray) -> np.ndarray:
    """∂f/∂y by differences.

    >>> def decay(t, y, yd):
    ...     yd[:] = -3.0 * y
    >>> jacobian(decay, 0.0, np.array([1.0])).round(6)
    array([[-3.]])
    """
    f0, f1, columns = np.zeros_like(y), np.zeros_like(y), np.zeros((len(y), len(y)))
    derivative(t, y, f0)
    for k, length in enumerate(np.sqrt(np.finfo(float).eps * np.maximum(np.abs(y), 1e-4))):
        moved = y.copy()
        moved[k] += length
        derivative(t, moved, f1)
        columns[:, k] = (f1 - f0) / (moved[k] - y[k])
    return columns


def relaxed(matrix: np.ndarray, change: np.ndarray, n_q: int, step: float) -> np.ndarray:
    """A change of the state without what dies out within a step; `matrix` is the Jacobian, q the first n_q entries.

    A displacement of a spring of 10⁸ goes, one along the road stays:

    >>> J = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [-1e8, 0, -1e4, 0], [0, 0, 0, 0]], float)
    >>> relaxed(J, np.array([1.0, 1.0, 0.0, 0.0]), 2, 0.01).round(6) + 0.0
    array([0., 1., 0., 0.])
    """
    gain = np.linalg.inv(np.eye(len(change)) - step * matrix)
    q, w = gain[:n_q, :n_q], gain[n_q:, n_q:]
    return np.concatenate([np.linalg.matrix_power(q, PASSES) @ change[:n_q], np.linalg.matrix_power(w, PASSES) @ change[n_q:]])
