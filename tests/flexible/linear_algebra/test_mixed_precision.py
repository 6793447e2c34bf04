"""A factor in single precision gives solutions to double precision, or is refused, and a double one is made instead."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import block_diag, csr_array

from flexible.boxes import box
from sharnir.errors import ModelError
from sharnir.flexible import Material, solid
from sharnir.flexible.linear_algebra import factorization
from sharnir.flexible.linear_algebra.factorization import factorize
from sharnir.flexible.linear_algebra.mixed_precision import MixedPrecision
from sharnir.flexible.linear_algebra.multifrontal import Multifrontal


def test_solutions_are_those_of_double_precision_from_half_the_memory():
    bar = solid(box("hexahedron", (24, 5, 4), (30.0, 1.0, 0.9)), Material(70e9, 0.33, 2700.0))  # slender: condition number 1e8
    keep = np.flatnonzero(bar.nodes[bar.freedoms[:, 0], 0] > 1e-9)
    K, nodes = bar.stiffness[keep][:, keep], bar.freedoms[keep, 0]
    right = np.random.default_rng(1).standard_normal((len(keep), 3))
    right[:, 1] *= 1e12
    right[:, 2] = 0.0
    mixed, double = MixedPrecision(K, nodes, bar.nodes), Multifrontal(K, nodes, bar.nodes)
    x, y = mixed.solve(right), double.solve(right)
    assert (np.abs(x - y).max(axis=0) <= 1e-9 * np.abs(y).max(axis=0)).all()
    terms = np.abs(right) + np.abs(K) @ np.abs(x)
    assert (np.abs(K @ x - right).max(axis=0) <= 1e-13 * terms.max(axis=0)).all()
    assert np.allclose(mixed.solve(right[:, 0]), x[:, 0], rtol=0.0, atol=1e-9 * np.abs(x[:, 0]).max())
    sizes = [mixed._factor.nbytes, double.nbytes]
    assert 2 * sizes[0] == sizes[1]


def test_what_single_precision_cannot_hold_is_refused_and_made_in_double(monkeypatch):
    near = block_diag([csr_array([[1.0, 1.0 - 1e-9], [1.0 - 1e-9, 1.0]])] * 3, format="csr")
    with pytest.raises(ModelError, match="not positive definite"):
        MixedPrecision(near)
    monkeypatch.setattr(factorization, "VAST", 0)
    factor = factorize(near)
    assert factor.name != "mixed" and np.allclose(near @ factor.solve(np.arange(6.0)), np.arange(6.0), atol=1e-6)
    assert factorize(csr_array(np.diag([4.0, 9.0]))).name == "mixed"


def test_a_search_that_does_not_end_is_refused(monkeypatch):
    factor = MixedPrecision(csr_array(np.diag([4.0, 9.0]) + 1.0))
    monkeypatch.setattr(factor._factor, "solve", np.zeros_like)
    with pytest.raises(ModelError, match="too large for single precision"):
        factor.solve(np.ones(2))
