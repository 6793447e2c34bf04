"""A part of a symmetric sparse matrix: that of some freedoms of a large model, without a copy of its numbers."""

from __future__ import annotations

from typing import Any

import numpy as np


class Part:
    """The rows and columns of these freedoms, ascending, of a symmetric matrix (CSR).

    >>> from scipy.sparse import csr_array
    >>> part = Part(csr_array([[2.0, 1.0, 0.0], [1.0, 3.0, 4.0], [0.0, 4.0, 5.0]]), np.array([0, 2]))
    >>> (part @ np.array([1.0, 10.0])).tolist(), part.tocsr().toarray().tolist()
    ([2.0, 50.0], [[2.0, 0.0], [0.0, 5.0]])
    """

    def __init__(self, whole: Any, freedoms: np.ndarray) -> None:
        self.whole, self.freedoms = whole.tocsr(), freedoms
        self.shape = (len(freedoms), len(freedoms))

    def spread(self, X: np.ndarray) -> np.ndarray:
        """Rows for all freedoms, zero elsewhere."""
        whole = np.zeros((self.whole.shape[0], *X.shape[1:]))
        whole[self.freedoms] = X
        return whole

    def __matmul__(self, X: np.ndarray) -> np.ndarray:
        return (self.whole @ self.spread(X))[self.freedoms]

    def diagonal(self) -> np.ndarray:
        """The entries on the diagonal."""
        return self.whole.diagonal()[self.freedoms]

    def tocsr(self) -> Any:
        """The part as a matrix of its own; slicing twice would need a second copy on the way."""
        inside = np.zeros(self.whole.shape[0], dtype=bool)
        inside[self.freedoms] = True
        kept = np.repeat(inside, np.diff(self.whole.indptr)) & inside[self.whole.indices]
        number = np.cumsum(inside, dtype=self.whole.indices.dtype) - 1
        ends = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])[self.whole.indptr]
        sizes = np.diff(ends)[self.freedoms]
        indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(self.whole.indptr.dtype)
        return type(self.whole)((self.whole.data[kept], number[self.whole.indices[kept]], indptr), shape=self.shape)
