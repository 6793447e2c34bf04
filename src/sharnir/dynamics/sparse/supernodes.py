"""Supernodes: columns of the factor with the same structure, and neighbours worth storing with a few zeros more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.dynamics.sparse.plan_layout import LANES, TILE
from sharnir.dynamics.sparse.symbolic_factorization import update_counts, update_postorder, update_structure, update_tree
from sharnir.kernel import address, entry, inline, ints
from sharnir.kernel.signatures import Integers


@dataclass(frozen=True)
class Supernodes:
    """Elements in the order of elimination, where every supernode begins, its later rows and its parent.

    >>> pair = np.array([0]), np.array([0])
    >>> find_supernodes(np.array([3]), *pair, np.array([0])).parent.tolist()
    [-1]
    """

    order: np.ndarray  # elements
    start: np.ndarray  # supernode s eliminates order[start[s]:start[s + 1]]
    row_start: np.ndarray
    rows: np.ndarray  # places in `order`, ascending
    parent: np.ndarray  # supernode, -1 for a root
    cost: float  # expected time of a factorization, ns
    largest: int  # equations in the largest front


def find_supernodes(sizes: np.ndarray, e: np.ndarray, f: np.ndarray, order: np.ndarray) -> Supernodes:
    """Supernodes of the pattern with pairs (e, f), eliminated in about the given order.

    >>> one = np.ones(3, dtype=np.int64)
    >>> s = find_supernodes(one, np.array([1, 2]), np.array([0, 1]), np.arange(3))
    >>> s.start.tolist(), s.rows.tolist()
    ([0, 3], [])
    """
    n = len(sizes)
    scratch = [np.empty(n, dtype=np.int64) for _ in range(4)]
    parent, post = scratch[0], np.empty(n, dtype=np.int64)
    start, columns = _lower_rows(n, e, f, order)
    update_tree(n, start, columns, parent, scratch[1])
    update_postorder(n, parent, post, *scratch[1:])
    order = order[post]
    start, columns = _lower_rows(n, e, f, order)
    update_tree(n, start, columns, parent, scratch[1])
    counts = scratch[2]
    update_counts(n, start, columns, parent, counts, scratch[1])
    return _amalgamated(sizes, order, start, columns, parent, counts)


def _lower_rows(n: int, e: np.ndarray, f: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    off = e != f
    a, b = place[e[off]], place[f[off]]
    row, column = np.maximum(a, b), np.minimum(a, b)
    by_row = np.argsort(row * n + column)
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(row, minlength=n), out=start[1:])
    return start, column[by_row]


def _amalgamated(sizes, order, start, columns, parent, counts) -> Supernodes:
    n = len(sizes)
    joined = np.zeros(n, dtype=bool)  # column j continues the supernode of j - 1
    joined[1:] = (parent[:-1] == np.arange(1, n)) & (counts[:-1] == counts[1:] + 1)
    first = np.flatnonzero(~joined)
    last = np.append(first[1:], n) - 1
    owner = np.cumsum(~joined) - 1
    row_start = np.concatenate([[0], np.cumsum(counts[last])])
    place = np.full(n, -1, dtype=np.int64)
    place[last] = row_start[:-1]
    rows = np.empty(row_start[-1] + 1, dtype=np.int64)
    update_structure(n, start, columns, parent, place, rows, np.empty(n, dtype=np.int64))
    rows = rows[:-1]
    above = np.where(parent[last] >= 0, owner[parent[last]], -1)

    weight = sizes[order]
    nc = np.add.reduceat(weight, first)
    summed = np.concatenate([[0], np.cumsum(weight[rows])])
    nr = summed[row_start[1:]] - summed[row_start[:-1]]
    leader = np.empty(len(first), dtype=np.int64)
    cost = merge_supernodes(len(first), above, nc, nr, leader)
    largest = int((nc + nr)[leader == np.arange(len(first))].max())
    order, start, row_start, rows, parent = _renumbered(order, owner, leader, above, row_start, rows)
    return Supernodes(order, start, row_start, rows, parent, cost, largest)


def _renumbered(order, owner, leader, above, row_start, rows) -> tuple[np.ndarray, ...]:
    """Supernodes under their leaders, which are their last members: subtrees stay in one piece, children before parents."""
    n = len(order)
    kept = np.flatnonzero(leader == np.arange(len(leader)))
    number = np.full(len(leader), -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    group = number[leader[owner]]
    by_group = np.argsort(group, kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[by_group] = np.arange(n)
    counts = np.diff(row_start)[kept]
    new_start = np.concatenate([[0], np.cumsum(counts)])
    which = np.repeat(row_start[kept] - new_start[:-1], counts) + np.arange(new_start[-1])
    moved = place[rows[which]]
    moved = moved[np.argsort(np.repeat(np.arange(len(kept)), counts) * n + moved)]
    start = np.searchsorted(group[by_group], np.arange(len(kept) + 1))
    parent = np.where(above[kept] >= 0, number[leader[above[kept]]], -1)
    return order[by_group], start, new_start, moved, parent


@inline
def front_cost(nc, nr):
    """Nanoseconds for one front, measured: call, pivots, numbers moved, multiplications."""
    width = (nc + TILE - 1) // TILE * TILE
    a, b = (nc + LANES - 1) // LANES * LANES, (nr + LANES - 1) // LANES * LANES
    moved = width * (a + b) + 1.5 * b * nr
    return 60.0 + 14.0 * width + 0.3 * moved + 0.03 * width * (width * (0.4 * a + b) + b * nr)


@entry
def merge_supernodes(n: int, parent: Integers, nc: Integers, nr: Integers, leader: Integers) -> float:
    """Take children into their parents where that saves time; leader[s] = where s ends up. Returns the cost."""
    parent, nc, nr, leader = ints(address(parent)), ints(address(nc)), ints(address(nr)), ints(address(leader))
    for c in range(n):
        leader[c] = c
    for c in range(n):
        p = parent[c]
        if p >= 0 and front_cost(nc[c] + nc[p], nr[p]) < front_cost(nc[c], nr[c]) + front_cost(nc[p], nr[p]):
            nc[p] += nc[c]
            leader[c] = p
    cost = 0.0
    for k in range(n):
        c = n - 1 - k
        cost += front_cost(nc[c], nr[c]) if leader[c] == c else 0.0
        leader[c] = leader[leader[c]]
    return cost
