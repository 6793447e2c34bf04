"""Impacts that create energy are named; those that keep or lose it, and those that a drive feeds, are not."""

import warnings

import pytest

import sharnir as sr


def sliding_ball(friction, *more):
    """1 kg falls with 2 m/s onto the floor at t = 0.5 s, and slides along it with 1 m/s; half of the normal speed comes back.

    The normal impulse is 3 N s, of which friction has a share: the speed along the floor is 1 - 3 friction behind the impact.
    """
    m = sr.Model("ball", gravity=(0, 0, 0), parameters={"friction": friction})
    m.add(sr.Body("slide", mass=1e-9), sr.Prismatic("x", "ground", "slide", axis="x", v=1.0))
    m.add(sr.Body("ball", mass=1), sr.Prismatic("z", "slide", "ball", axis="z", q=1.0, v=-2.0))
    impulses = [sr.SetSpeed("x", "x.v + 3*friction*z.v/2"), sr.Rebound("z", 0.5)]
    m.add(sr.Event("hit", "z.q < 0", [*impulses, *more]))
    return m


@pytest.mark.parametrize("more", [[], [sr.Stop("down")]], ids=["compiled", "Python"])
def test_an_impact_that_creates_energy_is_named(more):
    """Friction of 1.2 turns 1 m/s into -2.6 m/s: 2.5 J before, 0.5 (2.6² + 1) = 3.88 J after."""
    with pytest.warns(sr.RunWarning, match=r"Event 'hit': the impact at t = 0.5 s has created 1.38 J, \d\d % of what moves"):
        result = sliding_ball(1.2, *more).simulate(1.0)
    assert result.stats["energy_residual"] <= result.stats["energy_allowed"]  # which does not see it
    assert not result.trust.good and "has created 1.38 J" in str(result.trust)


def test_the_energy_that_moves_is_not_created_by_friction_that_only_brakes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sliding_ball(0.2).simulate(1.0).trust.good


def test_it_is_said_for_each_of_many_runs():
    with pytest.warns(sr.RunWarning, match=r"1 of 2 runs .* run 1: Event 'hit': the impact at t = 0.5 s has created 1.38 J"):
        runs = sr.simulate_many(sliding_ball(0.2), 1.0, parameters={"friction": [0.2, 1.2]})
    assert list(runs.warnings) == [1]


def table_tennis(lift):
    """A ball on an elastic stop of a table, which a drive lifts."""
    m = sr.Model("table")
    m.add(sr.Body("table", mass=1), sr.Prismatic("lift", "ground", "table", axis="z", motion=lift))
    m.add(sr.Body("ball", mass=1), sr.Prismatic("z", "table", "ball", axis="z", q=0.2))
    m.add(sr.Event("hit", "z.q < 0", sr.Rebound("z", 1.0)))
    return m


@pytest.mark.parametrize("lift", [0.0, "2*t"])
def test_elastic_impacts_and_the_work_of_a_drive_are_not_named(lift):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = table_tennis(lift).simulate(1.0, initial=None)
    gains = [event["energy_after"] - event["energy_before"] for event in result.events]
    assert len(gains) > 1 and (max(gains) > 1.0) == (lift != 0.0)


@pytest.mark.parametrize("when", ["t > 0.2", "z.q < 0.15"])
def test_a_rebound_whose_condition_goes_on_to_hold_counts_once(when):
    """A ball on a spring; the loop looks at what did not turn round, and goes on."""
    m = sr.Model("ball", gravity=(0, 0, 0))
    m.add(sr.Body("ball", mass=1), sr.Prismatic("z", "ground", "ball", axis="z", q=0.5, v=-2.0, stiffness=3.0))
    m.add(sr.Event("hit", when, sr.Rebound("z", 0.5), times=1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = m.simulate(0.5)
    (hit,) = result.events
    assert hit["energy_before"] - hit["energy_after"] > 1.0 and result.trust.good
