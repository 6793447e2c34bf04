"""A run that pauses at given times, exactly, and goes on: with the same state, or with another one."""

import math

import numpy as np
import pytest

from sharnir.integrate import ALL_INTEGRATORS, Run, Settings, textbook_problem

LOOSE = {1: 2e-2, 2: 1e-3}


def circle(t, y, yd):
    yd[0], yd[1] = y[1], -y[0]


def held(t, y, yd):
    yd[0], yd[1] = y[1] - y[0], 0.0


def paused_run(name, f, y0, stops, change):
    problem, settings = textbook_problem(f, 2, n_q=1, n_v=1), Settings(rtol=1e-9, atol=1e-11, step=0.005)
    if f is held:
        problem = textbook_problem(f, 2)
    run = Run(problem, y0, np.linspace(0.0, 3.0, 31), ALL_INTEGRATORS[name](), settings)
    for stop in stops:
        while not run.done or run.paused:
            run.advance(200, until=stop)
            if run.paused:
                assert run.t == stop
                break
        if change is not None:
            run.resume(change(run.t, run.state.copy()))
    run.advance(10**7)
    return run.solution()


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_pauses_change_nothing(name):
    solution = paused_run(name, circle, [0.0, 1.0], [0.1, 0.55, 1.2345, 2.0, 2.9999], None)
    assert solution.status == "finished" and len(solution.t) == 31
    error = np.abs(solution.y - np.column_stack([np.sin(solution.t), np.cos(solution.t)])).max()
    assert error < LOOSE.get(ALL_INTEGRATORS[name]().order, 1e-6)


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_a_value_that_is_held_between_stops(name):
    """ẏ = u - y with u = 1, -1, 1, … every 0.25 s."""
    stops = [0.25 * k for k in range(1, 12)]
    solution = paused_run(name, held, [0.0, 1.0], stops, lambda t, y: [y[0], -y[1]])
    y, exact = 0.0, [0.0]
    for k in range(12):
        u = 1.0 if k % 2 == 0 else -1.0
        y = u + (y - u) * math.exp(-0.25)
        exact.append(y)
    found = solution.y[[5, 10, 15, 20, 25, 30], 0]  # t = 0.5, 1, …
    assert np.abs(found - np.array(exact)[2::2]).max() < LOOSE.get(ALL_INTEGRATORS[name]().order, 1e-6)
