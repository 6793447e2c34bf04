"""Runs that balance their energy: with events, changes of structure, files and steppers; and what they say if it is open."""

import warnings

import numpy as np
import pytest

import sharnir as sr


def relative(result):
    return result.stats["energy_residual"] / result.stats["energy_moved"]


def swinging(**options):
    m = sr.Model("pendulum")
    m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y", **options))
    return m


def locked():
    """Two masses one on the other; the spring of the first is locked for a while, with 47 J in it."""
    m = sr.Model("lock", gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1), sr.Prismatic("x", "ground", "a", axis="x", q=1.0, stiffness=100))
    m.add(sr.Body("b", mass=1), sr.Prismatic("y", "a", "b", axis="x", v=1.0, damping=0.1))
    m.add(sr.Event("lock", at=0.33333, actions=[sr.Lock("x")]), sr.Event("unlock", at=0.7, actions=[sr.Unlock("x")]))
    return m


def test_a_damped_pendulum_balances():
    result = swinging(damping=0.3).simulate(5.0)
    assert relative(result) < 1e-6 and result.stats["energy_change"] > 1.0
    assert result.stats["energy_residual"] <= result.stats["energy_allowed"] and result.trust.good


def test_impacts_are_part_of_the_balance():
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=1), sr.Prismatic("z", "ground", "ball", axis="z", q=1.0))
    m.add(sr.Event("hit", when="z.q", direction="falling", actions=[sr.Rebound("z", 0.8)]))
    result = m.simulate(1.5)
    assert len(result.events) == 2 and result.stats["energy_change"] > 5.0 and relative(result) < 1e-10


def test_impacts_left_to_python_are_part_of_it_too():
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=1), sr.Prismatic("z", "ground", "ball", axis="z", q=1.0))
    m.add(sr.Event("hit", when="z.q", direction="falling", actions=[sr.Rebound("z", 0.8)]))
    m.add(sr.Event("end", when="z.q", direction="falling", actions=[sr.SetSpeed("z", 2.0), sr.Stop()], times=1, enabled=False))
    m.add(sr.Event("arm", at=1.0, actions=[sr.Enable("end")]))
    result = m.simulate(3.0)
    assert result.stats["stopped"] and relative(result) < 1e-10


def test_changes_of_structure_begin_a_balance_of_their_own():
    result = locked().simulate(1.5)
    assert relative(result) < 1e-7


@pytest.mark.parametrize("order", [1, -1])
def test_speeds_that_change_with_the_structure_count_once(order):
    """A new structure and a new speed in one event: the balance of the new part begins behind both."""
    m = locked()
    m.add(sr.Event("kick", at=0.5, actions=[sr.Unlock("x"), sr.SetSpeed("y", 3.0)][::order], times=1))
    result = m.simulate(0.65)
    assert result.events[-1]["energy_after"] > result.events[-1]["energy_before"] + 1.0
    assert relative(result) < 1e-7 and result.trust.good


def test_a_compiled_kick_that_causes_a_change_of_structure_counts_once():
    """What compiled actions did before they left the moment to Python belongs to the part that ends there."""
    m = sr.Model("kicked", gravity=(0, 0, 0))
    for k, parent in enumerate(("ground", "b0")):
        m.add(sr.Body(f"b{k}", mass=1.0 + k), sr.Prismatic(f"P{k}", parent, f"b{k}", axis="x", q=0.2, stiffness=30.0))
    m.add(sr.Event("kick", at=0.5, actions=sr.SetSpeed("P0", 3.0)))
    m.add(sr.Event("jam", "P0.v > 2.5", sr.Lock("P1"), initially=True))
    result = m.simulate(1.0, output=0.1, tolerance=1e-10)
    assert [event["name"] for event in result.events] == ["kick", "jam"]
    assert result.events[0]["energy_after"] > result.events[0]["energy_before"] + 1.0
    assert relative(result) < 1e-8 and result.trust.good


def test_files_and_steppers_balance_as_well(tmp_path):
    result = locked().simulate(1.5)
    written = locked().simulate(1.5, file=tmp_path / "run.h5")
    for name in ("energy_residual", "energy_moved", "energy_allowed"):
        assert written.stats[name] == pytest.approx(result.stats[name], rel=1e-9)
    stepper = locked().stepper()
    for t in np.linspace(0.1, 1.5, 9):
        stepper.step(t)
    assert relative(stepper.result()) < 1e-6


def test_springs_of_locked_joints_keep_their_energy():
    events = locked().simulate(1.5).events
    before, after = (events[1][key] for key in ("energy_before", "energy_after"))
    assert after == pytest.approx(before, rel=1e-12)  # to unlock costs nothing
    spring = 0.5 * 100 * locked().simulate(0.5)["x.q"][-1] ** 2
    assert spring > 40.0 and events[0]["energy_after"] > spring


def test_a_locked_ball_joint_keeps_the_energy_of_its_spring():
    m = sr.Model("ball", gravity=(0, 0, 0))
    turn = sr.rotation_about((1, 2, 3), 0.7)
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1), position=(1, 0, 0), rotation=turn))
    m.add(sr.Ball("B", "ground", "a", at=(0, 0, 0), stiffness=50, v=(1, 2, 0.5)))
    m.add(sr.Event("lock", at=0.1501, actions=[sr.Lock("B")]), sr.Event("unlock", at=0.7, actions=[sr.Unlock("B")]))
    result = m.simulate(1.0, output=1e-3)
    lock, unlock = result.events
    kinetic = result["energy.kinetic"][150]
    assert kinetic > 0.5 and lock["energy_before"] - lock["energy_after"] == pytest.approx(kinetic, rel=0.01)
    assert unlock["energy_after"] == pytest.approx(unlock["energy_before"], rel=1e-12)


def test_losses_of_the_deployment_demo_come_from_its_springs():
    from sharnir.app.demos.spacecraft import deployment

    result = deployment.model().simulate(12.0, step=0.02)
    total = result["energy.total"]
    lost = sum(e["energy_before"] - e["energy_after"] for e in result.events)
    assert total[0] > 200.0 and 0.0 < lost < total[0] and np.diff(total).max() < 1e-6 * total[0]


def test_steps_that_are_too_long_are_told_with_time_and_remedy():
    m = sr.Model("coarse")
    m.add(sr.Body("b", mass=1), sr.Prismatic("z", "ground", "b", axis="z", stiffness=100, damping=0.1, q=1.0))
    with pytest.warns(sr.RunWarning, match=r"lost .* J that no force accounts for.* between t = .*shorter step"):
        result = m.simulate(5.0, integrator="rk4", step=0.1)
    assert not result.trust.good and "shorter steps" in str(result.trust)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert m.simulate(5.0, integrator="rk4", step=0.005).trust.good


def test_what_is_not_integrated_is_not_balanced_and_says_why():
    m = swinging(motion="0.3*t")
    stats = m.simulate(1.0).stats
    assert "energy_residual" not in stats and "prescribed" in stats["energy_unaudited"]
