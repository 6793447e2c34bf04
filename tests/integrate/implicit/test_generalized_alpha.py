"""Implicit Euler, Newmark, HHT and generalized-α: damping, stiffness, step control, options, dense output, pieces, projection."""

from __future__ import annotations

import math

import numpy as np
import pytest

from integrate.stiff import (
    STIFFNESS,
    TOP_START,
    bouncing,
    prothero_robinson,
    spring_pendulum,
    top,
    top_rates,
    top_tangents,
)
from integrate.textbook import hanging_point, on_circle, oscillator, pursuit
from sharnir.errors import ModelError
from sharnir.integrate import Run, Settings, integrate, integrator_named, textbook_problem

NAMES = ["implicit-euler", "newmark", "hht", "generalized-alpha"]
DAMPED = [("hht", {"alpha": 0.3}), ("generalized-alpha", {"rho": 0.5}), ("generalized-alpha", {"rho": 0.0})]


@pytest.fixture(scope="module")
def circle():
    return textbook_problem(oscillator, 2, n_q=1, n_v=1)


def fast(t, y, yd):
    """An oscillation a thousand times faster than the step of 0.1 that the tests take."""
    yd[0] = y[1]
    yd[1] = -1e8 * y[0]


def amplitude(name, options, steps):
    """What is left of a fast oscillation after some steps, in units of its energy's root."""
    problem = textbook_problem(fast, 2, n_q=1, n_v=1)
    t = np.linspace(0.0, 0.1 * steps, steps + 1)
    y = integrate(problem, [1.0, 0.0], t, name, 1e-10, 1e-10, step=0.1, control=False, options=options).y
    return np.hypot(y[:, 0], y[:, 1] / 1e4)


@pytest.mark.parametrize("rho", [0.2, 0.5, 0.8, 0.95])
def test_spectral_radius(rho):
    """At a frequency that the step does not see, generalized-α shrinks it by ρ a step; the rate tends to ρ like n^(1/n)."""
    left = amplitude("generalized-alpha", {"rho": rho}, 60)
    assert (left[60] / left[40]) ** 0.05 == pytest.approx(rho, rel=0.05)


def test_energy_of_fast_oscillations():
    assert amplitude("newmark", {}, 100) == pytest.approx(1.0, abs=1e-6)
    assert amplitude("generalized-alpha", {"rho": 1.0}, 100) == pytest.approx(1.0, abs=1e-6)
    assert amplitude("implicit-euler", {}, 2)[-1] < 1e-4
    assert amplitude("newmark", {"damping": 0.1}, 50)[-1] < 0.1
    assert amplitude("hht", {"alpha": 0.2}, 50)[-1] < 0.1


@pytest.mark.parametrize("name", NAMES)
def test_steps_do_not_follow_stiffness(name):
    """Prothero and Robinson's problem: as many steps as for y' = -sin t, although it forgets in 1e-6."""
    stiff = textbook_problem(prothero_robinson, 1)

    def smooth(t, y, yd):
        yd[0] = -math.sin(t)

    count = integrate(textbook_problem(smooth, 1), [1.0], [0.0, 10.0], name, 1e-5, 1e-5).stats["steps"]
    solution = integrate(stiff, [1.0], [0.0, 10.0], name, 1e-5, 1e-5)
    assert solution.y[-1, 0] == pytest.approx(math.cos(10.0), abs=1e-4)
    assert solution.stats["steps"] < 1.5 * count + 30


@pytest.mark.parametrize("name", NAMES)
def test_stiff_spring_pendulum(name):
    """With a spring of 1e7 N/m the pendulum moves like one of fixed length; the steps are its own, not those of the spring."""
    problem = textbook_problem(spring_pendulum, 4, n_q=2, n_v=2)
    start = [1.0 + 9.81 * math.cos(1.0) / STIFFNESS, 1.0, 0.0, 0.0]
    rtol = 1e-4 if name == "implicit-euler" else 1e-6
    t = np.linspace(0.0, 4.0, 41)
    solution = integrate(problem, start, t, name, rtol, rtol, dense=True)
    exact = integrate(problem, start, t, "radau5", 1e-10, 1e-12)
    assert np.abs(solution.y[:, 1] - exact.y[:, 1]).max() < (0.2 if name == "implicit-euler" else 2e-3)
    assert np.abs(solution.y[:, 0] - 1.0).max() < 1e-5
    explicit = integrate(problem, start, [0.0, 0.2], "dopri5", rtol, rtol).stats
    assert solution.stats["evaluations"] < 0.5 * 20 * explicit["evaluations"]


def test_contact_without_a_chosen_step():
    problem = textbook_problem(bouncing, 2, n_q=1, n_v=1)
    t = np.linspace(0.0, 1.5, 151)
    exact = integrate(problem, [0.5, 0.0], t, "dop853", 1e-11, 1e-12)
    for name, rtol in (("newmark", 1e-6), ("hht", 1e-6), ("generalized-alpha", 1e-6), ("implicit-euler", 1e-5)):
        solution = integrate(problem, [0.5, 0.0], t, name, rtol, rtol)
        assert np.abs(solution.y[:, 0] - exact.y[:, 0]).max() < (0.05 if name == "implicit-euler" else 2e-3)
        assert solution.stats["largest_step"] > 50.0 * solution.stats["smallest_step"]


@pytest.mark.parametrize("name", NAMES)
def test_error_follows_the_tolerance(circle, name):
    """A method of order p whose step keeps the error per step: global error ~ tol^(p / (p + 1))."""
    order = integrator_named(name).order
    tolerances = 10.0 ** -np.arange(3, 7 if order == 1 else 9)
    t = np.linspace(0.0, 10.0, 60)
    exact = np.stack([np.cos(t), -np.sin(t)], axis=1)
    errors = [np.abs(integrate(circle, [1.0, 0.0], t, name, tol, tol).y - exact).max() for tol in tolerances]
    assert np.polyfit(np.log(tolerances), np.log(errors), 1)[0] == pytest.approx(order / (order + 1), abs=0.1)


@pytest.mark.parametrize("name", NAMES)
def test_estimate_is_the_error_of_one_step(circle, name):
    """Steps at given tolerances make true local errors of that size: the error constants are right, not only their powers."""
    tol = 1e-6
    solution = integrate(circle, [1.0, 0.0], [0.0, 6.0], name, 0.0, tol, dense=True)
    ends = solution.dense.breakpoints
    y, worst = solution(ends), []
    for k in range(len(ends) // 2, len(ends) - 1, 10):
        dt = ends[k + 1] - ends[k]
        turn = np.array([[math.cos(dt), math.sin(dt)], [-math.sin(dt), math.cos(dt)]])
        worst.append(np.sqrt(np.mean((y[k + 1] - turn @ y[k]) ** 2)) / tol)
    assert 0.3 < np.median(worst) < 1.1
    assert max(worst) < 1.5


@pytest.mark.parametrize("name", NAMES)
def test_pieces_do_not_matter(name):
    problem = textbook_problem(top, 8, [0], n_q=4, n_v=3, rates=top_rates, tangents=top_tangents)
    t, solutions = np.linspace(0.0, 6.0, 41), []
    for piece in (1, 7, 100, 10**9):
        run = Run(problem, TOP_START, t, integrator_named(name), Settings(1e-4, 1e-4, dense=True))
        while not run.done:
            run.advance(piece)
        solutions.append(run.solution())
    between = np.linspace(0.0, 6.0, 333)
    for solution in solutions[1:]:
        assert np.array_equal(solution.y, solutions[0].y)
        assert np.array_equal(solution(between), solutions[0](between))
        assert solution.stats == solutions[0].stats


@pytest.mark.parametrize("name", NAMES)
def test_grid_and_dense_output(name):
    problem = textbook_problem(pursuit, 2)
    runs = [integrate(problem, [0.0, 1.0], np.linspace(0.0, 9.0, k), name, 1e-4, 1e-4, dense=True) for k in (2, 4, 1001)]
    assert all(np.array_equal(run.y[-1], runs[0].y[-1]) for run in runs)
    fine = runs[2]
    assert np.abs(fine(fine.t) - fine.y).max() < 2e-14
    assert np.abs(fine.y[:, 0] - np.sin(3.0 * fine.t)).max() < 0.02
    inner = fine.dense.breakpoints[1:-1]
    assert np.abs(fine(inner - 1e-9) - fine(inner + 1e-9)).max() < 1e-7
    short = integrate(problem, [0.0, 1.0], [0.0, 1.0], name, 1e-2, 1e-2, max_step=0.01)
    assert short.stats["largest_step"] <= 0.01 * (1 + 1e-12)


@pytest.mark.parametrize(("name", "options"), [(name, {}) for name in NAMES] + DAMPED)
def test_fixed_steps_need_one_jacobian_and_one_factorization(circle, name, options):
    t = np.linspace(0.0, 6.0, 13)
    solution = integrate(circle, [1.0, 0.0], t, name, step=0.01, control=False, options=options)
    assert solution.stats["steps"] == 600
    assert (solution.stats["jacobians"], solution.stats["factorizations"]) == (1, 1)
    assert solution.stats["evaluations"] <= 10 + 2 * 600
    assert np.abs(solution.y[:, 0] - np.cos(t)).max() < (0.05 if name == "implicit-euler" else 3e-4)


@pytest.mark.parametrize("name", NAMES)
def test_projected_pendulum(name):
    t, start = np.linspace(0.0, 5.0, 51), np.array([1.0, 0.0, 0.0, 0.0])
    exact = integrate(textbook_problem(hanging_point, 4), start, t, "dop853", 1e-13, 1e-13).y
    problem = textbook_problem(hanging_point, 4, n_q=2, n_v=2, projection=on_circle)
    solution = integrate(problem, start, t, name, 1e-6, 1e-6)
    assert np.abs(np.hypot(solution.y[:, 0], solution.y[:, 1]) - 1.0).max() < 1e-15
    assert np.abs(solution.y - exact).max() < (0.2 if name == "implicit-euler" else 5e-3)
    assert solution.stats["corrections"] > 0


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("generalized-alpha", {"rho": 1.2}, "rho = 1.2 must lie between 0 and 1"),
        ("hht", {"alpha": -0.1}, "alpha = -0.1 must lie between 0 and 0.333333"),
        ("newmark", {"rho": 0.5}, r"option 'rho' is unknown \(damping\)"),
        ("dopri5", {"rho": 0.5}, r"option 'rho' is unknown \(it has none\)"),
    ],
)
def test_wrong_options(name, options, words):
    with pytest.raises(ModelError, match=words):
        integrator_named(name, options=options)


def test_default_options():
    assert integrator_named("generalized-alpha").options == {"rho": 0.8}
    assert integrator_named("generalized-alpha", options={"rho": 1.0}).coefficients().coordinates == (0.25, 0.25)
    assert integrator_named("hht", options={"alpha": 0.0}).coefficients().numbers() == pytest.approx(
        integrator_named("newmark").coefficients().numbers()
    )
