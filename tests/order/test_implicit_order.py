"""Observed order of the implicit integrators on mechanisms (q, v, z) with quaternions, on stiff problems, and with projection."""

from __future__ import annotations

import math

import numpy as np
import pytest

from integrate.stiff import TOP_START, top, top_rates, top_tangents
from integrate.textbook import hanging_point, on_circle
from sharnir.integrate import integrate, integrator_named, textbook_problem

# longest step of each: errors small enough for theory, large enough for rounding
TOP = {
    ("radau5", None): 0.5,
    ("implicit-euler", None): 0.002,
    ("newmark", None): 0.04,
    ("hht", None): 0.04,
    ("generalized-alpha", None): 0.04,
    ("generalized-alpha", 0.2): 0.04,
}


def observed_order(problem, y0, exact, t_end, name, longest, options=None):
    """Slope of log error over log step, with constant steps."""
    lengths, errors = [], []
    for dt in longest * 0.75 ** np.arange(5):
        solution = integrate(problem, y0, [0.0, t_end], name, 1e-13, 1e-13, step=dt, control=False, options=options)
        assert solution.success
        errors.append(np.linalg.norm(solution.y[-1] - exact))
        lengths.append(solution.stats["largest_step"])
    assert min(errors) > 1e-12
    return np.polyfit(np.log(lengths), np.log(errors), 1)[0]


@pytest.mark.parametrize(("name", "rho"), TOP)
def test_free_top(name, rho):
    """Quaternion, speeds in body axes, and a first-order state behind them."""
    problem = textbook_problem(top, 8, [0], n_q=4, n_v=3, rates=top_rates, tangents=top_tangents)
    exact = integrate(problem, TOP_START, [0.0, 6.0], "dop853", 1e-14, 1e-14).y[-1]
    order = observed_order(problem, TOP_START, exact, 6.0, name, TOP[name, rho], None if rho is None else {"rho": rho})
    assert order == pytest.approx(integrator_named(name).order, abs=0.2)


@pytest.mark.parametrize("name", ["newmark", "generalized-alpha", "implicit-euler", "radau5"])
def test_constrained_pendulum(name):
    """Index 3 by nature, integrated with index 1 and projected after every step: no order is lost."""
    problem = textbook_problem(hanging_point, 4, n_q=2, n_v=2, projection=on_circle)
    start = np.array([math.sin(1.0), -math.cos(1.0), 0.0, 0.0])
    exact = integrate(textbook_problem(hanging_point, 4), start, [0.0, 2.0], "dop853", 1e-14, 1e-14).y[-1]
    longest = {"radau5": 0.1, "implicit-euler": 0.001}.get(name, 0.01)
    assert observed_order(problem, start, exact, 2.0, name, longest) == pytest.approx(integrator_named(name).order, abs=0.25)


def test_damped_newmark_has_order_1():
    problem = textbook_problem(hanging_point, 4, n_q=2, n_v=2)
    start = np.array([math.sin(1.0), -math.cos(1.0), 0.0, 0.0])
    exact = integrate(problem, start, [0.0, 2.0], "dop853", 1e-14, 1e-14).y[-1]
    order = observed_order(problem, start, exact, 2.0, "newmark", 0.002, {"damping": 0.1})
    assert order == pytest.approx(1.0, abs=0.1)


def stiff(t, y, yd):
    """A damped spring of 1e8 drags a mass along cos t; an exact solution of the equation of motion. Then ż = q - z."""
    yd[0] = y[1]
    yd[1] = -1e8 * (y[0] - math.cos(t)) - 1e4 * (y[1] + math.sin(t)) - math.cos(t)
    yd[2] = y[0] - y[2]


def stiff_solution(t):
    return np.array([math.cos(t), -math.sin(t), 0.5 * (math.cos(t) + math.sin(t))])


@pytest.mark.parametrize(
    ("name", "order", "longest"),
    [("implicit-euler", 1, 0.01), ("generalized-alpha", 2, 0.05), ("newmark", 2, 0.05), ("hht", 2, 0.05), ("radau5", 3, 0.4)],
)
def test_stiff_mechanism(name, order, longest):
    """Steps far longer than the spring's time of 1e-4. Radau has at least its stage order 3 (Hairer and Wanner II, IV.15)."""
    problem = textbook_problem(stiff, 3, n_q=1, n_v=1)
    lengths, errors, start = [], [], np.array([1.0, 0.0, 0.5])
    for dt in longest * 0.75 ** np.arange(5):
        solution = integrate(problem, start, [0.0, 4.0], name, 1e-13, 1e-13, step=dt, control=False)
        error = np.abs(solution.y[-1] - stiff_solution(4.0))
        assert error[:2].max() < dt**order
        errors.append(error[2])
        lengths.append(solution.stats["largest_step"])
    assert np.polyfit(np.log(lengths), np.log(errors), 1)[0] > order - 0.3
