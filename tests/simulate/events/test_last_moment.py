"""What ticks exactly at the end of a run happens, as everywhere else: samples, callbacks, timed events and what they cause."""

import numpy as np
import pytest

import sharnir as sr


def car(*elements, **settings):
    m = sr.Model(gravity=(0, 0, 0), **settings)
    m.add(sr.Body("car", mass=2, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "car", axis="x", v=1))
    m.add(*elements)
    return m


@pytest.mark.parametrize("integrator", ["auto", "rk4", "abm", "radau5", "bdf", "park", "generalized-alpha"])
def test_a_sample_at_the_end(integrator):
    step = {"step": 0.01} if integrator == "rk4" else {}
    r = car(sr.SampleHold("seen", "rail.q", period=0.25)).simulate(1.0, output=0.25, integrator=integrator, **step)
    np.testing.assert_allclose(r["seen"], [0, 0.25, 0.5, 0.75, 1.0], atol=1e-9)
    assert r.stats["t_reached"] == 1.0


def test_all_kinds_of_clocks():
    times = []
    law = sr.Sampled("law", lambda t, x: times.append(t) or 2 * x, ["t"], period=0.25)
    twice = sr.Difference("sum1", {"e": "1"}, "i + e", {"i": 0}, {"i": "i + e"}, 0.25)
    r = car(law, twice).simulate(0.75, output=0.25)
    assert times == [0, 0.25, 0.5, 0.75] and r["law"][-1] == 1.5
    np.testing.assert_array_equal(r["sum1"], [1, 2, 3, 4])
    seen = []
    car(sr.Input("u")).simulate(1.0, callback=lambda moment: seen.append(moment.t), communication=0.25)
    assert seen == [0, 0.25, 0.5, 0.75, 1.0]


def test_timed_events_whose_time_is_the_end_but_for_rounding():
    rng = np.random.default_rng(1)
    for _ in range(12):
        period, count = round(rng.uniform(0.01, 0.3), 3), int(rng.integers(2, 12))
        for t_end in (count * period, float(f"{count * period:.10g}")):
            events = (sr.Event("a", every=period), sr.Event("b", every=period, actions=sr.SetParameter("k", "k + 1")))
            r = car(*events, sr.Event("c", at=count * period), parameters={"k": 0.0}).simulate(t_end)
            names = [event["name"] for event in r.events]
            assert [names.count(name) for name in "abc"] == [count, count, 1], (period, count, t_end)


def test_what_a_sample_at_the_end_causes_happens_too():
    sample = sr.SampleHold("seen", "rail.q", period=0.5)
    r = car(sample, sr.Event("far", "seen > 0.9")).simulate(1.0)
    assert [(event["t"], event["name"]) for event in r.events] == [(1.0, "far")]
    r = car(sample, sr.Event("far", "seen > 0.9", sr.Lock("rail"))).simulate(1.0)
    assert len(r.events) == 1 and r.events[0]["energy_after"] == 0.0 and r.t[-1] == 1.0
    r = car(sample, sr.Event("far", "seen > 0.9", sr.Stop("far enough"))).simulate(1.0)
    assert len(r.events) == 1 and r.t[-1] == 1.0


def test_a_sample_just_behind_the_end_does_not_happen():
    r = car(sr.SampleHold("seen", "rail.q", period=0.5001)).simulate(1.0)
    assert r["seen"][-1] == pytest.approx(0.5001)
