"""What a run that is stepped by hand says of its events."""

import pytest

import sharnir as sr


def test_events_so_far_have_their_energies():
    """2 kg with 3 m/s that are braked to 1 m/s at 0.5 s: 9 J before, 1 J after."""
    m = sr.Model("cart", gravity=(0, 0, 0))
    m.add(sr.Body("car", mass=2), sr.Prismatic("x", "ground", "car", axis="x", v=3.0))
    m.add(sr.Event("brake", at=0.5, actions=[sr.SetSpeed("x", 1.0), sr.Stop("slow enough")]))
    run = m.stepper()
    run.step(0.25)
    assert run.events == []
    run.step(0.5)
    assert [event["name"] for event in run.events] == ["brake"] and run.stopped == "slow enough"
    assert (run.events[0]["energy_before"], run.events[0]["energy_after"]) == pytest.approx((9.0, 1.0))
