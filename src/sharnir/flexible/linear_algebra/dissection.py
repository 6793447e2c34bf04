"""Nested dissection of a mesh: planes halve the body, again and again; the nodes on them are eliminated last.

A. George, Nested dissection of a regular finite element mesh, SIAM J. Numer. Anal. 10 (1973) 345–363; the fewest
nodes that a plane cuts off by C. Ashcraft, J. W. H. Liu, Applications of the Dulmage–Mendelsohn decomposition and network flow to
graph bisection improvement, SIAM J. Matrix Anal. Appl. 19 (1998) 325–354: a smallest cover of the edges across it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sharnir.kernel import entry
from sharnir.kernel.signatures import Integers

LEAF = 24  # nodes that are not divided further; their rows of the factor are stored as full blocks
WIDE = 1000  # nodes beyond which planes of all three directions are tried


class Graph(NamedTuple):
    """Which nodes share an element: the neighbours of node k (itself too) are near[start[k] : start[k + 1]]."""

    start: np.ndarray
    near: np.ndarray

    def around(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All neighbours of the nodes, and for each the position of the node that it belongs to."""
        count = self.start[nodes + 1] - self.start[nodes]
        first = np.cumsum(count) - count
        owner = np.repeat(np.arange(len(nodes)), count)
        return self.near[(self.start[nodes] - first)[owner] + np.arange(len(owner))], owner


def graph_of_nodes(indptr: np.ndarray, indices: np.ndarray, nodes: np.ndarray, count: int) -> Graph:
    """The graph of `count` nodes of a sparse matrix whose rows belong to `nodes`.

    >>> graph_of_nodes(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.array([0, 0]), 1).near
    array([0])
    """
    rows = np.argsort(nodes, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=count))])
    start, near = np.zeros(count + 1, dtype=np.int64), np.empty(len(indices), dtype=np.int64)
    _merge(indptr.astype(np.int64), indices.astype(np.int64), nodes, rows, first, np.full(count, -1), start, near)
    return Graph(start, near[: start[-1]].copy())


@entry
def _merge(
    indptr: Integers,
    indices: Integers,
    nodes: Integers,
    rows: Integers,
    first: Integers,
    seen: Integers,
    start: Integers,
    near: Integers,
) -> None:
    """Every neighbour of a node once."""
    filled = 0
    for node in range(len(start) - 1):
        for k in range(first[node], first[node + 1]):
            row = rows[k]
            for place in range(indptr[row], indptr[row + 1]):
                other = nodes[indices[place]]
                if seen[other] != node:
                    seen[other] = node
                    near[filled] = other
                    filled += 1
        start[node + 1] = filled


def dissected(graph: Graph, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Nodes in the order of elimination; pieces (p, 2), from … to in that order; where the first two halves end.

    A piece is a separator or a part that is not divided further; it follows everything that it separates.

    >>> chain = Graph(np.array([0, 2, 5, 7]), np.array([0, 1, 0, 1, 2, 1, 2]))
    >>> dissected(chain, np.arange(3.0)[:, None])[0]
    array([0, 1, 2])
    """
    count = len(places)
    order, side = np.empty(count, dtype=np.int64), np.zeros(count, dtype=bool)
    pieces: list[tuple[int, int]] = []
    halves = (0, 0)
    stack = [(np.arange(count), 0)]
    while stack:
        part, begin = stack.pop()
        end = begin + len(part)
        if len(part) <= LEAF:
            order[begin:end] = part
            pieces.append((begin, end))
            continue
        one, two, between = _halved(graph, places, part, side)
        order[end - len(between) : end] = between
        pieces.append((end - len(between), end))
        stack += [(one, begin), (two, begin + len(one))]
        if len(part) == count:
            halves = (len(one), len(one) + len(two))
    return order, np.array(sorted(piece for piece in pieces if piece[1] > piece[0])), halves


def _halved(graph: Graph, places: np.ndarray, part: np.ndarray, side: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two parts without an edge between them, and their separator, the smallest that a plane gives."""
    where = places[part]
    best, least = None, np.inf
    for direction in _directions(where):
        beyond = _upper_half(where @ direction)
        side[part[beyond]] = True
        rest = part[~beyond]
        near, owner = graph.around(rest)
        cut = side[near]
        side[part[beyond]] = False
        between = smallest_cover(rest[owner[cut]], near[cut])
        side[between] = True
        one, two = (half[~side[half]] for half in (rest, part[beyond]))
        side[between] = False
        cost = len(between) * (0.5 + max(len(one), len(two)) / len(part))
        if cost < least:
            best, least = (one, two, between), cost
    assert best is not None
    return best


def smallest_cover(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The fewest nodes that touch all edges a[k] – b[k] between two sets: Kőnig's theorem, from a maximum matching.

    >>> len(smallest_cover(np.array([5, 5, 5, 6]), np.array([1, 2, 3, 3])))
    2
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if len(a) == 0:
        return a
    left, rows = np.unique(a, return_inverse=True)
    right, columns = np.unique(b, return_inverse=True)
    edges = csr_array((np.ones(len(a), dtype=np.int8), (rows, columns)), shape=(len(left), len(right)))
    mate = maximum_bipartite_matching(edges, perm_type="column")
    partner = np.full(len(right), -1)
    partner[mate[mate >= 0]] = np.flatnonzero(mate >= 0)
    # what paths of edges without and with a pair, in turn, reach from nodes without a partner
    reached, met = mate < 0, np.zeros(len(right), dtype=bool)
    fresh = reached
    while fresh.any():
        new = np.zeros(len(right), dtype=bool)
        new[columns[fresh[rows]]] = True
        new &= ~met
        met |= new
        fresh = np.zeros(len(left), dtype=bool)
        fresh[partner[new & (partner >= 0)]] = True
        fresh &= ~reached
        reached = reached | fresh
    return np.concatenate([left[~reached], right[met]])


def _directions(where: np.ndarray) -> np.ndarray:
    """Normals of planes to try: along the longest extent; for large parts all axes of coordinates and of inertia."""
    axes = np.eye(where.shape[1])
    if len(where) > WIDE:
        return np.vstack([axes, np.linalg.eigh(np.cov(where.T).reshape(where.shape[1], -1))[1].T])
    return axes[[int(np.argmax(np.ptp(where, axis=0)))]]


def _upper_half(x: np.ndarray) -> np.ndarray:
    """About half of the numbers, the larger ones; equal ones (a layer of a regular mesh) stay together if they can."""
    middle = np.partition(x, len(x) // 2)[len(x) // 2]
    for half in (x >= middle, x > middle):
        if 0.25 < half.mean() < 0.75:
            return half
    half = np.zeros(len(x), dtype=bool)
    half[np.argsort(x, kind="stable")[len(x) // 2 :]] = True
    return half
