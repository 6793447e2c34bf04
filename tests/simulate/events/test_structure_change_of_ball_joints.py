"""Changes of structure with ball joints, whose coordinates are quaternions."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr


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
