"""Tolerances are kept in proportion, steps keep their limits, and scales count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from integrate.textbook import double_pendulum, oscillator
from sharnir.integrate import ALL_INTEGRATORS, default_integrator, integrate, integrator_named, textbook_problem

ADAPTIVE = [("rkf45", None), ("dopri5", None), ("dop853", None), ("abm", 4), ("abm", 8)]


@pytest.fixture(scope="module")
def circle():
    return textbook_problem(oscillator, 2)


@pytest.mark.parametrize(("name", "order"), ADAPTIVE)
def test_error_is_proportional_to_tolerance(circle, name, order):
    tolerances = 10.0 ** -np.arange(4, 11)
    t = np.linspace(0.0, 20.0, 60)
    exact = np.stack([np.cos(t), -np.sin(t)], axis=1)
    errors = [np.abs(integrate(circle, [1.0, 0.0], t, name, tol, tol, order=order).y - exact).max() for tol in tolerances]
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.15)
    assert max(np.array(errors) / tolerances) < 200.0


def driven(t, y, yd):
    yd[0] = 1.0 / (1.0 + 2500.0 * (t - 1.0) * (t - 1.0))


@pytest.mark.parametrize(("name", "order"), ADAPTIVE)
def test_right_hand_side_of_time_alone(name, order):
    """A peak of width 0.02 in the middle of a dull interval is found."""
    solution = integrate(textbook_problem(driven, 1), [0.0], [0.0, 2.0], name, 1e-10, 1e-10, order=order)
    assert solution.y[-1, 0] == pytest.approx(2.0 * math.atan(50.0) / 50.0, abs=1e-8)
    assert solution.stats["largest_step"] > 5.0 * solution.stats["smallest_step"]


def pulled_back(t, y, yd):
    yd[0], yd[1] = y[1], -5.0


@pytest.mark.parametrize(("name", "order"), ADAPTIVE)
def test_a_state_of_rounding_does_not_begin_with_steps_of_rounding(name, order):
    """Behind an impact positions and speeds are zero but for rounding; their size says nothing about the first step."""
    solution = integrate(textbook_problem(pulled_back, 2), [2e-17, 1e-16], [0.25, 1.25], name, 1e-10, 1e-12, order=order)
    assert solution.success
    np.testing.assert_allclose(solution.y[-1], [-2.5, -5.0], rtol=1e-8)


@pytest.mark.parametrize(("name", "order"), ADAPTIVE)
def test_longest_step(circle, name, order):
    solution = integrate(circle, [1.0, 0.0], [0.0, 5.0], name, 1e-3, 1e-3, max_step=0.01, order=order)
    assert solution.stats["largest_step"] <= 0.01 * (1 + 1e-12)
    assert solution.stats["steps"] >= 500


@pytest.mark.parametrize(("name", "order"), ADAPTIVE)
def test_first_step_is_neither_refused_nor_tiny(circle, name, order):
    found = integrate(circle, [1.0, 0.0], [0.0, 20.0], name, 1e-8, 1e-8, order=order).stats
    assert found["rejected"] <= 1
    given = integrate(circle, [1.0, 0.0], [0.0, 20.0], name, 1e-8, 1e-8, order=order, step=1e-9).stats
    assert given["smallest_step"] == 1e-9
    assert abs(found["steps"] - given["steps"]) < 60


@pytest.mark.parametrize("name", sorted(set(ALL_INTEGRATORS) - {"rk4"}))
def test_a_first_step_that_is_far_too_long_is_soon_short_enough(circle, name):
    """Its error says how much shorter the next attempt has to be."""
    found = integrate(circle, [1.0, 0.0], [0.0, 12.0], name, 1e-5, 1e-5, step=10.0).stats
    assert 2 <= found["rejected"] <= 8


def test_zero_state_and_zero_derivative():
    def rest(t, y, yd):
        yd[0] = 0.0 * y[0]

    for name in ALL_INTEGRATORS:
        solution = integrate(textbook_problem(rest, 1), [0.0], [0.0, 1.0, 5.0], name, 1e-8, 0.0)
        assert solution.success
        assert not solution.y.any()


def test_scale_and_atol_of_single_entries():
    def two(t, y, yd):
        yd[0] = y[1]
        yd[1] = -y[0]
        yd[2] = 1e6 * y[1]  # a million times y[0]: its error must not count as much

    plain = textbook_problem(two, 3)
    scaled = textbook_problem(two, 3, scale=[1.0, 1.0, 1e6])
    options = {"integrator": "dopri5", "rtol": 0.0}
    many = integrate(plain, [1.0, 0.0, 1e6], [0.0, 10.0], atol=1e-8, **options)
    few = integrate(scaled, [1.0, 0.0, 1e6], [0.0, 10.0], atol=1e-8, **options)
    same = integrate(plain, [1.0, 0.0, 1e6], [0.0, 10.0], atol=[1e-8, 1e-8, 1e-2], **options)
    assert many.stats["steps"] > 5 * few.stats["steps"]
    assert np.array_equal(few.y, same.y)


def test_default_choice(circle):
    assert default_integrator(1e-4).name == "dopri5"
    assert default_integrator(1e-10).name == "dop853"
    assert "1e-10" in default_integrator(1e-10).reason
    assert default_integrator(5e-7, every_step=False).name == "dop853"
    for rtol in (1e-3, 1e-9):
        solution = integrate(circle, [1.0, 0.0], [0.0, 1.0], "auto", rtol)
        assert solution.stats["integrator"] == default_integrator(rtol).name == integrator_named("auto", rtol=rtol).name


@pytest.mark.parametrize("rtol", [1e-4, 1e-10])
def test_default_choice_is_the_cheaper_one(rtol):
    """Evaluations for the same error at the end of 10 s of a double pendulum, with dense output in every step."""
    problem, y0, t = textbook_problem(double_pendulum, 4), [1.0, 0.5, 0.0, 0.0], [0.0, 10.0]
    exact = integrate(problem, y0, t, "dop853", 1e-14, 1e-15).y[-1]
    cost = {}
    for name in ("dopri5", "dop853"):
        runs = [integrate(problem, y0, t, name, tol, tol, dense=True) for tol in rtol * 10.0 ** np.linspace(-1, 1, 9)]
        errors = [np.abs(run.y[-1] - exact).max() for run in runs]
        line = np.polyfit(np.log(errors), np.log([run.stats["evaluations"] for run in runs]), 1)
        cost[name] = np.polyval(line, math.log(20.0 * rtol))
    assert min(cost, key=cost.get) == default_integrator(rtol).name
