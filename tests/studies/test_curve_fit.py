"""Identification: parameters that are known are found, with the errors that statistics says, and what is hidden is refused."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

import sharnir as sr

T = np.linspace(0.05, 1.5, 40)


def brake(**values):
    m = sr.Model("brake", gravity=(0, 0, 0), parameters={"c": 1.0, "k": 5.0, "mass": 2.0})
    m.add(sr.Body("car", mass="mass"))
    m.add(sr.Prismatic("x", "ground", "car", axis="x", q=1, damping="c", stiffness="k"))
    return m.with_parameters(**values)


def measured(noise, seed=0):
    run = brake(c=0.7, k=8.0).simulate(1.5, output=T, tolerance=1e-12)
    return np.interp(T, run.t, run["x.q"]) + noise * np.random.default_rng(seed).standard_normal(len(T))


def oscillation(t, c, k):
    decay, omega = c / 4.0, np.sqrt(k / 2.0 - (c / 4.0) ** 2)
    return np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))


def test_exact_curves_give_exact_parameters():
    found = sr.fit(brake(), {"x.q": (T, measured(0.0))}, parameters={"c": (0.0, 5.0), "k": (1.0, 20.0)})
    assert found.parameters == pytest.approx({"c": 0.7, "k": 8.0}, rel=1e-6)
    assert (found.gradients, found.free) == ("exact", 38)
    assert found.rms < 1e-7


def test_covariance_is_that_of_scipy_for_the_closed_form():
    y = measured(0.02)
    found = sr.fit(brake(), {"x.q": (T, y)}, parameters={"c": (0.0, 5.0), "k": (1.0, 20.0)})
    values, covariance = curve_fit(oscillation, T, y, [0.7, 8.0])
    np.testing.assert_allclose(list(found.parameters.values()), values, rtol=1e-5)
    np.testing.assert_allclose(found.covariance, covariance, rtol=2e-3)
    assert found.correlation("c", "k") == pytest.approx(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]), rel=0.01)
    for name, true in (("c", 0.7), ("k", 8.0)):
        low, high = found.interval(name, 0.999)
        assert low < true < high
    np.testing.assert_allclose(found.residuals["x.q"], y - oscillation(T, *values), atol=1e-6)


def test_initial_values_and_several_channels():
    run = brake(c=0.7).simulate(1.0, output=T[T < 1], initial=sr.Initial(v={"x": 0.4}), tolerance=1e-12)
    curves = {"x.q": (run.t, run["x.q"]), "x.v": (run.t, run["x.v"])}
    found = sr.fit(brake(), curves, parameters={"c": (0, 3), "x.v": (-1, 1)}, deviations={"x.q": 0.01, "x.v": 0.1})
    assert found.parameters == pytest.approx({"c": 0.7, "x.v": 0.4}, rel=1e-6)


def test_what_the_measurements_do_not_determine_is_named():
    free = sr.Model("brake", gravity=(0, 0, 0), parameters={"c": 1.0, "mass": 2.0})
    free.add(sr.Body("car", mass="mass"), sr.Prismatic("x", "ground", "car", axis="x", v=1, damping="c"))
    with pytest.raises(sr.ModelError, match="do not determine c and mass; fix one"):
        sr.fit(free, {"x.v": (T, np.exp(-0.5 * T))}, parameters={"c": (0.1, 5.0), "mass": (0.5, 5.0)})


@pytest.mark.parametrize(
    ("measured", "given", "said"),
    [
        ({"x.p": (T, T)}, {}, "fit: measured: no channel 'x.p'; did you mean"),
        ({"car.position": (T, T)}, {}, "has components; name one of them: car.position.x"),
        ({"x.q": (T, T[1:])}, {}, "40 times for 39 values; give one time for each value"),
        ({}, {}, "measured is empty"),
        ({"x.q": (T, T)}, {"deviations": {"x.v": 1.0}}, "must have the channels that are measured: x.q"),
        ({"x.q": (T, T)}, {"step": 0.1}, "step is not a setting of a fit"),
        ({"x.q": (T[:1], T[:1])}, {}, "1 measurements for 1 parameters; more are needed"),
    ],
)
def test_what_makes_no_sense(measured, given, said):
    with pytest.raises(sr.ModelError, match=said):
        sr.fit(brake(), measured, parameters={"c": (0.0, 5.0)}, **given)
