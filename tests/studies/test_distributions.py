"""Distributions against those of scipy.stats."""

import math

import numpy as np
import pytest
from scipy import stats

import sharnir as sr
from sharnir.studies.distributions import FromScipy, as_distribution

U = np.linspace(0.001, 0.999, 77)
SAME = [
    (sr.Normal(3.0, 2.0), stats.norm(3.0, 2.0)),
    (sr.LogNormal(2.0, 0.4), stats.lognorm(0.4, scale=2.0)),
    (sr.Uniform(-1.0, 4.0), stats.uniform(-1.0, 5.0)),
    (sr.Triangular(1.0, 1.5, 4.0), stats.triang(0.5 / 3.0, 1.0, 3.0)),
    (sr.Triangular(1.0, 4.0, 4.0), stats.triang(1.0, 1.0, 3.0)),
    (sr.Truncated(sr.Normal(1.0, 2.0), 0.0, 1.5), stats.truncnorm(-0.5, 0.25, 1.0, 2.0)),
    (sr.Truncated(stats.expon(scale=2.0), 0.0, math.inf), stats.expon(scale=2.0)),
]


@pytest.mark.parametrize(("ours", "theirs"), SAME, ids=lambda x: type(x).__name__)
def test_quantiles_and_probabilities(ours, theirs):
    np.testing.assert_allclose(ours.quantile(U), theirs.ppf(U), rtol=1e-12, atol=1e-14)
    points = theirs.ppf(U)
    np.testing.assert_allclose([ours.below(x) for x in points], theirs.cdf(points), rtol=1e-12)
    far = [theirs.ppf(0.0) - 1.0, theirs.ppf(1.0) + 1.0]
    np.testing.assert_allclose([ours.below(x) for x in far], theirs.cdf(far), atol=1e-15)


def test_values_that_are_equally_likely():
    dice = sr.OneOf(range(1, 7))
    drawn = dice.quantile((np.arange(600) + 0.5) / 600)
    assert np.bincount(drawn.astype(int)).tolist() == [0] + 6 * [100]
    assert dice.below(2.5) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sr.Normal(1.0, 0.0), "Normal: deviation = 0.0 must be positive"),
        (lambda: sr.Uniform(2.0, 1.0), "Uniform: high = 1.0 must be greater than 2.0"),
        (lambda: sr.Triangular(0.0, 3.0, 2.0), "Triangular: high = 2.0 must be at least 3.0"),
        (lambda: sr.Truncated(sr.Uniform(0, 1), 2.0, 3.0), "has no values there; widen it"),
        (lambda: sr.OneOf([]), "OneOf: values must hold at least one number"),
        (lambda: as_distribution(stats.norm, "parameter 'k'"), "must be a distribution"),
    ],
)
def test_what_is_no_distribution(make, said):
    with pytest.raises(sr.ModelError, match=said):
        make()


def test_a_distribution_of_scipy_is_taken_as_it_is():
    assert isinstance(as_distribution(stats.beta(2, 5), "x"), FromScipy)
