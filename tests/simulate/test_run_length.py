"""Clocks that tick too often and too many steps: refused at the start with a number; those that may run tick every time."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError, ModelWarning
from sharnir.simulate.run_length import MOST_TICKS, NEAREST


def slide(*elements, **joint):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1), sr.Prismatic("P", "ground", "b", axis="x", v=1.0, **joint), *elements)
    return m


CLOCKS = {
    "event": lambda p: slide(sr.Event("e", every=p)),
    "event that acts": lambda p: slide(sr.Event("e", every=p, actions=[sr.SetSpeed("P", 1.0)])),
    "event from a time on": lambda p: slide(sr.Event("e", at=0.0, every=p)),
    "sample and hold": lambda p: slide(sr.SampleHold("s", "P.q", period=p)),
    "difference": lambda p: slide(sr.Difference("s", {"e": "P.q"}, "e", period=p)),
    "python": lambda p: slide(sr.Sampled("s", lambda t, q: q, ["P.q"], period=p)),
    "transfer function": lambda p: slide(sr.DiscreteTransferFunction("s", "P.q", (1,), (1, 0.5), period=p)),
}


def smallest(error):
    return float(re.search(r"at least ([\d.e+-]+) s", str(error.value)).group(1))


@pytest.mark.parametrize("kind", CLOCKS)
@pytest.mark.parametrize("seed", range(3))
def test_clocks_that_tick_too_often(kind, seed):
    """Any period below the bound is refused before the run, by every way of running; the number in the message is the bound."""
    rng = np.random.default_rng([seed, len(kind)])
    span = 10.0 ** rng.uniform(-6.0, 5.0)
    bound = max(span / MOST_TICKS, NEAREST * max(1.0, span))
    m = CLOCKS[kind](bound * 10.0 ** rng.uniform(-8.0, -0.01))
    for run in (lambda: m.simulate(span), lambda: sr.simulate_many(m, span, v=[[0.0], [1.0]]), lambda: m.stepper().step(span)):
        with pytest.raises(ModelError, match=r"ticks until|cannot be distinguished") as error:
            run()
        assert smallest(error) == pytest.approx(bound, rel=6e-3)


@pytest.mark.parametrize("seed", range(12))
def test_short_periods_that_are_allowed(seed):
    """Down to the resolution of time every tick happens, in short runs as in long ones."""
    rng = np.random.default_rng(seed)
    period = NEAREST * 10.0 ** rng.uniform(0.01, 6.0)
    count = int(rng.integers(20, 60))
    span, seen = (count + 0.5) * period, []
    acts = sr.Event("acts", every=period, actions=[sr.SetSpeed("P", 1.0)])
    result = slide(sr.Event("plain", every=period), acts).simulate(span)
    assert [sum(e["name"] == name for e in result.events) for name in ("plain", "acts")] == [count, count]
    slide(sr.Sampled("s", lambda t, q: seen.append(t) or q, ["P.q"], period=period)).simulate(span)
    assert np.allclose(seen, period * np.arange(count + 1), rtol=1e-9, atol=0.0)


def test_few_ticks_of_a_fast_clock():
    assert len(slide(sr.Event("e", every=1e-8, times=7)).simulate(100.0).events) == 7


def test_communication():
    with pytest.raises(ModelError, match=r"^communication = 1e-17 s makes 1e\+18 ticks until t = 10; .* at least 1e-07 s"):
        slide().simulate(10.0, callback=lambda moment: None, communication=1e-17)


def test_fixed_steps():
    """10¹² steps of any method with fixed steps, and of ensembles; more evaluations may be allowed."""
    for integrator in ("rk4", "newmark", "generalized-alpha"):
        with pytest.raises(ModelError, match=r"step = 1e-11 s makes 1e\+12 steps"):
            slide().simulate(10.0, step=1e-11, output=1.0, integrator=integrator)
    with pytest.raises(ModelError, match=r"step = 1e-11 s makes 1e\+12 steps of rk4 in 10 s, with 4 evaluations each"):
        slide().simulate(10.0, step=1e-11, output=1.0, integrator="rk4")
    with pytest.raises(ModelError, match=r"at least 4e-08 s"):
        sr.simulate_many(slide(), 10.0, v=[[0.0], [1.0]], step=1e-11, output=1.0, integrator="rk4")
    with pytest.raises(ModelError, match=r"step = 0.001 s makes 1e\+04 steps"):
        slide().simulate(10.0, step=1e-3, integrator="rk4", options={"max_evaluations": 1e3})


def test_bounds_of_steps():
    with pytest.raises(ModelError, match=r"max_step = 1e-12 s makes 1e\+13 steps"):
        slide().simulate(10.0, max_step=1e-12)
    with pytest.raises(ModelError, match=r"Delay 'd': time = 1e-12 s makes 1e\+13 steps"):
        slide(sr.Delay("d", "P.q", time=1e-12)).simulate(10.0)
    with pytest.raises(ModelError, match=r"Delay 'd': time = 1e-12 s"):
        slide(sr.Delay("d", "P.q", time=1e-12)).stepper().step(10.0)
    with pytest.raises(ModelError, match=r"outputs|of them"):
        slide().simulate(10.0, output=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_very_fast_filters(seed):
    """Filters far below the run's scales are no hang: the implicit integrator takes over; where none can, they are refused."""
    lag = 10.0 ** np.random.default_rng(seed).uniform(-13.0, -7.0)
    m = slide(sr.LowPass("f", "P.q", time_constant=lag), torque="-q")
    result = m.simulate(3.0)
    assert result.stats["integrator"].endswith("radau5")
    assert np.abs(result["f"] - np.sin(result.t))[1:].max() < 1e-6
    with_event = slide(sr.LowPass("f", "P.q", time_constant=lag), sr.Event("e", at=1.0), torque="-q").simulate(3.0)
    assert np.abs(with_event["f"] - np.sin(with_event.t))[1:].max() < 1e-6
    if lag < 1e-8:
        with pytest.raises(ModelError, match="the fastest filter, with a time constant of"):
            m.simulate(3.0, integrator="dop853")
        with pytest.raises(ModelError, match="the fastest filter, with a time constant of"):
            sr.simulate_many(m, 3.0, v=[[0.0], [1.0]])


def test_pulses_that_come_too_often():
    """Lists of breaks are bounded: the run goes on without them, and says so."""
    table = sr.Table([0.0, 1e-9, 2e-9], [0.0, 1.0, 0.0], kind="linear", outside="repeat")
    pulses = slide(torque="if(1e9*t - floor(1e9*t) < 0.5, 1, 0)")
    called = slide(sr.Signal("u", "f(2*t)", tables={"f": table}))
    for m in (pulses, slide(sr.Lookup("pulse", "t", table)), called):
        with pytest.warns(ModelWarning, match="switches too often in this run"):
            m.simulate(0.1, step=1e-2, integrator="rk4")


def test_ordinary_runs_are_not_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = slide(sr.Event("e", every=0.01), sr.SampleHold("s", "P.q", period=1e-3)).simulate(1.0)
    assert len(result.events) == 100
