"""Observed order of every integrator: constant steps on problems with known solutions, and its dense output."""

from __future__ import annotations

import math

import numpy as np
import pytest

from integrate.textbook import growth, oscillator, pursuit
from sharnir.integrate import ALL_INTEGRATORS, integrate, integrator_named, textbook_problem

CASES = [(name, order) for name, kind in ALL_INTEGRATORS.items() for order in kind.orders]

# longest step of a sequence whose errors are small enough for theory and large enough for rounding
ADAMS_LONGEST = [0.004, 0.004, 0.01, 0.02, 0.02, 0.03, 0.04, 0.045, 0.06, 0.08, 0.1, 0.115]
LONGEST = {("rk4", 4): 0.02, ("rkf45", 5): 0.06, ("dopri5", 5): 0.08, ("dop853", 8): 0.35}
LONGEST |= {("radau5", 5): 0.25, ("implicit-euler", 1): 0.004}
LONGEST |= {(name, 2): 0.02 for name in ("newmark", "hht", "generalized-alpha")}
LONGEST |= {("abm", k + 1): dt for k, dt in enumerate(ADAMS_LONGEST)}
LONGEST |= {("bdf", 1): 0.004, ("bdf", 2): 0.01, ("bdf", 3): 0.02, ("bdf", 4): 0.03, ("bdf", 5): 0.04, ("park", 2): 0.01}


@pytest.fixture(scope="module")
def problems():
    """(problem, initial state, exact solution as (nt, n), end)"""
    return {
        "pursuit": (textbook_problem(pursuit, 2), [0.0, 1.0], lambda t: np.stack([np.sin(3 * t), np.cos(3 * t)], axis=1), 12.0),
        "oscillator": (textbook_problem(oscillator, 2), [1.0, 0.0], lambda t: np.stack([np.cos(t), -np.sin(t)], axis=1), 40.0),
    }


def observed_order(dt, errors):
    """Slope of log error over log step."""
    return np.polyfit(np.log(dt), np.log(errors), 1)[0]


# orders 11 and 12 are unstable on the oscillator at steps long enough to see their error
@pytest.mark.parametrize(
    ("name", "order", "problem"),
    [(*case, "pursuit") for case in CASES] + [(*case, "oscillator") for case in CASES if case[1] <= 10],
)
def test_order_with_constant_steps(problems, name, order, problem):
    equations, y0, exact, t_end = problems[problem]
    lengths, errors = [], []
    slower = 1.6 if problem == "oscillator" and order > 7 else 1.0
    for dt in slower * LONGEST[name, order] * 0.85 ** np.arange(6):
        # the tolerance only matters for the first tiny steps with which abm starts
        solution = integrate(equations, y0, [0.0, t_end], name, 1e-14, 1e-14, step=dt, order=order, control=False)
        errors.append(np.linalg.norm(solution.y[-1] - exact(np.array([t_end]))[0]))
        lengths.append(solution.stats["largest_step"])
    assert min(errors) > 1e-13
    assert observed_order(lengths, errors) == pytest.approx(order, abs=0.2)


@pytest.mark.parametrize("name", [name for name, kind in ALL_INTEGRATORS.items() if len(kind.orders) == 1])
def test_dense_output_of_one_step(problems, name):
    equations, y0, exact, _ = problems["pursuit"]
    lengths, errors = 0.2 * 0.8 ** np.arange(6), []
    for dt in lengths:
        solution = integrate(equations, y0, [0.0, dt], name, step=dt, control=False, dense=True)
        t = np.linspace(0.05, 0.95, 37) * dt
        assert solution.stats["steps"] == 1
        errors.append(np.linalg.norm(solution(t) - exact(t)))
    expected = ALL_INTEGRATORS[name].dense_order + 1
    assert observed_order(lengths, errors) == pytest.approx(expected, abs=0.25)


@pytest.mark.parametrize("order", ALL_INTEGRATORS["abm"].orders)
def test_dense_output_of_adams(problems, order):
    equations, y0, exact, t_end = problems["pursuit"]
    t, lengths, errors = np.linspace(6.0, t_end, 997), [], []
    for dt in LONGEST["abm", order] * 0.85 ** np.arange(6):
        solution = integrate(equations, y0, [0.0, t_end], "abm", 1e-14, 1e-14, step=dt, order=order, control=False, dense=True)
        errors.append(np.abs(solution(t) - exact(t)).max())
        lengths.append(solution.stats["largest_step"])
    assert observed_order(lengths, errors) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize(("name", "order"), [("abm", 3), ("abm", 8), ("dopri5", None), ("dop853", None), ("rkf45", None)])
def test_dense_output_is_continuous_with_its_slope(problems, name, order):
    equations, y0, _, _ = problems["oscillator"]
    solution = integrate(equations, y0, [0.0, 6.0], name, 1e-5, 1e-5, order=order, dense=True)
    inner = solution.dense.breakpoints[1:-1]
    reach = 1e-7
    left, middle, right = (solution(inner + shift) for shift in (-reach, 0.0, reach))
    slope = np.stack([middle[:, 1], -middle[:, 0]], axis=1)
    assert np.abs(left + reach * slope - middle).max() < 2e-13
    assert np.abs(right - reach * slope - middle).max() < 2e-13


@pytest.mark.parametrize("order", [2, 12])
def test_adams_reaches_its_order_and_keeps_it(order):
    """Far into a smooth run the number of steps is that of the order: at 1/100 of the tolerance, 100**(1/order) times more."""
    equations = textbook_problem(growth, 1)
    runs = [integrate(equations, [1.0], [0.0, 60.0], "abm", rtol, rtol, order=order).stats["steps"] for rtol in (1e-9, 1e-11)]
    assert math.log(100.0) / math.log(runs[1] / runs[0]) == pytest.approx(order, rel=0.3)


def test_attributes():
    for name, kind in ALL_INTEGRATORS.items():
        assert kind.name == name
        assert kind.description
        assert kind.source
        assert kind.order in kind.orders
        assert integrator_named(name, kind.orders[0]).order == kind.orders[0]
