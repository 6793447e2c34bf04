"""Runs with events: impacts, changed parameters, stops, times; against closed forms."""

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import FormulaError, ModelError, SimulationError
from sharnir.model.files.model_file import run_from_text, text_of

FORMULATIONS = ("joint", "absolute")
G = 9.81


def ball(height=5.0, speed=0.0, restitution=0.8):
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, height), velocity=(1, 0, speed)))
    m.add(sr.Event("hit", "ball.z < 0", sr.Rebound(sr.PointCoordinate("ball", axis="z"), restitution)))
    return m


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_impact_times_of_a_bouncing_ball(formulation):
    m = ball()
    m.add(sr.Event("top", "ball.z_dot", direction="falling"))
    r = m.simulate(7.0, output=0.05, formulation=formulation)
    first = math.sqrt(2 * 5.0 / G)
    exact = first + np.concatenate([[0.0], np.cumsum(2 * first * 0.8 ** np.arange(1, 7))])
    hits = [e["t"] for e in r.events if e["name"] == "hit"]
    assert np.abs(np.array(hits) - exact[: len(hits)]).max() < 1e-10 and len(hits) == 7
    tops = np.array([e["t"] for e in r.events if e["name"] == "top"])
    assert np.abs(tops - 0.5 * (exact[:-1] + exact[1:])[: len(tops)]).max() < 1e-9
    for event in (e for e in r.events if e["name"] == "hit"):
        kinetic = event["energy_before"] - 0.5  # that of the flight to the side
        assert abs(event["energy_after"] - 0.5 - 0.64 * kinetic) < 1e-9
    assert np.abs(r["ball.position"][:, 0] - r.t).max() < 1e-12  # an impulse upward changes nothing sideways
    assert r["ball.position"][:, 2].min() > -1e-12


def test_momentum_and_energy_of_two_that_collide():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1), velocity=(2, 0, 0)))
    m.add(sr.Body("b", mass=3, inertia=(1, 1, 1), position=(1, 0.0, 0), velocity=(-1, 0, 0)))
    gap = sr.PointCoordinate("b", axis="x", relative_to="a")
    m.add(sr.Event("clash", "x < 0.2", sr.Rebound(gap, 1.0), variables={"x": gap}))
    r = m.simulate(1.0, output=0.01)
    assert [e["name"] for e in r.events] == ["clash"] and abs(r.events[0]["t"] - 0.8 / 3) < 1e-9
    assert abs(r.events[0]["energy_before"] - r.events[0]["energy_after"]) < 1e-9
    assert np.abs(np.diff(r["system.momentum"], axis=0)).max() < 1e-9
    assert abs(r["a.velocity"][-1, 0] - (2 * (1 - 3) + 2 * 3 * (-1)) / 4) < 1e-6  # textbook, along the line of centres


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_an_impact_within_a_loop_keeps_the_loop(formulation):
    m = sr.Model("parallelogram")
    for name, x, z in (("a", 0, -0.5), ("b", 1, -1), ("c", 2, -0.5)):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), position=(x, 0, z)))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y", v=2.0), sr.Revolute("B", "a", "b", at=(0, 0, -1), axis="y"))
    m.add(sr.Revolute("C", "b", "c", at=(2, 0, -1), axis="y"), sr.Revolute("D", "ground", "c", at=(2, 0, 0), axis="y"))
    m.add(sr.Event("stop", "A.q > 0.3", sr.Rebound("A", 0.5), direction="rising"))
    r = m.simulate(1.0, output=0.01, tolerance=1e-9, formulation=formulation)
    event = r.events[0]
    potential = 3.0 * 0 + G * (0.5 + 1.0 + 0.5) * (-math.cos(0.3))
    before, after = event["energy_before"], event["energy_after"]
    drawing = r["energy.potential"][0] - G * (0.5 + 1.0 + 0.5) * (-1.0)
    assert abs((after - drawing - potential) - 0.25 * (before - drawing - potential)) < 1e-8  # T is quadratic in the speed
    assert r.stats["position_residual"] < 1e-9


def test_parameters_that_change():
    m = sr.Model("cart", gravity=(0, 0, 0), parameters={"F": 1.0, "gain": 1.0})
    m.add(sr.Body("car", mass=2, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "car", axis="x"))
    m.add(sr.Signal("now", "gain*F"), sr.Force("push", "car", ("F", 0, 0)))
    m.add(sr.Event("off", at=1.0, actions=sr.SetParameter("F", 0.0)))
    m.add(sr.Event("back", at=2.0, actions=(sr.SetParameter("F", "-2*rail.v"), sr.SetParameter("gain", "gain + 1"))))
    r = m.simulate(4.0, output=0.125, tolerance=1e-10)
    t = r.t
    exact = np.where(t < 1, t / 2, 0.5) + np.where(t > 2, -0.5 * (t - 2), 0.0)
    assert np.abs(r["rail.v"] - exact).max() < 1e-9
    assert np.abs(r["now"] - np.where(t <= 1, 1.0, np.where(t <= 2, 0.0, -2.0))).max() < 1e-9
    assert np.abs(r["rail.a"] - np.where(t <= 1, 0.5, np.where(t <= 2, 0.0, -0.5))).max() < 1e-9


def test_stop_times_enable_and_periods():
    m = sr.Model("clock", gravity=(0, 0, 0), parameters={"ticks": 0.0})
    m.add(sr.Body("hand", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "hand", axis="z", v=1.0))
    m.add(sr.Signal("count", "ticks"))
    m.add(sr.Event("tick", every=0.5, actions=sr.SetParameter("ticks", "ticks + 1")))
    m.add(sr.Event("second", "O.q > 2", (sr.Enable("late"), sr.Disable("tick"))))
    m.add(sr.Event("late", "sin(20*O.q)", sr.SetSpeed("O", "O.v + 0.25"), direction="rising", enabled=False, times=2))
    m.add(sr.Event("end", "O.v > 1.4", sr.Stop("fast")), sr.Event("out", "t > 3", sr.Stop("out of time")))
    r = m.simulate(10.0, output=0.01, max_step=0.1)  # steps that see the sine
    assert [e["name"] for e in r.events] == [*("tick",) * 4, "second", "late", "late", "end"]
    assert r.stats["stopped"] == "fast" and r.t[-1] <= r.events[-1]["t"]
    late = [e["t"] for e in r.events if e["name"] == "late"]
    first = math.ceil(2.0 / (0.1 * math.pi)) * 0.1 * math.pi
    assert np.allclose(late, [first, first + 0.1 * math.pi / 1.25], atol=1e-9)
    assert r["count"][-1] == 4
    assert r["O.v"][-2] == pytest.approx(1.25)
    assert r["O.v"][-1] == pytest.approx(1.5)  # at the stop itself


def test_simultaneous_events_happen_in_declared_order():
    m = sr.Model("order", gravity=(0, 0, 0), parameters={"p": 1.0})
    m.add(sr.Body("car", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "car", axis="x", v=1.0))
    m.add(sr.Signal("now", "p"))
    m.add(sr.Event("double", "rail.q > 1", sr.SetParameter("p", "2*p")))
    m.add(sr.Event("add", "t > 1", sr.SetParameter("p", "p + 3")))
    r = m.simulate(2.0, output=0.5)
    assert [e["name"] for e in r.events] == ["double", "add"] and r["now"][-1] == 5.0


def test_chattering_is_reported_with_what_was_computed():
    m = ball(height=0.1, restitution=0.3)
    with pytest.raises(SimulationError, match="event 'hit' would happen infinitely often") as caught:
        m.simulate(5.0, output=0.01)
    first = math.sqrt(0.2 / G)
    rest = first + 2 * first * 0.3 / 0.7
    assert abs(caught.value.result.events[-1]["t"] - rest) < 1e-6 and caught.value.result.t[-1] <= rest


def test_what_is_wrong_is_said():
    m = ball()
    with pytest.raises(ModelError, match="give either a condition, or a time"):
        sr.Event("e")
    with pytest.raises(ModelError, match="must not be above 1"):
        sr.Rebound("rail", 1.5)
    with pytest.raises(FormulaError, match="the formula ends too early"):
        sr.Event("e", "ball.z <")
    with pytest.raises(ModelError, match="'box' is not a body"):
        m.add(sr.Event("e", "box.z < 0"))
    m.add(sr.Event("e", "nothing < 0"))
    with pytest.raises(FormulaError, match="unknown name 'nothing'"):
        m.compile()
    driven = sr.Model()
    driven.add(sr.Body("arm", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "arm", axis="z", motion="t"))
    driven.add(sr.Body("tip", mass=1, inertia=(1, 1, 1)), sr.Revolute("P", "arm", "tip", axis="z"))
    driven.add(sr.Event("e", "t > 0.5", sr.Rebound("O")))
    with pytest.raises(SimulationError, match="no impulse can change this rate"):
        driven.simulate(1.0)


@pytest.mark.parametrize("restitution", [0.0, 0.01, 0.1])
def test_what_comes_to_rest_does_not_pass_its_stop(restitution):
    """Jumps become too small to be seen within a few of them: the run ends there with an error, not behind the floor."""
    m = sr.Model()
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1), position=(0, 0, 1)), sr.Prismatic("fall", "ground", "ball", axis="z"))
    m.add(sr.Event("floor", "fall.q < -1", sr.Rebound("fall", restitution)))
    with pytest.raises(SimulationError, match=r"came to rest|infinitely often|again and again"):
        m.simulate(3.0)


def test_the_moment_of_a_stop_is_in_the_result():
    r = cart(sr.Event("e", "rail.q > 0.25", sr.Stop("there"))).simulate(1.0, output=0.1)
    assert r.t[-1] == pytest.approx(0.25)
    assert r["rail.q"][-1] == pytest.approx(0.25)
    assert r.stats["stopped"] == "there"


def cart(*elements, parameters=None):
    m = sr.Model(gravity=(0, 0, 0), parameters=parameters or {"a": 1.0})
    m.add(sr.Body("car", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "car", axis="x", v=1.0), *elements)
    return m


def test_actions_name_what_there_is_and_can_change():
    with pytest.raises(ModelError, match="the model has no such parameter; it has: a"):
        cart(sr.Event("e", "rail.q > 1", sr.SetParameter("b", 1.0))).compile()
    with pytest.raises(ModelError, match="is not an event or signal of the model"):
        cart(sr.Event("e", "rail.q > 1", sr.Enable("f"))).compile()
    with pytest.raises(ModelError, match="'P' is not a joint of the model"):
        cart(sr.Event("e", "rail.q > 1", sr.Rebound("P")))
    arm = sr.Body("arm", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "car", "arm", axis="z", motion="a*t")
    with pytest.raises(ModelError, match="which events cannot change"):
        cart(*arm, sr.Event("e", "rail.q > 1", sr.SetParameter("a", 2.0))).compile()


def test_driven_mechanisms():
    driven = sr.Model()
    driven.add(sr.Body("arm", mass=1, inertia=(1, 1, 1)), sr.Revolute("O", "ground", "arm", axis="z", motion="t"))
    driven.add(sr.Event("e", "O.q > 1"), sr.Event("end", "O.q > 1.5", sr.Stop()))
    result = driven.simulate(2.0)  # nothing is integrated, but the clock runs
    assert [e["t"] for e in result.events] == pytest.approx([1.0, 1.5])


def test_files_hold_events():
    m = ball()
    m.parameters["p"] = 1.0
    gap = sr.PointDistance("ground", "ball")
    m.add(sr.Event("far", "d > 3", (sr.SetParameter("p", "2*p"), sr.Disable("hit"), sr.Stop("far")), variables={"d": gap}))
    m.add(sr.Event("tick", every=0.5, times=3, enabled=False))
    again, _ = run_from_text(text_of(m))
    assert again == m and text_of(again) == text_of(m)


def test_conditions_call_tables():
    """The bound rises along a table: x = t meets 2 - x/2 (for x up to 2) at t = 4/3."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("cart", mass=1), sr.Prismatic("rail", "ground", "cart", axis="x", v=1.0))
    bound = {"bound": sr.Table((0, 2), (2, 1))}
    m.add(sr.Event("met", "(rail.q > bound(t))*(t > 0.5)", sr.Stop(), tables=bound))
    r = m.simulate(3.0)
    assert r.events[0]["t"] == pytest.approx(4 / 3, abs=1e-12)
    with pytest.raises(FormulaError, match="unknown function 'bund'"):
        sr.Event("met", "rail.q > bund(t)", tables=bound)
    again, _ = run_from_text(text_of(m))
    assert again == m and again.events["met"].tables == bound
