"""Block Lanczos against dense eigenvalues: multiple ones, singular mass, all modes, a limit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array, kron

from sharnir.flexible.linear_algebra.factorization import factorize
from sharnir.flexible.linear_algebra.lanczos import below, first, lanczos_modes


def problem(n=120, copies=3, massless=0):
    """A chain of springs, `copies` times the same (every eigenvalue as often), some points without mass."""
    chain = diags_array([np.full(n, 2.0), np.full(n - 1, -1.0), np.full(n - 1, -1.0)], offsets=[0, 1, -1])
    mass = np.random.default_rng(1).uniform(1.0, 2.0, n)
    mass[:massless] = 0.0
    K = csr_array(kron(np.eye(copies), chain))
    return K, csr_array(kron(np.eye(copies), diags_array(mass)))


@pytest.mark.parametrize("massless", [0, 20])
def test_lowest_modes_with_multiplicity(massless):
    K, M = problem(massless=massless)
    values, X = lanczos_modes(factorize(K, "superlu").solve, M, first(14))
    exact = np.sort(1.0 / eigh(M.toarray(), K.toarray(), eigvals_only=True)[::-1][:14])
    assert values == pytest.approx(exact, rel=1e-9)
    assert np.abs(X.T @ (M @ X) - np.eye(14)).max() < 1e-10
    assert np.abs(K @ X - (M @ X) * values).max() < 1e-3 * np.abs(K @ X).max()


def test_limit_gives_all_modes_up_to_it():
    K, M = problem()
    exact = eigh(K.toarray(), M.toarray(), eigvals_only=True)
    limit = 0.5 * (exact[17] + exact[18]) if exact[18] - exact[17] > 1e-9 else exact[17] * 1.01
    values, _ = lanczos_modes(factorize(K, "superlu").solve, M, below(limit))
    assert len(values) == (exact <= limit).sum() >= 18
    few, _ = lanczos_modes(factorize(K, "superlu").solve, M, below(limit, 5))
    assert few == pytest.approx(exact[:5], rel=1e-8)


def test_space_without_more_modes():
    """Only five masses: five modes, however many are asked for."""
    K, _ = problem(n=40, copies=1)
    M = csr_array(np.diag([1.0] * 5 + [0.0] * 35))
    values, X = lanczos_modes(factorize(K, "superlu").solve, M, first(9))
    exact = np.sort(1.0 / eigh(M.toarray(), K.toarray(), eigvals_only=True)[::-1][:5])
    assert values == pytest.approx(exact, rel=1e-10) and X.shape == (40, 5)
