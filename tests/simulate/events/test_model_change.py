"""Parameters and drives that change during a run: the motion continues."""

from dataclasses import replace

import numpy as np
import pytest

import sharnir as sr
from sharnir.simulate.events.model_change import Change
from sharnir.simulate.simulation import simulate


def oscillator(**further):
    m = sr.Model("oscillator", gravity=(0, 0, 0), parameters={"k": 4.0, "h": 10.0, **further})
    m.add(sr.Body("car", mass=1), sr.Prismatic("x", "ground", "car", axis="x", q=1.0, stiffness="k"))
    return m


def four_bar():
    m = sr.Model("four-bar", parameters={"l": 0.4, "T": 0.1, "w": 3.0})
    m.add(sr.Body("crank", mass=0.3, shape=sr.Rod((0, 0, 0), (0.1, 0, 0))))
    m.add(sr.Body("rod", mass=0.5, shape=sr.Rod((0, 0, 0), ("l", 0, 0)), position=(0.1, 0, 0)))
    m.add(sr.Body("rocker", mass=0.4, shape=sr.Rod((0, 0, 0), (0, 0, -0.3)), position=(0.5, 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", axis="y", torque="T"))
    m.add(sr.Revolute("A", "crank", "rod", axis="y", parent_frame=sr.Frame((0.1, 0, 0)), child_frame=sr.Frame((0, 0, 0))))
    m.add(sr.Revolute("B", "rod", "rocker", axis="y", parent_frame=sr.Frame(("l", 0, 0)), child_frame=sr.Frame((0, 0, 0))))
    m.add(
        sr.Revolute("C", "ground", "rocker", axis="y", parent_frame=sr.Frame((0.5, 0, -0.3)), child_frame=sr.Frame((0, 0, -0.3)))
    )
    return m


def test_a_stiffness_that_changes_gives_the_motion_of_the_textbook():
    result = oscillator().simulate(3.0, step=0.01, tolerance=1e-10, changes={1.0: {"k": 9.0}})
    before, after = result.t <= 1.0, result.t > 1.0
    q1, v1 = np.cos(2.0), -2.0 * np.sin(2.0)
    s = result.t[after] - 1.0
    assert np.allclose(result["x.q"][before], np.cos(2.0 * result.t[before]), atol=1e-8)
    assert np.allclose(result["x.q"][after], q1 * np.cos(3.0 * s) + v1 / 3.0 * np.sin(3.0 * s), atol=1e-8)
    assert result.events[0]["t"] == 1.0 and result.events[0]["name"] == "k = 9"
    assert result.events[0]["energy_after"] - result.events[0]["energy_before"] == pytest.approx(0.5 * 5.0 * q1**2, abs=1e-8)
    assert str(result.trust).startswith("good")


@pytest.mark.parametrize("integrator", ["dopri5", "rk4", "radau5"])
def test_it_is_two_runs_one_after_the_other(integrator):
    m = four_bar()
    given = {"step": 0.002, "integrator": integrator, "tolerance": None if integrator == "rk4" else 1e-9}
    whole = m.simulate(0.6, **given, changes={0.3: {"T": -0.4}})
    first, other = m.simulate(0.3, **given), m.with_parameters(T=-0.4)
    start = {"q": {name: first[f"{name}.q"][-1] for name in "OA"}, "v": {"O": first["O.v"][-1]}}
    second = other.simulate(0.3, **given, initial=sr.Initial(**start))
    assert np.allclose(whole["C.q"][:151], first["C.q"], rtol=0, atol=1e-6)
    assert np.allclose(whole["C.q"][151:], second["C.q"][1:], rtol=0, atol=1e-6)
    assert np.ptp(whole["C.q"]) > 0.1


def test_a_length_in_a_loop_changes_and_the_loop_closes():
    result = four_bar().simulate(0.4, step=0.002, changes={0.2: {"l": 0.41}})
    for t, length in ((0.1, 0.4), (0.3, 0.41)):
        k = int(np.searchsorted(result.t, t))
        distance = np.linalg.norm(result["rod.position"][k] - result["rocker.position"][k])
        assert distance == pytest.approx(length, abs=1e-6)
    with pytest.raises(sr.SimulationError, match="does not fit together"):
        four_bar().simulate(0.4, step=0.002, changes={0.2: {"l": 1.5}})


def test_a_drive_goes_on_from_where_its_joint_is():
    m = sr.Model(parameters={"w": 2.0})
    m.add(sr.Body("arm", mass=1, position=(1, 0, 0)), sr.Body("bob", mass=1, position=(1, 0, -1)))
    m.add(sr.Revolute("O", "ground", "arm", at=(0, 0, 0), axis="z", motion="w*t"))
    m.add(sr.Revolute("A", "arm", "bob", at=(1, 0, 0), axis="x"))
    result = m.simulate(2.0, step=0.1, changes={0.5: {"w": 4.0}, 1.0: {"w": 0.0}})
    assert np.allclose(result["O.q"][[5, 6, 10, 11, 20]], [1.0, 1.4, 3.0, 3.0, 3.0])
    other = m.copy()
    other._joints["O"] = replace(m.joints["O"], motion="sin(t)")
    result = m.simulate(2.0, step=0.1, changes={0.5: other})
    assert np.allclose(result["O.q"][6:], 1.0 + np.sin(result.t[6:]) - np.sin(0.5))


def test_events_that_the_change_sets_off_happen_at_its_moment():
    m = oscillator()
    m.add(sr.Event("high", "x.q > h", sr.Stop("too far")))
    result = m.simulate(5.0, step=0.01, changes={0.3: {"h": 0.2}})
    assert result.events[-1]["name"] == "high" and result.events[-1]["t"] == 0.3 and result.t[-1] == 0.3
    timed = oscillator(T=1.0)
    timed.add(sr.Event("bell", at="T"))
    assert [e["t"] for e in timed.simulate(3.0, changes={0.5: {"T": 2.0}}).events if e["name"] == "bell"] == [2.0]


def test_control_keeps_its_states_and_takes_new_gains():
    m = oscillator(gain=0.0)
    m.add(sr.Signal("e", "1 - x.q"), sr.Integral("s", "e"), sr.JointForce("motor", "x", "gain*s"))
    m.add(sr.SampleHold("held", "x.q", period=0.05))
    result = m.simulate(1.0, step=0.01, tolerance=1e-10, changes={0.5: {"gain": 2.0}})
    e = 1.0 - result["x.q"]
    assert np.allclose(result["s"], np.concatenate([[0.0], np.cumsum(0.005 * (e[1:] + e[:-1]))]), atol=1e-4)
    force = result["x.a"] + 4.0 * result["x.q"]
    assert np.all(abs(force[result.t <= 0.5]) < 1e-9) and abs(force[-1] - 2.0 * result["s"][-1]) < 1e-9
    assert result["held"][-1] != result["held"][51]


def test_at_the_end_of_a_step_nothing_before_the_change_is_another_number():
    m, plain = oscillator(), oscillator().simulate(3.0, step=0.01)
    changed = simulate(m, 3.0, step=0.01, changes=[Change(1.0, m.with_parameters(k=9.0), exact=False)])
    t = changed.events[0]["t"]
    assert 1.0 <= t < 1.5 and t not in changed.t
    assert np.array_equal(changed["x.q"][changed.t < t], plain["x.q"][plain.t < t])
    assert not np.array_equal(changed["x.q"][changed.t > t], plain["x.q"][plain.t > t])


def test_what_cannot_change_says_so():
    m = oscillator()
    with pytest.raises(sr.ModelError, match="between 0 and the end"):
        m.simulate(1.0, changes={2.0: {"k": 1.0}})
    with pytest.raises(sr.ModelError, match="kk"):
        m.simulate(1.0, changes={0.5: {"kk": 1.0}})
    more = m.copy()
    more.add(sr.Body("new", mass=1))
    with pytest.raises(sr.SimulationError, match=r"bodies cannot be added.*new"):
        m.simulate(1.0, changes={0.5: more})
    driven = m.copy()
    driven._joints["x"] = sr.Prismatic("x", "ground", "car", axis="x", motion="t")
    with pytest.raises(sr.SimulationError, match="driven or free"):
        m.simulate(1.0, changes={0.5: driven})
    told: list[str] = []
    result = simulate(m, 1.0, changes=[Change(0.5, more, refused=told.append)])
    assert "new" in told[0] and result.complete and result.events == []
    with pytest.raises(sr.ModelError, match="prescribed"):
        driven.simulate(1.0, changes={0.5: {"k": 1.0}})
