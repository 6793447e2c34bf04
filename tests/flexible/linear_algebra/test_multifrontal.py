"""The multifrontal factorization and its dissection: solutions, fill, separators, a matrix that is not definite."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.sparse import csr_array

from flexible.boxes import box
from sharnir.errors import ModelError
from sharnir.flexible import Material, solid
from sharnir.flexible.linear_algebra import multifrontal
from sharnir.flexible.linear_algebra.dissection import LEAF, dissected, graph_of_nodes, smallest_cover
from sharnir.flexible.linear_algebra.multifrontal import Multifrontal


@pytest.fixture(scope="module")
def held():
    """Stiffness of a bar with its left end held, the nodes of its rows, and places."""
    bar = solid(box("hexahedron", (24, 7, 6), (3.0, 1.0, 0.9)), Material(70e9, 0.33, 2700.0))
    keep = np.flatnonzero(bar.nodes[bar.freedoms[:, 0], 0] > 1e-9)
    return bar.stiffness[keep][:, keep], bar.freedoms[keep, 0], bar.nodes


@pytest.mark.parametrize("threaded", [0, 10**9], ids=["two threads", "one"])
def test_solutions(held, monkeypatch, threaded):
    monkeypatch.setattr(multifrontal, "THREADED", threaded)
    K, nodes, places = held
    right = np.random.default_rng(1).standard_normal((len(nodes), 5))
    factor = Multifrontal(K, nodes, places)
    assert np.abs(K @ factor.solve(right) - right).max() < 1e-9
    assert np.abs(factor.solve(right[:, 2]) - factor.solve(right)[:, 2]).max() < 1e-12 * np.abs(factor.solve(right)).max()


def test_panels(held, monkeypatch):
    """The halves of full triangles that nobody reads are not kept, and solutions are the same."""
    K, nodes, places = held
    right = np.random.default_rng(3).standard_normal((len(nodes), 2))
    whole = Multifrontal(K, nodes, places)
    monkeypatch.setattr(multifrontal, "WIDTH", 7)
    panelled = Multifrontal(K, nodes, places)
    assert np.allclose(panelled.solve(right), whole.solve(right), rtol=1e-9, atol=1e-12 * np.abs(whole.solve(right)).max())
    k = panelled._fronts.end - panelled._fronts.begin
    assert 8 * whole._fronts.entries >= whole.nbytes
    assert panelled.nbytes <= 8 * (panelled._fronts.entries - ((k - 7) * (k - 7) // 2)[k > 7].sum())


def test_less_fill_than_a_band(held):
    """Without places the order is along a line: the same solution from a larger factor."""
    K, nodes, places = held
    right = np.ones(len(nodes))
    with_places, without = Multifrontal(K, nodes, places), Multifrontal(K)
    assert with_places._fronts.entries < 0.8 * without._fronts.entries
    assert np.allclose(with_places.solve(right), without.solve(right), rtol=1e-7)


def test_pieces_are_separated(held):
    """Between two pieces there is an edge only if the later one follows all of the earlier: no edge between halves."""
    K, nodes, places = held
    used, nodes = np.unique(nodes, return_inverse=True)
    graph = graph_of_nodes(K.indptr, K.indices, nodes, len(used))
    order, pieces, (one, two) = dissected(graph, places[used])
    assert sorted(order) == list(range(len(used))) and one > 2 * LEAF and two < len(used)
    assert pieces[0, 0] == 0 and pieces[-1, 1] == len(used) and (pieces[1:, 0] == pieces[:-1, 1]).all()
    assert not np.isin(graph.around(order[:one])[0], order[one:two]).any()


def test_smallest_cover():
    """Against all subsets of small random graphs."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        edges = np.argwhere(rng.random((4, 4)) < 0.4)
        a, b = edges[:, 0], edges[:, 1] + 10
        cover = smallest_cover(a, b)
        assert (np.isin(a, cover) | np.isin(b, cover)).all()
        every = [*range(4), *range(10, 14)]
        least = next(
            n for n in range(9) for pick in itertools.combinations(every, n) if (np.isin(a, pick) | np.isin(b, pick)).all()
        )
        assert len(cover) == least


def test_not_definite():
    with pytest.raises(ModelError, match="pivot 2 of 2"):
        Multifrontal(csr_array([[1.0, 2.0], [2.0, 1.0]]))
