"""Rows of a state that needs several vector registers, and states in which the last number is not finite."""

import numpy as np
import pytest

from sharnir.integrate import integrate, textbook_problem

SIZE = 21  # more than two of the widest registers, and not a multiple of them


def decays(t, y, yd):
    for i in range(21):
        yd[i] = -(0.2 + 0.1 * i) * y[i]


def last_is_infinite(t, y, yd):
    yd[0], yd[1], yd[2] = y[0], 1.0, 1.0 / (1.0 - t) ** 2 if t < 1.0 else np.inf


def infinite_at_once(t, y, yd):
    yd[0], yd[1], yd[2] = 1.0, 1.0, np.inf


@pytest.mark.parametrize("integrator", ["dop853", "dopri5", "rkf45", "abm", "radau5"])
def test_every_entry_of_a_long_state_is_as_good_at_steps_and_between(integrator):
    grid = np.linspace(0.0, 2.0, 9)
    start = 1.0 + 0.05 * np.arange(SIZE)
    solution = integrate(textbook_problem(decays, SIZE), start, grid, integrator, 1e-7, 1e-9)
    exact = start * np.exp(-np.outer(grid, 0.2 + 0.1 * np.arange(SIZE)))
    assert solution.success and np.abs(solution.y - exact).max() < 1e-5


@pytest.mark.parametrize("integrator", ["dop853", "dopri5", "radau5", "abm"])
def test_a_last_entry_that_is_not_finite_is_noticed(integrator):
    for function in (infinite_at_once, last_is_infinite):
        solution = integrate(textbook_problem(function, 3), [1.0, 1.0, 1.0], [0.0, 2.0], integrator, 1e-6, 1e-8)
        assert not solution.success and np.isfinite(solution.y).all()
