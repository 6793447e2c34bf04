"""LU factors, real and complex, with pivots; matrices that have none."""

from __future__ import annotations

import numpy as np
import pytest

from sharnir.integrate.newton.dense_lu import factorize, factorize_complex, solve, solve_complex
from sharnir.kernel import location


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 9, 17, 40])
def test_real_factors(n):
    rng = np.random.default_rng(n)
    stride = n + n % 3
    matrix, right = rng.normal(size=(n, n)), rng.normal(size=n)
    a, x, pivots = np.zeros((n, stride)), right.copy(), np.zeros(n)
    a[:, :n] = matrix.T
    assert factorize(location(a), location(pivots), stride, n)
    solve(location(a), location(pivots), stride, n, location(x))
    assert np.abs(matrix @ x - right).max() < 1e-12 * np.linalg.cond(matrix)
    assert np.abs(np.tril(a[:, :n].T, -1)).max(initial=0.0) <= 1.0  # what pivots are for


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 18])
def test_complex_factors(n):
    rng = np.random.default_rng(n)
    matrix = rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))
    right = rng.normal(size=n) + 1j * rng.normal(size=n)
    re, im = np.ascontiguousarray(matrix.T.real), np.ascontiguousarray(matrix.T.imag)
    x, y, pivots = right.real.copy(), right.imag.copy(), np.zeros(n)
    assert factorize_complex(location(re), location(im), location(pivots), n, n)
    solve_complex(location(re), location(im), location(pivots), n, n, location(x), location(y))
    assert np.abs(matrix @ (x + 1j * y) - right).max() < 1e-12 * np.linalg.cond(matrix)


def test_matrices_that_need_pivots_or_have_none():
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    pivots, x = np.zeros(2), np.array([3.0, 4.0])
    assert factorize(location(swap), location(pivots), 2, 2)
    solve(location(swap), location(pivots), 2, 2, location(x))
    assert x.tolist() == [4.0, 3.0]
    for bad in ([[1.0, 1.0], [1.0, 1.0]], [[np.nan, 1.0], [1.0, 2.0]], [[np.inf, 1.0], [1.0, 2.0]]):
        assert not factorize(location(np.array(bad)), location(pivots), 2, 2)
        assert not factorize_complex(location(np.array(bad)), location(np.zeros((2, 2))), location(pivots), 2, 2)
