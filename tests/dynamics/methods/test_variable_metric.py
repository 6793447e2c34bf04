"""Iterations of variable metric, on matrices of their own: from near ones they converge, from far ones they give up."""

from __future__ import annotations

import numpy as np
import pytest

from sharnir.dynamics.methods.variable_metric import (
    correct_ldl,
    factorize_ldl,
    solve_direct_iterative,
    solve_inverse_iterative,
    solve_ldl,
)
from sharnir.kernel import address, doubles, entry


@entry
def inverse_iteration(A, b, H, x, r, s, d):
    a = doubles
    return solve_inverse_iterative(
        a(address(A)), a(address(b)), b.size, a(address(H)), a(address(x)), a(address(r)), a(address(s)), a(address(d))
    )


@entry
def direct_iteration(A, b, F, x, r, s, d):
    a = doubles
    return solve_direct_iterative(
        a(address(A)), a(address(b)), b.size, a(address(F)), a(address(x)), a(address(r)), a(address(s)), a(address(d))
    )


@entry
def ldl(A, F, x):
    factorize_ldl(doubles(address(A)), x.size, doubles(address(F)))
    solve_ldl(doubles(address(F)), x.size, doubles(address(x)))


@entry
def corrected(F, z, sigma):
    return correct_ldl(doubles(address(F)), z.size, doubles(address(z)), sigma)


def spd(n, rng, spread=1.0):
    A = rng.normal(size=(n, n))
    return A @ A.T * spread + n * np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_factors(n):
    rng = np.random.default_rng(n)
    A, b, z = spd(n, rng), rng.normal(size=n), rng.normal(size=n)
    F, x = np.zeros((n, n)), b.copy()
    ldl(A, F, x)
    assert x == pytest.approx(np.linalg.solve(A, b), rel=1e-11)
    for sigma in (0.7, -0.01):
        used = z.copy()
        assert corrected(F, used, sigma)
        A = A + sigma * np.outer(z, z)
        L = np.tril(F, -1) + np.eye(n)
        assert L @ np.diag(F.diagonal()) @ L.T == pytest.approx(A, abs=1e-11)
    assert not corrected(F.copy(), 100 * np.ones(n), -1.0)  # would no longer be positive


@pytest.mark.parametrize("n", [1, 3, 4, 7, 24])
@pytest.mark.parametrize("change", [0.0, 1e-6, 1e-2])
def test_iterations_from_a_near_matrix(n, change):
    """Both methods solve with what was kept of a near matrix, in at most n + 2 corrections, and keep the better one."""
    rng = np.random.default_rng(n)
    A0 = spd(n, rng)
    E = rng.normal(size=(n, n))
    A, b = A0 + change * (E + E.T), rng.normal(size=n)
    expected, scratch = np.linalg.solve(A, b), [np.zeros(n) for _ in range(3)]
    H, x = np.linalg.inv(A0), np.zeros(n)
    done = inverse_iteration(A, b, H, x, *scratch)
    assert 0 <= done <= n + 2
    assert x == pytest.approx(expected, rel=1e-10, abs=1e-13)
    if change:
        # it stays an inverse to work with: positive, and not spoiled by corrections made of rounding
        assert np.linalg.eigvalsh(H)[0] > 0
        assert np.linalg.norm(H @ A - np.eye(n)) <= np.linalg.norm(np.linalg.inv(A0) @ A - np.eye(n)) * 1.5
    F, x = np.zeros((n, n)), b.copy()
    ldl(A0, F, x)
    done = direct_iteration(A, b, F, x, *scratch)
    assert 0 <= done <= n + 2
    assert x == pytest.approx(expected, rel=1e-10, abs=1e-13)


def test_iterations_give_up_from_a_far_matrix():
    """Rather than a wrong answer: the caller then starts from the matrix itself."""
    rng = np.random.default_rng(2)
    A, b = spd(40, rng), rng.normal(size=40)
    scratch = [np.zeros(40) for _ in range(3)]
    done = inverse_iteration(A, b, -1e6 * np.eye(40), np.zeros(40), *scratch)
    assert done == -1
    assert inverse_iteration(np.full((40, 40), np.nan), b, np.linalg.inv(A), np.zeros(40), *scratch) == -1
    assert direct_iteration(np.full((40, 40), np.nan), b, A.copy(), np.zeros(40), *scratch) == -1
