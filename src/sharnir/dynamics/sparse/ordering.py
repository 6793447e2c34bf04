"""Order of elimination of the elements that keeps the fill small."""

from __future__ import annotations

import numpy as np

from sharnir.dynamics.sparse.nested_dissection import nested_dissection


def minimum_degree(n: int, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Elements in the order of elimination, for a symmetric pattern given by its pairs (one triangle).

    Multiple minimum degree of SuperLU on a matrix with one number per pair.

    >>> sorted(minimum_degree(3, np.array([1, 2]), np.array([0, 1])).tolist())
    [0, 1, 2]
    """
    off = rows != columns
    r, c = rows[off], columns[off]
    if len(r) == 0:
        return np.arange(n)
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    diagonal = np.arange(n)
    values = np.concatenate([np.full(2 * len(r), -1.0), np.full(n, float(n + 1))])
    pattern = csc_matrix((values, (np.concatenate([r, c, diagonal]), np.concatenate([c, r, diagonal]))), shape=(n, n))
    factor = splu(pattern, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return np.argsort(factor.perm_c)


def dissected_order(sizes: np.ndarray, rows: np.ndarray, columns: np.ndarray, position: np.ndarray | None = None) -> np.ndarray:
    """Elements in the order of elimination: pieces of a nested dissection by minimum degree, then the separators.

    >>> sorted(dissected_order(np.ones(3, dtype=np.int64), np.array([1, 2]), np.array([0, 1])).tolist())
    [0, 1, 2]
    """
    n = len(sizes)
    off = rows != columns
    a, b = np.concatenate([rows[off], columns[off]]), np.concatenate([columns[off], rows[off]])
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(a, minlength=n), out=start[1:])
    nodes, separator = nested_dissection(n, start, b[np.argsort(a * n + b)], sizes, position)
    inside = ~separator[rows] & ~separator[columns]
    first = minimum_degree(n, rows[inside], columns[inside])
    return np.concatenate([first[~separator[first]], nodes[separator[nodes]]])
