"""Quaternions stay on the sphere, and eight problems side by side give what each gives alone."""

from __future__ import annotations

import numpy as np
import pytest

from integrate.textbook import accumulated, spinning, spinning_quaternion
from sharnir.integrate import ALL_INTEGRATORS, Problem, integrate, textbook_problem
from sharnir.kernel import LANES, Pointer, doubles, ints
from sharnir.kernel.signatures import DERIVATIVE

START = [0.0, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_constant_angular_velocity(name):
    problem = textbook_problem(spinning, 5, quaternions=[1])
    t = np.linspace(0.0, 20.0, 301)
    step = 0.005 if name == "rk4" else None
    solution = integrate(problem, START, t, name, 1e-9, 1e-9, step=step, dense=True)
    assert np.abs(np.linalg.norm(solution.y[:, 1:], axis=1) - 1.0).max() < 5e-16
    assert np.abs(np.linalg.norm(solution(t)[:, 1:], axis=1) - 1.0).max() < 5e-16
    assert np.abs(solution.y[:, 1:] - spinning_quaternion(t)).max() < 300 * accumulated(name, 1e-9)
    assert np.abs(solution.y[:, 0] - t).max() < 1e-11


def test_restoring_keeps_the_order():
    """With the quaternion put back after every step the error is not larger than without."""
    t = [0.0, 20.0]
    errors = {}
    for kept in ((), (1,)):
        problem = textbook_problem(spinning, 5, quaternions=kept)
        errors[kept] = [
            np.abs(integrate(problem, START, t, "dopri5", step=dt, control=False).y[-1, 1:] - spinning_quaternion(20.0)).max()
            for dt in (0.2, 0.1)
        ]
    assert errors[(1,)][0] < 1.2 * errors[()][0]
    assert np.log2(errors[(1,)][0] / errors[(1,)][1]) > 4.7


def test_start_is_put_on_the_sphere():
    problem = textbook_problem(spinning, 5, quaternions=[1])
    solution = integrate(problem, [0.0, 2.0, 0.0, 0.0, 0.0], [0.0, 1.0])
    assert solution.y[0].tolist() == START


def cubic(t, y, yd):
    """Duffing oscillator with a quaternion that turns at the rate y[0] about x, in vector registers or floats."""
    yd[0] = y[1]
    yd[1] = -y[0] - y[0] * y[0] * y[0] + 0.1 * t
    yd[2] = -0.5 * y[3] * y[0]
    yd[3] = 0.5 * y[2] * y[0]
    yd[4] = 0.5 * y[5] * y[0]
    yd[5] = -0.5 * y[4] * y[0]


def lane_starts():
    rng = np.random.default_rng(2)
    y0 = rng.uniform(-1.0, 1.0, (6, LANES))
    y0[2:] /= np.linalg.norm(y0[2:], axis=0)
    return y0


@pytest.mark.parametrize("name", ["rk4", "dopri5", "dop853", "abm"])
def test_lanes_give_what_each_gives_alone(name):
    """With constant steps, because a controlled step is common to all lanes."""
    side_by_side, alone = (textbook_problem(cubic, 6, quaternions=[2], lanes=k) for k in (LANES, 1))
    t, y0 = np.linspace(0.0, 3.0, 7), lane_starts()
    options = {"integrator": name, "step": 0.02, "control": False, "rtol": 1e-9, "atol": 1e-9, "dense": True}
    if name == "abm":
        options["order"] = 2  # its start-up for higher orders is controlled
    batch = integrate(side_by_side, y0, t, **options)
    assert batch.y.shape == (7, 6, LANES)
    assert batch(1.234).shape == (6, LANES)
    assert np.abs(np.linalg.norm(batch.y[:, 2:], axis=1) - 1.0).max() < 5e-16
    for k in range(LANES):
        single = integrate(alone, y0[:, k], t, **options)
        assert np.abs(batch.y[:, :, k] - single.y).max() < 1e-13
        assert np.abs(batch(1.234)[:, k] - single(1.234)).max() < 1e-13


def test_lanes_with_step_control():
    problem = textbook_problem(cubic, 6, quaternions=[2], lanes=LANES)
    y0 = lane_starts()
    coarse = integrate(problem, y0, [0.0, 5.0], "dopri5", 1e-9, 1e-9)
    fine = integrate(problem, y0, [0.0, 5.0], "dop853", 1e-13, 1e-13)
    assert np.abs(coarse.y[-1] - fine.y[-1]).max() < 1e-7


def test_tables_and_parameters_reach_the_derivative():
    """ydot_i = -params[table[i]] * y_i, and work counts the calls."""

    def derivative(t, y, yd, table, params, work):
        state, rate, which, rates, calls = doubles(y), doubles(yd), ints(table), doubles(params), doubles(work)
        for i in range(3):
            rate[i] = -rates[which[i]] * state[i]
        calls[0] = calls[0] + 1.0

    work = np.zeros(1)
    problem = Problem(Pointer(derivative, DERIVATIVE, False), 3, np.array([1, 0, 1]), np.array([0.5, 2.0]), work)
    solution = integrate(problem, [1.0, 1.0, 2.0], [0.0, 1.0], "dop853", 1e-12, 1e-12)
    assert solution.y[-1] == pytest.approx([np.exp(-2.0), np.exp(-0.5), 2 * np.exp(-2.0)], abs=1e-11)
    assert work[0] == solution.stats["evaluations"]
    other = problem.with_work(np.zeros(1))
    assert integrate(other, [1.0, 1.0, 2.0], [0.0, 1.0], "dop853", 1e-12, 1e-12).y.tolist() == solution.y.tolist()
    assert work[0] == other.work[0]


@pytest.mark.parametrize("n", [1, 7, 8, 9, 100])
def test_sizes_that_do_not_fill_registers(n):
    def decay(t, y, yd):
        for i in range(n):
            yd[i] = -(i + 1.0) / n * y[i]

    problem = textbook_problem(decay, n)
    exact = np.exp(-(np.arange(n) + 1.0) / n)
    for name in ALL_INTEGRATORS:
        solution = integrate(
            problem, np.ones(n), [0.0, 0.5, 1.0], name, 1e-9, 1e-9, step=0.01 if name == "rk4" else None, dense=True
        )
        assert np.abs(solution.y[-1] - exact).max() < 100 * accumulated(name, 1e-9)
        assert np.abs(solution(1.0) - exact).max() < 100 * accumulated(name, 1e-9)
