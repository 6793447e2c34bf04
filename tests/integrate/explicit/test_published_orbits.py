"""Published orbits and solutions, and our numbers of evaluations beside SciPy's."""

from __future__ import annotations

import numpy as np
import pytest

from integrate.textbook import ARENSTORF_PERIOD, ARENSTORF_START, PLEIADES_END, PLEIADES_START, arenstorf, pleiades
from sharnir.integrate import integrate, textbook_problem

ADAPTIVE = [("rkf45", None), ("dopri5", None), ("dop853", None), ("abm", 6), ("abm", 8), ("abm", 12)]


@pytest.fixture(scope="module")
def stars():
    return textbook_problem(pleiades, 28)


@pytest.fixture(scope="module")
def orbit():
    return textbook_problem(arenstorf, 4)


@pytest.mark.parametrize(("name", "order"), ADAPTIVE)
def test_pleiades(stars, name, order):
    solution = integrate(stars, PLEIADES_START, [0.0, 3.0], name, 1e-12, 1e-12, order=order)
    assert np.abs(solution.y[-1] - PLEIADES_END).max() < 1e-8


def test_pleiades_to_the_printed_digits(stars):
    solution = integrate(stars, PLEIADES_START, [0.0, 3.0], "dop853", 1e-14, 1e-14)
    assert np.abs(solution.y[-1] - PLEIADES_END).max() < 3e-11


def test_pleiades_with_fixed_steps(stars):
    solution = integrate(stars, PLEIADES_START, [0.0, 3.0], "rk4", step=1e-5)
    assert solution.stats["steps"] == 300_000
    assert np.abs(solution.y[-1] - PLEIADES_END).max() < 1e-7


@pytest.mark.parametrize(("name", "order"), ADAPTIVE)
def test_arenstorf_orbit_closes(orbit, name, order):
    solution = integrate(orbit, ARENSTORF_START, [0.0, ARENSTORF_PERIOD], name, 1e-12, 1e-12, order=order)
    assert np.abs(solution.y[-1] - ARENSTORF_START).max() < 1e-6


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8, 1e-10])
@pytest.mark.parametrize(("ours", "theirs"), [("dopri5", "RK45"), ("dop853", "DOP853")])
def test_as_many_evaluations_as_scipy(stars, rtol, ours, theirs):
    from scipy.integrate import solve_ivp

    def derivative(t, y):
        yd = np.empty(28)
        pleiades(t, y.tolist(), yd)
        return yd

    reference = solve_ivp(derivative, (0.0, 3.0), PLEIADES_START, theirs, rtol=rtol, atol=rtol)
    solution = integrate(stars, PLEIADES_START, [0.0, 3.0], ours, rtol, rtol)
    assert solution.stats["evaluations"] < 1.1 * reference.nfev
    error, their_error = np.abs(solution.y[-1] - PLEIADES_END).max(), np.abs(reference.y[:, -1] - PLEIADES_END).max()
    assert error < 2.0 * their_error
