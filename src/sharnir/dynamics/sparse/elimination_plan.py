"""The plan of an elimination: everything about A x = b that depends on the pattern only, as one table for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sharnir.dynamics.sparse import plan_layout as S
from sharnir.dynamics.sparse.ordering import dissected_order, minimum_degree
from sharnir.dynamics.sparse.solver import solver_addresses
from sharnir.dynamics.sparse.subtree_tasks import Tasks, divide_work
from sharnir.dynamics.sparse.supernodes import Supernodes, find_supernodes
from sharnir.dynamics.sparse.update_stacks import stack_updates
from sharnir.errors import SharnirError

LARGE_FRONT = 60  # equations in one front, above which minimum degree may be far from the least fill


@dataclass(frozen=True)
class Plan:
    """How a symmetric matrix of element blocks is factorized.

    >>> plan = plan_elimination([2], np.array([[0, 0]]))
    >>> work = np.zeros(plan.work_size)  # for the kernels of sparse/solver.py
    >>> work[plan.places[0] : plan.places[0] + 4] = 2.0, 1.0, 1.0, 2.0  # the block (0, 0)
    """

    table: np.ndarray  # int64, for kernels; see sparse/plan_layout.py
    work_size: int  # float64 numbers that kernels need
    box: int  # which of them holds the address of the box of a second thread (kernel/threads.py), or 0; others may be anything
    places: np.ndarray  # per given pair (e, f): offset in the work of its block, sizes[e] × sizes[f] numbers by rows
    factor_size: int  # numbers of the factor, zeros of padding included


def plan_elimination(sizes: Sequence[int] | np.ndarray, pairs: np.ndarray, position: np.ndarray | None = None) -> Plan:
    """Plan for elements with `sizes` equations each and blocks at the element `pairs` (e, f), e ≥ f.

    A pair may come twice; both get the same place. Diagonal blocks are always there, given or not. Where the elements are in
    space (n × 3) helps to find a good order.

    >>> plan = plan_elimination([3, 1], np.array([[0, 0], [1, 0], [1, 1]]))
    >>> int(plan.table[0]), len(plan.places)
    (4, 3)
    """
    counts = np.asarray(sizes, dtype=np.int64)
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    n = len(counts)
    _check(counts, pairs)
    keys = np.concatenate([pairs[:, 0] * n + pairs[:, 1], np.arange(n) * (n + 1)])
    keys, inverse = np.unique(keys, return_inverse=True)
    e, f = keys // n, keys % n
    tree = _cheapest_tree(counts, e, f, position)
    return _Tables(counts, e, f, *divide_work(tree, counts)).plan(inverse.reshape(-1)[: len(pairs)])


def _cheapest_tree(sizes: np.ndarray, e: np.ndarray, f: np.ndarray, position: np.ndarray | None) -> Supernodes:
    """Minimum degree finds the order without fill of chains and trees; meshes need less work by nested dissection."""
    tree = find_supernodes(sizes, e, f, minimum_degree(len(sizes), e, f))
    if tree.largest <= LARGE_FRONT:
        return tree
    other = find_supernodes(sizes, e, f, dissected_order(sizes, e, f, position))
    return other if other.cost < tree.cost else tree


def _check(sizes: np.ndarray, pairs: np.ndarray) -> None:
    if len(sizes) == 0 or sizes.min() < 1:
        raise SharnirError(f"elimination: every element needs at least one equation, got sizes {sizes.tolist()[:10]}")
    wrong = (pairs[:, 1] < 0) | (pairs[:, 0] < pairs[:, 1]) | (pairs[:, 0] >= len(sizes))
    if wrong.any():
        pair = tuple(pairs[wrong][0].tolist())
        raise SharnirError(f"elimination: the pair {pair} is not (e, f) with {len(sizes)} > e >= f >= 0; swap or renumber it")


class _Tables:
    """Sections of the table, one method each; scalar places from here on."""

    def __init__(self, sizes: np.ndarray, e: np.ndarray, f: np.ndarray, tree: Supernodes, tasks: Tasks) -> None:
        self.sizes, self.e, self.f, self.tree, self.tasks = sizes, e, f, tree, tasks
        self.n = int(sizes.sum())
        self.ordered = sizes[tree.order]
        self.place = _sums(self.ordered)  # per place of an element: place of its first equation
        self.element_place = np.empty(len(sizes), dtype=np.int64)
        self.element_place[tree.order] = np.arange(len(sizes))
        self.count = len(tree.parent)
        self.owner = np.repeat(np.arange(self.count), np.diff(tree.start))  # front of every place
        self.fronts = np.zeros((self.count, S.FRONT_SIZE), dtype=np.int64)

    def plan(self, inverse: np.ndarray) -> Plan:
        self._measure_fronts()
        header = np.zeros(S.HEADER, dtype=np.int64)
        header[[S.F_BOTH, S.F_FACTORIZE, S.F_BACK]] = solver_addresses()
        blocks, work_size = self._lay_out_work(header)
        rows, runs = self._rows(), self._runs()
        row_start, run_start = _sums(self.fronts[:, S.NR]), _sums(np.asarray(self.run_counts))
        at = S.HEADER
        sections = []
        for slot, section in (
            (S.T_FRONT, self.fronts),
            (S.T_BLOCK, blocks),
            (S.T_PLACE, self._equation_places()),
            (S.T_DIAGONAL, self._diagonal()),
            (S.T_TASK, self._tasks(header)),
        ):
            header[slot] = at
            sections.append(section.reshape(-1))
            at += section.size
        self.fronts[:, S.T_ROWS] = at + row_start[:-1]
        self.fronts[:, S.T_RUNS] = at + len(rows) + S.RUN_SIZE * run_start[:-1]
        self.fronts[:, S.N_RUN], self.fronts[:, S.N_INNER] = self.run_counts, self.inner_counts
        table = np.concatenate([header, *sections, rows, runs.reshape(-1)])
        return Plan(table, work_size, int(header[S.W_BOX]), self.sources[inverse], self.factor_size)

    def _measure_fronts(self) -> None:
        tree, fronts = self.tree, self.fronts
        fronts[:, S.FIRST] = self.place[tree.start[:-1]]
        fronts[:, S.NC] = np.diff(self.place[tree.start])
        summed = _sums(self.ordered[tree.rows])
        fronts[:, S.NR] = summed[tree.row_start[1:]] - summed[tree.row_start[:-1]]
        fronts[:, S.WIDTH] = -(-fronts[:, S.NC] // S.TILE) * S.TILE
        fronts[:, S.LD1] = _distance(fronts[:, S.WIDTH])
        fronts[:, S.LD2] = _distance(fronts[:, S.NR])
        fronts[:, S.CHILD] = fronts[:, S.SISTER] = -1
        for s, p in enumerate(tree.parent.tolist()):
            if p >= 0:
                fronts[s, S.SISTER] = fronts[p, S.CHILD]
                fronts[p, S.CHILD] = s

    def _lay_out_work(self, header: np.ndarray) -> tuple[np.ndarray, int]:
        fronts, at = self.fronts, 0
        n, tasks = S.padded(self.n), len(self.tasks.parent)
        self.top = int(fronts[self.tasks.top, S.FIRST]) if self.tasks.top < self.count else self.n
        local = {S.W_LOCAL: int(fronts[:, S.LD1].max()), S.W_LOCAL_ROWS: int(fronts[:, S.LD2].max()), S.W_LANES: 4 * S.LANES}
        vectors = dict.fromkeys((S.W_SCALE, S.W_X, S.W_R, S.W_P, S.W_Q, S.W_Z), n)
        one = {S.W_ZERO: 3 * S.LANES, S.W_EPSILON: S.LANES, S.W_BOX: S.BOX_SIZE}
        shared = {S.W_SUM: tasks * (self.n - self.top), S.W_FLAG: tasks}
        header[S.HAND_LOCAL] = S.padded(sum(local.values()), 8) if tasks > 1 else 0
        more = int(header[S.HAND_LOCAL])  # scratch of the second thread after that of the first
        for slot, size in (*vectors.items(), *one.items(), *shared.items(), *local.items(), (S.W_VALUE, more)):
            header[slot] = at
            at += S.padded(size)
        header[S.W_VALUE] = at
        area = self.sizes[self.e] * self.sizes[self.f]
        header[[S.N_EQUATION, S.N_FRONT, S.N_BLOCK, S.N_VALUE]] = self.n, self.count, len(area), area.sum()
        values, at = at, at + S.padded(int(area.sum()))
        panel = fronts[:, S.WIDTH] * (fronts[:, S.LD1] + fronts[:, S.LD2])
        self.factor_size = int(panel.sum())
        fronts[:, S.W_L11] = at + _sums(panel)[:-1]
        fronts[:, S.W_L21] = fronts[:, S.W_L11] + fronts[:, S.WIDTH] * fronts[:, S.LD1]
        at += self.factor_size
        places = stack_updates(fronts, self.tree.parent, self.tasks, at)
        header[S.HAND_STACK] = places.stack
        return self._blocks(values, area), places.end

    def _tasks(self, header: np.ndarray) -> np.ndarray:
        """Records of the tasks."""
        tasks = self.tasks
        out = np.full((len(tasks.parent), S.TASK_SIZE), -1, dtype=np.int64)
        out[:, S.FIRST_FRONT], out[:, S.END_FRONT], out[:, S.PARENT_TASK] = tasks.first[:-1], tasks.first[1:], tasks.parent
        for k, p in enumerate(tasks.parent.tolist()):
            if p >= 0:
                out[k, S.SISTER_TASK] = out[p, S.CHILD_TASK]
                out[p, S.CHILD_TASK] = k
        header[S.N_TASK], header[S.TOP] = len(out), self.top
        return out

    def _blocks(self, values: int, area: np.ndarray) -> np.ndarray:
        e, f, fronts = self.e, self.f, self.fronts
        pe, pf = self.element_place[e], self.element_place[f]
        column, row = np.minimum(pe, pf), np.maximum(pe, pf)
        front = self.owner[column]
        by_front = np.argsort(column, kind="stable")  # the order in which they are read
        self.sources = np.empty(len(e), dtype=np.int64)
        self.sources[by_front] = values + _sums(area[by_front])[:-1]
        inside = self.owner[row] == front
        ld = np.where(inside, fronts[front, S.LD1], fronts[front, S.LD2])
        first = fronts[front, S.FIRST]
        local = np.where(inside, self.place[row] - first, self._row_in_front(front, row, inside))
        start = np.where(inside, fronts[front, S.W_L11], fronts[front, S.W_L21])
        target = start + local + (self.place[column] - first) * ld
        fronts[:, S.BLOCKS] = np.bincount(front, minlength=self.count)
        fronts[:, S.FIRST_BLOCK] = _sums(fronts[:, S.BLOCKS])[:-1]
        fronts[:, S.W_SOURCE] = values + _sums(area[by_front])[fronts[:, S.FIRST_BLOCK]]
        block = (self.sizes[e] * S.SHAPE_UNIT + self.sizes[f], self.place[pe], self.place[pf], target)
        return np.stack(block, axis=1)[by_front]

    def _diagonal(self) -> np.ndarray:
        """Per equation in the order of elimination: where its diagonal element of A stands."""
        own = self.e == self.f
        source = np.empty(len(self.sizes), dtype=np.int64)
        source[self.element_place[self.e[own]]] = self.sources[own]
        inside = np.arange(self.n) - np.repeat(self.place[:-1], self.ordered)
        return np.repeat(source, self.ordered) + inside * (np.repeat(self.ordered, self.ordered) + 1)

    def _row_in_front(self, front: np.ndarray, row: np.ndarray, inside: np.ndarray) -> np.ndarray:
        """Scalar row in L21 of the element place `row`; anything where it is inside L11."""
        tree, n = self.tree, len(self.sizes)
        keys = np.repeat(np.arange(self.count), np.diff(tree.row_start)) * n + tree.rows
        summed = _sums(self.ordered[tree.rows])
        at = np.searchsorted(keys, front * n + row)
        at = np.where(inside, 0, at)
        return summed[at] - summed[tree.row_start[front]]

    def _rows(self) -> np.ndarray:
        counts = self.ordered[self.tree.rows]
        return np.repeat(self.place[self.tree.rows] - _sums(counts)[:-1], counts) + np.arange(counts.sum())

    def _runs(self) -> np.ndarray:
        """Rows of every U in the parent's front, joined where they are neighbours there and on one side of NC."""
        tree, fronts = self.tree, self.fronts
        front = np.repeat(np.arange(self.count), np.diff(tree.row_start))
        counts = self.ordered[tree.rows]
        start = _sums(counts)[:-1] - np.repeat(_sums(fronts[:, S.NR])[:-1], np.diff(tree.row_start))
        p = tree.parent[front]
        inside = self.owner[tree.rows] == p
        below = fronts[p, S.NC] + self._row_in_front(p, tree.rows, inside)
        target = np.where(inside, self.place[tree.rows] - fronts[p, S.FIRST], below)
        new = np.ones(len(front), dtype=bool)
        new[1:] = (front[1:] != front[:-1]) | (target[1:] != target[:-1] + counts[:-1]) | (inside[1:] != inside[:-1])
        heads = np.flatnonzero(new)
        length = np.add.reduceat(counts, heads) if len(heads) else np.zeros(0, dtype=np.int64)
        self.run_counts = np.bincount(front[heads], minlength=self.count)
        self.inner_counts = np.bincount(front[heads], inside[heads], minlength=self.count).astype(np.int64)
        return np.stack([start[heads], length, target[heads]], axis=1)

    def _equation_places(self) -> np.ndarray:
        start = self.place[self.element_place]
        return np.repeat(start - _sums(self.sizes)[:-1], self.sizes) + np.arange(self.n)


def _sums(counts: np.ndarray) -> np.ndarray:
    out = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=out[1:])
    return out


def _distance(rows: np.ndarray) -> np.ndarray:
    """Distance of columns: whole vectors of lanes; an odd number of them where columns would fall on the same cache sets."""
    ld = -(-rows // S.LANES) * S.LANES
    return ld + np.where(ld % (16 * S.LANES) == 0, S.LANES, 0) * (ld > 0)
