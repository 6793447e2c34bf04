"""Changes of structure with ball joints, whose coordinates are quaternions."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.model.frames import quaternion, rotation_matrix


def test_a_ball_joint_that_was_locked_comes_apart():
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0)), sr.Ball("O", "ground", "bob", at=(0, 0, 0)))
    m.add(sr.Event("jam", at=0.1, actions=sr.Lock("O")), sr.Event("off", at=0.2, actions=sr.Release("O")))
    m.add(sr.Event("on", at=0.201, actions=sr.Join("O")))
    r = m.simulate(0.5, output=0.1)
    assert len(r.events) == 3
    assert r["bob.position"][-1, 2] < r["bob.position"][1, 2]


def test_a_ball_joint_jams():
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0)))
    m.add(sr.Ball("O", "ground", "bob", at=(0, 0, 0), v=(1, 2, 0)))
    m.add(sr.Event("jam", at=0.3, actions=sr.Lock("O")), sr.Event("free", at=0.6, actions=sr.Unlock("O")))
    one, two = (m.simulate(1.0, output=0.05, tolerance=1e-10, formulation=x) for x in ("joint", "absolute"))
    np.testing.assert_allclose(one["bob.position"], two["bob.position"], atol=1e-8)
    np.testing.assert_allclose(one["bob.rotation"][8], one["bob.rotation"][11], atol=1e-12)
    assert one.energy.kinetic[8] == pytest.approx(0.0, abs=1e-15)
    assert one.energy.kinetic[-1] > 0.1


def test_a_ball_joint_whose_other_side_takes_hold():
    """A chain on two ball joints is let go at the top and held at its end: the tree now comes to them from the child's side."""
    m = sr.Model()
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0)))
    m.add(sr.Body("b", mass=1, inertia=(0.1, 0.1, 0.1), position=(1.5, 0, 0)))
    m.add(sr.Ball("A", "ground", "a", at=(0, 0, 0)), sr.Ball("B", "a", "b", at=(1, 0, 0)))
    m.add(sr.Event("caught", at=0.2, actions=(sr.Attach("ground", "b"), sr.Release("A"))))
    one, two = (m.simulate(0.6, output=0.1, tolerance=1e-9, formulation=x) for x in ("joint", "absolute"))
    np.testing.assert_allclose(one["a.position"], two["a.position"], atol=1e-7)
    np.testing.assert_allclose(one["b.position"][3:], np.tile(one["b.position"][3], (4, 1)), atol=1e-9)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_channels_of_a_ball_joint_while_it_is_locked(formulation):
    """The coordinates stay those of a ball joint: where it is jammed the quaternion that it had, without speed."""
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0), rotation=(0.8, 0, 0, 0.6)))
    m.add(sr.Ball("O", "ground", "bob", at=(0, 0, 0), v=(1, 2, 0)))
    m.add(sr.Event("jam", at=0.3, actions=sr.Lock("O")), sr.Event("off", at=0.6, actions=sr.Release("O")))
    r = m.simulate(0.9, output=0.1, tolerance=1e-10, formulation=formulation)
    jammed, free = (r.t > 0.35) & (r.t < 0.55), m.simulate(0.29999, output=[0.29999], tolerance=1e-10)
    np.testing.assert_allclose(r["O.q"][jammed], np.tile(free["O.q"][-1], (2, 1)), atol=5e-5)
    assert (r["O.v"][jammed] == 0).all() and (r["O.a"][jammed] == 0).all()
    assert np.isnan(r["O.q"][r.t > 0.65]).all() and r["O.q"].shape == (10, 4) and r["O.v"].shape == (10, 3)


def test_another_joint_of_the_same_name_has_its_own_coordinates():
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(0.1, 0.2, 0.3), position=(1, 0, 0)), sr.Ball("O", "ground", "bob", at=(0, 0, 0)))
    hinge = sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y")
    m.add(sr.Event("off", at=0.2, actions=(sr.Release("O"), sr.Join(hinge))))
    r = m.simulate(0.4, output=0.1)
    assert r["O.q"].shape == (5, 4) and np.isfinite(r["O.q"][:2]).all() and np.isnan(r["O.q"][-2:]).all()


AXIS = np.array((0.2, -0.3, 1.0)) / np.linalg.norm((0.2, -0.3, 1.0))


def on_a_turning_arm(kind, frames):
    """A ball at the end of an arm that is driven round a slanted axis; its joint jams, and is free again at t = 0.5."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("arm", mass=2, inertia=(0.1, 0.2, 0.3), com=(0.5, 0, 0)))
    m.add(sr.Revolute("O", "ground", "arm", axis=tuple(AXIS), motion="0.3+2*t+t^2"))
    turn = {} if frames else {"position": (1, 0.2, 0.3), "rotation": (0.8, 0, 0.6, 0)}
    m.add(sr.Body("ball", mass=1, inertia=(0.1, 0.1, 0.1), **turn))
    if frames:
        turned = sr.Frame((1, 0.2, 0.3), sr.rotation_about((1, 0, 2), 0.9))
        m.add(kind("J", "arm", "ball", parent_frame=turned, child_frame=sr.Frame((0, 0, 0), sr.rotation_about("x", -0.4))))
    else:
        m.add(kind("J", "arm", "ball", at=(1, 0.2, 0.3)))
    m.add(sr.Event("jam", at=0.1, actions=sr.Lock("J")), sr.Event("free", at=0.5, actions=sr.Unlock("J")))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("kind", [sr.Ball, sr.Free])
@pytest.mark.parametrize("frames", [False, True])
def test_a_joint_with_quaternions_comes_loose_on_a_moving_parent(kind, frames, formulation):
    """It begins with the speed of what held it: a ball keeps the spin 3 n of the arm, a free one also flies straight on."""
    r = on_a_turning_arm(kind, frames).simulate(1.0, output=0.1, tolerance=1e-11, formulation=formulation)
    after = r.t > 0.499
    np.testing.assert_allclose(r["ball.angular_velocity"][after], np.tile(3.0 * AXIS, (6, 1)), atol=1e-9)
    if kind is sr.Free:
        start = 3.0 * np.cross(AXIS, r["ball.position"][after][0])
        np.testing.assert_allclose(r["ball.velocity"][after], np.tile(start, (6, 1)), atol=1e-9)
        flight = r["ball.position"][after][0] + (r.t[after] - 0.5)[:, None] * start
        np.testing.assert_allclose(r["ball.position"][after], flight, atol=1e-9)
    else:
        np.testing.assert_allclose(np.linalg.norm(r["ball.position"], axis=1), np.sqrt(1.13), rtol=1e-9)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("off", [0.0, 1e-13, 1e-9, 1e-5])
@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_welds_at_right_angles(pitch, off, formulation):
    """Yaw and roll are not determined one by one there; the weld must hold the attitude all the same, to the last digits."""
    turn = np.array(sr.rotation_rpy(0.7, pitch + off, -0.4))
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=2, inertia=(0.3, 0.4, 0.5), velocity=(0.1, 0.2, 0.3), angular_velocity=(0.4, -1.0, 0.5)))
    m.add(sr.Body("b", mass=1, inertia=(0.1, 0.2, 0.25), position=(1, 0.5, 0.2), velocity=(0, 0.1, 0)))
    m.add(sr.Free("A", "ground", "a"), sr.Free("B", "a", "b", q=(0.1, 0, 0, *quaternion(turn))))
    m.add(sr.Event("meet", at=0.0, actions=sr.Attach("a", "b")))
    r = m.simulate(0.5, output=0.1, tolerance=1e-10, formulation=formulation)
    Ra, Rb = (np.array([rotation_matrix(q) for q in r[f"{body}.rotation"]]) for body in "ab")
    relative = np.swapaxes(Ra, 1, 2) @ Rb
    np.testing.assert_allclose(relative, np.tile(turn, (len(r.t), 1, 1)), atol=2e-14 if formulation == "joint" else 1e-12)
    momentum = r["system.angular_momentum"]
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(r.t), 1)), atol=1e-9)
