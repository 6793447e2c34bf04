"""M = Lᵀ L along the branches of a tree against NumPy, and the product with a symmetric matrix."""

from __future__ import annotations

import numpy as np
import pytest

from sharnir.dynamics.methods.ltl_factorization import factorize, mirror, multiply_symmetric, solve
from sharnir.dynamics.methods.variable_metric import (
    invert,
)
from sharnir.kernel import address, doubles, entry, ints


@entry
def tree_solution(M, lam, run, x):
    n = x.size
    m, a, r = doubles(address(M)), ints(address(lam)), ints(address(run))
    factorize(m, a, r, n)
    solve(m, a, r, n, doubles(address(x)))


@entry
def inverse_of(M, lam, run, F, H, x):
    invert(
        doubles(address(M)),
        ints(address(lam)),
        ints(address(run)),
        x.size,
        doubles(address(F)),
        doubles(address(H)),
        doubles(address(x)),
    )


@entry
def mirrored_product(A, x, y):
    mirror(doubles(address(A)), x.size)
    multiply_symmetric(doubles(address(A)), doubles(address(x)), doubles(address(y)), x.size)


def spd(n, rng, spread=1.0):
    A = rng.normal(size=(n, n))
    return A @ A.T * spread + n * np.eye(n)


LINE = 9

PARENTS = {
    "line": np.arange(LINE) - 1,
    "star": np.full(LINE, -1),
    "bush": np.array([-1, 0, 1, 1, 0, 4, 4, 6, -1]),
    "two lines": np.array([-1, 0, 1, 2, -1, 4, 5, 6, 7]),
}


@pytest.mark.parametrize("name", PARENTS)
def test_cholesky_along_a_tree(name):
    """Entries between branches are zero and stay zero; runs of consecutive ancestors are found as assemble finds them."""
    lam, n = PARENTS[name].astype(np.int64), LINE
    rng = np.random.default_rng(1)
    M = spd(n, rng)
    for i in range(n):
        above, k = {i}, i
        while lam[k] >= 0:
            k = lam[k]
            above.add(int(k))
        for j in range(i):
            if j not in above:
                M[i, j] = M[j, i] = 0.0
    run = np.arange(n)
    for k in range(1, n):
        run[k] = run[k - 1] if lam[k] == k - 1 else k
    b = rng.normal(size=n)
    x, L = b.copy(), M.copy()
    tree_solution(L, lam, run.astype(np.int64), x)
    assert x == pytest.approx(np.linalg.solve(M, b), rel=1e-12)
    lower = np.tril(L)
    assert lower.T @ lower == pytest.approx(M, abs=1e-12)
    assert (lower[(M == 0) & (np.tril(np.ones((n, n))) > 0)] == 0).all()
    H = np.zeros((n, n))
    inverse_of(M, lam, run.astype(np.int64), np.zeros((n, n)), H, np.zeros(n))
    assert pytest.approx(np.linalg.inv(M), rel=1e-11, abs=1e-14) == H
    assert (H == H.T).all()


def test_symmetric_product():
    rng = np.random.default_rng(3)
    for n in (1, 3, 4, 9):
        A, x, y = spd(n, rng), rng.normal(size=n), np.zeros(n)
        mirrored_product(np.tril(A).copy(), x, y)
        assert y == pytest.approx(A @ x, rel=1e-12)
