"""Parts of matrices without copies: the same as slices, in products, on the diagonal, as a matrix of their own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from sharnir.flexible.linear_algebra.factorization import _absolute_product, factorize
from sharnir.flexible.linear_algebra.part import Part


@pytest.fixture
def whole():
    """A symmetric positive definite matrix of 60 rows, one of them coupled with nothing."""
    rng = np.random.default_rng(4)
    half = random_array((60, 60), density=0.08, rng=rng, format="csr")
    matrix = (half + half.T + 10.0 * csr_array(np.eye(60))).tolil()
    matrix[17, :] = matrix[:, 17] = 0.0
    matrix[17, 17] = 3.0
    return csr_array(matrix)


@pytest.mark.parametrize("left_out", [[], [0], [59], [5, 17, 18, 40]], ids=str)
def test_is_the_slice(whole, left_out):
    kept = np.setdiff1d(np.arange(60), left_out)
    part, slices = Part(whole, kept), whole.toarray()[np.ix_(kept, kept)]
    X = np.random.default_rng(5).standard_normal((len(kept), 3))
    assert part.shape == slices.shape
    assert np.allclose(part @ X, slices @ X, rtol=1e-14, atol=1e-14) and np.allclose(part @ X[:, 0], slices @ X[:, 0])
    assert np.array_equal(part.diagonal(), np.diagonal(slices))
    made = part.tocsr()
    assert np.array_equal(made.toarray(), slices) and made.has_canonical_format


@pytest.mark.parametrize("solver", ["multifrontal", "mixed", "superlu", None])
def test_is_factorized_like_the_slice(whole, solver):
    kept = np.setdiff1d(np.arange(60), [3, 30])
    right = np.random.default_rng(6).standard_normal((58, 2))
    found = factorize(Part(whole, kept), solver).solve(right)
    assert np.allclose(found, np.linalg.solve(whole.toarray()[np.ix_(kept, kept)], right), rtol=1e-10, atol=1e-13)


def test_absolute_product_by_rows(whole, monkeypatch):
    monkeypatch.setattr("sharnir.flexible.linear_algebra.factorization.ROWS", 7)
    x = np.random.default_rng(7).random(60)
    assert np.allclose(_absolute_product(-whole, x), abs(whole.toarray()) @ x, rtol=1e-14)
    kept = np.arange(1, 60, 2)
    assert np.allclose(_absolute_product(Part(whole, kept), x[kept]), abs(whole.toarray())[np.ix_(kept, kept)] @ x[kept])
