"""Block-sparse Cholesky: regular and singular systems against dense algebra, orders, plans, plain Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sharnir.dynamics.sparse import plan_layout as layout
from sharnir.dynamics.sparse.elimination_plan import plan_elimination
from sharnir.dynamics.sparse.multifrontal_cholesky import EPSILON
from sharnir.dynamics.sparse.nested_dissection import nested_dissection
from sharnir.dynamics.sparse.ordering import dissected_order, minimum_degree
from sharnir.dynamics.sparse.solver import factorize_and_solve, factorize_sparse, solve_sparse
from sharnir.dynamics.sparse.supernodes import find_supernodes
from sharnir.errors import SharnirError
from sharnir.kernel import address, doubles, entry, ints


@entry
def factorized(table, t, work, at):
    return factorize_sparse(ints(address(table)), t, doubles(address(work)), at)


@entry
def solve(table, t, work, at, b, x):
    solve_sparse(ints(address(table)), t, doubles(address(work)), at, doubles(address(b)), doubles(address(x)))


@entry
def factorized_and_solved(table, work, b, x):
    return factorize_and_solve(ints(address(table)), 0, doubles(address(work)), 0, doubles(address(b)), doubles(address(x)))


def chain(n):
    """Bodies of each joint: ground, 0, 1, …"""
    return [(i - 1, i) for i in range(n)]


def mesh(k):
    """A square of k × k bodies, each joined to its right and lower neighbour, one of them to the ground."""
    joints = [(-1, 0)]
    for b in range(k * k):
        joints += [(b, b + 1)] if b % k < k - 1 else []
        joints += [(b, b + k)] if b < k * (k - 1) else []
    return joints


def jacobian(joints, sizes, seed=0):
    """G of random joints: six columns per body."""
    random = np.random.default_rng(seed)
    bodies = 1 + max(max(j) for j in joints)
    G = np.zeros((sum(sizes), 6 * bodies))
    row = 0
    for joint, m in zip(joints, sizes, strict=True):
        for b in joint:
            if b >= 0:
                G[row : row + m, 6 * b : 6 * b + 6] = random.standard_normal((m, 6)) + 2.0 * np.eye(m, 6)
        row += m
    return G


def pairs_of(joints):
    """Pairs of joints with a common body, each with itself."""
    at = {}
    for e, joint in enumerate(joints):
        for b in joint:
            at.setdefault(b, []).append(e)
    at.pop(-1, None)
    return np.array(sorted({(e, f) for near in at.values() for e in near for f in near if e >= f}))


class System:
    """A = G Gᵀ in the places of a plan, in memory that is full of NaN elsewhere."""

    def __init__(self, sizes, pairs, A, t=0, at=0):
        self.plan = plan_elimination(sizes, pairs)
        self.A, self.t, self.at = A, t, at
        self.table = np.concatenate([np.full(t, -9), self.plan.table])
        self.work = np.full(at + self.plan.work_size, np.nan)
        self.work[at + self.plan.box] = 0.0
        first = np.concatenate([[0], np.cumsum(sizes)])
        for (e, f), place in zip(pairs, self.plan.places, strict=True):
            block = A[first[e] : first[e + 1], first[f] : first[f + 1]]
            self.work[at + place : at + place + block.size] = block.reshape(-1)

    def factorized(self):
        return factorized(self.table, self.t, self.work, self.at)

    def solution(self, b):
        x = np.full(len(b), np.nan)
        solve(self.table, self.t, self.work, self.at, b, x)
        return x


def system(joints, sizes, **where):
    G = jacobian(joints, sizes)
    return System(sizes, pairs_of(joints), G @ G.T, **where)


def doubled(joints, sizes, copies):
    """The same joints, some of them once more with mixed rows."""
    G, first = jacobian(joints, sizes), np.concatenate([[0], np.cumsum(sizes)])
    random = np.random.default_rng(5)
    rows = [random.standard_normal((sizes[e], sizes[e])) @ G[first[e] : first[e + 1]] for e in copies]
    G = np.vstack([G, *rows])
    joints, sizes = joints + [joints[e] for e in copies], sizes + [sizes[e] for e in copies]
    return System(sizes, pairs_of(joints), G @ G.T)


def least_norm(A, b):
    """The solution of A x = b with the least |S⁻¹ x|, S = diag(A)^-1/2."""
    S = 1.0 / np.sqrt(np.diag(A))
    return S * np.linalg.lstsq(S[:, None] * A * S, S * b, rcond=1e-11)[0]


MIXED = [1, 2, 3, 4, 5, 6]
REGULAR = {
    "one": ([(-1, 0)], [3]),
    "one equation": ([(-1, 0)], [1]),
    "two apart": ([(-1, 0), (-1, 1)], [2, 6]),
    "chain": (chain(40), [3] * 40),
    "chain of all sizes": (chain(60), MIXED * 10),
    "star": ([(0, b) for b in range(1, 12)], [3] * 11),
    "mesh": (mesh(7), [2] * len(mesh(7))),
    "large mesh": (mesh(20), [2] * len(mesh(20))),
}


@pytest.mark.parametrize("name", REGULAR)
def test_regular_systems(name):
    joints, sizes = REGULAR[name]
    s = system(joints, sizes)
    assert s.factorized() == 0.0
    for seed in range(2):  # one factor, several right sides
        x = np.random.default_rng(seed).standard_normal(sum(sizes))
        error = np.abs(s.solution(s.A @ x) - x).max()
        assert error < 1e-15 * np.linalg.cond(s.A) + 1e-13


@pytest.mark.parametrize("seed", range(6))
def test_random_patterns(seed):
    """Elements that join any two to four bodies, of any size."""
    random = np.random.default_rng(seed)
    joints = [tuple(random.choice(30, random.integers(2, 5), replace=False).tolist()) for _ in range(25)]
    sizes = random.integers(1, 5, 25).tolist()
    s = system(joints, sizes)
    assert s.factorized() == 0.0
    x = random.standard_normal(sum(sizes))
    assert np.abs(s.A @ s.solution(s.A @ x) - s.A @ x).max() < 1e-11


@pytest.mark.parametrize(("joints", "m", "copies"), [(chain(30), 3, [4, 20]), (mesh(5), 2, [0, 7, 8]), ([(-1, 0)], 3, [0])])
def test_redundant_rows_get_the_least_norm(joints, m, copies):
    s = doubled(joints, [m] * len(joints), copies)
    n = len(s.A)
    b = s.A @ np.random.default_rng(1).standard_normal(n)
    assert s.factorized() == EPSILON
    x = s.solution(b)
    assert np.abs(s.A @ x - b).max() < 1e-12 * np.abs(b).max()
    expected = least_norm(s.A, b)
    assert np.abs(x - expected).max() < 1e-6 * np.abs(expected).max()


def test_known_redundancy_needs_no_attempt():
    s = doubled(chain(30), [3] * 30, [3])
    b = s.A @ np.ones(len(s.A))
    s.factorized()
    x = s.solution(b)
    s.table[s.t + layout.REDUNDANT] = 1
    assert s.factorized() == EPSILON
    assert np.array_equal(s.solution(b), x)


@pytest.mark.parametrize("part", [1e-13, 1e-12, 1e-9, 1e-6])
def test_inconsistent_part_of_the_right_side_does_no_harm(part):
    s = doubled(mesh(5), [2] * len(mesh(5)), [0, 7, 8])
    consistent = s.A @ np.random.default_rng(1).standard_normal(len(s.A))
    values, vectors = np.linalg.eigh(s.A)
    b = consistent + part * np.abs(consistent).max() * vectors[:, values < 1e-9 * values[-1]].sum(axis=1)
    s.factorized()
    expected = least_norm(s.A, b)
    assert np.abs(s.solution(b) - expected).max() < (1e-6 + 100.0 * part) * np.abs(expected).max()


def test_no_equation_is_finite():
    """Rows of zeros, as of a constraint between bodies that cannot move."""
    s = system(chain(6), [3] * 6)
    s.work[np.concatenate([np.arange(p, p + 9) for p in s.plan.places])] = 0.0
    assert s.factorized() == EPSILON
    assert np.array_equal(s.solution(np.zeros(18)), np.zeros(18))
    assert np.abs(s.solution(np.ones(18))).max() == 0.0


def test_anywhere_in_memory_and_into_the_right_side():
    s = system(chain(20), [3] * 20)
    shifted = system(chain(20), [3] * 20, t=7, at=16)
    b = np.arange(60.0)
    s.factorized(), shifted.factorized()
    x = s.solution(b)
    solve(shifted.table, 7, shifted.work, 16, b, b)
    assert np.abs(b - x).max() < 1e-12 * np.abs(x).max()


@pytest.mark.parametrize("copies", [[], [1, 9]])
def test_in_one_call(copies):
    s = doubled(mesh(6), [2] * len(mesh(6)), copies)
    b, x = s.A @ np.ones(len(s.A)), np.empty(len(s.A))
    epsilon = factorized_and_solved(s.table, s.work, b, x)
    assert epsilon == s.factorized() == (EPSILON if copies else 0.0)
    assert np.array_equal(s.solution(b), x)


def test_same_numbers_every_time():
    first, second = (system(mesh(12), [2] * len(mesh(12))) for _ in range(2))
    b = np.arange(float(len(first.A)))
    assert np.array_equal(first.table, second.table)
    first.factorized(), second.factorized(), second.factorized()
    assert np.array_equal(first.solution(b), second.solution(b))


def test_pairs_are_checked_and_may_come_twice():
    plan = plan_elimination([3, 2], [(0, 0), (1, 1), (1, 0), (1, 0)])
    assert plan.places[2] == plan.places[3]
    with pytest.raises(SharnirError, match=r"pair \(0, 1\)"):
        plan_elimination([3, 2], [(0, 1)])
    with pytest.raises(SharnirError, match="at least one equation"):
        plan_elimination([3, 0], [(0, 0)])


def test_chain_has_no_fill():
    e, f = pairs_of(chain(200)).T.copy()
    tree = find_supernodes(np.full(200, 3), e, f, minimum_degree(200, e, f))
    assert np.diff(tree.row_start).max() == 1


def test_separators_separate():
    """Every piece that the dissection leaves touches others through separators only, and the order is cheaper for a mesh."""
    e, f = pairs_of(mesh(30)).T.copy()
    n = e.max() + 1
    off = e != f
    a, b = np.concatenate([e[off], f[off]]), np.concatenate([f[off], e[off]])
    start = np.concatenate([[0], np.cumsum(np.bincount(a, minlength=n))])
    sizes = np.full(n, 3)
    nodes, separator = nested_dissection(n, start, b[np.argsort(a * n + b)], sizes)
    assert sorted(nodes.tolist()) == list(range(n))
    assert 0.1 < separator.mean() < 0.6
    assert _largest_piece(n, e[off], f[off], separator) < 60
    by_degree = find_supernodes(sizes, e, f, minimum_degree(n, e, f))
    dissected = find_supernodes(sizes, e, f, dissected_order(sizes, e, f))
    assert dissected.cost < 0.9 * by_degree.cost


def _largest_piece(n, e, f, removed):
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    inside = ~removed[e] & ~removed[f]
    graph = coo_matrix((np.ones(inside.sum()), (e[inside], f[inside])), shape=(n, n))
    return np.bincount(connected_components(graph, directed=False)[1]).max()


def numbers():
    """A regular mesh and a singular chain, as a list."""
    s, singular = system(mesh(5), [2] * len(mesh(5))), doubled(chain(8), [3] * 8, [2])
    s.factorized(), singular.factorized()
    n, m = len(s.A), len(singular.A)
    return [*s.solution(s.A @ np.ones(n)).tolist(), *singular.solution(singular.A @ np.ones(m)).tolist()]


def test_plain_python_agrees():
    tests = Path(__file__).parents[2]
    path = os.pathsep.join([str(tests), str(tests.parent / "src"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}
    script = "import json; from dynamics.sparse.test_multifrontal_cholesky import numbers; print(json.dumps(numbers()))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert np.abs(np.array(json.loads(done.stdout)) - np.array(numbers())).max() < 1e-7
