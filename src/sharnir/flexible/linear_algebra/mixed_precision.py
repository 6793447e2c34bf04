"""Solutions to double precision with a factor in single precision, which takes half the memory and half the time.

The factor of the scaled matrix, S A S with unit diagonal, preconditions conjugate gradients (N. J. Higham, T. Mary, Mixed
precision algorithms in numerical linear algebra, Acta Numerica 31 (2022) 347–414): a few steps for a matrix whose condition
number single precision can hold, and a refusal for one that it cannot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.linear_algebra.factor import Factorization, not_definite
from sharnir.flexible.linear_algebra.multifrontal import Multifrontal

SMALL = 1e-14  # residual relative to |A| |x| + |b|, column by column
STEPS = 60


class MixedPrecision(Factorization):
    """The multifrontal factorization in single precision, and conjugate gradients in double."""

    name, package, extra = "mixed", "scipy", None

    def __init__(self, matrix: Any, nodes: np.ndarray | None = None, places: np.ndarray | None = None) -> None:
        from scipy.sparse import csr_array

        self._matrix = matrix  # a Part has no numbers of its own; those in `whole` are let go
        whole = matrix.tocsr()
        diagonal = whole.diagonal()
        if not (diagonal > 0.0).all():
            raise ModelError(not_definite("a diagonal entry is not positive"), field="stiffness")
        self._scale = 1.0 / np.sqrt(diagonal)
        scaled = whole.data * np.repeat(self._scale, np.diff(whole.indptr))
        scaled *= self._scale[whole.indices]
        rows = np.add.reduceat(np.abs(scaled), whole.indptr[:-1])  # no row is empty: each has its diagonal
        self._size = float(rows.max())
        single = csr_array((scaled.astype(np.float32), whole.indices, whole.indptr), shape=whole.shape)
        del scaled, rows, whole
        self._factor = Multifrontal(single, nodes, places)

    def solve(self, right: np.ndarray) -> np.ndarray:
        scale = self._scale[:, None]
        R = np.asarray(right, dtype=float).reshape(len(right), -1) * scale
        X, size = np.zeros_like(R), np.linalg.norm(R, axis=0)
        Z = self._approximate(R)
        P, rho = Z.copy(), np.einsum("ij,ij->j", R, Z)
        for _ in range(STEPS):
            Q = scale * (self._matrix @ (scale * P))
            curvature = np.einsum("ij,ij->j", P, Q)
            step = np.divide(rho, curvature, out=np.zeros_like(rho), where=curvature > 0.0)
            X += step * P
            R -= step * Q
            small = SMALL * (self._size * np.linalg.norm(X, axis=0) + size)
            if (np.linalg.norm(R, axis=0) <= small).all():
                return (X * scale).reshape(np.shape(right))
            Z = self._approximate(R)
            # the factor is not quite the same for every vector, so that what is new is made conjugate to the last direction
            turn = np.divide(-np.einsum("ij,ij->j", Z, Q), curvature, out=np.zeros_like(rho), where=curvature > 0.0)
            P = Z + turn * P
            rho = np.einsum("ij,ij->j", R, P)
        raise ModelError(not_definite("its condition number is too large for single precision"), field="stiffness")

    def _approximate(self, R: np.ndarray) -> np.ndarray:
        """The solution with the factor, of columns brought to length one, which single precision can hold."""
        length = np.linalg.norm(R, axis=0)
        length[length == 0.0] = 1.0
        return self._factor.solve(R / length).astype(float) * length

    def free(self) -> None:
        self._factor.free()
        self._matrix = None
