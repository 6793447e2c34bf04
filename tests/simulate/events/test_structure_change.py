"""Joints that come apart, jam, take hold and get other motions while the mechanism runs."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError, SimulationError

BOTH = pytest.mark.parametrize("formulation", ["joint", "absolute"])


def pendulum(*events):
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(0.01, 0.01, 0.01), position=(1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"), *events)
    return m


def two_bars(*events):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0)))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="z", v=1.0))
    m.add(sr.Body("b", mass=2, inertia=(0.1, 0.1, 0.2), position=(1.5, 0, 0)))
    m.add(sr.Revolute("B", "a", "b", at=(1, 0, 0), axis="z", v=2.0, damping=0.1), *events)
    return m


def four_bar(*events):
    m = sr.Model()
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.5)))
    m.add(sr.Body("b", mass=2, inertia=(0.1, 0.3, 0.2), position=(1, 0, 1)))
    m.add(sr.Body("c", mass=1, inertia=(0.1, 0.1, 0.1), position=(2, 0, 0.5)))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y", v=2.0), sr.Revolute("B", "a", "b", at=(0, 0, 1), axis="y"))
    m.add(sr.Revolute("C", "b", "c", at=(2, 0, 1), axis="y"), sr.Revolute("D", "ground", "c", at=(2, 0, 0), axis="y"), *events)
    return m


def stones(*events):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), velocity=(1, 0, 0), angular_velocity=(0.3, 0.2, 1)))
    m.add(sr.Body("b", mass=2, inertia=(0.1, 0.3, 0.2), position=(1.5, 0.3, 0.1), angular_velocity=(0, 1, 0)), *events)
    return m


@BOTH
def test_a_pendulum_releases_its_bob(formulation):
    """Behind the release the bob is a projectile with the position and velocity that it had: a closed form."""
    r = pendulum(sr.Event("cut", "O.q > 1", sr.Release("O"))).simulate(1.5, output=0.01, tolerance=1e-10, formulation=formulation)
    t0, (event,) = r.events[0]["t"], r.events
    rate = np.sqrt(2 * 9.81 * np.sin(1.0) / 1.01)
    after = r.t > t0
    t = r.t[after] - t0
    x = np.cos(1.0) - rate * np.sin(1.0) * t
    z = -np.sin(1.0) - rate * np.cos(1.0) * t - 0.5 * 9.81 * t**2
    np.testing.assert_allclose(r["bob.position"][after][:, [0, 2]], np.stack([x, z], axis=1), atol=2e-8)
    np.testing.assert_allclose(r["bob.angular_velocity"][after][:, 1], rate, rtol=1e-8)
    assert event["energy_after"] == pytest.approx(event["energy_before"], abs=1e-12)
    assert np.isnan(r["O.q"][after]).all()
    assert np.isfinite(r["O.q"][~after]).all()
    np.testing.assert_allclose(r.energy.total, 0.0, atol=1e-7)
    assert len(r.t) == 151


@BOTH
def test_a_joint_jams_and_comes_free(formulation):
    """The plastic impact against the closed form: one rigid body with the angular momentum about the fixed pivot."""
    m = two_bars(sr.Event("jam", "B.q > 0.3", sr.Lock("B")), sr.Event("free", at=1.0, actions=sr.Unlock("B")))
    m = m.copy()
    m._joints["B"] = sr.Revolute("B", "a", "b", at=(1, 0, 0), axis="z", v=2.0)
    r = m.simulate(2.0, output=0.05, tolerance=1e-10, formulation=formulation)
    momentum = r["system.angular_momentum"][:, 2]
    np.testing.assert_allclose(momentum, momentum[0], rtol=1e-9)
    jam, free = r.events
    locked = (r.t > jam["t"]) & (r.t < 1.0)
    inertia = 0.1 + 0.25 + 0.2 + 2 * (1.25 + np.cos(0.3))
    np.testing.assert_allclose(r["A.v"][locked], momentum[0] / inertia, rtol=1e-8)
    np.testing.assert_allclose(r["B.q"][locked], 0.3, atol=1e-9)
    assert jam["energy_after"] == pytest.approx(0.5 * momentum[0] ** 2 / inertia, rel=1e-8)
    assert free["energy_after"] == pytest.approx(free["energy_before"], rel=1e-12)
    assert r["B.v"][locked] == pytest.approx(0.0)
    assert abs(r["B.v"][-1]) > 0.1  # centrifugal forces move it on


def test_forces_in_a_locked_joint_rest():
    m = two_bars(sr.TorsionSpring("spring", "B", stiffness=3.0), sr.Event("jam", at=0.2, actions=sr.Lock("B")))
    r = m.simulate(1.0, output=0.1)
    assert r["B.q"][-1] == pytest.approx(r["B.q"][3], abs=1e-12)
    assert r["B.drive"][-1] != 0.0


@BOTH
def test_two_bodies_dock_and_part(formulation):
    """Momentum and angular momentum are kept; the energy behind the impact follows from them: one rigid body."""
    m = stones(sr.Event("dock", at=0.3, actions=sr.Attach("a", "b")), sr.Event("part", at=1.0, actions=sr.Release("a_b")))
    r = m.simulate(2.0, output=0.05, tolerance=1e-10, formulation=formulation)
    for name in ("system.momentum", "system.angular_momentum"):
        np.testing.assert_allclose(r[name], np.tile(r[name][0], (len(r.t), 1)), atol=1e-9)
    dock, part = r.events
    k = int(np.searchsorted(r.t, 0.31))
    R = [np.array(sr.model.frames.rotation_matrix(r[f"{x}.rotation"][k])) for x in "ab"]
    centre = (r["a.position"][k] + 2 * r["b.position"][k]) / 3
    J = sum(
        R[i] @ np.diag(inertia) @ R[i].T + mass * (d @ d * np.eye(3) - np.outer(d, d))
        for i, (mass, inertia, d) in enumerate(
            [
                (1, (0.1, 0.1, 0.1), r["a.position"][k] - centre),
                (2, (0.1, 0.3, 0.2), r["b.position"][k] - centre),
            ]
        )
    )
    P, H = r["system.momentum"][k], r["system.angular_momentum"][k]
    spin = H - np.cross(centre, P)
    assert dock["energy_after"] == pytest.approx(0.5 * P @ P / 3 + 0.5 * spin @ np.linalg.solve(J, spin), rel=1e-8)
    tied = (r.t > 0.3) & (r.t < 1.0)
    distance = np.linalg.norm(r["a.position"] - r["b.position"], axis=1)
    assert np.ptp(distance[tied]) < 1e-9
    assert np.ptp(distance[r.t > 1.0]) > 0.01
    assert part["energy_after"] == pytest.approx(part["energy_before"], rel=1e-12)


@pytest.mark.parametrize("joint", "ABCD")
def test_a_joint_of_a_loop_breaks(joint):
    """Any joint of a four-bar may break: energy is kept, and both formulations go on alike."""
    m = four_bar(sr.Event("break", at=0.2, actions=sr.Release(joint)))
    one, two = (m.simulate(0.6, output=0.1, tolerance=1e-10, formulation=x) for x in ("joint", "absolute"))
    for body in "abc":
        np.testing.assert_allclose(one[f"{body}.position"], two[f"{body}.position"], atol=1e-7)
    for r in (one, two):
        np.testing.assert_allclose(r.energy.total, r.energy.total[0], atol=1e-7)


@BOTH
def test_a_broken_loop_closes_again(formulation):
    """A joint is released and joined again before its sides have gone far; then the loop holds, energy is lost at the impact."""
    m = four_bar(
        sr.Event("break", at=0.2, actions=sr.Release("C")),
        sr.Event("catch", at=0.25, actions=sr.Join("C", gap=0.1)),
    )
    m.gravity = (0, 0, 0)
    r = m.simulate(0.6, output=0.05, tolerance=1e-9, formulation=formulation)
    _, catch = r.events
    assert catch["energy_after"] < 0.999 * catch["energy_before"]
    assert np.isfinite(r["C.q"][[0, -1]]).all()
    assert r.stats["position_residual"] < 1e-9
    np.testing.assert_allclose(r.energy.total[r.t > 0.26], catch["energy_after"], rtol=1e-6)


def test_joining_what_is_apart_is_refused_and_nothing_is_lost():
    m = four_bar(
        sr.Event("break", at=0.2, actions=sr.Release("C")),
        sr.Event("catch", at=0.5, actions=sr.Join("C")),
    )
    with pytest.raises(SimulationError, match=r"Join\('C'\) at t = 0.5: its sides are .* apart, more than gap") as error:
        m.simulate(0.6, output=0.1)
    assert error.value.result.t[-1] == pytest.approx(0.5)


def test_a_new_joint_takes_hold():
    """A puck that flies by is caught by a hinge at the origin: it goes on around it with its angular momentum."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("puck", mass=2, inertia=(0.1, 0.1, 0.1), position=(-1, 0.5, 0), velocity=(1, 0, 0)))
    hinge = sr.Planar("slide", "ground", "puck", axis="z")
    m.add(sr.Event("caught", at=0.5, actions=sr.Join(hinge)))
    r = m.simulate(1.0, output=0.25)
    np.testing.assert_allclose(r["puck.position"][-1], (0, 0.5, 0), atol=1e-9)
    assert r["slide.q"][-1, 0] == pytest.approx(1.0)
    assert r.events[0]["energy_after"] == pytest.approx(1.0)


def test_motions_change():
    """Free fall, jam, free, then two motions: each begins where the joint is; a jump of speed is an impact."""
    m = pendulum(
        sr.Event("jam", "O.q > 1", sr.Lock("O"), times=1),
        sr.Event("go", at=1.0, actions=sr.Unlock("O")),
        sr.Event("drive", at=1.2, actions=sr.SetMotion("O", "q0 + v0*(t - t0)")),
        sr.Event("back", at=1.4, actions=sr.SetMotion("O", "q0 - 0.5*(t - t0)")),
        sr.Event("fall", at=1.5, actions=sr.SetMotion("O", None)),
    )
    one, two = (m.simulate(1.7, output=0.1, tolerance=1e-10, formulation=x) for x in ("joint", "absolute"))
    np.testing.assert_allclose(one["O.q"], two["O.q"], atol=1e-8)
    q, t = one["O.q"], one.t
    np.testing.assert_allclose(q[(t > 0.47) & (t < 1.01)], 1.0, atol=1e-9)
    assert q[13] - q[12] == pytest.approx(0.1 * one["O.v"][12], abs=1e-8)
    assert q[15] - q[14] == pytest.approx(-0.05, abs=1e-9)
    assert one["O.drive"][13] == pytest.approx(-1 * 9.81 * np.cos(q[13]), rel=1e-7)  # no acceleration: it holds the weight


def test_a_motion_must_begin_where_the_joint_is():
    m = pendulum(sr.Event("drive", at=0.3, actions=sr.SetMotion("O", "2*t")))
    with pytest.raises(SimulationError, match=r"the motion begins .* from where the joint is"):
        m.simulate(1.0)


def rise(t):
    return 0.1 * t * t


@pytest.mark.parametrize(
    "motion",
    [
        "0.1*t^2",
        sr.Table((0, 0.2, 0.4, 0.6, 0.8), (0, 0.004, 0.016, 0.036, 0.064), "cubic", "extend"),
        rise,
        ("0.1*t^2", "0.2*t", "0.2"),
    ],
)
def test_a_motion_that_counts_from_the_event(motion):
    """Formulas, tables, functions and triples begin when the event happens, where the joint is."""
    m = pendulum(sr.Event("drive", "O.q > 0.5", sr.SetMotion("O", motion, relative=True), times=1))
    r = m.simulate(0.9, output=0.1, tolerance=1e-9)
    (event,) = r.events
    after = r.t > event["t"]
    np.testing.assert_allclose(r["O.q"][after], 0.5 + 0.1 * (r.t[after] - event["t"]) ** 2, atol=1e-8)


def late_rise(t):
    return 0.7 + 0.3 * t + 0.1 * t * t


PARABOLA = tuple(late_rise(0.1 * k) for k in range(-10, 21))  # a cubic table that follows it exactly, up to its ends


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize(
    "motion",
    [
        "0.7 + 0.3*t + 0.1*t^2",
        sr.Table(tuple(0.1 * k for k in range(-10, 21)), PARABOLA, "cubic"),
        late_rise,
        ("0.7 + 0.3*t + 0.1*t^2", "0.3 + 0.2*t", "0.2"),
        (late_rise, lambda t: 0.3 + 0.2 * t, lambda t: 0.2),
    ],
    ids=["formula", "table", "function", "formulas", "functions"],
)
def test_a_motion_that_does_not_begin_at_zero_counts_from_where_the_joint_is(motion, formulation):
    """q = q(t₀) + f(t - t₀) - f(0), with speed and acceleration, also of a table whose knots begin before 0 and not at zero."""
    m = pendulum(sr.Event("drive", "O.q > 0.5", sr.SetMotion("O", motion, relative=True), times=1))
    r = m.simulate(0.9, output=0.1, tolerance=1e-9, formulation=formulation)
    (event,) = r.events
    s = r.t[r.t > event["t"] + 1e-9] - event["t"]
    after = r.t > event["t"] + 1e-9
    assert after.sum() > 3
    np.testing.assert_allclose(r["O.q"][after], 0.5 + 0.3 * s + 0.1 * s * s, atol=1e-4 if isinstance(motion, sr.Table) else 1e-8)
    np.testing.assert_allclose(r["O.v"][after], 0.3 + 0.2 * s, atol=2e-3 if isinstance(motion, sr.Table) else 1e-8)
    np.testing.assert_allclose(r["O.a"][after], 0.2, atol=2e-2 if isinstance(motion, sr.Table) else 1e-8)


def test_bodies_placed_by_frames_stay_where_they_are():
    """A chain given by frames of joints: what is behind a broken joint does not jump in the drawing."""
    m = sr.Model()
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1)), sr.Body("b", mass=1, inertia=(0.1, 0.1, 0.1)))
    m.add(sr.Revolute("A", "ground", "a", axis="y", parent_frame=sr.Frame((0, 0, 2)), child_frame=sr.Frame((-0.5, 0, 0))))
    m.add(sr.Revolute("B", "a", "b", axis="y", parent_frame=sr.Frame((0.5, 0, 0)), child_frame=sr.Frame((-0.5, 0, 0))))
    m.add(sr.Event("break", at=0.3, actions=sr.Release("A")))
    r = m.simulate(0.6, output=0.01, tolerance=1e-9)
    steps = np.abs(np.diff(r["b.position"], axis=0)).max()
    assert steps < 0.1
    np.testing.assert_allclose(r.energy.total, r.energy.total[0], atol=1e-6)


def test_control_and_counts_go_on_over_changes():
    """States of control, parameters, counts of events and the clock of timed events belong to the run, not to a structure."""
    m = two_bars(sr.Integral("area", "A.q"), sr.Event("tick", every=0.1, actions=sr.SetParameter("n", "n + 1")))
    m.parameters["n"] = 0.0
    m.add(sr.Signal("count", "n"), sr.Signal("last", "B.q"))
    m.add(sr.Event("jam", at=0.35, actions=sr.Lock("B")), sr.Event("off", at=0.75, actions=sr.Release("B")))
    r = m.simulate(1.04, output=0.01, tolerance=1e-9)
    assert r["count"][-1] == 10.0
    area = np.concatenate([[0.0], np.cumsum(0.5 * (r["A.q"][1:] + r["A.q"][:-1]) * np.diff(r.t))])
    np.testing.assert_allclose(r["area"], area, atol=1e-3)
    assert r["last"][-1] == pytest.approx(r["B.q"][60])  # the last coordinate that the joint had
    assert [e["name"] for e in r.events].count("tick") == 10


def test_what_is_wrong_is_said():
    with pytest.raises(ModelError, match=r"Release\('P'\) names no joint or constraint of the model"):
        pendulum(sr.Event("e", at=1.0, actions=sr.Release("P"))).compile()
    with pytest.raises(ModelError, match="'c' is not a body"):
        stones(sr.Event("e", at=1.0, actions=sr.Attach("a", "c")))
    with pytest.raises(ModelError, match="there is a joint 'O' already"):
        pendulum(sr.Event("e", at=1.0, actions=sr.Attach("ground", "bob", "O"))).compile()


@pytest.mark.parametrize(
    "action", [sr.Lock("O"), sr.SetMotion("O", "q0"), sr.SetSpeed("O", 1.0), sr.SetSpeed("O", "O.v"), sr.Rebound("O", 0.5)]
)
def test_actions_on_a_joint_that_has_come_apart(action):
    m = pendulum(sr.Event("e", at=0.1, actions=sr.Release("O")), sr.Event("f", at=0.2, actions=action))
    with pytest.raises(SimulationError, match=rf"Event 'f': {action.label}\('O'\) at t = 0.2: this joint has come apart"):
        m.simulate(1.0)


@pytest.mark.parametrize(("last", "speed"), [(sr.Lock("O"), 0.0), (sr.SetMotion("O", "q0 + 0.5*(t - t0)"), 0.5)])
def test_a_joint_is_joined_and_held_by_one_event(last, speed):
    """One after the other, as if two events at the same moment did it."""
    at_once = pendulum(sr.Event("e", at=0.2, actions=[sr.Release("O"), sr.Join("O"), last])).simulate(0.6)
    events = [sr.Event(f"e{k}", at=0.2, actions=x) for k, x in enumerate((sr.Release("O"), sr.Join("O"), last))]
    in_turn = pendulum(*events).simulate(0.6)
    assert at_once["O.v"][-1] == pytest.approx(speed, abs=1e-9)
    np.testing.assert_allclose(at_once["bob.position"], in_turn["bob.position"], atol=1e-12)


def test_a_joint_that_is_made_later_is_not_together():
    weld = sr.Event("made", at=0.3, actions=sr.Attach("ground", "bob", "weld"))
    m = pendulum(sr.Event("early", at=0.2, actions=sr.Lock("weld")), weld)
    with pytest.raises(SimulationError, match=r"Lock\('weld'\) at t = 0.2: this joint is not together"):
        m.simulate(1.0)


def test_stops_of_a_joint_end_with_it():
    """The pin breaks at the very moment at which the joint meets its stop: nothing is left to rebound."""
    m = pendulum(sr.Event("breaks", "O.q > 1", sr.Release("O")), sr.JointLimit("stop", "O", upper=1.0, restitution=0.5))
    r, free = m.simulate(0.8, output=0.1), pendulum(sr.Event("cut", "O.q > 1", sr.Release("O"))).simulate(0.8, output=0.1)
    np.testing.assert_allclose(r["bob.position"], free["bob.position"], atol=1e-9)


def test_files_hold_changes_of_structure(tmp_path):
    hinge = sr.Revolute("latch", "ground", "bob", at=(0, 0, 0), axis="z")
    m = pendulum(
        sr.Event("a", at=0.1, actions=(sr.Release("O"), sr.Attach("ground", "bob"), sr.Release("ground_bob"))),
        sr.Event("b", at=0.2, actions=(sr.Join("O", gap=0.1), sr.Lock("O", 0), sr.Unlock("O"))),
        sr.Event("c", at=0.3, actions=(sr.SetMotion("O", "q0"), sr.Release("O"), sr.Join(hinge))),
    )
    m.save(tmp_path / "m.toml")
    assert sr.Model.load(tmp_path / "m.toml") == m


@BOTH
def test_a_joint_breaks_when_its_load_is_too_great(formulation):
    """A bob on a hinge that bears 25 N: it swings down, m g (3 sin q) grows, and breaks there; no load behind it."""
    m = pendulum(sr.Signal("load", "O.reaction.force"), sr.Event("break", "load > 25", sr.Release("O")))
    r = m.simulate(1.0, output=0.01, tolerance=1e-10, formulation=formulation)
    (event,) = r.events
    before = r.t < event["t"]
    assert r["load"][before].max() < 25
    assert r["load"][before].max() > 24.0
    np.testing.assert_allclose(r["load"][~before], 0.0, atol=1e-12)
    np.testing.assert_allclose(r["bob.acceleration"][~before], np.tile([0, 0, -9.81], ((~before).sum(), 1)), atol=1e-9)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_joint_that_follows_another_stops_with_it(formulation):
    """A gear of -2: to jam the wheel that follows is to jam both; nobody loses the gear."""

    def gears(*actions):
        m = sr.Model("gears", gravity=(0, 0, 0))
        m.add(sr.Body("big", mass=1, inertia=(2, 2, 4)), sr.Body("small", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
        m.add(sr.Revolute("d", "ground", "big", axis="z", torque=1.0))
        m.add(sr.Revolute("f", "ground", "small", axis="z", mimic=("d", -2.0)))
        for k, action in enumerate(actions):
            m.add(sr.Event(f"e{k}", at=1.0 + k, actions=action))
        return m

    r = gears(sr.Lock("f"), sr.Unlock("f")).simulate(3.0, output=0.5, formulation=formulation)
    assert np.abs(r["f.q"] + 2 * r["d.q"]).max() < 1e-9
    speed = np.array([0, 0.5, 1.0, 0, 0, 0.5, 1.0]) / 8  # inertia 4 + 2² 1; the moment of an event shows what was before
    np.testing.assert_allclose(r["d.v"][[0, 1, 2, 3, 5, 6]], speed[[0, 1, 2, 3, 5, 6]], atol=1e-9)
    assert r.events[0]["energy_after"] == pytest.approx(0.0, abs=1e-12)
    for actions, match in (
        ((sr.SetMotion("f", "q0"),), "give the motion to 'd'"),
        ((sr.Release("f"), sr.Join("f")), "use a Gear"),
    ):
        with pytest.raises(sr.SimulationError, match=match):
            gears(*actions).simulate(3.0, formulation=formulation)


@pytest.mark.parametrize("torque", ["-0.1*sign(v)", "if(q > 0.7, -1, 1)", "floor(3*q)"])
@pytest.mark.parametrize("action", [sr.Release, sr.Lock])
def test_joints_whose_torque_switches_come_apart_and_are_held(torque, action):
    """The number of switching functions changes with the structure; events go on with what they have seen."""
    m = sr.Model()
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0)))
    m.add(sr.Body("b", mass=1, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0), position=(1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "a", axis="y", torque=torque, v=2))
    m.add(sr.Revolute("P", "a", "b", at=(1, 0, 0), axis="y", torque="-0.2*sign(q - 0.1)"))
    m.add(sr.Event("go", at=0.5, actions=[action("O")]), sr.Event("low", "b.z < -0.7"))
    joint, absolute, other = (
        m.simulate(1.2, step=0.01, **way) for way in ({}, {"formulation": "absolute"}, {"integrator": "dopri5"})
    )
    assert [event["name"] for event in joint.events] == ["low", "go"]
    assert np.allclose(joint["b.position"], absolute["b.position"], atol=1e-7)
    assert np.allclose(joint["b.position"], other["b.position"], atol=1e-7)
