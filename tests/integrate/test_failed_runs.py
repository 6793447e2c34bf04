"""Runs that fail keep what they have and say why; wrong input is refused before anything runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from integrate.textbook import accumulated, blow_up, oscillator
from sharnir.errors import ModelError
from sharnir.integrate import ALL_INTEGRATORS, Problem, Settings, integrate, textbook_problem

ADAPTIVE = [name for name, kind in ALL_INTEGRATORS.items() if kind.adaptive]


def root(t, y, yd):
    yd[0] = -math.sqrt(y[0]) if y[0] >= 0.0 else math.nan


@pytest.fixture(scope="module")
def singular():
    return textbook_problem(blow_up, 1)


@pytest.fixture(scope="module")
def circle():
    return textbook_problem(oscillator, 2)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_singularity(singular, name):
    t = np.linspace(0.0, 2.0, 21)
    solution = integrate(singular, [1.0], t, name, dense=True)
    assert not solution.success
    assert solution.status in ("step too small", "not finite")
    assert 0.999 < solution.stats["t_reached"] < 1.001
    assert "t = 1" in solution.message or "t = 0.99" in solution.message
    assert len(solution.t) == len(solution.y) in (10, 11)  # a step may end just behind the pole
    assert solution.y[:10, 0] == pytest.approx(1.0 / (1.0 - solution.t[:10]), rel=1e3 * accumulated(name, 1e-8))
    assert solution(0.123)[0] == pytest.approx(1.0 / (1.0 - 0.123), rel=100 * accumulated(name, 1e-8))


def test_singularity_with_fixed_steps(singular):
    solution = integrate(singular, [1.0], np.linspace(0.0, 2.0, 21), "rk4", step=0.01)
    assert solution.status == "not finite"
    assert len(solution.t) < 21
    assert np.isfinite(solution.y).all()


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_derivative_not_finite_at_start(name):
    solution = integrate(textbook_problem(root, 1), [-1.0], [0.0, 1.0], name)
    assert solution.status == "not finite"
    assert "derivative of the initial state is not finite at t = 0" in solution.message
    assert solution.y.tolist() == [[-1.0]]


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_initial_state_not_finite(circle, name):
    solution = integrate(circle, [1.0, math.inf], [0.0, 1.0], name)
    assert "the initial state (entry 1) is not finite" in solution.message


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_domain_is_left_on_the_way(name):
    """y' = -sqrt(y) reaches 0 at t = 2 and no real solution of the formula goes on below."""
    solution = integrate(
        textbook_problem(root, 1), [1.0], [0.0, 1.0, 3.0], name, 1e-6, 1e-6, step=0.11 if name == "rk4" else None
    )
    assert not solution.success
    assert solution.stats["t_reached"] == pytest.approx(2.0, abs=0.2)
    assert solution.t.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_too_many_evaluations(circle, name):
    solution = integrate(circle, [1.0, 0.0], np.arange(1000.0), name, step=0.1 if name == "rk4" else None, max_evaluations=300)
    assert solution.status == "too many evaluations"
    assert 300 <= solution.stats["evaluations"] < 320
    assert "evaluations: too stiff" in solution.message
    assert 0 < len(solution.t) < 1000


def test_interrupt_keeps_what_there_is(circle):
    def press(fraction):
        if fraction > 0.0:
            raise KeyboardInterrupt

    solution = integrate(circle, [1.0, 0.0], np.linspace(0.0, 1e5, 1001), "rk4", step=0.001, progress=press)
    assert solution.status == "interrupted"
    assert solution.stats["steps"] > 0
    assert len(solution.t) < 1001


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"t_grid": [0.0, 1.0, 1.0]}, "increasing"),
        ({"t_grid": [0.0, math.nan]}, "increasing"),
        ({"t_grid": []}, "increasing"),
        ({"y0": [1.0]}, "y0 has 1 numbers"),
        ({"rtol": -1e-3}, "rtol"),
        ({"atol": -1.0}, "atol"),
        ({"rtol": 0.0, "atol": 0.0}, "atol"),
        ({"atol": [1.0, 1.0, 1.0]}, "atol has 3"),
        ({"step": 0.0}, "step"),
        ({"max_step": -1.0}, "max_step"),
        ({"integrator": "rk45"}, "choose one of auto, rk4"),
        ({"integrator": "dopri5", "order": 4}, "order = 4 must be 5"),
        ({"integrator": "abm", "order": 13}, "1 to 12"),
        ({"integrator": "rk4", "step": 1e-20}, "too small"),
    ],
)
def test_wrong_input(circle, change, words):
    arguments = {"y0": [1.0, 0.0], "t_grid": [0.0, 1.0]} | change
    with pytest.raises(ModelError, match=words):
        integrate(circle, **arguments)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n": 0}, "at least 1"),
        ({"quaternions": [3]}, "0..2"),
        ({"scale": [1.0]}, "6 positive"),
        ({"table": np.zeros(3)}, "table must be"),
        ({"work": np.zeros((4, 4))[:, 1]}, "work must be"),
    ],
)
def test_wrong_problem(change, words):
    with pytest.raises(ModelError, match=words):
        Problem(**({"derivative": 0, "n": 6} | change))


def test_solution_without_polynomials_cannot_be_called(circle):
    with pytest.raises(ModelError, match="dense=True"):
        integrate(circle, [1.0, 0.0], [0.0, 1.0])(0.5)


def test_settings_are_checked_early():
    with pytest.raises(ModelError, match="max_evaluations"):
        Settings(max_evaluations=0)
