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
