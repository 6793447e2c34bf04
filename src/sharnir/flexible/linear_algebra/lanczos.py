"""Lowest modes of K x = λ M x by Lanczos' method in blocks on K⁻¹ M, with one factorization of K.

R. G. Grimes, J. G. Lewis, H. D. Simon, A shifted block Lanczos algorithm for solving sparse symmetric generalized eigenproblems,
SIAM J. Matrix Anal. Appl. 15 (1994) 228–272; here without shifts and with full orthogonalization. Many right sides at once cost
less than one by one, multiple frequencies (bodies with symmetries) are found together, and no work is lost by restarts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

BLOCK = 8
CONVERGED = 1e-5  # residual of a mode relative to its eigenvalue; that of the eigenvalue is the square of it
NEW = 1e-7  # part of a column that must be new, so that it counts
CLEAN = 1e-6  # square of such a part, below which rounding shows


class _Subspace:
    """Columns Q with Qᵀ M Q = 1, the last of them times M, and T = Qᵀ M K⁻¹ M Q.

    M Q of the other columns is not kept: a product with M costs little beside a solution with K, but as much memory as Q.
    """

    def __init__(self, M: Any, columns: int) -> None:
        self.M, self.size = M, 0
        self.Q = np.empty((M.shape[0], columns), order="F")
        self.MQ_last = np.empty((M.shape[0], 0))
        self.T = np.zeros((columns, columns))

    def without(self, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(Qᵀ M W, W less its part in the subspace); twice is enough."""
        Q = self.Q[:, : self.size]
        parts = Q.T @ (self.M @ W)
        W = W - Q @ parts
        again = Q.T @ (self.M @ W)
        W -= Q @ again
        return parts + again, W

    def extend(self, W: np.ndarray, inside: np.ndarray | None = None) -> np.ndarray:
        """Add the columns W, orthogonal to Q; B with W = Q_new B. `inside`: squared lengths of what was taken out of them."""
        MW = self.M @ W
        gram = _symmetric(W.T @ MW)
        before = np.diagonal(gram) + (0.0 if inside is None else inside)
        scale = 1.0 / np.sqrt(np.maximum(before, np.finfo(float).tiny))
        values, vectors = np.linalg.eigh(gram * np.outer(scale, scale))
        good = values > NEW**2
        turn = scale[:, None] * vectors[:, good] / np.sqrt(values[good])
        fresh, self.MQ_last = W @ turn, MW @ turn
        if values[good].min(initial=1.0) < CLEAN:  # digits were lost: orthonormal once more
            clean = self.without(fresh)[1]
            root = np.linalg.cholesky(_symmetric(clean.T @ (self.M @ clean)))
            fresh = np.linalg.solve(root, clean.T).T
            self.MQ_last = self.M @ fresh
        new = slice(self.size, self.size + fresh.shape[1])
        if new.stop > self.Q.shape[1]:
            self._grow(max(new.stop, 2 * self.Q.shape[1]))
        self.Q[:, new] = fresh
        self.size = new.stop
        return self.MQ_last.T @ W

    def _grow(self, columns: int) -> None:
        Q, T = np.empty((len(self.Q), columns), order="F"), np.zeros((columns, columns))
        Q[:, : self.size] = self.Q[:, : self.size]
        T[: self.size, : self.size] = self.T[: self.size, : self.size]
        self.Q, self.T = Q, T


def lanczos_modes(
    solve: Callable[[np.ndarray], np.ndarray], M: Any, wanted: Callable[[np.ndarray, np.ndarray], int | None]
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues λ in ascending order and modes as columns, orthonormal in mass.

    solve : K⁻¹ times columns. M : sparse, semi-definite. wanted : is shown the present eigenvalues and which of them have
    converged, and says how many are to be returned, or None to go on.

    >>> from scipy.sparse import csr_array
    >>> found, _ = lanczos_modes(lambda x: x / np.arange(1.0, 31.0)[:, None], csr_array(np.eye(30)), first(2))
    >>> found.round(9)
    array([1., 2.])
    """
    rng = np.random.default_rng(1)  # the same modes in every run
    size = M.shape[0]
    block = min(BLOCK, size)
    space = _Subspace(M, 16 * block)
    W = solve(M @ rng.standard_normal((size, block)))
    space.extend(W)
    last = slice(0, space.size)
    while True:
        W = solve(np.asfortranarray(space.MQ_last))
        parts, W = space.without(W)
        p = space.size
        space.T[:p, last], space.T[last, :p] = parts, parts.T
        B = space.extend(W, np.einsum("ij,ij->j", parts, parts)) if p < size else np.zeros((0, W.shape[1]))
        theta, Y = np.linalg.eigh(_symmetric(space.T[:p, :p]))
        theta, Y = theta[::-1], Y[:, ::-1]
        residual = np.linalg.norm(B @ Y[last], axis=0)
        done = residual <= CONVERGED * np.abs(theta)
        real = theta > 1e-14 * theta[0]
        finished = space.size == p  # nothing new: the subspace holds all modes
        count = int(real.sum()) if finished else None
        asked = wanted(1.0 / theta[real], done[real] | finished)
        if asked is not None or finished:
            keep = min(x for x in (asked, count) if x is not None)
            return 1.0 / theta[:keep], space.Q[:, :p] @ Y[:, :keep]
        last = slice(p, space.size)


def first(count: int) -> Callable[[np.ndarray, np.ndarray], int | None]:
    """Wanted: the first `count` modes."""

    def enough(values: np.ndarray, done: np.ndarray) -> int | None:
        return count if len(done) >= count and bool(done[:count].all()) else None

    return enough


def below(limit: float, count: int | None = None) -> Callable[[np.ndarray, np.ndarray], int | None]:
    """Wanted: all modes up to the eigenvalue `limit` (one beyond it must be known), at most `count`."""

    def enough(values: np.ndarray, done: np.ndarray) -> int | None:
        inside = int((values <= limit).sum())
        if count is not None and inside >= count:
            return first(count)(values, done)
        return inside if inside < len(done) and bool(done[: inside + 1].all()) else None

    return enough


def _symmetric(matrix: np.ndarray) -> np.ndarray:
    return 0.5 * (matrix + matrix.T)
