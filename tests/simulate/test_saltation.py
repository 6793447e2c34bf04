"""Sensitivities of runs with events and clocks against differences of whole runs, with all events at other times."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.straight_line.neighbours import PLACES, sixth_order
from sharnir.kernel import PLAIN

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")


def ball(**more):
    """It bounces, with an arm that swings on it."""
    parameters = {"g": 9.81, "h": 1.0, "e": 0.8, "d": 0.1, "k": 0.3, "up": 0.5} | more
    m = sr.Model("ball", gravity=(0, 0, "-g"), parameters=parameters)
    m.add(sr.Body("ball", mass=1), sr.Prismatic("P", "ground", "ball", axis="z", q="h", v="up", damping="d"))
    m.add(sr.Body("arm", mass="k", inertia=(1e-3, 1e-3, 1e-3), position=(0.2, 0, 0)))
    m.add(sr.Revolute("R", "ball", "arm", at=(0, 0, 0), axis="y"))
    m.add(sr.Event("bounce", when="P.q - d", direction="falling", actions=[sr.Rebound("P", "e")]))
    return m


def loop():
    """A slider-crank that is kicked at a time, and hits something that changes what it is driven with."""
    m = sr.Model("slider-crank", parameters={"r": 0.15, "l": 0.35, "c": 1.0, "t1": 0.13})
    m.add(sr.Body("crank", mass=0.4, inertia=(1e-5, 1e-3, 1e-3), com=("r/2", 0, 0)))
    m.add(sr.Body("rod", mass=0.2, inertia=(1e-5, 2e-3, 2e-3), com=("l/2", 0, 0), position=("r", 0, 0)))
    m.add(sr.Body("slider", mass=0.1, position=("r + l", 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=20))
    m.add(sr.Revolute("A", "crank", "rod", at=("r", 0, 0), axis="y"))
    m.add(sr.Revolute("B", "rod", "slider", at=("r + l", 0, 0), axis="y"))
    m.add(sr.Prismatic("slide", "ground", "slider", axis="x", damping=0.2), sr.JointForce("push", "O", "-0.3*c"))
    m.add(sr.Event("kick", at="t1", actions=[sr.SetSpeed("O", "1.1*O.v + r")]))
    hit = sr.Event("hit", when="O.q - 2.9", actions=[sr.Rebound("O", 0.9), sr.SetParameter("c", "O.v*l")], times=1)
    m.add(hit)
    return m


def sampled():
    """A spring, sampled and continuous control, and an event that finds the car between two ticks."""
    m = sr.Model("car", gravity=(0, 0, 0), parameters={"gain": 3.0, "T": 0.1, "low": 0.2})
    m.add(sr.Body("car", mass=1.5), sr.Prismatic("x", "ground", "car", axis="x", q=0.4, stiffness=4))
    m.add(sr.SampleHold("s", "x.q + 0.2*x.v", period="T"), sr.Integral("i", "2*x.q"))
    m.add(sr.Signal("u", "-gain*s - i"), sr.JointForce("f", "x", "u"))
    m.add(sr.Event("low", when="x.q - low", direction="falling", actions=[sr.SetSpeed("x", "x.v*gain/4")]))
    return m


def caused():
    """An impact that sets off another event."""
    m = sr.Model("brake", gravity=(0, 0, "-g"), parameters={"g": 9.81, "c": 0.0, "w": 2.0})
    m.add(sr.Body("ball", mass=1), sr.Prismatic("P", "ground", "ball", axis="z", q=1, torque="-c*v*w"))
    m.add(sr.Event("bounce", when="P.q", direction="falling", actions=[sr.SetParameter("c", "P.v^2/10"), sr.Rebound("P", 0.8)]))
    m.add(sr.Event("then", when="c - 0.5", direction="rising", actions=[sr.SetSpeed("P", "P.v*w*0.6")]))
    return m


def twins():
    """Two balls that hit the ground together."""
    m = sr.Model("twins", parameters={"a": 1.0, "b": 1.0})
    for name in "ab":
        m.add(sr.Body(name, mass=1), sr.Prismatic(f"P{name}", "ground", name, axis="z", q=name))
        m.add(sr.Event(f"hit {name}", when=f"P{name}.q", direction="falling", actions=[sr.Rebound(f"P{name}", 0.8)]))
    return m


def limited():
    """A stop with restitution."""
    m = sr.Model("stop", parameters={"e": 0.7, "low": 0.1})
    m.add(sr.Body("ball", mass=1), sr.Prismatic("P", "ground", "ball", axis="z", q=1))
    m.add(sr.JointLimit("stop", "P", lower="low", restitution="e"))
    return m


CASES = {
    "bounces": (ball, ("h", "d", "k"), ("arm.position.z", "P.v"), 1.0),
    "loop": (loop, ("r", "l", "t1"), ("slide.q", "O.v", "A.reaction.fx"), 0.3),
    "sampled": (sampled, ("gain", "T", "low"), ("x.q", "u"), 0.61),
    "caused": (caused, ("g", "w"), ("P.v",), 0.8),
    "twins": (twins, ("a",), ("Pa.q", "Pb.v"), 0.6),
    "limited": (limited, ("e", "low"), ("P.q",), 1.0),
}


@pytest.mark.parametrize("name", CASES)
def test_differences_of_runs(name):
    make, numbers, channels, until = CASES[name]
    m = make()
    result, step = m.simulate(until, step=until / 5.1), 1e-4
    assert result.events
    for number in numbers:
        h = step * m.parameters[number]
        runs = [
            m.with_parameters(**{number: m.parameters[number] + k * h}).simulate(until, step=until / 5.1, tolerance=1e-13)
            for k in PLACES
        ]
        for channel in channels:
            wanted = sixth_order([run[channel] for run in runs], h)
            found = result.sensitivity(channel, number, tolerance=1e-11)
            assert np.abs(found - wanted).max() < 1e-8 * max(1.0, np.abs(wanted).max()), (number, channel)


def test_closed_form_of_a_bounce():
    """P.q = v⁺ (t - τ) - g (t - τ)²/2 behind the first bounce."""
    m = sr.Model(parameters={"e": 0.8})
    m.add(sr.Body("ball", mass=1), sr.Prismatic("P", "ground", "ball", axis="z", q=1.0))
    m.add(sr.Event("bounce", when="P.q", direction="falling", actions=[sr.Rebound("P", "e")]))
    r = m.simulate(0.8, step=0.2)
    v, tau = np.sqrt(2 * 9.81), np.sqrt(2 / 9.81)
    assert np.abs(r.sensitivity("P.q", "e") - np.where(r.t < tau, 0.0, v * (r.t - tau))).max() < 1e-9
    by_start = np.where(r.t < tau, 1.0, (1.8 * 9.81 * (r.t - tau) - 0.8 * v) / v)
    assert np.abs(r.sensitivity("P.q", "P.q") - by_start).max() < 1e-9


def test_up_to_a_stop():
    m = ball()
    m.add(sr.Event("top", when="P.v", direction="falling", actions=[sr.Stop()], enabled=False))
    m.add(sr.Event("again", when="P.q - d - 0.01", direction="falling", actions=[sr.Enable("top")]))
    r = m.simulate(3.0, step=0.1)
    free = ball().simulate(r.t[-1], output=r.t)
    assert r.t[-1] < 1.0
    assert np.abs(r.sensitivity("P.q", "h") - free.sensitivity("P.q", "h")).max() < 1e-8


def refused(make, words, **settings):
    result = make().simulate(0.5, step=0.1, **settings)
    with pytest.raises(sr.SharnirError, match=words):
        result.sensitivity("P.q", "h")


def test_what_is_refused():
    def with_elements(*elements):
        def make():
            m = ball()
            m.add(*elements)
            return m

        return make

    refused(with_elements(sr.Event("off", at=0.2, actions=[sr.Release("R")])), "to 'h': events changed the structure")
    refused(ball, "the model was changed on the way", changes={0.2: {"k": 0.4}})
    refused(with_elements(sr.Input("u")), "a callback acted on it", callback=lambda now: {"u": 1.0}, communication=0.1)
    refused(with_elements(sr.Delay("late", "P.q", time=0.1)), "'late' looks back in time")
    refused(with_elements(sr.Sampled("s", lambda t, x: x, inputs=["P.q"], period=0.1)), "'s' is a function in Python")
    rounded = sr.Event("set", at=0.2, actions=[sr.SetSpeed("P", "floor(1000*P.q)/1000")])
    refused(with_elements(rounded), "what happens at t = 0.2 jumps with the state")
    flat = sr.Event("flat", when="(P.q - 0.95)^3", actions=[sr.SetSpeed("P", 0)])
    refused(with_elements(flat), "the motion touches the condition")
