"""Projection onto constraints: a pendulum in Cartesian coordinates, index 3 by nature, integrated with index 1."""

from __future__ import annotations

import numpy as np
import pytest

from integrate.textbook import accumulated, hanging_point, on_circle, pendulum_points, plane_pendulum
from sharnir.errors import ModelError, SimulationError
from sharnir.integrate import ALL_INTEGRATORS, Problem, Run, Settings, integrate, integrator_named, textbook_problem

START = [1.0, 0.0]  # angle and speed


@pytest.fixture(scope="module")
def pendulum():
    return textbook_problem(hanging_point, 4, n_q=2, n_v=2, projection=on_circle)


@pytest.fixture(scope="module")
def exact():
    problem = textbook_problem(plane_pendulum, 2)
    return lambda t: pendulum_points(integrate(problem, START, t, "dop853", 1e-13, 1e-13).y)


def residuals(y):
    """Largest |r - 1| and largest speed across the circle."""
    r = np.hypot(y[:, 0], y[:, 1])
    return np.abs(r - 1.0).max(), np.abs(y[:, 0] * y[:, 2] + y[:, 1] * y[:, 3]).max()


def options(name):
    return {} if ALL_INTEGRATORS[name].adaptive else {"step": 0.002}


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_constraints_hold_at_every_output(pendulum, exact, name):
    t = np.linspace(0.0, 10.0, 333)
    solution = integrate(pendulum, pendulum_points(np.array(START)), t, name, 1e-6, 1e-6, dense=True, **options(name))
    assert solution.success
    assert max(residuals(solution.y)) < 2e-15
    assert max(residuals(solution(np.linspace(0.0, 10.0, 57)))) < 2e-15
    assert np.abs(solution(t) - solution.y).max() < 1e-13
    assert np.abs(solution.y - exact(t)).max() < max(2e-3, 150 * accumulated(name, 1e-6))
    stats = solution.stats
    assert 0.0 < stats["position_residual"] < 1e-3
    assert 0.0 < stats["speed_residual"] < 1e-2
    assert stats["corrections"] <= stats["steps"]
    # an implicit integrator whose drift stays far below the tolerance corrects only outputs
    assert stats["corrections"] > 0 or max(stats["position_residual"], stats["speed_residual"]) < 1e-6


@pytest.mark.parametrize("name", ["rkf45", "dopri5", "dop853", "abm"])
def test_without_projection_the_constraint_drifts(pendulum, name):
    """What the projection is for: the same run without it leaves the circle by far more than rounding."""
    free = textbook_problem(hanging_point, 4)
    t = np.linspace(0.0, 10.0, 11)
    start = pendulum_points(np.array(START))
    assert max(residuals(integrate(free, start, t, name, 1e-5, 1e-5).y)) > 1e-6
    assert "position_residual" not in integrate(free, start, t, name, 1e-5, 1e-5).stats


LONGEST = [("rk4", 4, 0.02), ("rkf45", 5, 0.05), ("dopri5", 5, 0.05), ("dop853", 8, 0.12), ("abm", 4, 0.02), ("radau5", 5, 0.1)]
LONGEST += [("bdf", 1, 0.002), ("bdf", 2, 0.005), ("bdf", 3, 0.01), ("bdf", 4, 0.01), ("bdf", 5, 0.01), ("park", 2, 0.005)]


@pytest.mark.parametrize(("name", "order", "longest"), LONGEST)
def test_order_is_kept(pendulum, exact, name, order, longest):
    """Constant steps, error at the end."""
    end = exact([0.0, 3.0])[-1]
    lengths, errors = [], []
    for dt in longest * 0.8 ** np.arange(5):
        y0 = pendulum_points(np.array(START))
        solution = integrate(pendulum, y0, [0.0, 3.0], name, 1e-13, 1e-13, step=dt, control=False, order=order)
        lengths.append(solution.stats["largest_step"])
        errors.append(np.abs(solution.y[-1] - end).max())
    assert np.polyfit(np.log(lengths), np.log(errors), 1)[0] > order - 0.25


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_pieces_do_not_matter(pendulum, name):
    t, y0 = np.linspace(0.0, 3.0, 17), pendulum_points(np.array(START))
    solutions = []
    for piece in (1, 13, 10**9):
        settings = Settings(1e-6, 1e-6, dense=True, **options(name))
        run = Run(pendulum, y0, t, integrator_named(name), settings)
        while not run.done:
            run.advance(piece)
        solutions.append(run.solution())
    for solution in solutions[1:]:
        assert np.array_equal(solution.y, solutions[0].y)
        assert solution.stats == solutions[0].stats


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_start_is_brought_onto_the_constraints(pendulum, name):
    solution = integrate(pendulum, [0.0, -2.0, 0.3, 0.4], [0.0, 0.1], name, 1e-6, 1e-6, **options(name))
    assert solution.y[0].tolist() == [0.0, -1.0, 0.3, 0.0]
    only = integrate(pendulum, [0.0, -2.0, 0.3, 0.4], [0.0], name)
    assert only.y[0].tolist() == [0.0, -1.0, 0.3, 0.0]


def gives_up(t, y, report):
    """A projection that finds no state on the constraints after t = 1.2."""
    report[0] = 0.125
    report[1] = 0.25
    report[2] = 0.0
    report[3] = 1.0 if t > 1.2 else 0.0


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_failed_correction(name):
    problem = textbook_problem(plane_pendulum, 2, projection=gives_up)
    late = integrate(problem, START, np.linspace(0.0, 2.0, 5), name, 1e-6, 1e-6, dense=True, **options(name))
    assert late.status == "constraints not satisfied"
    assert "the state after t = 1.1" in late.message or "the state after t = 1.2" in late.message
    assert "0.125 of positions, 0.25 of speeds" in late.message
    assert late.t.tolist() == [0.0, 0.5, 1.0]
    early = integrate(problem, START, [1.5, 2.0], name, **options(name))
    assert early.status == "constraints not satisfied"
    assert "the initial state at t = 1.5" in early.message


def test_failed_correction_between_steps():
    """A dense output that cannot be projected says so when it is asked."""

    def picky(t, y, report):
        report[2] = 0.0
        report[3] = 1.0 if t == 0.25 else 0.0

    solution = integrate(textbook_problem(plane_pendulum, 2, projection=picky), START, [0.0, 1.0], dense=True)
    assert solution.success
    assert solution(0.26).shape == (2,)
    with pytest.raises(SimulationError, match=r"t = 0\.25"):
        solution(0.25)


@pytest.mark.parametrize("name", ["dopri5", "dop853", "abm"])
def test_cost_of_tiny_corrections(pendulum, name):
    """Evaluations are as many as without constraints where the correction is far below the tolerance."""
    y0, free = pendulum_points(np.array(START)), textbook_problem(hanging_point, 4)
    scale = {"atol": [1e3] * 4, "rtol": 0.0, "max_step": 0.01}
    kept, left = (integrate(problem, y0, [0.0, 1.0], name, **scale).stats for problem in (pendulum, free))
    assert kept["evaluations"] == left["evaluations"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"n_q": 4, "n_v": 3}, "must fit into a state of n = 6"),
        ({"n_q": -1, "n_v": -1}, "must fit"),
        ({"n_q": 3, "n_v": 2}, "n_q = 3 must equal n_v = 2"),
        ({"n_q": 3, "n_v": 2, "rates": 1}, "belong together"),
        ({"projection": 1, "lanes": 8}, "lanes = 8 must be 1"),
    ],
)
def test_wrong_parts(change, words):
    with pytest.raises(ModelError, match=words):
        Problem(**({"derivative": 0, "n": 6} | change))


def test_other_work_keeps_the_parts(pendulum):
    copy = pendulum.with_work(np.zeros(3))
    assert (copy.n_q, copy.n_v, copy.projection, copy.work.size) == (2, 2, pendulum.projection, 3)
