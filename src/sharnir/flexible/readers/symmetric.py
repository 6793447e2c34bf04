"""Sparse matrices from triplets of files that hold one triangle or both."""

from __future__ import annotations

from typing import Any

import numpy as np

from sharnir.arguments import numbers
from sharnir.errors import ModelError


def symmetric_matrix(who: str, rows: np.ndarray, columns: np.ndarray, values: np.ndarray, size: int) -> Any:
    """(size, size) CSR matrix; one triangle is mirrored, a full matrix is taken as it is. Entries may stand once only.

    >>> symmetric_matrix("k", np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([2.0, -1, 3]), 2).toarray()
    array([[ 2., -1.],
           [-1.,  3.]])
    """
    from scipy.sparse import csr_array

    if len(rows) and (min(rows.min(), columns.min()) < 0 or max(rows.max(), columns.max()) >= size):
        worst = max(int(rows.max()), int(columns.max())) + 1
        raise ModelError(
            f"{who}: row or column {worst} in a matrix of {size} rows; does the table of freedoms belong to this matrix?",
            field="stiffness",
        )
    code = rows * np.int64(size) + columns
    if len(np.unique(code)) < len(code):
        values_, counts = np.unique(code, return_counts=True)
        row, column = divmod(int(values_[np.argmax(counts)]), size)
        raise ModelError(
            f"{who}: the entry of row {row + 1}, column {column + 1} is given {counts.max()} times; write the assembled"
            " matrix once",
            field="stiffness",
        )
    lower, upper = np.any(rows > columns), np.any(rows < columns)
    if lower and upper:
        return csr_array((values, (rows, columns)), shape=(size, size))
    off = rows != columns
    i, j = np.concatenate([rows, columns[off]]), np.concatenate([columns, rows[off]])
    return csr_array((np.concatenate([values, values[off]]), (i, j)), shape=(size, size))


def mirrored(who: str, matrix: Any) -> Any:
    """A sparse or dense matrix with the missing triangle added where it has one only."""
    from scipy.sparse import coo_array, issparse

    found = coo_array(matrix if issparse(matrix) else numbers(matrix, who, "matrix", shape=(None, None)))
    if found.shape[0] != found.shape[1]:
        raise ModelError(
            f"{who}: the matrix is {found.shape[0]} × {found.shape[1]}; mass and stiffness are square", field="stiffness"
        )
    found.sum_duplicates()
    rows, columns = (np.asarray(part, dtype=np.int64) for part in found.coords)
    return symmetric_matrix(who, rows, columns, found.data, found.shape[0])
