"""Channels: names, shapes, units, and that they are consistent with each other."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
import zoo


@pytest.fixture(scope="module")
def run():
    """One joint of every kind, prescribed ones, and force elements that report."""
    m = sr.Model("all")
    for i, kind in enumerate(sr.ALL_JOINTS):
        rng = np.random.default_rng(i)
        m.add(zoo.body(rng, f"b{i}"), zoo.joint(kind, rng, kind.__name__, "ground", f"b{i}", at=(i, 0, 0)))
    rng = np.random.default_rng(99)
    m.add(zoo.body(rng, "driven"), sr.Planar("drive", "ground", "driven", axis="z", motion=("t", None, "t^2"), v=(0, 1, 0)))
    m.add(zoo.body(rng, "loose"))
    m.add(
        sr.Spring("coil", "ground", "loose", at_a=(0, 0, 1), stiffness=3),
        sr.Bushing("mount", "b1", "b2", (0, 0, 0), stiffness=(1,) * 6),
    )
    m.add(sr.UserForce("one", "loose", zoo.drag), sr.UserForce("two", ("b1", "b2"), zoo.drag))
    return m, m.simulate(0.2, step=0.05)


UNITS = {
    "Revolute.q": "rad",
    "Revolute.v": "rad/s",
    "Revolute.a": "rad/s²",
    "Prismatic.q": "m",
    "Prismatic.a": "m/s²",
    "Screw.q": "rad",
    "Planar.q.x": "m",
    "Planar.v.angle": "rad/s",
    "Ball.q.w": "1",
    "Ball.v.x": "rad/s",
    "Free.q.x": "m",
    "Free.q.qw": "1",
    "Free.v.x": "m/s",
    "Free.v.rx": "rad/s",
    "Universal.q.angle1": "rad",
    "drive.drive.x": "N",
    "drive.drive.angle": "N m",
    "b1.position": "m",
    "b1.rotation": "1",
    "b1.velocity": "m/s",
    "b1.angular_velocity": "rad/s",
    "b1.acceleration": "m/s²",
    "b1.angular_acceleration": "rad/s²",
    "Fixed.reaction.fx": "N",
    "Fixed.reaction.tz": "N m",
    "coil.length": "m",
    "coil.rate": "m/s",
    "coil.force": "N",
    "mount.force.fx": "N",
    "mount.force.tx": "N m",
    "one.force.fz": "N",
    "two.force_b2.tx": "N m",
    "energy.total": "J",
    "system.momentum": "N s",
    "system.angular_momentum": "N m s",
    "system.center_of_mass": "m",
    "loose.q.qz": "1",
}


@pytest.mark.parametrize("name", UNITS)
def test_units(run, name):
    assert run[1].unit(name) == UNITS[name]
    assert len(run[1][name]) == 5


def test_every_channel_can_be_read(run):
    """All that are listed: finite, one row per time, and never changed by reading others."""
    m, r = run
    for name in r.channels:
        assert r[name].shape[0] == 5, name
        assert np.isfinite(r[name]).all(), name
    for joint in m.joints.values():
        assert f"{joint.name}.reaction" in r
        assert (f"{joint.name}.q" in r) == (joint.n_v > 0)
        if joint.n_v:
            shape = () if joint.n_v == 1 else (joint.n_q,)
            assert r[f"{joint.name}.q"].shape == (5, *shape)
    assert "Revolute.drive" not in r
    assert "ground.position" not in r
    with pytest.raises(KeyError, match="nonsense"):
        r["nonsense.q"]


def test_components_are_columns(run):
    r = run[1]
    assert (r["Planar.q.angle"] == r["Planar.q"][:, 2]).all()
    assert (r["Ball.q.z"] == r["Ball.q"][:, 3]).all()
    assert (r["b3.position.y"] == r["b3.position"][:, 1]).all()
    assert r["Free.reaction"] == pytest.approx(np.zeros((5, 6)), abs=1e-11)


def test_prescribed_and_free_columns(run):
    r = run[1]
    assert r["drive.q"] == pytest.approx(np.stack([r.t, r["drive.q.y"], r.t**2], axis=1))
    assert r["drive.v"][:, 2] == pytest.approx(2 * r.t)
    assert r["drive.a"][:, [0, 2]] == pytest.approx(np.array([[0, 2]] * 5))
    assert (r["drive.drive.y"] == 0).all()


def test_spring_channels_by_hand(run):
    r = run[1]
    d = r["loose.position"] - np.array([0, 0, 1])
    length = np.linalg.norm(d, axis=1)
    assert r["coil.length"] == pytest.approx(length, rel=1e-12)
    assert r["coil.rate"] == pytest.approx((d * r["loose.velocity"]).sum(axis=1) / length, abs=1e-12)
    assert r["coil.force"] == pytest.approx(3 * (length - length[0]), abs=1e-9)


def test_accelerations_are_those_of_the_system(run):
    m, r = run
    s = m.compile(method="composite")
    assert r["Revolute.a"][0] == pytest.approx(s.accelerations(s.q0, s.v0)[s.speeds.index("Revolute.v")], rel=1e-10)


def test_one_body_at_a_time(monkeypatch):
    """Where all bodies would not fit in memory each is computed alone: the same numbers."""
    m = zoo.model("tree 1")
    together = m.simulate(0.1, step=0.05)
    monkeypatch.setattr("sharnir.simulate.channels.channel_groups.ALL_AT_ONCE", 0.0)
    apart = m.simulate(0.1, step=0.05)
    for name in together.channels:
        assert (apart[name] == together[name]).all(), name


def test_same_names_for_different_things():
    """A body, its joint and a force may share a name."""
    m = sr.Model()
    m.add(sr.Body("arm", mass=1, com=(1, 0, 0), inertia=(1, 1, 1)), sr.Revolute("arm", "ground", "arm", axis="y"))
    m.add(sr.Spring("arm", "ground", "arm", at_a=(0, 0, 1), at_b=(1, 0, 0), stiffness=1))
    r = m.simulate(0.1)
    assert {"arm.q", "arm.position", "arm.length", "arm.reaction"} <= set(r.channels)
    assert r.unit("arm.force") == "N"


def test_moving_ground_has_channels():
    m = sr.Model(base_motion={"z": "sin(t)", "rx": "t"})
    m.add(sr.Body("arm", mass=1, inertia=(1, 1, 1)))
    r = m.simulate(1.0, step=0.5)
    assert r["ground.position"][:, 2] == pytest.approx(np.sin(r.t))
    assert r["ground.acceleration"][:, 2] == pytest.approx(-np.sin(r.t))
    assert r["ground.angular_velocity"] == pytest.approx(np.array([[1, 0, 0]] * 3))
