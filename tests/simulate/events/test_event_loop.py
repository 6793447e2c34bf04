"""The state of a run with events, looked at between two steps: what actions have done, values of signals, events that wait."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.simulate.events.event_run import started_loop
from sharnir.simulate.events.state_effects import read, value
from sharnir.simulate.events.waiting_events import OFF

SETTINGS = {"integrator": "dop853", "rtol": 1e-8, "atol": 1e-10}
LATE = sr.Event("late", at=9.0, actions=sr.SetSpeed("x", "momentum"))


def loop_of(model):
    """A run with events at its beginning, whose structure does not change."""
    return started_loop(model.compile(), np.linspace(0.0, 1.0, 3), SETTINGS, compile_changed=None)


def cart(*events):
    """3 kg at x = 0.5 m with 2 m/s, which nothing but events accelerates."""
    m = sr.Model("cart", gravity=(0, 0, 0))
    m.add(sr.Body("car", mass=3), sr.Prismatic("x", "ground", "car", axis="x", q=0.5, v=2.0))
    m.add(sr.Signal("momentum", "3*x.v + t"), *events)
    return m


@pytest.mark.parametrize(("speed", "work"), [(4.0, 18.0), (1.0, -4.5), (2.0, 0.0)])
def test_work_of_an_action_is_the_energy_that_it_has_changed(speed, work):
    loop = loop_of(cart(LATE))
    loop.y[-1] = speed
    assert loop.work_done() == pytest.approx(work, abs=1e-12)  # 1.5 (v² - 4)


def test_work_of_an_action_is_not_asked_for_where_no_power_is_integrated():
    loop = loop_of(cart())
    assert loop.run.problem.balance is None
    loop.y[-1] = 4.0
    assert loop.work_done() == 0.0


def test_a_signal_is_read_at_the_state_and_the_moment():
    loop = loop_of(cart(LATE))
    given = loop.system, loop.t, loop.y, "momentum"
    assert read(*given) == pytest.approx(6.0)
    loop.y[-1] = -1.0
    given = loop.system, 0.25, loop.y, "momentum"
    assert read(*given) == pytest.approx(-2.75)
    assert value(*given, "a formula") == read(*given) and value(*given, 5.0) == 5.0


def test_events_that_would_change_nothing_wait_from_the_beginning_on():
    m = sr.Model("pendulum")
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1), position=(0, 0, -1)), sr.Distance("rope", "ground", "ball"))
    m.add(sr.Event("slack", "rope.force > 0", sr.Release("rope")), sr.Event("tight", "ball.z < -1", sr.Join("rope")))
    loop = loop_of(m)
    assert [loop.run.events.direction(i) == OFF for i in range(2)] == [False, True]
    assert loop.original is m and [event.name for event in loop.events] == ["slack", "tight"]
