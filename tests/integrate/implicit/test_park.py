"""Park's method: its recurrence, order, damping, unequal steps, dense output, pieces, reduced Newton matrix."""

from __future__ import annotations

import math

import numpy as np
import pytest

from integrate.stiff import STIFFNESS, TOP_START, prothero_robinson, spring_pendulum, top, top_rates, top_tangents
from integrate.textbook import (
    ROBERTSON_END,
    ROBERTSON_START,
    VAN_DER_POL_END,
    VAN_DER_POL_START,
    growth,
    oscillator,
    pursuit,
    robertson,
    van_der_pol,
)
from sharnir.integrate import Run, Settings, integrate, integrator_named, textbook_problem


@pytest.fixture(scope="module")
def circle():
    return textbook_problem(oscillator, 2, n_q=1, n_v=1)


def test_published_recurrence(circle):
    """(10 y3 - 15 y2 + 6 y1 - y0)/6 = dt f(y3) at equal steps."""
    dt = 0.1
    y = integrate(circle, [1.0, 0.0], np.linspace(0.0, 2.0, 21), "park", 1e-12, 1e-12, control=False).y
    slope = np.stack([y[:, 1], -y[:, 0]], axis=1)
    left = (10.0 * y[3:] - 15.0 * y[2:-1] + 6.0 * y[1:-2] - y[:-3]) / 6.0
    assert np.abs(left - dt * slope[3:]).max() < 1e-12


def test_recurrence_on_unequal_steps():
    """The mean of the slopes of the parabola and of the cubic through the last points, made by NumPy."""
    t = np.cumsum([0.0, 0.1, 0.13, 0.09, 0.2, 0.11, 0.15])
    y = integrate(textbook_problem(growth, 1), [1.0], t, "park", 1e-12, 1e-12, control=False).y[:, 0]
    for k in range(3, len(t)):
        slopes = [np.polyval(np.polyder(np.polyfit(t[k - n : k + 1] - t[k], y[k - n : k + 1], n)), 0.0) for n in (2, 3)]
        assert np.mean(slopes) == pytest.approx(y[k] * math.cos(t[k]), abs=1e-9)


def test_same_as_ndf_of_order_2(circle):
    """With constant steps it is the numerical differentiation formula with κ = -1/9, whose start is another one."""
    options = {"rtol": 1e-13, "atol": 1e-13, "step": 0.01, "control": False}
    ours, theirs = (
        integrate(circle, [1.0, 0.0], [0.0, 5.0], name, **options, **order).y[-1]
        for name, order in (("park", {}), ("bdf", {"order": 2}))
    )
    assert np.abs(ours - theirs).max() < 5e-6
    assert np.abs(ours - [math.cos(5.0), -math.sin(5.0)]).max() > 5e-5


def fast(t, y, yd):
    yd[0] = y[1]
    yd[1] = -1e8 * y[0]


def test_fast_oscillations_vanish():
    """An oscillation far above the step is gone after a few steps, and does not overshoot."""
    problem = textbook_problem(fast, 2, n_q=1, n_v=1)
    y = integrate(problem, [1.0, 0.0], np.linspace(0.0, 1.0, 11), "park", 1e-10, 1e-10, step=0.1, control=False).y
    left = np.hypot(y[:, 0], y[:, 1] / 1e4)
    assert left.max() == 1.0
    assert left[5:].max() < 1e-6


def test_stable_for_every_frequency():
    """A-stable: no undamped oscillation grows, whatever its period in steps."""
    for dt in (0.05, 0.3, 1.0, 2.0, 6.0, 30.0):
        t = np.arange(200) * dt
        y = integrate(textbook_problem(oscillator, 2), [1.0, 0.0], t, "park", 1e-10, 1e-10, control=False).y
        size = np.hypot(y[:, 0], y[:, 1])
        assert size.max() < 1.02  # where the start goes over into the method
        assert size[100:].max() < size[50:100].max() + 1e-12


@pytest.mark.parametrize("rtol", [1e-4, 1e-6])
def test_stiff(rtol):
    vdpol = integrate(textbook_problem(van_der_pol, 2), VAN_DER_POL_START, [0.0, 2.0], "park", rtol, rtol)
    assert vdpol.y[-1] == pytest.approx(VAN_DER_POL_END, rel=10 * rtol ** (2 / 3))
    atol = rtol * np.array([1e-6, 1e-10, 1e-6])
    rober = integrate(textbook_problem(robertson, 3), ROBERTSON_START, [0.0, 1e11], "park", rtol, atol)
    assert rober.y[-1] == pytest.approx(ROBERTSON_END, rel=20 * rtol ** (2 / 3))


def test_steps_do_not_follow_stiffness():
    def smooth(t, y, yd):
        yd[0] = -math.sin(t)

    counts = []
    for problem in (textbook_problem(smooth, 1), textbook_problem(prothero_robinson, 1)):
        solution = integrate(problem, [1.0], [0.0, 10.0], "park", 1e-5, 1e-5)
        assert solution.y[-1, 0] == pytest.approx(math.cos(10.0), abs=1e-3)
        counts.append(solution.stats["steps"])
    assert counts[1] < 1.5 * counts[0] + 30


def test_stiff_spring_pendulum():
    problem = textbook_problem(spring_pendulum, 4, n_q=2, n_v=2)
    start = [1.0 + 9.81 * math.cos(1.0) / STIFFNESS, 1.0, 0.0, 0.0]
    t = np.linspace(0.0, 4.0, 41)
    solution = integrate(problem, start, t, "park", 1e-6, 1e-6, dense=True)
    exact = integrate(problem, start, t, "radau5", 1e-10, 1e-12)
    assert np.abs(solution.y[:, 1] - exact.y[:, 1]).max() < 5e-3
    assert np.abs(solution.y[:, 0] - 1.0).max() < 1e-5
    explicit = integrate(problem, start, [0.0, 0.2], "dopri5", 1e-6, 1e-6).stats
    assert solution.stats["evaluations"] < 0.5 * 20 * explicit["evaluations"]


def test_quaternion_with_fewer_speeds():
    problem = textbook_problem(top, 8, [0], n_q=4, n_v=3, rates=top_rates, tangents=top_tangents)
    exact = integrate(textbook_problem(top, 8, [0]), TOP_START, [0.0, 3.0], "dop853", 1e-13, 1e-13).y[-1]
    lengths, errors = 0.02 * 0.8 ** np.arange(5), []
    for dt in lengths:
        solution = integrate(problem, TOP_START, [0.0, 3.0], "park", 1e-11, 1e-11, step=dt, control=False)
        errors.append(np.abs(solution.y[-1] - exact).max())
    assert np.polyfit(np.log(lengths), np.log(errors), 1)[0] == pytest.approx(2.0, abs=0.1)


def test_error_follows_the_tolerance(circle):
    tolerances = 10.0 ** -np.arange(3, 9)
    t = np.linspace(0.0, 10.0, 60)
    errors = [np.abs(integrate(circle, [1.0, 0.0], t, "park", tol, tol).y[:, 0] - np.cos(t)).max() for tol in tolerances]
    assert np.polyfit(np.log(tolerances), np.log(errors), 1)[0] == pytest.approx(2.0 / 3.0, abs=0.1)


def test_estimate_is_the_error_of_one_step(circle):
    """Of the formula with exact past states: 0.1 dt³ y‴ at equal steps."""
    tol = 1e-6
    solution = integrate(circle, [1.0, 0.0], [0.0, 20.0], "park", 0.0, tol, dense=True)
    dt = np.diff(solution.dense.breakpoints)[-30:-2]
    assert np.ptp(dt) < 1e-12
    assert 0.4 < 0.1 * dt[0] ** 3 * math.sqrt(0.5) / tol < 1.0


def test_pieces_and_grids_do_not_matter():
    problem = textbook_problem(top, 8, [0], n_q=4, n_v=3, rates=top_rates, tangents=top_tangents)
    t, solutions = np.linspace(0.0, 6.0, 41), []
    for piece in (1, 7, 100, 10**9):
        run = Run(problem, TOP_START, t, integrator_named("park"), Settings(1e-4, 1e-4, dense=True))
        while not run.done:
            run.advance(piece)
        solutions.append(run.solution())
    between = np.linspace(0.0, 6.0, 333)
    for solution in solutions[1:]:
        assert np.array_equal(solution.y, solutions[0].y)
        assert np.array_equal(solution(between), solutions[0](between))
        assert solution.stats == solutions[0].stats
    coarse = integrate(problem, TOP_START, [0.0, 6.0], "park", 1e-4, 1e-4)
    assert np.array_equal(coarse.y[-1], solutions[0].y[-1])


def test_dense_output_and_its_slope_are_continuous():
    solution = integrate(textbook_problem(pursuit, 2), [0.0, 1.0], np.linspace(0.0, 9.0, 1001), "park", 1e-5, 1e-5, dense=True)
    assert np.abs(solution(solution.t) - solution.y).max() < 2e-14
    inner = solution.dense.breakpoints[1:-1]
    left, middle, right = (solution(inner + shift) for shift in (-1e-6, 0.0, 1e-6))
    assert np.abs(left + right - 2.0 * middle).max() < 1e-10
    assert np.abs(solution.y[:, 0] - np.sin(3.0 * solution.t)).max() < 5e-3


def test_fixed_steps_need_few_factorizations(circle):
    """Two matrices: that of the first two steps, and its own."""
    t = np.linspace(0.0, 6.0, 13)
    solution = integrate(circle, [1.0, 0.0], t, "park", step=0.01, control=False)
    assert solution.stats["steps"] == 600
    assert (solution.stats["jacobians"], solution.stats["factorizations"]) == (1, 2)
    assert np.abs(solution.y[:, 0] - np.cos(t)).max() < 3e-4
