"""integrator="auto" hands stiff problems over to Radau, leaves others alone to the last bit, and decides the same every time."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr


def stiff():
    """A light body on a strong damper on a slow oscillator: rates of 10 and of 10⁶ per second."""
    m = sr.Model("stiff")
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=0.001, inertia=(1e-6, 1e-6, 1e-6)))
    m.add(sr.Prismatic("slow", "ground", "a", axis="z", stiffness=100.0))
    m.add(sr.Prismatic("fast", "a", "b", axis="z", stiffness=1e3, damping=1e3))
    return m


def pendulum():
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0)))
    m.add(sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    return m


def test_a_stiff_problem_goes_on_implicitly():
    """Both bodies move as one: z = -(m g / k)(1 - cos ωt), and the work is a small part of what an explicit run would need."""
    r = stiff().simulate(4.0, step=0.01)
    assert r.stats["integrator"] == "dop853 → radau5"
    assert 0.0 <= r.stats["implicit_from"] < 1.0 and r.stats["evaluations"] < 200_000
    mass = 1.001
    omega = np.sqrt(100.0 / mass)
    exact = -mass * 9.81 / 100.0 * (1 - np.cos(omega * r.t))
    assert r["slow.q"] == pytest.approx(exact, abs=2e-6)  # the damper lags by 1e-6 s
    assert len(r.t) == 401 and np.array_equal(r.t, np.linspace(0, 4, 401))


def test_a_long_run_that_is_not_stiff_stays_as_it_is():
    """More evaluations than the first two trials: the same bits as with the explicit integrator by name."""
    auto, named = (pendulum().simulate(1500.0, output=10.0, integrator=name) for name in ("auto", "dop853"))
    assert auto.stats["evaluations"] > 100_000
    assert auto.stats["integrator"] == "dop853"
    assert np.array_equal(auto["hinge.q"], named["hinge.q"])


def test_the_decision_does_not_depend_on_the_clock(monkeypatch):
    first = stiff().simulate(0.5)
    monkeypatch.setattr("sharnir.simulate.events.stiffness_switch.CHUNK_SECONDS", 1e-4)
    seen = []
    second = stiff().simulate(0.5, progress=seen.append)
    assert first.stats["implicit_from"] == second.stats["implicit_from"]
    assert np.array_equal(first["fast.q"], second["fast.q"])
    assert seen == sorted(seen) and seen[-1] == 1.0


def test_a_stiff_loop():
    """A parallelogram with a strong damper in the joint that is cut: the damper's torque is there in both integrators."""
    m = sr.Model("damped parallelogram")
    m.add(
        *(
            sr.Body(n, mass=1e-3, inertia=(1e-6, 1e-6, 1e-6), com=(0, 0, -0.5), position=(x, 0, 0))
            for n, x in (("l", 0), ("r", 1))
        )
    )
    m.add(sr.Body("bar", mass=1e-3, inertia=(1e-6, 1e-6, 1e-6), position=(0.5, 0, -1)))
    m.add(
        sr.Revolute("L", "ground", "l", at=(0, 0, 0), axis="y", q=0.5),
        sr.Revolute("R", "ground", "r", at=(1, 0, 0), axis="y", q=0.5),
    )
    m.add(sr.Revolute("A", "l", "bar", at=(0, 0, -1), axis="y", q=-0.5, damping=50.0))
    m.add(sr.Revolute("B", "bar", "r", at=(1, 0, -1), axis="y", q=0.5, damping=50.0))
    auto, radau = (m.simulate(2.0, step=0.1, integrator=name) for name in ("auto", "radau5"))
    assert "radau5" in auto.stats["integrator"]
    assert auto["L.q"] == pytest.approx(radau["L.q"], abs=1e-7)
    assert auto.stats["position_residual"] < 1e-9


def test_a_stiff_problem_with_events_and_clocks_goes_on_implicitly():
    """The same motion with an event that changes nothing but a signal, and a clock that looks on."""
    m = stiff()
    m.add(
        sr.SampleHold("seen", "slow.q", period=0.5),
        sr.Event("low", "slow.q < -0.19"),
        sr.Event("ring", at=1.7, actions=sr.SetSignal("u", 1)),
    )
    m.add(sr.Input("u"))
    r = m.simulate(4.0, step=0.01)
    assert r.stats["integrator"] == "dop853 → radau5" and r.stats["evaluations"] < 300_000
    assert 0.0 < r.stats["implicit_from"] < 1.5
    omega = np.sqrt(100.0 / 1.001)
    exact = -1.001 * 9.81 / 100.0 * (1 - np.cos(omega * r.t))
    assert r["slow.q"] == pytest.approx(exact, abs=2e-6)
    assert np.array_equal(r.t, np.linspace(0, 4, 401)) and (r["u"] == (r.t >= 1.7 - 1e-9)).mean() > 0.99
    first = np.arccos(1 - 0.19 / (1.001 * 9.81 / 100)) / omega
    lows = [event["t"] for event in r.events if event["name"] == "low"]
    assert lows == pytest.approx([first + k * 2 * np.pi / omega for k in range(len(lows))], abs=1e-4) and len(lows) == 6
    again = m.simulate(4.0, step=0.01)
    assert again.stats["implicit_from"] == r.stats["implicit_from"] and np.array_equal(again["slow.q"], r["slow.q"])


def test_a_controller_on_a_clock_is_not_stiff():
    """Many short steps between ticks are no reason to go over."""
    m = pendulum()
    m.add(sr.Sampled("u", lambda t, q, v: -q - v, ["hinge.q", "hinge.v"], period=1e-3), sr.JointForce("f", "hinge", "u"))
    r = m.simulate(8.0, step=0.1)
    assert r.stats["integrator"] == "dop853" and r.stats["evaluations"] > 60_000
