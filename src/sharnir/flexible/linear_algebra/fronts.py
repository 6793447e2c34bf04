"""Fronts of a sparse Cholesky factorization: which rows every piece of a dissection meets when it is eliminated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.flexible.linear_algebra.dissection import Graph, dissected


@dataclass(frozen=True, eq=False)
class Fronts:
    """Columns from … to of each piece, the later rows that it is coupled with, and the pieces that add to it.

    order: the row of the matrix that is eliminated k-th. after: by piece, the rows behind its own where its block of the factor
    has entries. children: by piece, those whose first row of `after` is its own. halves: the numbers of pieces where the first
    and the second half of the body end; what follows them is common.
    """

    order: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    after: list[np.ndarray]
    children: list[list[int]]
    halves: tuple[int, int]

    @property
    def entries(self) -> int:
        """Numbers of the factor."""
        return sum(int(b - a) * (int(b - a) + len(rows)) for a, b, rows in zip(self.begin, self.end, self.after, strict=True))


def fronts(graph: Graph, nodes: np.ndarray, places: np.ndarray) -> Fronts:
    """The fronts of a matrix whose rows belong to `nodes`, which have these neighbours and places.

    >>> chain = Graph(np.array([0, 2, 5, 7]), np.array([0, 1, 0, 1, 2, 1, 2]))
    >>> fronts(chain, np.arange(3), np.arange(3.0)[:, None]).entries
    9
    """
    count = len(places)
    order, pieces, halves = dissected(graph, places)
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count)
    size = np.bincount(nodes, minlength=count)[order]
    first = np.concatenate([[0], np.cumsum(size)])
    piece_of = np.repeat(np.arange(len(pieces)), pieces[:, 1] - pieces[:, 0])
    after: list[np.ndarray] = []
    children: list[list[int]] = [[] for _ in pieces]
    for number, (begin, end) in enumerate(pieces):
        met = np.concatenate([rank[graph.around(order[begin:end])[0]], *(after[child] for child in children[number])])
        later = np.unique(met[met >= end])
        after.append(later)
        if len(later):
            children[piece_of[later[0]]].append(number)
    return Fronts(
        order=np.argsort(rank[nodes], kind="stable"),
        begin=first[pieces[:, 0]],
        end=first[pieces[:, 1]],
        after=[_rows(later, first, size) for later in after],
        children=children,
        halves=(int(np.searchsorted(pieces[:, 0], halves[0])), int(np.searchsorted(pieces[:, 0], halves[1]))),
    )


def _rows(later: np.ndarray, first: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Rows of the matrix, in the order of elimination, of nodes in that order."""
    count = size[later]
    return np.repeat(first[later] - (np.cumsum(count) - count), count) + np.arange(count.sum())
