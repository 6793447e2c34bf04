"""Cholesky factorization of a large sparse matrix in fronts, on two threads: one half of the body each.

I. S. Duff, J. K. Reid, The multifrontal solution of indefinite sparse symmetric linear equations, ACM Trans. Math. Softw. 9
(1983) 302–325. The columns of a piece and what they are coupled with form a full matrix; when they are eliminated, the rest of
it, U, is added to the front of the parent. Nearly all work is done by BLAS on large full matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.linear_algebra.blas import cholesky, divide, subtract_square
from sharnir.flexible.linear_algebra.dissection import graph_of_nodes
from sharnir.flexible.linear_algebra.factor import Factorization, not_definite
from sharnir.flexible.linear_algebra.fronts import fronts
from sharnir.kernel import entry, jit
from sharnir.kernel.signatures import Integers, Matrix, SingleMatrix, SingleVector, Vector

THREADED = 20_000  # rows beyond which a second thread is worth while
WIDTH = 256  # rows of a panel of a factor
_NOTHING = np.zeros((0, 0))
Panel: TypeAlias = tuple[int, int, np.ndarray, np.ndarray]  # rows from … to, their triangle, their block behind it


class Multifrontal(Factorization):
    """Own factorization for meshes: needs nothing beside SciPy; for solids of many nodes the fastest."""

    name, package, extra = "multifrontal", "scipy", None

    def __init__(self, matrix: Any, nodes: np.ndarray | None = None, places: np.ndarray | None = None) -> None:
        matrix = matrix.tocsr()
        self.precision = np.float32 if matrix.dtype == np.float32 else np.float64  # that of the matrix
        if nodes is None or places is None:
            nodes, places = np.arange(matrix.shape[0]), _along(matrix)
        used, nodes = np.unique(nodes, return_inverse=True)
        graph = graph_of_nodes(matrix.indptr, matrix.indices, nodes, len(used))
        self._fronts = fronts(graph, nodes, np.asarray(places, dtype=float)[used])
        self._factors: list[tuple[list[Panel], np.ndarray]] = [([], _NOTHING)] * len(self._fronts.begin)
        position = np.empty(len(nodes), dtype=np.int64)
        position[self._fronts.order] = np.arange(len(nodes))
        work: Callable[[range], None] = partial(self._factorize, matrix, position, {})
        with _second_thread(len(nodes)) as second:
            self._in_halves(second, work)
        work(self._common)  # with all threads that BLAS has

    def _factorize(self, matrix: Any, position: np.ndarray, rests: dict[int, np.ndarray], pieces: range) -> None:
        """Factors of some pieces; `rests` are the matrices U of pieces that no parent has taken yet."""
        tree, local = self._fronts, np.empty(len(position), dtype=np.int64)
        for piece in pieces:
            begin, end, after = int(tree.begin[piece]), int(tree.end[piece]), tree.after[piece]
            k, m = end - begin, len(after)
            D, B, U = (np.zeros(shape, self.precision) for shape in ((k, k), (k, m), (m, m)))
            local[begin:end], local[after] = np.arange(k), np.arange(k, k + m)
            single = self.precision == np.float32
            add_columns, add_rest = (_add_single_columns, _add_single_rest) if single else (_add_columns, _add_rest)
            own = matrix[tree.order[begin:end]]  # of a symmetric matrix rows are columns
            add_columns(own.indptr[1:].astype(np.int64), position[own.indices], own.data, begin, local, D, B)
            for child in tree.children[piece]:
                add_rest(rests.pop(child), local[tree.after[child]], D, B, U)
            wrong = cholesky(D)
            if wrong:
                raise ModelError(not_definite(f"pivot {begin + wrong} of {len(position)}"), field="stiffness")
            if m:
                divide(D, B)
                subtract_square(B, U)
                rests[piece] = U
            self._factors[piece] = panels(D), B

    def solve(self, right: np.ndarray) -> np.ndarray:
        X = np.asarray(right, dtype=self.precision).reshape(len(right), -1)[self._fronts.order]
        one, two = self._fronts.halves
        bounds = np.append(self._fronts.begin, len(X))
        own, common = slice(bounds[one], bounds[two]), slice(bounds[two], None)
        other = np.zeros_like(X)  # of the second half: what it adds to the common rows while the first half does so, too
        other[own] = X[own]
        with _second_thread(len(X)) as second:
            self._in_halves(second, lambda pieces: self._forward(other if pieces.start == one else X, pieces))
            X[own] = other[own]
            X[common] += other[common]
            self._forward(X, self._common)
            self._backward(X, self._common)
            self._in_halves(second, partial(self._backward, X))
        solution = np.empty_like(X)
        solution[self._fronts.order] = X
        return solution.reshape(np.shape(right))

    @property
    def nbytes(self) -> int:
        """Memory of the factor."""
        triangles = sum(D.nbytes + E.nbytes for parts, _ in self._factors for _, _, D, E in parts)
        return triangles + sum(B.nbytes for _, B in self._factors)

    @property
    def _common(self) -> range:
        """Pieces that belong to neither half."""
        return range(self._fronts.halves[1], len(self._factors))

    def _in_halves(self, second: ThreadPoolExecutor | None, work: Callable[[range], None]) -> None:
        """Work on the pieces of both halves of the body, if there is a second thread at the same time."""
        one, two = self._fronts.halves
        other = second.submit(work, range(one, two)) if second else None
        work(range(one))
        if other:
            other.result()
        else:
            work(range(one, two))

    def _forward(self, X: np.ndarray, pieces: range) -> None:
        tree = self._fronts
        for piece in pieces:
            (parts, B), own, after = self._factors[piece], X[tree.begin[piece] : tree.end[piece]], tree.after[piece]
            for begin, end, D, E in parts:
                divide(D, own[begin:end])
                if len(own) > end:
                    own[end:] -= E.T @ own[begin:end]
            if len(after):
                X[after] -= B.T @ own

    def _backward(self, X: np.ndarray, pieces: range) -> None:
        tree = self._fronts
        for piece in reversed(pieces):
            (parts, B), own, after = self._factors[piece], X[tree.begin[piece] : tree.end[piece]], tree.after[piece]
            if len(after):
                own -= B @ X[after]
            for begin, end, D, E in reversed(parts):
                if len(own) > end:
                    own[begin:end] -= E @ own[end:]
                divide(D, own[begin:end], transposed=False)

    def free(self) -> None:
        self._factors = []


def panels(D: np.ndarray) -> list[Panel]:
    """The triangle of a full factor in panels of rows (its array is that of the transpose), without the half that nobody reads.

    >>> [(begin, end, len(own), rest.shape) for begin, end, own, rest in panels(np.eye(2 * WIDTH))] == [
    ...     (0, WIDTH, WIDTH, (WIDTH, WIDTH)), (WIDTH, 2 * WIDTH, WIDTH, (WIDTH, 0))]
    True
    """
    k = len(D)
    if k <= WIDTH:
        return [(0, k, D, D[:, k:])]
    bounds = [*range(0, k, WIDTH), k]
    return [(a, b, D[a:b, a:b].copy(), D[a:b, b:].copy()) for a, b in pairwise(bounds)]


@contextmanager
def _second_thread(rows: int) -> Iterator[ThreadPoolExecutor | None]:
    """A thread for the second half of a large body, while BLAS uses none of its own."""
    if rows < THREADED or find_spec("threadpoolctl") is None:
        yield None
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(1) as second:
        yield second


def _along(matrix: Any) -> np.ndarray:
    """Places on a line for rows that have none: neighbours in the matrix are near each other."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    places = np.empty((matrix.shape[0], 1))
    places[reverse_cuthill_mckee(matrix, symmetric_mode=True), 0] = np.arange(matrix.shape[0])
    return places


@entry
def _add_columns(ends: Integers, rows: Integers, data: Vector, begin: int, local: Integers, D: Matrix, B: Matrix) -> None:
    _gather_columns(ends, rows, data, begin, local, D, B)


@entry
def _add_single_columns(
    ends: Integers, rows: Integers, data: SingleVector, begin: int, local: Integers, D: SingleMatrix, B: SingleMatrix
) -> None:
    _gather_columns(ends, rows, data, begin, local, D, B)


@jit
def _gather_columns(ends: Any, rows: Any, data: Any, begin: int, local: Any, D: Any, B: Any) -> None:
    """Columns of the matrix to the front: D the own rows, B the later ones; both arrays hold columns one after the other.

    ends : where the entries of each column end; rows : theirs, in the order of elimination.
    """
    k, place = len(D), 0
    for j in range(k):
        while place < ends[j]:
            i = rows[place]
            if i >= begin + j:
                at = local[i]
                if at < k:
                    D[j, at] += data[place]
                else:
                    B[j, at - k] += data[place]
            place += 1


@entry
def _add_rest(rest: Matrix, rows: Integers, D: Matrix, B: Matrix, U: Matrix) -> None:
    _gather_rest(rest, rows, D, B, U)


@entry
def _add_single_rest(rest: SingleMatrix, rows: Integers, D: SingleMatrix, B: SingleMatrix, U: SingleMatrix) -> None:
    _gather_rest(rest, rows, D, B, U)


@jit
def _gather_rest(rest: Any, rows: Any, D: Any, B: Any, U: Any) -> None:
    """What is left of a child's front to that of the parent; `rows` of it, ascending: only the lower triangle is used."""
    k, m = len(D), len(rest)
    own = 0
    while own < m and rows[own] < k:
        own += 1
    for j in range(own):
        for i in range(j, own):
            D[rows[j], rows[i]] += rest[j, i]
        for i in range(own, m):
            B[rows[j], rows[i] - k] += rest[j, i]
    for j in range(own, m):
        for i in range(j, m):
            U[rows[j] - k, rows[i] - k] += rest[j, i]
