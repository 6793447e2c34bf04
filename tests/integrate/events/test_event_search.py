"""Events: zeros of functions of the state, found on the dense output, by every integrator."""

import math

import numpy as np
import pytest

from integrate.textbook import hanging_point, on_circle
from sharnir.errors import ModelError
from sharnir.integrate import ALL_INTEGRATORS, Run, Settings, integrate, textbook_problem


def fall(t, y, yd):
    yd[0], yd[1] = y[1], -10.0


def height(t, y, g):
    g[0] = y[0]


def circle(t, y, yd):
    yd[0], yd[1] = y[1], -y[0]


def both(t, y, g):
    g[0], g[1] = y[0], y[1]


def clock(t, y, yd):
    yd[0] = 1.0


def bounced(integrator, settings, rebound=0.8, t_end=3.4):
    """Times of impact of a ball from 5 m, with the restitution applied between the pieces of the run."""
    ball = textbook_problem(fall, 2, n_q=1, n_v=1, events=height, directions=(-1,))
    run = Run(ball, [5.0, 0.0], np.linspace(0.0, t_end, 35), integrator, settings)
    times = []
    for _ in range(1000):
        run.advance(10**7)
        if run.solution().status != "event":
            break
        assert run.fired == (0,)
        times.append(run.t)
        run.resume([run.state[0], -rebound * run.state[1]])
    return times, run.solution()


@pytest.mark.parametrize("name", ALL_INTEGRATORS)
def test_impacts_of_a_ball(name):
    times, solution = bounced(ALL_INTEGRATORS[name](), Settings(rtol=1e-8, atol=1e-10, step=0.01))
    exact = np.cumsum([1.0, *(2.0 * 0.8**k for k in range(1, 3))])[: len(times)]
    assert len(times) == 2 and solution.status == "finished"
    # fixed steps and methods of low order are as exact as they are
    assert np.abs(times - exact[:2]).max() < {1: 1e-3, 2: 1e-4}.get(ALL_INTEGRATORS[name]().order, 1e-7)
    speeds = [10.0 * 1.0, 8.0]
    late = solution.t > exact[1]
    tau = solution.t[late] - exact[1]
    assert np.abs(solution.y[late, 0] - (0.8 * speeds[1] * tau - 5.0 * tau**2)).max() < 2e-3


def test_outputs_do_not_depend_on_events():
    _, solution = bounced(ALL_INTEGRATORS["dopri5"](), Settings(rtol=1e-10, atol=1e-12))
    assert np.array_equal(solution.t, np.linspace(0.0, 3.4, 35))
    first = solution.t < 1.0
    assert np.abs(solution.y[first, 0] - (5.0 - 5.0 * solution.t[first] ** 2)).max() < 1e-9


@pytest.mark.parametrize("name", ["dopri5", "dop853", "radau5", "bdf", "abm", "generalized-alpha", "park"])
def test_passing_events_are_noted_and_change_nothing(name):
    plain = integrate(textbook_problem(circle, 2), [1.0, 0.0], np.linspace(0, 20, 41), name, rtol=1e-7, atol=1e-9)
    watched = textbook_problem(circle, 2, events=both, directions=(0, 1), passing=(True, True))
    solution = integrate(watched, [1.0, 0.0], np.linspace(0, 20, 41), name, rtol=1e-7, atol=1e-9)
    assert np.array_equal(plain.y, solution.y) and solution.stats["steps"] == plain.stats["steps"]
    cosine = [t for t, i in solution.passed if i == 0]
    sine = [t for t, i in solution.passed if i == 1]
    assert np.abs(np.array(cosine) - (0.5 + np.arange(len(cosine))) * math.pi).max() < 2e-4 and len(cosine) == 6
    assert np.abs(np.array(sine) - math.pi * (1 + 2 * np.arange(3))).max() < 2e-4  # y = -sin t rises at π, 3π, 5π


def test_directions():
    rising = textbook_problem(circle, 2, events=height, directions=(1,))
    falling = textbook_problem(circle, 2, events=height, directions=(-1,))
    assert abs(integrate(rising, [1.0, 0.0], [0.0, 20.0]).stats["t_reached"] - 1.5 * math.pi) < 1e-7
    assert abs(integrate(falling, [1.0, 0.0], [0.0, 20.0]).stats["t_reached"] - 0.5 * math.pi) < 1e-7


@pytest.mark.parametrize("width", [0.3, 0.1, 0.01, 1e-3])
def test_a_crossing_there_and_back_within_one_step(width):
    def dips(t, y, g):
        g[0] = (y[0] - 4.0) ** 2 - 0.25 * width * width
        g[1] = (y[0] - 4.0) ** 2 + 1e-9

    watched = textbook_problem(clock, 1, events=dips, directions=(0, 0), passing=(True, True))
    solution = integrate(watched, [0.0], [0.0, 10.0], rtol=1e-6)
    assert solution.stats["steps"] < 12  # steps are longer than the dip
    assert [i for _, i in solution.passed] == [0, 0]
    assert np.allclose([t for t, _ in solution.passed], [4.0 - 0.5 * width, 4.0 + 0.5 * width], atol=1e-10)


def test_simultaneous_events_fire_together_in_order():
    def levels(t, y, g):
        g[0], g[1], g[2] = y[0] - 2.0, 2.0 - y[0], y[0] - 3.0

    watched = textbook_problem(clock, 1, events=levels, directions=(1, 0, 1))
    solution = integrate(watched, [0.0], [0.0, 10.0])
    assert solution.fired == (0, 1) and abs(solution.stats["t_reached"] - 2.0) < 1e-12


def test_an_event_at_the_start_is_none():
    ball = textbook_problem(fall, 2, events=height, directions=(0,))
    solution = integrate(ball, [0.0, 10.0], [0.0, 5.0])
    assert abs(solution.stats["t_reached"] - 2.0) < 1e-9


def test_a_function_that_has_fired_waits_until_it_has_left_zero():
    ball = textbook_problem(fall, 2, events=height, directions=(0,))
    run = Run(ball, [5.0, 0.0], [0.0, 10.0], ALL_INTEGRATORS["dopri5"]())
    times = []
    for _ in range(5):
        run.advance(10**6)
        times.append(run.t)
        run.resume([run.state[0], -run.state[1]])
    assert np.allclose(times, [1.0, 3.0, 5.0, 7.0, 9.0], atol=1e-7)


def test_the_same_in_pieces():
    def times(piece):
        ball = textbook_problem(fall, 2, events=height, directions=(-1,))
        run, found = Run(ball, [5.0, 0.0], [0.0, 9.5], ALL_INTEGRATORS["dopri5"]()), []
        while len(found) < 5:
            run.advance(piece)
            if run.fired:
                found.append(run.t)
                run.resume([run.state[0], -run.state[1]])
        return found

    assert times(1) == times(10**6)


@pytest.mark.parametrize("name", ["ida", "cvode"])
def test_sundials_refuses_events(name):
    pytest.importorskip("sksundae")
    ball = textbook_problem(fall, 2, events=height, directions=(-1,))
    with pytest.raises(ModelError, match="does not support events; use 'bdf' or 'radau5'"):
        integrate(ball, [5.0, 0.0], [0.0, 1.0], name)


@pytest.mark.parametrize("gap", [1e-4, 1e-5, 1e-6])
def test_an_event_right_behind_another(gap):
    """The first function stays at zero, as that of a joint which a latch holds; the second is found as exactly as the first."""

    def still(t, y, yd):
        yd[0] = 1.0

    def lines(t, y, g):
        g[0], g[1] = y[0] - 1.0 if y[0] < 1.0 else 0.0, y[0] - 1.0 - gap

    problem = textbook_problem(still, 1, events=lines, directions=(1, 1))
    run = Run(problem, [0.0], [0.0, 3.0], ALL_INTEGRATORS["dopri5"]())
    times = []
    while not run.done or run.fired:
        run.advance(10**6)
        if run.fired:
            times.append((run.t, run.fired))
            run.resume(run.state.copy())
    assert [fired for _, fired in times] == [(0,), (1,)]
    assert times[0][0] == pytest.approx(1.0, abs=1e-8)  # a corner is no place for secants
    assert times[1][0] == pytest.approx(1.0 + gap, abs=1e-14)


def below(t, y, values):
    values[0] = y[1] + 0.5


@pytest.mark.parametrize("name", ["dopri5", "radau5"])
def test_the_state_at_an_event_that_ends_the_run_satisfies_the_constraints(name):
    """A pendulum as a point on a circle, with coarse steps: between its ends a step leaves the circle by far."""
    problem = textbook_problem(hanging_point, 4, projection=on_circle, events=below, directions=[0])
    solution = integrate(problem, [1.0, 0.0, 0.0, 0.0], [0.0, 5.0], name, 1e-3, 1e-3)
    x, y, vx, vy = solution.end
    assert solution.status == "event" and y == pytest.approx(-0.5, abs=1e-3)
    assert math.hypot(x, y) == pytest.approx(1.0, abs=1e-14)
    assert x * vx + y * vy == pytest.approx(0.0, abs=1e-13)
