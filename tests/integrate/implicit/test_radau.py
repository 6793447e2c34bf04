"""Radau IIA: published stiff problems, work beside SciPy's, Jacobians that are kept, dense output, pieces, projection."""

from __future__ import annotations

import math

import numpy as np
import pytest

from integrate.stiff import BEAM_TIP, TOP_START, beam, bouncing, prothero_robinson, top, top_rates, top_tangents
from integrate.textbook import (
    ROBERTSON_END,
    ROBERTSON_START,
    VAN_DER_POL_END,
    VAN_DER_POL_START,
    hanging_point,
    on_circle,
    oscillator,
    pursuit,
    robertson,
    van_der_pol,
)
from sharnir.integrate import Run, Settings, integrate, integrator_named, textbook_problem


@pytest.fixture(scope="module")
def relaxation():
    return textbook_problem(van_der_pol, 2)


@pytest.mark.parametrize(("rtol", "limit"), [(1e-4, 1e-4), (1e-7, 1e-8), (1e-10, 1e-11)])
def test_van_der_pol(relaxation, rtol, limit):
    solution = integrate(relaxation, VAN_DER_POL_START, [0.0, 2.0], "radau5", rtol, rtol)
    assert solution.success
    assert np.abs(solution.y[-1] / VAN_DER_POL_END - 1.0).max() < limit


def test_van_der_pol_as_a_mechanism(relaxation):
    """With y' as the speed the Newton matrix has size 1, and the steps are the same."""
    mechanism = textbook_problem(van_der_pol, 2, n_q=1, n_v=1)
    reduced, full = (
        integrate(problem, VAN_DER_POL_START, [0.0, 2.0], "radau5", 1e-6, 1e-6) for problem in (mechanism, relaxation)
    )
    assert reduced.stats["steps"] == pytest.approx(full.stats["steps"], rel=0.02)
    assert np.abs(reduced.y[-1] / VAN_DER_POL_END - 1.0).max() < 1e-7


def test_robertson_to_the_printed_digits():
    solution = integrate(textbook_problem(robertson, 3), ROBERTSON_START, [0.0, 1e11], "radau5", 1e-10, 1e-22)
    assert np.abs(solution.y[-1] / ROBERTSON_END - 1.0).max() < 1e-11
    assert solution.stats["steps"] < 6000
    assert solution.stats["largest_step"] > 1e8


@pytest.mark.parametrize("parts", [0, 40])
def test_beam(parts):
    solution = integrate(textbook_problem(beam, 80, n_q=parts, n_v=parts), np.zeros(80), [0.0, 5.0], "radau5", 1e-7, 1e-7)
    assert solution.y[-1, [39, 79]] == pytest.approx(BEAM_TIP, rel=1e-4)
    assert solution.stats["evaluations"] < 12_000  # an explicit method is held at 1e-4 s by the fast modes


def test_stiff_error_does_not_follow_stiffness():
    """Prothero and Robinson: steps of 0.1 where the problem forgets in 1e-6."""
    problem = textbook_problem(prothero_robinson, 1)
    solution = integrate(problem, [1.0], np.linspace(0.0, 10.0, 51), "radau5", 1e-10, 1e-10, step=0.1, control=False)
    assert np.abs(solution.y[:, 0] - np.cos(solution.t)).max() < 1e-8
    controlled = integrate(problem, [1.0], [0.0, 10.0], "radau5", 1e-6, 1e-6)
    assert controlled.stats["steps"] < 100
    assert abs(controlled.y[-1, 0] - math.cos(10.0)) < 1e-6


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
def test_as_much_work_as_scipy(relaxation, rtol):
    from scipy.integrate import solve_ivp

    def derivative(t, y):
        return np.array([y[1], ((1.0 - y[0] * y[0]) * y[1] - y[0]) * 1e6])

    reference = solve_ivp(derivative, (0.0, 2.0), VAN_DER_POL_START, "Radau", rtol=rtol, atol=rtol)
    solution = integrate(relaxation, VAN_DER_POL_START, [0.0, 2.0], "radau5", rtol, rtol)
    assert solution.stats["steps"] < 1.1 * (len(reference.t) - 1)
    assert solution.stats["evaluations"] < 1.2 * (reference.nfev + 2 * reference.njev)
    error, theirs = (np.abs(y / VAN_DER_POL_END - 1.0).max() for y in (solution.y[-1], reference.y[:, -1]))
    assert error < 5.0 * theirs


def test_jacobian_is_kept():
    """A linear problem needs one; its factors only where the step changes."""
    solution = integrate(textbook_problem(oscillator, 2), [1.0, 0.0], [0.0, 100.0], "radau5", 1e-6, 1e-6)
    assert solution.stats["jacobians"] == 1
    assert solution.stats["factorizations"] < solution.stats["steps"]


def test_error_is_proportional_to_tolerance():
    problem, tolerances, t = textbook_problem(oscillator, 2), 10.0 ** -np.arange(4, 11), np.linspace(0.0, 20.0, 60)
    exact = np.stack([np.cos(t), -np.sin(t)], axis=1)
    errors = [np.abs(integrate(problem, [1.0, 0.0], t, "radau5", tol, tol).y - exact).max() for tol in tolerances]
    assert np.polyfit(np.log(tolerances), np.log(errors), 1)[0] == pytest.approx(1.0, abs=0.3)
    assert max(np.array(errors) / tolerances) < 200.0


def test_steps_do_not_depend_on_the_grid_and_keep_their_limit():
    problem = textbook_problem(pursuit, 2)
    runs = [integrate(problem, [0.0, 1.0], np.linspace(0.0, 9.0, k), "radau5", 1e-6, 1e-6) for k in (2, 4, 1001)]
    assert all(np.array_equal(run.y[-1], runs[0].y[-1]) for run in runs)
    assert np.abs(runs[2].y[:, 0] - np.sin(3.0 * runs[2].t)).max() < 1e-4
    short = integrate(problem, [0.0, 1.0], [0.0, 9.0], "radau5", 1e-3, 1e-3, max_step=0.01)
    assert short.stats["largest_step"] <= 0.01 * (1 + 1e-12)


def test_pieces_do_not_matter(relaxation):
    t, solutions = np.linspace(0.0, 2.0, 41), []
    for piece in (1, 13, 500, 10**9):
        run = Run(relaxation, VAN_DER_POL_START, t, integrator_named("radau5"), Settings(1e-5, 1e-5, dense=True))
        while not run.done:
            run.advance(piece)
        solutions.append(run.solution())
    between = np.linspace(0.0, 2.0, 333)
    for solution in solutions[1:]:
        assert np.array_equal(solution.y, solutions[0].y)
        assert np.array_equal(solution(between), solutions[0](between))
        assert solution.stats == solutions[0].stats


def test_dense_output_is_continuous_and_agrees_with_the_grid():
    t = np.linspace(0.0, 12.0, 777)
    problem = textbook_problem(top, 8, [0], n_q=4, n_v=3, rates=top_rates, tangents=top_tangents)
    solution = integrate(problem, TOP_START, t, "radau5", 1e-6, 1e-6, dense=True)
    assert np.abs(solution(t) - solution.y).max() < 1e-14
    inner = solution.dense.breakpoints[1:-1]
    assert np.abs(solution(inner - 1e-9) - solution(inner + 1e-9)).max() < 1e-8
    assert np.abs(np.linalg.norm(solution.y[:, :4], axis=1) - 1.0).max() < 5e-16


def test_projected_pendulum():
    """On the circle at every output, and not worse than without projection."""
    t, start = np.linspace(0.0, 10.0, 101), np.array([1.0, 0.0, 0.0, 0.0])
    exact = integrate(textbook_problem(hanging_point, 4), start, t, "dop853", 1e-13, 1e-13).y
    problem = textbook_problem(hanging_point, 4, n_q=2, n_v=2, projection=on_circle)
    solution = integrate(problem, start, t, "radau5", 1e-7, 1e-7, dense=True)
    assert np.abs(np.hypot(solution.y[:, 0], solution.y[:, 1]) - 1.0).max() < 1e-15
    assert np.abs(solution.y - exact).max() < 1e-4
    ends = solution.dense.breakpoints[1:-1]
    assert np.abs(solution(ends - 1e-10) - solution(ends + 1e-10)).max() < 1e-8


def test_contact_without_a_chosen_step():
    """A falling mass meets stiff ground; the steps follow by themselves, and the energy only falls."""
    problem = textbook_problem(bouncing, 2, n_q=1, n_v=1)
    t = np.linspace(0.0, 3.0, 301)
    solution = integrate(problem, [0.5, 0.0], t, "radau5", 1e-6, 1e-8)
    exact = integrate(problem, [0.5, 0.0], t, "dop853", 1e-11, 1e-12)
    assert np.abs(solution.y[:, 0] - exact.y[:, 0]).max() < 1e-4
    assert solution.stats["largest_step"] > 100.0 * solution.stats["smallest_step"]


def test_fixed_step_that_cannot_be_solved():
    def wall(t, y, yd):
        yd[0] = math.sqrt(1.0 - y[0]) if y[0] < 1.0 else math.nan

    solution = integrate(textbook_problem(wall, 1), [0.0], [0.0, 5.0], "radau5", step=2.5, control=False)
    assert solution.status == "step not solved"
    assert "shorter" in solution.message
