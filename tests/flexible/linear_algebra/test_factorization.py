"""All factorizations give the same solution; a singular matrix and a missing package are named."""

from __future__ import annotations

import os

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array

from sharnir.errors import MissingExtraError, ModelError
from sharnir.flexible.linear_algebra import factorization
from sharnir.flexible.linear_algebra.factorization import ALL_FACTORIZATIONS, Pardiso, factorize


def matrix(n=200):
    return diags_array([np.full(n, 4.0), np.full(n - 1, -1.0), np.full(n - 1, -1.0)], offsets=[0, 1, -1]).tocsr()


@pytest.mark.parametrize("kind", ALL_FACTORIZATIONS, ids=lambda kind: kind.name)
def test_solutions(kind):
    if not kind.available():
        pytest.skip(f"{kind.package} is not installed")
    A, b = matrix(), np.random.default_rng(1).normal(size=(200, 3))
    factor = factorize(A, kind.name)
    assert np.abs(A @ factor.solve(b) - b).max() < 1e-13
    assert np.abs(A @ factor.solve(b[:, 0]) - b[:, 0]).max() < 1e-13
    factor.free()


@pytest.mark.parametrize("kind", ALL_FACTORIZATIONS, ids=lambda kind: kind.name)
def test_singular_matrix(kind):
    if not kind.available():
        pytest.skip(f"{kind.package} is not installed")
    with pytest.raises(ModelError, match="not positive definite"):
        factorize(csr_array(np.diag([1.0, 0.0, 2.0]) + 0.0), kind.name)


def test_wrong_solutions_are_noticed(monkeypatch):
    monkeypatch.setattr(factorization.SuperLU, "solve", lambda self, right: 1.001 * self._factor.solve(right))
    with pytest.raises(ModelError, match="backward error"):
        factorize(matrix(), "superlu")


def test_missing_packages(monkeypatch):
    monkeypatch.setattr(Pardiso, "available", classmethod(lambda cls: False))
    with pytest.raises(MissingExtraError, match=r"pip install sharnir\[pardiso\]"):
        factorize(matrix(), "pardiso")
    with pytest.raises(ModelError, match="unknown"):
        factorize(matrix(), "mumps")
    assert factorize(matrix()).name == "superlu"


def test_a_package_whose_library_is_elsewhere_or_nowhere(monkeypatch, tmp_path):
    monkeypatch.delenv("PYPARDISO_MKL_RT", raising=False)
    monkeypatch.setattr(factorization.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(factorization.Factorization, "available", classmethod(lambda cls: True))
    monkeypatch.setattr(factorization, "find_library", lambda name: None)
    library = tmp_path / "site" / "libmkl_rt.so.2"
    monkeypatch.setattr(factorization, "files", lambda name: [Listed(library)])
    assert not Pardiso.available() and factorize(matrix()).name == "superlu"
    library.parent.mkdir()
    library.touch()
    assert Pardiso.available()
    with factorization._library_named():
        assert os.environ["PYPARDISO_MKL_RT"] == str(library)
    assert "PYPARDISO_MKL_RT" not in os.environ


class Listed:
    """A file that the metadata of a package list."""

    def __init__(self, path):
        self.path, self.name = path, path.name

    def locate(self):
        return self.path


def test_choice_by_size(monkeypatch):
    monkeypatch.setattr(Pardiso, "available", classmethod(lambda cls: True))
    assert [factorization._fastest(size).name for size in (100, 50_000, 200_000)] == ["pardiso", "pardiso", "multifrontal"]
    monkeypatch.setattr(Pardiso, "available", classmethod(lambda cls: False))
    assert [factorization._fastest(size).name for size in (100, 50_000, 200_000)] == ["superlu", "multifrontal", "multifrontal"]
