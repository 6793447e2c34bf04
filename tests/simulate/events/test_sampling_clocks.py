"""Sampled controllers, inputs from outside, steppers and callbacks against exact discrete solutions."""

import numpy as np
import pytest
from scipy import signal as control

import sharnir as sr
from sharnir.errors import FormulaError, ModelError, SimulationError
from sharnir.model.files.model_file import run_from_text, text_of

PERIOD = 0.05


def car(*elements, v=0.0):
    """A mass of 2 kg on a rail."""
    m = sr.Model("car", gravity=(0, 0, 0))
    m.add(sr.Body("car", mass=2, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "car", axis="x", v=v))
    m.add(*elements)
    return m


def held_motion(controller, count, x=0.0, v=0.0, fine=1):
    """Position at the ticks under a force that is held between them; exact."""
    found, u = [], 0.0
    for k in range(count):
        found.append(x)
        if k % fine == 0:
            u = controller(x, v)
        h = PERIOD / fine
        x, v = x + v * h + u * h * h / 4.0, v + u * h / 2.0
    return np.array(found)


class PI:
    """A controller with a state of its own."""

    def __init__(self):
        self.sum, self.times = 0.0, []

    def reset(self):
        self.sum, self.times = 0.0, []

    def __call__(self, t, x, v):
        self.times.append(t)
        self.sum += 1.0 - x
        return 6.0 * (1.0 - x) + 0.1 * self.sum - 4.0 * v


@pytest.mark.parametrize("integrator", ["auto", "radau5", "bdf", "abm", "generalized-alpha"])
def test_a_python_controller_against_the_exact_solution(integrator):
    law, twin = PI(), PI()
    m = car(sr.Sampled("u", law, ["rail.q", "rail.v"], period=PERIOD), sr.JointForce("motor", "rail", "u"))
    tolerance = 1e-6 if integrator == "generalized-alpha" else 1e-9
    for _ in range(2):  # the second run begins anew
        r = m.simulate(3.0, output=PERIOD, integrator=integrator, tolerance=tolerance)
        twin.reset()
        exact = held_motion(lambda x, v: twin(0.0, x, v), 61)
        assert np.abs(r["rail.q"] - exact).max() < (1e-3 if integrator == "generalized-alpha" else 1e-7)
    assert law.times == [k * PERIOD for k in range(61)]  # hit exactly


def test_difference_equations_need_no_python():
    pi = sr.Difference(
        "u",
        {"x": "rail.q", "v": "rail.v"},
        "6*(1 - x) + 0.1*(i + 1 - x) - 4*v",
        states={"i": 0},
        updates={"i": "i + 1 - x"},
        period=PERIOD,
    )
    r = car(pi, sr.JointForce("motor", "rail", "u")).simulate(3.0, output=PERIOD)
    twin = PI()
    assert np.abs(r["rail.q"] - held_motion(lambda x, v: twin(0.0, x, v), 61)).max() < 1e-8


def test_difference_equations_name_parameters_signals_sensors_and_tables():
    """The same law, written out of the model's own names."""
    pi = sr.Difference(
        "u",
        {"x": "rail.q"},
        "kp*(goal - x) + 0.1*(i + goal - x) - four(rail.v)",
        states={"i": 0},
        updates={"i": "i + goal - rail.q"},
        period=PERIOD,
        tables={"four": sr.Table((-1, 1), (-4, 4), outside="extend")},
    )
    m = car(sr.Signal("goal", "1"), pi, sr.JointForce("motor", "rail", "u"))
    m.parameters["kp"] = 6.0
    r, twin = m.simulate(3.0, output=PERIOD), PI()
    exact = held_motion(lambda x, v: twin(0.0, x, v), 61)
    assert np.abs(r["rail.q"] - exact).max() < 1e-8
    m.add(sr.Event("softer", at=1.02, actions=sr.SetParameter("kp", 3.0)))  # formulas see new values from the next tick on
    other = m.simulate(3.0, output=PERIOD)["rail.q"]
    assert np.abs(other - exact)[:22].max() < 1e-8 and np.abs(other - exact)[30:].max() > 1e-3
    again, _ = run_from_text(text_of(m))
    assert again == m and text_of(again) == text_of(m)


def test_discrete_blocks_against_scipy():
    A, B, C, D = [[0.5, 0.2], [-0.1, 0.8]], [1.0, 0.3], [1.0, -1.0], 0.25
    up, down = (1.0, 0.4, 0.1), (2.0, -0.6, 0.2, 0.05)
    m = car(
        sr.Signal("source", "sin(3*t)"),
        sr.DiscreteStateSpace("space", "source", A=A, B=B, C=C, D=D, period=PERIOD),
        sr.DiscreteTransferFunction("fraction", "source", numerator=up, denominator=down, period=PERIOD),
        sr.SampleHold("seen", "source", period=3 * PERIOD, offset=PERIOD, initial=-2),
    )
    r = m.simulate(2.0, output=PERIOD)
    u = np.sin(3 * r.t)
    _, space, _ = control.dlsim(control.StateSpace(A, np.array(B)[:, None], np.array(C)[None], [[D]], dt=PERIOD), u, r.t)
    _, fraction = control.dlsim(control.TransferFunction(up, down, dt=PERIOD), u, r.t)
    assert np.abs(r["space"] - space[:, 0])[:-1].max() < 1e-10
    assert np.abs(r["fraction"] - fraction[:, 0])[:-1].max() < 1e-10
    last = (np.arange(40) - 1) // 3 * 3 + 1
    assert np.abs(r["seen"][:-1] - np.where(last < 0, -2.0, u[np.maximum(last, 0)])).max() < 1e-12


def test_two_clocks_and_several_outputs():
    fast, slow = [], []

    def outer(t, x):
        slow.append(t)
        return 2.0 - x, 0.5

    def inner(t, wanted, bias, v):
        fast.append(t)
        return 4.0 * (wanted - v) + bias

    m = car(
        sr.Sampled("outer", outer, ["rail.q"], outputs=["wanted", "bias"], period=0.1),
        sr.Sampled("force", inner, ["wanted", "bias", "rail.v"], period=0.025),
        sr.JointForce("motor", "rail", "force"),
    )
    r = m.simulate(1.0, output=0.1)
    assert slow == [k * 0.1 for k in range(11)] and fast == [k * 0.025 for k in range(41)]
    assert r["outer"][-1] == 11 and r["bias"].max() == 0.5
    x, v, wanted = 0.0, 0.0, 0.0
    for k in range(40):
        wanted = 2.0 - x if k % 4 == 0 else wanted
        u = 4.0 * (wanted - v) + 0.5
        x, v = x + v * 0.025 + u * 0.025**2 / 4, v + u * 0.025 / 2
    assert r["rail.q"][-1] == pytest.approx(x, abs=1e-9)


def test_a_stepper_with_inputs():
    m = car(sr.Input("u", initial=1.0), sr.JointForce("motor", "rail", "u"), sr.Signal("twice", "2*u", unit="N"))
    run = m.stepper(tolerance=1e-9)
    run.step(1.0)
    assert run["rail.q"] == pytest.approx(0.25) and run["twice"] == 2.0
    run.step(2.0, u=-1.0)
    assert run["rail.v"] == pytest.approx(0.0, abs=1e-9) and run["car.velocity"].shape == (3,)
    steps = run.result().stats["steps"]
    for k in range(1, 11):
        run.step(2.0 + 0.1 * k)  # nothing new: no restart
    r = run.result()
    assert r.stats["steps"] - steps <= 12 and r.t[-1] == 3.0 and len(r.t) == 13
    assert r["u"][0] == 1.0 and r["u"][2] == -1.0
    assert r["rail.q"][-1] == pytest.approx(0.25)  # 0.5 behind 2 s, then back with -1/2 m/s²
    with pytest.raises(ModelError, match="does not go back"):
        run.step(1.0)
    with pytest.raises(ModelError, match="'w' is not an Input; inputs are u"):
        run.step(4.0, w=1.0)


def test_a_stepper_stops_with_its_model():
    run = car(sr.Event("far", "rail.q > 1", sr.Stop("arrived")), v=1.0).stepper()
    run.step(0.5)
    assert not run.stopped
    run.step(2.0)
    assert run.stopped == "arrived" and run.t == pytest.approx(1.0, abs=1e-12) and run.events[0]["name"] == "far"
    with pytest.raises(SimulationError, match="has stopped at t = 1: arrived"):
        run.step(3.0)


def test_a_callback_per_communication_step():
    seen = []

    def ask(now):
        seen.append((now.t, now["rail.q"]))
        return {"u": 6.0 * (1.0 - now["rail.q"]) - 4.0 * now["rail.v"]}

    m = car(sr.Input("u"), sr.JointForce("motor", "rail", "u"))
    r = m.simulate(3.0, output=PERIOD, callback=ask, communication=PERIOD)
    exact = held_motion(lambda x, v: 6.0 * (1.0 - x) - 4.0 * v, 61)
    assert np.abs(r["rail.q"] - exact).max() < 1e-8
    assert len(seen) == 61 and np.abs([q for _, q in seen] - exact).max() < 1e-8
    with pytest.raises(ModelError, match="belong together"):
        m.simulate(1.0, callback=ask)


def test_samples_cause_events_and_events_set_signals():
    m = car(
        sr.SampleHold("seen", "rail.q", period=0.25),
        sr.Integral("area", "1"),
        sr.Event("jump", "seen > 0.7", sr.SetSignal("area", "10*rail.q")),
        v=1.0,
    )
    r = m.simulate(1.5, output=0.25)
    assert [event["t"] for event in r.events] == [0.75]
    assert r["area"][-1] == pytest.approx(7.5 + 0.75)


def test_what_is_wrong_is_said():
    with pytest.raises(SimulationError, match="Sampled 'u': at t = 0 the function raised ZeroDivisionError"):
        car(sr.Sampled("u", lambda t, x: 1.0 / x, ["rail.q"])).simulate(1.0)
    with pytest.raises(SimulationError, match="2 finite numbers are needed"):
        car(sr.Sampled("u", lambda t, x: x, ["rail.q"], outputs=["a", "b"])).simulate(1.0)
    with pytest.raises(ModelError, match="must take 2 arguments"):
        sr.Sampled("u", lambda t: t, ["rail.q"])
    with pytest.raises(ModelError, match="one formula per state"):
        sr.Difference("u", {"x": "rail.q"}, "x", states={"i": 0})
    with pytest.raises(FormulaError, match=r"Difference 'u': .*unknown name 'w'; signals and parameters are .*x, .*t"):
        car(sr.Difference("u", {"x": "rail.q"}, "x + w")).compile()
    with pytest.raises(ModelError, match="depend on future inputs"):
        sr.DiscreteTransferFunction("f", "rail.q", numerator=(1, 0), denominator=(1,))
    with pytest.raises(ModelError, match="cannot be saved in a file"):
        text_of(car(sr.Sampled("u", lambda t, x: x, ["rail.q"])))
    with pytest.raises(ModelError, match="no such signal with a state; there are: u"):
        car(sr.Input("u"), sr.Event("e", at=1, actions=sr.SetSignal("w", 1))).compile()


def test_files_hold_clocks():
    m = car(
        sr.Input("u", unit="N"),
        sr.SampleHold("seen", "rail.q", period=0.1),
        sr.Difference("law", {"e": "1 - seen"}, "e + i", states={"i": 0}, updates={"i": "i + e"}, period=0.1),
        sr.DiscreteTransferFunction("late", "law", numerator=(1,), denominator=(1, 0), period=0.1),
        sr.DiscreteStateSpace("space", "law", A=[[0.5]], B=[1], C=[1], period=0.2, offset=0.05),
    )
    again, _ = run_from_text(text_of(m))
    assert again == m and text_of(again) == text_of(m)


def test_outputs_at_ticks_hold_what_the_tick_has_given():
    """Also where a tick and an output differ by rounding: 3 · 0.1 and 30 · 0.01."""
    m = car(sr.SampleHold("seen", "t", period=0.1))
    r = m.simulate(1.0, output=0.01)
    assert np.abs(r["seen"][:-1] - np.floor(r.t[:-1] * 10 + 1e-6) / 10).max() < 1e-12
    run = m.stepper()
    for t in r.t[1:]:
        run.step(float(t))
    assert np.abs(run.result()["seen"][:-1] - r["seen"][:-1]).max() < 1e-12


def test_clocks_and_delays_go_on_through_changes_of_structure():
    m = sr.Model("two", gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(sr.Prismatic("A", "ground", "a", axis="x", v=1.0), sr.Prismatic("B", "a", "b", axis="x", v=0.5))
    m.add(sr.Sampled("u", lambda t, x: -x, ["A.q"], period=0.1), sr.JointForce("push", "A", "u"))
    m.add(sr.Delay("late", "A.q", time=0.3))
    m.add(sr.Event("lock", at=0.55, actions=sr.Lock("B")), sr.Event("unlock", at=1.27, actions=sr.Unlock("B")))
    r = m.simulate(2.0, output=0.01, tolerance=1e-10)
    assert np.abs(r["late"][30:] - r["A.q"][:-30]).max() < 1e-9
    # a alone, both as one behind a plastic impact, a alone again
    x, v, w, u = 0.0, 1.0, 1.5, 0.0
    stops = sorted({*(round(0.1 * k, 9) for k in range(1, 20)), 0.55, 1.27, 2.0})
    t, together = 0.0, False
    for stop in stops:
        if abs(t * 10 - round(t * 10)) < 1e-6:
            u = -x
        a, h = u / (2.0 if together else 1.0), stop - t
        x, v, t = x + v * h + a * h * h / 2, v + a * h, stop
        w = v if together else w
        if stop == 0.55:
            v, together = (v + w) / 2, True
        elif stop == 1.27:
            together = False
    assert r["A.q"][-1] == pytest.approx(x, abs=1e-8)


@pytest.mark.parametrize("integrator", ["auto", "bdf"])
def test_events_at_the_moments_of_ticks_and_steps(integrator):
    """An event at the very moment of a tick, of a stepper's stop, of a callback: both happen, the event first."""
    m = sr.Model("pushed", gravity=(0, 0, 0), parameters={"F": 0.0})
    m.add(sr.Body("b", mass=1), sr.Prismatic("rail", "ground", "b", axis="x", v=1.0), sr.Input("u"))
    m.add(sr.JointForce("push", "rail", "F + u"), sr.Event("on", at=0.5, actions=sr.SetParameter("F", 1.0)))
    run = m.stepper(integrator=integrator)
    for k in range(1, 11):
        run.step(0.1 * k)
    assert run["rail.q"] == pytest.approx(1.0 + 0.5 * 0.5**2, abs=1e-7)
    r = m.simulate(1.0, output=0.1, integrator=integrator, callback=lambda now: {"u": 0.0}, communication=0.05)
    assert r["rail.q"][-1] == pytest.approx(1.125, abs=1e-7)
    m.add(sr.SampleHold("seen", "F", period=0.01))
    r = m.simulate(1.0, output=0.1, integrator=integrator)
    assert r["rail.q"][-1] == pytest.approx(1.125, abs=1e-7)
    np.testing.assert_array_equal(r["seen"], np.where(r.t < 0.499, 0.0, 1.0))


@pytest.mark.parametrize("integrator", ["dop853", "dopri5", "abm", "radau5", "bdf", "park", "rk4"])
def test_a_signal_that_jumps_at_a_tick(integrator):
    """The run stands behind the jump, by rounding after the tick, and takes no step back to it."""
    m = car(sr.SampleHold("h", "if(t > 5.1, 100, 0)", period=0.1), sr.JointForce("f", "rail", "h"))
    step = {"step": 0.02} if integrator == "rk4" else {}
    r = m.simulate(8.0, output=2.0, integrator=integrator, **step)
    assert r["rail.v"][-1] == pytest.approx(50.0 * 2.9, rel=1e-9)  # 51*0.1 > 5.1
    assert r.stats["smallest_step"] > 0.0
