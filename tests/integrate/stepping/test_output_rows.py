"""Output on the grid, dense output, and pieces: what is written does not depend on how the run was cut."""

from __future__ import annotations

import math

import numpy as np
import pytest

from integrate.textbook import accumulated, growth, oscillator
from sharnir.errors import ModelError
from sharnir.integrate import ALL_INTEGRATORS, Run, Settings, integrate, integrator_named, textbook_problem

CASES = [("rk4", None), ("rkf45", None), ("dopri5", None), ("dop853", None), ("abm", 1), ("abm", 5), ("abm", 12)]


@pytest.fixture(scope="module")
def circle():
    return textbook_problem(oscillator, 2)


@pytest.fixture(scope="module")
def forced():
    return textbook_problem(growth, 1)


def options(name):
    return {"step": 0.01} if name == "rk4" else {}


@pytest.mark.parametrize(("name", "order"), CASES)
def test_irregular_grid(forced, name, order):
    rng = np.random.default_rng(1)
    t = np.concatenate(([0.5], np.sort(rng.uniform(0.5, 7.0, 200)), [7.0]))
    rtol = 1e-4 if order == 1 else 1e-9
    solution = integrate(forced, [math.exp(math.sin(0.5))], t, name, rtol, rtol, order=order, **options(name))
    assert np.array_equal(solution.t, t)
    assert np.abs(solution.y[:, 0] - np.exp(np.sin(t))).max() < (1000 if order == 1 else 100) * rtol


@pytest.mark.parametrize(("name", "order"), CASES[1:])
def test_grid_does_not_change_controlled_steps(circle, name, order):
    rtol = 1e-4 if order == 1 else 1e-8
    runs = [integrate(circle, [1.0, 0.0], np.linspace(0.0, 9.0, k), name, rtol, rtol, order=order) for k in (2, 4, 1001)]
    assert len({run.stats["steps"] for run in runs}) == 1
    assert all(np.array_equal(run.y[-1], runs[0].y[-1]) for run in runs)


def test_fixed_steps_hit_the_grid(circle):
    t = np.array([0.0, 0.25, 0.3, 1.0, 1.05])
    solution = integrate(circle, [1.0, 0.0], t, "rk4", step=0.1, dense=True)
    ends = solution.dense.breakpoints
    assert solution.stats["steps"] == 3 + 1 + 7 + 1
    assert solution.stats["evaluations"] == 1 + 4 * 12 + 12  # one more a step for its polynomial
    assert set(t) <= set(ends)
    assert np.diff(ends)[:3] == pytest.approx([0.25 / 3] * 3, rel=1e-14)
    assert integrate(circle, [1.0, 0.0], t, "rk4").stats["steps"] == 4  # no step given: one per interval


@pytest.mark.parametrize("name", ["dopri5", "dop853", "abm"])
def test_constant_steps_of_adaptive_integrators_hit_the_grid(circle, name):
    t = np.linspace(0.0, 2.0, 5)
    solution = integrate(circle, [1.0, 0.0], t, name, 1e-12, 1e-12, step=0.03, control=False, dense=True)
    assert set(t[2:]) <= set(solution.dense.breakpoints)
    assert np.abs(solution.y[:, 0] - np.cos(t)).max() < 1e-8
    assert np.diff(solution.dense.breakpoints)[-17:] == pytest.approx([0.5 / 17] * 17, rel=1e-12)


@pytest.mark.parametrize(("name", "order"), CASES)
def test_pieces_do_not_matter(circle, name, order):
    t = np.linspace(0.0, 6.0, 41)
    rtol = 1e-4 if order == 1 else 1e-9
    settings = Settings(rtol, rtol, dense=True, step=0.01 if name == "rk4" else None)
    solutions = []
    for piece in (1, 7, 100, 10**9):
        run = Run(circle, [1.0, 0.0], t, integrator_named(name, order), settings)
        while not run.done:
            run.advance(piece)
        solutions.append(run.solution())
    between = np.linspace(0.0, 6.0, 333)
    for solution in solutions[1:]:
        assert np.array_equal(solution.y, solutions[0].y)
        assert np.array_equal(solution(between), solutions[0](between))
        assert solution.stats == solutions[0].stats


@pytest.mark.parametrize(("name", "order"), CASES)
def test_dense_output_agrees_with_grid(circle, name, order):
    t = np.linspace(0.0, 30.0, 777)
    rtol = 1e-3 if order == 1 else 1e-9
    solution = integrate(circle, [1.0, 0.0], t, name, rtol, rtol, order=order, dense=True, **options(name))
    assert solution.stats["steps"] > 8  # more than one block of records
    assert np.abs(solution(t) - solution.y).max() < 2e-14
    assert solution(1.5).shape == (2,)
    assert solution(np.zeros((2, 3))).shape == (2, 3, 2)
    with pytest.raises(ModelError, match="within 0 … 30"):
        solution(31.0)


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_single_time_and_time_far_from_zero(circle, name):
    only = integrate(circle, [1.0, 0.0], [3.0], name)
    assert only.success
    assert only.y.tolist() == [[1.0, 0.0]]
    t = 1e6 + np.linspace(0.0, 5.0, 11)
    late = integrate(circle, [1.0, 0.0], t, name, **options(name))
    assert late.t[-1] == t[-1]
    assert np.abs(late.y[:, 0] - np.cos(t - 1e6)).max() < 100 * accumulated(name, 1e-8)


def test_progress_is_reported(circle):
    seen = []
    solution = integrate(circle, [1.0, 0.0], [0.0, 3000.0], "rk4", step=0.001, progress=seen.append)
    assert solution.success
    assert len(seen) > 2
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize("name", ["dopri5", "radau5", "abm"])
def test_dense_output_with_room_for_one_step_at_a_time(name, monkeypatch):
    """As a state of millions of numbers would have it: the memory for polynomials is emptied after every step."""
    problem, t = textbook_problem(oscillator, 2), np.linspace(0.0, 6.0, 50)
    usual = integrate(problem, [1.0, 0.0], [0.0, 6.0], name, 1e-6, 1e-6, dense=True)
    monkeypatch.setattr("sharnir.integrate.run.BLOCK_FLOATS", 1)
    tight = integrate(problem, [1.0, 0.0], [0.0, 6.0], name, 1e-6, 1e-6, dense=True)
    assert tight(t).tolist() == usual(t).tolist()
    assert tight(t)[:, 0] == pytest.approx(np.cos(t), abs=1e-3)
