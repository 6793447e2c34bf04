"""The polynomial of a step is checked where somebody uses it: pulses that only extra stages meet, the limit of stability."""

import itertools
import math

import numpy as np
import pytest

from sharnir.integrate import integrate, textbook_problem


def pulse(t, y, yd):
    yd[0] = y[1]
    yd[1] = 10.0 if 5.0 < t < 5.5 else 0.0


def lag(t, y, yd):
    yd[0] = -100.0 * (y[0] - math.sin(t))


def local_errors(problem, y0, t_end, tolerance):
    """Errors within steps from the exact continuation of each step's beginning, in tolerances."""
    solution = integrate(problem, y0, [0.0, t_end], "dop853", rtol=tolerance, atol=1e-2 * tolerance, dense=True)
    ends, worst = solution.dense.breakpoints, 0.0
    for a, b in itertools.pairwise(ends):
        start = solution(np.array([a]))[0]
        t = a + (b - a) * np.array([0.0, 0.15, 0.3, 0.5, 0.7, 0.85])
        exact = integrate(problem, start, t, "dop853", rtol=1e-13, atol=1e-16).y
        scale = tolerance * (1e-2 + np.maximum(np.abs(exact), np.abs(start)))
        worst = max(worst, float(np.sqrt((((solution(t) - exact) / scale) ** 2).mean(axis=1)).max()))
    return worst


def test_states_between_steps_never_show_what_the_steps_have_not_seen():
    """With any first step: either the pulse is found, or no output knows of it."""
    problem, grid = textbook_problem(pulse, 2), np.linspace(0, 20, 501)
    for first in np.geomspace(1e-3, 5.0, 25):
        solution = integrate(problem, [0.0, 0.0], grid, "dop853", step=float(first))
        y = solution.y
        smooth = np.abs(np.diff(y[:, 1])).max()
        assert smooth < 0.5 and np.abs(y[:, 0]).max() <= abs(y[-1, 0]) + 1e-6


@pytest.mark.parametrize("tolerance", [1e-4, 1e-5, 1e-6])
def test_at_the_limit_of_stability(tolerance):
    """24 tolerances without the check."""
    assert local_errors(textbook_problem(lag, 1), [0.0], 2.0, tolerance) < 10.0
