"""Designs: their tables against what they promise."""

import numpy as np
import pytest
from scipy import stats
from scipy.stats import qmc

import sharnir as sr
from sharnir.studies.design import Design

TWO = {"a": sr.Uniform(0.0, 1.0), "b": sr.Normal(5.0, 2.0), "c": 7.0}


def test_a_grid_has_the_last_parameter_fastest_and_numbers_stay():
    design = Design({"a": [1, 2], "c": 7, "b": np.array([3.0, 4.0])})
    assert design.table.tolist() == [[1, 7, 3], [1, 7, 4], [2, 7, 3], [2, 7, 4]]
    assert (design.kind, design.varied) == ("grid", ("a", "b"))


def test_lists_of_runs_in_all_their_forms():
    rows = [{"a": 1, "b": 4}, {"a": 2, "b": 3}]
    pandas = pytest.importorskip("pandas")
    for given in (Design(rows), Design({"a": [1, 2], "b": [4, 3]}, "list"), Design(pandas.DataFrame(rows))):
        assert given.kind == "list"
        assert given.table.tolist() == [[1, 4], [2, 3]]


def test_a_latin_hypercube_has_one_value_in_each_layer():
    table = Design(TWO, "latin-hypercube", 50, seed=3).table
    for column, law in ((table[:, 0], stats.uniform()), (table[:, 1], stats.norm(5.0, 2.0))):
        assert sorted((law.cdf(column) * 50).astype(int).tolist()) == list(range(50))


def test_sobol_points_are_those_of_scipy():
    expected = qmc.Sobol(2, seed=np.random.default_rng(4)).random(16)
    found = Design({"a": sr.Uniform(0, 1), "b": sr.Uniform(0, 1)}, "sobol", 16, seed=4).table
    np.testing.assert_array_equal(found, expected)


def test_the_seed_decides():
    same = [Design(TWO, runs=8, seed=1).table for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert not np.array_equal(same[0], Design(TWO, runs=8, seed=2).table)


def test_correlations_are_those_of_the_normal_scores():
    given = {"a": sr.Uniform(0, 1), "b": sr.LogNormal(1.0, 0.5), "c": sr.Normal(0, 1)}
    table = Design(given, "sobol", 4096, correlations={("a", "b"): 0.8, ("c", "b"): -0.5}).table
    scores = np.column_stack([stats.norm.ppf(table[:, 0]), np.log(table[:, 1]) / 0.5, table[:, 2]])
    np.testing.assert_allclose(np.corrcoef(scores.T), [[1, 0.8, 0], [0.8, 1, -0.5], [0, -0.5, 1]], atol=0.01)
    spearman = stats.spearmanr(table[:, 0], table[:, 1]).statistic  # of a Gaussian copula: 6/π asin(ρ/2)
    assert spearman == pytest.approx(6 / np.pi * np.arcsin(0.4), abs=0.01)


def test_saltelli_points_share_their_columns():
    design = Design({"a": sr.Uniform(0, 1), "b": sr.Uniform(0, 1)}, "saltelli", 8)
    A, B, first, second = design.table.reshape(4, 8, 2)
    np.testing.assert_array_equal(first, np.column_stack([B[:, 0], A[:, 1]]))
    np.testing.assert_array_equal(second, np.column_stack([A[:, 0], B[:, 1]]))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (({"a": [1, 2]}, "sobol", 8), r"are a list; in the design 'sobol' write sr.OneOf\(\[1, 2\]\)"),
        (({"a": [1, 2], "b": [1]}, "list"), "their numbers differ: a 2, b 1"),
        (([{"a": 1}, {"b": 1}],), "all with the same names"),
        (({"a": [1, "x"]},), r"parameter 'a': values\[1\] = 'x' must be a number"),
        (({"a": [1]}, "grid", 4), "runs belongs to random designs"),
        (({"a": sr.Uniform(0, 1)}, "sobol", 6), "must be a power of 2 for the design 'sobol'; take 8 or 4"),
        (({"a": [1]}, "cube"), "design = 'cube' must be one of"),
        (({"a": range(10**5), "b": range(10**5)},), "form a grid of 1e\\+10 runs"),
        (({"a": stats.cauchy(), "b": "k"}, None, 4), "parameter 'b': value = 'k' must be a distribution"),
        ((TWO, None, 4, 0, {("a", "x"): 0.5}), "must name two of the varied parameters: a, b"),
        ((TWO, "saltelli", 4, 0, {("a", "b"): 0.5}), "have no Sobol indices"),
    ],
)
def test_designs_that_make_no_sense(given, said):
    with pytest.raises(sr.ModelError, match=said):
        Design(*given)


def test_correlations_that_contradict_each_other():
    three = {name: sr.Normal(0, 1) for name in "abc"}
    with pytest.raises(sr.ModelError, match="contradict each other"):
        Design(three, None, 4, 0, {("a", "b"): 0.9, ("b", "c"): 0.9, ("a", "c"): -0.9})
