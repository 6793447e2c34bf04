"""What delays remember: signals that are faster than the steps, and jumps that come back when the delay has passed."""

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.integrate import ALL_INTEGRATORS


def slider(v=1.0, **drive):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", v=v, **drive))
    return m


@pytest.mark.parametrize("integrator", list(ALL_INTEGRATORS))
def test_a_fast_signal(integrator):
    """The body moves evenly, so that steps are as long as the delay: 6 periods of the signal."""
    settings = {} if ALL_INTEGRATORS[integrator].adaptive else {"step": 0.5}
    m = slider()
    m.add(sr.Delay("d", "sin(20*t)", 2.0))
    result = m.simulate(10, integrator=integrator, **settings)
    late = result.t > 2.0
    assert result["d"][late] == pytest.approx(np.sin(20 * (result.t[late] - 2.0)), abs=2e-7)


def test_random_signals():
    rng = np.random.default_rng(4)
    for _ in range(6):
        a, b, delay = rng.uniform(1, 300), rng.uniform(0.1, 3), rng.uniform(0.05, 3)
        m = slider()
        m.add(sr.Delay("d", f"sin({a!r}*P.q)*exp(-{b!r}*t) + 1e3", delay))
        result = m.simulate(4)
        past = result.t - delay
        exact = np.where(past > 0, np.sin(a * past) * np.exp(-b * past), 0.0) + 1e3
        assert result["d"] == pytest.approx(exact, abs=1e-4)


@pytest.mark.parametrize("pulse", ["if((t > 3)*(t < 3.01), 100, 0)", "if((P.q > 3)*(P.q < 3.01), 100, 0)"])
@pytest.mark.parametrize("integrator", ["dop853", "abm", "radau5", "bdf"])
def test_pulses_come_back(pulse, integrator):
    """1 N s, two seconds later; by a second delay once more."""
    m = slider()
    m.add(sr.Signal("u", pulse), sr.Delay("d", "u", 2.0), sr.Delay("e", "d", 0.5), sr.JointForce("F", "P", "d + e"))
    result = m.simulate(8, integrator=integrator)
    assert result["P.v"][-1] == pytest.approx(3.0, rel=1e-7)


def test_the_value_before_the_start():
    m = slider(v=0.0)
    m.add(sr.Delay("d", "1", 2.0, initial=0.0), sr.JointForce("F", "P", "d"))
    assert m.simulate(8)["P.v"][-1] == pytest.approx(6.0, rel=1e-12)


def test_what_an_event_sets_comes_back():
    m = slider(v=0.0)
    m.add(sr.Input("h"), sr.Event("on", at=1.0, actions=sr.SetSignal("h", 1.0)))
    m.add(sr.Event("off", at=1.001, actions=sr.SetSignal("h", 0.0)))
    m.add(sr.Delay("d", "h", 3.0), sr.JointForce("F", "P", "1000*d"))
    assert m.simulate(8)["P.v"][-1] == pytest.approx(1.0, rel=1e-9)


def test_a_stepper_knows_what_comes_back():
    m = slider()
    m.add(sr.Delay("d", "if((t > 3)*(t < 3.01), 100, 0)", 2.0), sr.JointForce("F", "P", "d"))
    run = m.stepper()
    for t in (2.5, 4.9, 5.3, 7.0):
        run.step(t)
    assert run["P.v"] == pytest.approx(2.0, rel=1e-9)
    assert math.isfinite(run["d"])


def test_a_delayed_pulse_with_fixed_steps():
    """Its edges come back on the right side of their breaks, whatever the roundings of the times."""
    rng = np.random.default_rng(4)
    for _ in range(12):
        begin, width, delay = (float(x) for x in rng.uniform((1.0, 0.001, 0.2), (8.0, 0.4, 1.5)))
        m = slider(0.0)
        m.add(sr.Signal("u", f"(t > {begin!r})*(t < {begin + width!r})"), sr.Delay("d", "u", delay), sr.JointForce("F", "P", "d"))
        assert m.simulate(10.0, step=0.05, integrator="rk4")["P.v"][-1] == pytest.approx(width, rel=1e-8)
