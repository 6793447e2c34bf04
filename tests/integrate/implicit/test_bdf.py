"""BDF of variable order: published stiff problems, work beside SciPy's, orders, reduced Newton matrix, dense output."""

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
    oscillator,
    pursuit,
    robertson,
    van_der_pol,
)
from sharnir.errors import ModelError
from sharnir.integrate import Run, Settings, integrate, integrator_named, textbook_problem


@pytest.fixture(scope="module")
def relaxation():
    return textbook_problem(van_der_pol, 2)


@pytest.fixture(scope="module")
def circle():
    return textbook_problem(oscillator, 2)


@pytest.mark.parametrize(("rtol", "limit"), [(1e-4, 5e-3), (1e-7, 1e-5), (1e-10, 2e-8)])
def test_van_der_pol(relaxation, rtol, limit):
    solution = integrate(relaxation, VAN_DER_POL_START, [0.0, 2.0], "bdf", rtol, rtol)
    assert solution.success
    assert np.abs(solution.y[-1] / VAN_DER_POL_END - 1.0).max() < limit


@pytest.mark.parametrize(("rtol", "limit"), [(1e-4, 1e-2), (1e-7, 1e-4), (1e-10, 1e-7)])
def test_robertson(rtol, limit):
    atol = rtol * np.array([1e-6, 1e-10, 1e-6])
    solution = integrate(textbook_problem(robertson, 3), ROBERTSON_START, [0.0, 1e11], "bdf", rtol, atol)
    assert np.abs(solution.y[-1] / ROBERTSON_END - 1.0).max() < limit
    assert solution.stats["largest_step"] > 1e9


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8])
def test_work_is_that_of_scipy(relaxation, rtol):
    from scipy.integrate import solve_ivp

    def derivative(t, y):
        yd = np.empty(2)
        van_der_pol(t, y.tolist(), yd)
        return yd

    theirs = solve_ivp(derivative, (0.0, 2.0), VAN_DER_POL_START, "BDF", rtol=rtol, atol=rtol)
    ours = integrate(relaxation, VAN_DER_POL_START, [0.0, 2.0], "bdf", rtol, rtol)
    assert ours.stats["evaluations"] < 1.1 * theirs.nfev
    assert ours.stats["jacobians"] < 1.1 * theirs.njev
    error, their_error = (np.abs(y / VAN_DER_POL_END - 1.0).max() for y in (ours.y[-1], theirs.y[:, -1]))
    assert error < 2.0 * their_error


@pytest.mark.parametrize("parts", [0, 40])
def test_beam(parts):
    """Its fast modes are hardly damped, and BDF of order above 2 does not like them: the largest order is 2."""
    problem = textbook_problem(beam, 80, n_q=parts, n_v=parts)
    solution = integrate(problem, np.zeros(80), [0.0, 5.0], "bdf", 1e-6, 1e-6, order=2)
    assert solution.y[-1, [39, 79]] == pytest.approx(BEAM_TIP, rel=1e-2)


def test_reduced_matrix(relaxation):
    """With y' as the speed the Newton matrix has size 1, and the steps are the same."""
    mechanism = textbook_problem(van_der_pol, 2, n_q=1, n_v=1)
    reduced, full = (integrate(p, VAN_DER_POL_START, [0.0, 2.0], "bdf", 1e-6, 1e-6) for p in (mechanism, relaxation))
    assert reduced.stats["steps"] == pytest.approx(full.stats["steps"], rel=0.05)
    assert np.abs(reduced.y[-1] / VAN_DER_POL_END - 1.0).max() < 1e-4


def test_quaternion_with_fewer_speeds():
    problem = textbook_problem(top, 8, [0], n_q=4, n_v=3, rates=top_rates, tangents=top_tangents)
    t = np.linspace(0.0, 10.0, 41)
    exact = integrate(textbook_problem(top, 8, [0]), TOP_START, t, "dop853", 1e-13, 1e-13).y
    solution = integrate(problem, TOP_START, t, "bdf", 1e-9, 1e-9)
    assert np.abs(solution.y - exact).max() < 2e-6
    assert np.abs(np.linalg.norm(solution.y[:, :4], axis=1) - 1.0).max() < 5e-16
    assert solution.stats["evaluations"] < 3 * solution.stats["steps"]


def test_steps_do_not_follow_stiffness():
    def smooth(t, y, yd):
        yd[0] = -math.sin(t)

    counts = []
    for problem in (textbook_problem(smooth, 1), textbook_problem(prothero_robinson, 1)):
        solution = integrate(problem, [1.0], [0.0, 10.0], "bdf", 1e-6, 1e-6)
        assert solution.y[-1, 0] == pytest.approx(math.cos(10.0), abs=1e-4)
        counts.append(solution.stats["steps"])
    assert counts[1] < 1.5 * counts[0] + 30


def test_contact_that_comes_suddenly():
    problem = textbook_problem(bouncing, 2, n_q=1, n_v=1)
    t = np.linspace(0.0, 1.5, 151)
    exact = integrate(problem, [0.5, 0.0], t, "dop853", 1e-11, 1e-12).y
    solution = integrate(problem, [0.5, 0.0], t, "bdf", 1e-8, 1e-8)
    assert solution.success
    assert np.abs(solution.y[:, 0] - exact[:, 0]).max() < 1e-4
    assert solution.stats["largest_step"] > 50.0 * solution.stats["smallest_step"]


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_dense_output(order):
    """Order of the polynomials between constant steps."""
    problem, t, lengths, errors = textbook_problem(pursuit, 2), np.linspace(6.0, 12.0, 997), [], []
    for dt in [0.004, 0.01, 0.02, 0.03, 0.04][order - 1] * 0.85 ** np.arange(5):
        options = {"step": dt, "order": order, "control": False, "dense": True}
        solution = integrate(problem, [0.0, 1.0], [0.0, 12.0], "bdf", 1e-13, 1e-13, **options)
        exact = np.stack([np.sin(3.0 * t), np.cos(3.0 * t)], axis=1)
        errors.append(np.abs(solution(t) - exact).max())
        lengths.append(solution.stats["largest_step"])
    assert np.polyfit(np.log(lengths), np.log(errors), 1)[0] == pytest.approx(order, abs=0.2)


def test_dense_output_is_continuous(circle):
    t = np.linspace(0.0, 30.0, 777)
    solution = integrate(circle, [1.0, 0.0], t, "bdf", 1e-6, 1e-6, dense=True)
    inner = solution.dense.breakpoints[1:-1]
    assert np.abs(solution(inner - 1e-9) - solution(inner + 1e-9)).max() < 5e-9
    assert np.abs(solution(t) - solution.y).max() < 2e-14
    assert np.abs(solution.y[:, 0] - np.cos(t)).max() < 2e-3


@pytest.mark.parametrize("order", [1, 3, None])
def test_pieces_and_grids_do_not_matter(circle, order):
    t, solutions = np.linspace(0.0, 6.0, 41), []
    rtol = 1e-4 if order == 1 else 1e-7
    for piece in (1, 7, 100, 10**9):
        run = Run(circle, [1.0, 0.0], t, integrator_named("bdf", order), Settings(rtol, rtol, dense=True))
        while not run.done:
            run.advance(piece)
        solutions.append(run.solution())
    between = np.linspace(0.0, 6.0, 333)
    for solution in solutions[1:]:
        assert np.array_equal(solution.y, solutions[0].y)
        assert np.array_equal(solution(between), solutions[0](between))
        assert solution.stats == solutions[0].stats
    coarse = integrate(circle, [1.0, 0.0], [0.0, 6.0], "bdf", rtol, rtol, order=order)
    assert np.array_equal(coarse.y[-1], solutions[0].y[-1])


def test_error_follows_the_tolerance(circle):
    tolerances = 10.0 ** -np.arange(4, 11)
    t = np.linspace(0.0, 20.0, 60)
    errors = [np.abs(integrate(circle, [1.0, 0.0], t, "bdf", tol, tol).y[:, 0] - np.cos(t)).max() for tol in tolerances]
    assert np.polyfit(np.log(tolerances), np.log(errors), 1)[0] == pytest.approx(5.0 / 6.0, abs=0.12)


def test_largest_order(circle):
    """A larger order needs fewer steps at a tight tolerance, and the order is checked."""
    steps = [integrate(circle, [1.0, 0.0], [0.0, 10.0], "bdf", 1e-8, 1e-8, order=k).stats["steps"] for k in (2, 3, 4, 5)]
    assert steps == sorted(steps, reverse=True)
    assert steps[0] > 5 * steps[-1]
    with pytest.raises(ModelError, match="1 to 5"):
        integrator_named("bdf", 6)


def test_constant_steps_need_few_factorizations(circle):
    """One for every doubling at the start, then one, although the steps between grid points differ by rounding."""
    t = np.linspace(0.0, 6.0, 601)
    solution = integrate(circle, [1.0, 0.0], t, "bdf", 1e-6, 1e-6, step=0.01, control=False, order=2)
    assert solution.stats["factorizations"] < 25
    assert solution.stats["jacobians"] == 1
    assert np.abs(solution.y[:, 0] - np.cos(t)).max() < 1e-4
    assert np.array_equal(solution.t, t)


def test_fixed_step_that_cannot_be_solved():
    def steep(t, y, yd):
        yd[0] = 1.0 / y[0]

    late = integrate(textbook_problem(steep, 1), [1.0], [0.0, 1.0], "bdf", 1e-6, 1e-6, step=0.5, control=False)
    assert late.y[-1, 0] == pytest.approx(math.sqrt(3.0), rel=0.1)

    def jumps(t, y, yd):
        yd[0] = 1.0 if y[0] < 0.5 else -1e3

    stuck = integrate(textbook_problem(jumps, 1), [0.0], [0.0, 2.0], "bdf", step=0.4, control=False, order=1)
    assert stuck.status == "step not solved"
    assert "make the fixed step shorter" in stuck.message
