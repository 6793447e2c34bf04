"""Tasks: subtrees of the elimination tree that two threads can work on at the same time, and the fronts above them one by one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sharnir.dynamics.sparse.supernodes import Supernodes, front_cost

WORTH_SHARING = 4e5  # ns of a factorization from which on a second thread is worth its while
PARTS = 10  # no subtree has more than this part of the work
MOST_TOP = 60  # fronts above the subtrees
LEAST_GAIN = 1.3  # with two threads, or all fronts stay one task


@dataclass(frozen=True)
class Tasks:
    """Fronts first … end - 1 of every task and which task has its parent, children first; and the first front of the top."""

    first: np.ndarray
    parent: np.ndarray  # -1: none
    top: int  # fronts before it belong to subtrees


def divide_work(tree: Supernodes, sizes: np.ndarray) -> tuple[Supernodes, Tasks]:
    """The tree with its supernodes in the order of tasks; a small tree, or one that is a chain, stays as it is.

    >>> from sharnir.dynamics.sparse.supernodes import find_supernodes
    >>> one = np.ones(3, dtype=np.int64)
    >>> tree = find_supernodes(one, np.array([1, 2]), np.array([0, 1]), np.arange(3))
    >>> divide_work(tree, one)[1].first.tolist()
    [0, 1]
    """
    n = len(tree.parent)
    whole = tree, Tasks(np.array([0, n]), np.array([-1]), n)
    if tree.cost < WORTH_SHARING:
        return whole
    weight = np.concatenate([[0], np.cumsum(sizes[tree.order])])
    nc = np.diff(weight[tree.start])
    summed = np.concatenate([[0], np.cumsum(sizes[tree.order][tree.rows])])
    nr = np.diff(summed[tree.row_start])
    cost = np.asarray(getattr(front_cost, "py_func", front_cost)(nc, nr), float)
    below, first = cost.copy(), np.arange(n)  # work of a subtree, and its first supernode: subtrees stand in one piece
    for s, p in enumerate(tree.parent.tolist()):
        if p >= 0:
            below[p] += below[s]
            first[p] = min(first[p], first[s])
    leaves, top = _cut(tree.parent, below)
    groups = _groups(tree.parent, below, leaves)
    level = _levels(tree.parent, top)
    top = sorted(top, key=lambda s: (level[s], s))
    work = [sum(below[s] for s in group) for group in groups] + [cost[s] for s in top]
    parents = _parents(tree.parent, groups, top)
    if len(groups) < 2 or below[tree.parent < 0].sum() < LEAST_GAIN * _time_of_two(work, parents):
        return whole
    order = np.concatenate([np.arange(first[s], s + 1) for group in groups for s in group] + [np.array(top, np.int64)])
    counts = [sum(int(s - first[s] + 1) for s in group) for group in groups] + [1] * len(top)
    return _reordered(tree, order), Tasks(np.concatenate([[0], np.cumsum(counts)]), np.array(parents), n - len(top))


def _cut(parent: np.ndarray, below: np.ndarray) -> tuple[list[int], list[int]]:
    """Roots of subtrees of moderate work, and the supernodes above them."""
    children: list[list[int]] = [[] for _ in parent]
    for s, p in enumerate(parent.tolist()):
        if p >= 0:
            children[p].append(s)
    top: list[int] = []
    leaves, limit = np.flatnonzero(parent < 0).tolist(), below[parent < 0].sum() / PARTS
    while len(top) < MOST_TOP:
        heaviest = max(leaves, key=lambda s: below[s])
        if below[heaviest] <= limit or not children[heaviest]:
            break
        leaves.remove(heaviest)
        top.append(heaviest)
        leaves += children[heaviest]
    return leaves, top


def _groups(parent: np.ndarray, below: np.ndarray, leaves: list[int]) -> list[list[int]]:
    """Subtrees under the same parent together, while they are small."""
    groups: list[list[int]] = []
    limit = below[parent < 0].sum() / PARTS
    work = 0.0
    for s in sorted(leaves, key=lambda s: (parent[s], s)):
        if groups and parent[groups[-1][0]] == parent[s] and work + below[s] <= limit:
            groups[-1].append(s)
            work += below[s]
        else:
            groups.append([s])
            work = below[s]
    return sorted(groups, key=lambda group: group[0])


def _levels(parent: np.ndarray, top: list[int]) -> dict[int, int]:
    """How many fronts of the top are below, along the longest way."""
    level = dict.fromkeys(top, 0)
    for s in sorted(top):
        if parent[s] >= 0:
            level[parent[s]] = max(level[parent[s]], level[s] + 1)
    return level


def _parents(parent: np.ndarray, groups: list[list[int]], top: list[int]) -> list[int]:
    number = {s: len(groups) + k for k, s in enumerate(top)} | {-1: -1}
    return [number[int(parent[group[0]])] for group in groups] + [number[int(parent[s])] for s in top]


def _time_of_two(work: list[float], parents: list[int]) -> float:
    """When two threads are ready that take the tasks in their order."""
    free, done, ready = [0.0, 0.0], [0.0] * len(work), [0.0] * len(work)
    for k, p in enumerate(parents):
        hand = int(free[1] < free[0])
        free[hand] = done[k] = max(free[hand], ready[k]) + work[k]
        if p >= 0:
            ready[p] = max(ready[p], done[k])
    return max(free)


def _reordered(tree: Supernodes, order: np.ndarray) -> Supernodes:
    """Supernodes in another order, children still before parents."""
    n, count = len(tree.order), len(order)
    columns, rows = np.diff(tree.start)[order], np.diff(tree.row_start)[order]
    start, row_start = np.concatenate([[0], np.cumsum(columns)]), np.concatenate([[0], np.cumsum(rows)])
    which = np.repeat(tree.start[:-1][order] - start[:-1], columns) + np.arange(n)
    place = np.empty(n, dtype=np.int64)
    place[which] = np.arange(n)
    moved = place[tree.rows[np.repeat(tree.row_start[:-1][order] - row_start[:-1], rows) + np.arange(row_start[-1])]]
    moved = moved[np.argsort(np.repeat(np.arange(count), rows) * n + moved)]
    number = np.empty(count + 1, dtype=np.int64)
    number[order], number[-1] = np.arange(count), -1
    return replace(tree, order=tree.order[which], start=start, row_start=row_start, rows=moved, parent=number[tree.parent[order]])
