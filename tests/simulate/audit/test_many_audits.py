"""What runs say at their end is in their trust, and simulate_many says it of every run."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import RunWarning


def slide(**options):
    """Dry friction written as a jump: it comes to rest, and its formula switches without end."""
    m = sr.Model("slide", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(1, 1, 1)), sr.Prismatic("P", "ground", "b", axis="x", v=1.0, **options))
    m.add(sr.JointForce("rub", "P", "-3*sign(v)"))
    return m


def ball_and_box(speed=0.0):
    """A ball that is thrown at a box."""
    m = sr.Model("ball and box", gravity=(0, 0, 0))
    m.add(sr.Body("ball", mass=1, inertia=(0.004,) * 3, position=(-5, 0, 0), velocity=(speed, 0, 0)))
    m.add(sr.Body("box", mass=4, inertia=(0.1,) * 3))
    m.add(sr.Contact("c", "ball", "box", sr.Sphere(0.1), sr.Box((0.5, 0.5, 0.5)), law=sr.Hertz(1e6)))
    return m


def pendulum():
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
    return m


def test_sliding_is_in_trust():
    with pytest.warns(RunWarning, match="switches back and forth"):
        result = slide().simulate(1.0)
    assert not result.trust.good and "switches back and forth" in str(result.trust)


def test_many_runs_say_which_slides():
    with pytest.warns(RunWarning, match="2 of 3 runs.*run 0.*run 2"):
        runs = sr.simulate_many(slide(), 1.0, v=[[1.0], [100.0], [0.5]], output=0.1)
    assert list(runs.warnings) == [0, 2]
    assert [run.trust.good for run in runs] == [False, True, False]


def test_many_runs_say_which_pass_limits():
    with pytest.warns(RunWarning, match=r"1 of 2 runs.*run 1: joint 'P' passes its limits"):
        runs = sr.simulate_many(slide(limits=(-1.0, 40.0)), 0.5, v=[[70.0], [90.0]], output=0.1)
    assert "passes its limits" in str(runs[1].trust) and runs[0].trust.good


@pytest.mark.parametrize("runs", [2, 9])
@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_many_runs_balance_their_energy(runs, formulation):
    """Fixed steps that are much too long; the first one hangs at rest. In vector registers, and one by one."""
    angles = np.linspace(np.pi / 2, 0.0, runs)[:, None]
    m = pendulum()
    start = [m.compile(formulation, initial=sr.Initial(q={"hinge": a})).q0 for a in angles[:, 0]]
    with pytest.warns(RunWarning, match="that no force accounts for"):
        found = sr.simulate_many(m, 3.0, q=start, step=0.3, integrator="rk4", formulation=formulation)
    assert 0 not in found.warnings and runs - 1 in found.warnings
    assert found[0].trust.good and not found[runs - 1].trust.good


def test_many_runs_with_events_are_audited():
    m = pendulum()
    m.add(sr.Event("kick", at=0.5, actions=[sr.SetSpeed("hinge", 1.0)]))
    found = sr.simulate_many(m, 1.0, q=[[0.0], [0.3]], output=0.1)
    assert found.warnings == {} and all(run.trust.good and run.stats["energy_residual"] < 1e-4 for run in found)


def test_deep_contacts_are_in_trust():
    speeds = np.zeros((3, 12))
    speeds[:, 0] = 10.0, 1000.0, -1000.0
    with pytest.warns(RunWarning, match="1 of 3 runs.*run 1: bodies penetrated deeper"):
        runs = sr.simulate_many(ball_and_box(), 0.1, v=speeds, output=0.01)
    assert list(runs.warnings) == [1] and "deeper" in str(runs[1].trust)
    with pytest.warns(RunWarning, match="fixed steps are so long"):
        result = ball_and_box(10.0).simulate(1.0, integrator="rk4", step=0.05)
    assert "fixed steps are so long" in str(result.trust)
