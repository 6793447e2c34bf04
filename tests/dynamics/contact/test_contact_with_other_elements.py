"""Contacts together with other parts of a model: a moving ground, flexible bodies, signals, events, changes of structure."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.flexible import Section, reduce, straight_beam

g = 9.81


def test_ball_on_a_lift() -> None:
    """The ground moves up with a constant acceleration: the ball weighs m (g + a)."""
    m = sr.Model("lift", base_motion=sr.BaseMotion(z="1.5*t**2"))
    K = 1e7
    m.add(sr.Body("ball", mass=1, shape=sr.Sphere(0.1), position=(0, 0, 0.1 - ((g + 3) / K) ** (2 / 3))))
    m.add(sr.Contact("floor", "ball", "ground", shape_b=sr.Plane(), law=sr.HuntCrossley(K, damping=1)))
    r = m.simulate(0.5, step=0.01)
    assert r["floor.force"][-1] == pytest.approx(g + 3, rel=1e-4)


def test_ball_hits_a_flexible_beam() -> None:
    """A node of a flexible body is a body: momentum of the free pair is kept, energy goes into bending."""
    beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=8)
    link = reduce(beam, interfaces={"a": 0, "tip": 8}, modes=4)
    m = sr.Model("beam", gravity=(0, 0, 0))
    m.add(
        sr.FlexibleBody("beam", reduced=link),
        sr.Body("ball", mass=0.5, shape=sr.Sphere(0.05), position=(1, 0, 0.06), velocity=(0, 0, -1)),
    )
    m.add(sr.Contact("hit", "ball", "beam:tip", shape_b=sr.Sphere(0.005), law=sr.Hertz(1e7)))
    r = m.simulate(0.01, step=2e-5, tolerance=1e-8)
    assert r["hit.force"].max() > 10
    P, energy = r["system.momentum"], r["energy.total"]
    assert np.abs(P - P[0]).max() < 1e-6
    assert np.abs(energy - energy[0]).max() < 1e-5 * energy[0]


def test_events_and_signals_see_contacts() -> None:
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=1, shape=sr.Sphere(0.1), position=(0, 0, 0.6)))
    m.add(sr.Contact("floor", "ball", "ground", shape_b=sr.Plane(), law=sr.Hertz(1e7)))
    m.add(sr.Signal("lost", "floor.loss", unit="W"))
    m.add(sr.Event("touch", "floor.depth > 0"), sr.Event("hard", "floor.force > 1000", sr.Stop("hard hit")))
    r = m.simulate(2.0)
    assert [event["name"] for event in r.events] == ["touch", "hard"]
    assert r.events[0]["t"] == pytest.approx(math.sqrt(2 * 0.5 / g), abs=1e-6)


def test_a_bob_that_is_released_lands() -> None:
    """A pendulum lets its bob go; the contact stays in the model when its structure changes."""
    m = sr.Model("release")
    m.add(sr.Body("bob", mass=1, shape=sr.Sphere(0.05), position=(1, 0, 1)))
    m.add(sr.Revolute("O", "ground", "bob", at=(0, 0, 1), axis="y"))
    m.add(sr.JointLimit("stop", "O", upper=3.0, law=sr.HuntCrossley(1e4, damping=1)))
    m.add(sr.Contact("floor", "bob", "ground", shape_b=sr.Plane((0, 0, -1)), law=sr.HuntCrossley(1e7, damping=2), friction=0.3))
    m.add(sr.Event("let go", "O.q > 1.5", sr.Release("O"), times=1))
    r = m.simulate(2.5, step=0.01)
    z = r["bob.position"][:, 2]
    assert r["floor.force"].max() > 10 and z.min() > -0.96
    assert r.events[0]["name"] == "let go"


def test_a_formula_without_value_is_named() -> None:
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=1, shape=sr.Sphere(0.1), position=(0.5, 0, 3), velocity=(-2, 0, 0)))
    m.add(sr.Contact("hill", "ball", "ground", shape_b=sr.Surface("z + 1e-9*log(x)"), law=sr.Hertz(1e6)))
    with pytest.raises(sr.SimulationError, match="hill"):
        m.simulate(2.0)
