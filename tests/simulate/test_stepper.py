"""What a run that is stepped by hand says of its events."""

import random
from types import SimpleNamespace

import pytest

import sharnir as sr
from sharnir.simulate.events import event_run


def clock(seed: int) -> SimpleNamespace:
    """A clock of a machine that is busy now and then."""
    numbers, times = random.Random(seed), [0.0]

    def perf_counter() -> float:
        times.append(times[-1] + 10 ** numbers.uniform(-6.0, 0.5))
        return times[-1]

    return SimpleNamespace(perf_counter=perf_counter)


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


def test_results_do_not_depend_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ticks at the moments at which jumps return through a delay: the compiled loop comes back in between, or it does not."""
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(sr.Input("u"), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    m.add(sr.Delay("late", "hinge.q", time=0.03), sr.SampleHold("held", "hinge.q", period=0.01))
    m.add(sr.JointForce("push", "hinge", "3*late + u + held"), sr.Event("tick", every=0.02))
    found = []
    for seed in range(12):
        monkeypatch.setattr(event_run, "time", clock(seed))
        run = m.stepper()
        for k in range(1, 6):
            run.step(0.05 * k, u=float(k))
        found.append([run[name] for name in ("hinge.q", "hinge.v", "late", "held")])
    assert all(values == found[0] for values in found)
