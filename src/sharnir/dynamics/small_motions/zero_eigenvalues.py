"""Eigenvalues near zero in the presence of motions without stiffness.

Such a motion is a double zero of the state matrix with one eigenvector only, so noise of the size ε splits it into ±√ε, and an
eigenvalue of that size gets lost among them. Zeros are therefore taken out first: with V a basis of the null space of A and W of
its complement, WᵀAW has the other eigenvalues, moved by ε and not by its root; its own null space are the second vectors of
double zeros, and so on (the staircase to Jordan's form of one eigenvalue: Kublanovskaya, Golub and Wilkinson 1976).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Staircase:
    """null : columns that A takes to zero.   values, vectors : the other eigenvalues, one per eigenvalue, and their vectors."""

    null: np.ndarray
    values: np.ndarray
    vectors: np.ndarray


def without_zeros(A: np.ndarray, tolerance: float) -> Staircase:
    """Eigenvalues of A other than zero; singular values up to `tolerance` are zeros.

    >>> A = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, -1e-5]])
    >>> A[1, 0] = 1e-12  # noise, which alone would split the double zero into ±1e-6
    >>> without_zeros(A, 1e-9).values
    array([-1.e-05+0.j])
    """
    n = len(A)
    _, s, Vt = np.linalg.svd(A) if n else (None, np.zeros(0), np.zeros((0, 0)))
    held = s > tolerance
    V, W = Vt[~held].T, Vt[held].T
    if held.all():
        values, vectors = np.linalg.eig(A) if n else (np.zeros(0, complex), np.zeros((0, 0), complex))
        return Staircase(np.zeros((n, 0)), values.astype(complex), vectors.astype(complex))
    rest = without_zeros(W.T @ A @ W, tolerance)
    # x = W z + V y with A x = λ x: λ y = Vᵀ A W z
    vectors = W @ rest.vectors + V @ ((V.T @ A @ W @ rest.vectors) / rest.values)
    return Staircase(V, rest.values, vectors)
