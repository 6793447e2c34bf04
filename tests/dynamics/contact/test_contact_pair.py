"""Every pair of shapes: elastic contacts keep energy, all keep momenta, losses are what the channel says."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr

TURN = 2 * np.pi
ELASTIC = sr.Hertz(2e5)
# shapes of a and b; place, velocity and angular velocity of a, which moves towards b (at rest at the origin, free)
PAIRS = {
    "sphere-sphere": (sr.Sphere(0.1, (0.02, 0, 0)), sr.Sphere(0.2), (0.05, 0.02, 0.31), (0, 0, -1), (1, 2, 3)),
    "sphere-capsule": (sr.Sphere(0.1), sr.Capsule((-0.3, 0, 0), (0.3, 0, 0), 0.1), (0.2, 0.05, 0.21), (0.1, 0, -1), (1, 2, 3)),
    "capsule-capsule": (
        sr.Capsule((0, -0.3, 0.05), (0, 0.3, 0), 0.1),
        sr.Capsule((-0.3, 0, 0), (0.3, 0, 0), 0.1),
        (0.1, 0.02, 0.25),
        (0, 0.2, -1),
        (1, -1, 2),
    ),
    "sphere-box": (sr.Sphere(0.1), sr.Box((0.4, 0.3, 0.2)), (0.22, 0.1, 0.18), (-0.2, 0, -1), (1, 2, 3)),
    "box-sphere": (sr.Box((0.4, 0.3, 0.2)), sr.Sphere(0.1), (0.1, 0.1, 0.22), (0, 0, -1), (0, 1, 0)),
    "sphere-cylinder": (sr.Sphere(0.1), sr.Cylinder(0.2, 0.5, axis="x"), (0.24, 0.05, 0.28), (0, 0, -1), (1, 2, 3)),
    "sphere-plane": (sr.Sphere(0.1), sr.Plane((0, 0, 0.1), "z"), (0.3, 0, 0.22), (0, 0, -1), (1, 2, 3)),
    "plane-sphere": (sr.Plane((0, 0, -0.1), "-z"), sr.Sphere(0.1), (0.3, 0, 0.25), (0, 0, -1), (1, 2, 0.5)),
    "capsule-plane": (sr.Capsule((-0.3, 0, 0), (0.3, 0, 0), 0.1), sr.Plane(), (0, 0.2, 0.12), (0, 0, -1), (0, 2, 0)),
    "box-plane": (sr.Box((0.4, 0.3, 0.2)), sr.Plane(), (0, 0.2, 0.15), (0, 0, -1), (3, 2, 1)),
    "cylinder-plane": (sr.Cylinder(0.2, 0.3, axis=(1, 0.2, 0.5)), sr.Plane(), (0, 0.2, 0.27), (0, 0, -1), (3, 2, 1)),
    "sphere-bore": (sr.Sphere(0.1), sr.Bore(0.15), (0.04, 0, 0), (0.5, 0.5, 0.1), (1, 2, 3)),
    "journal": (sr.Cylinder(0.1, 0.3), sr.Bore(0.105, length=0.2), (0, 0, 0.01), (0.3, 0.1, 0.2), (0.6, -0.4, 2)),
    "pin-slot": (sr.Cylinder(0.05, 0.3), sr.Slot((-0.2, 0, 0), (0.2, 0, 0), 0.052), (0.15, 0, 0), (0.5, 0.1, 0), (0.1, 0, 2)),
    "sphere-surface": (sr.Sphere(0.1), sr.Surface("z - 0.1*sin(5*x) - 0.3*y**2"), (0.1, 0.1, 0.25), (0, 0, -1), (1, 2, 3)),
    "box-surface": (sr.Box((0.2, 0.2, 0.2)), sr.Surface("z - 0.1*sin(5*x)*y"), (0.1, 0.1, 0.2), (0, 0, -1), (1, 2, 3)),
    "point-surface": (sr.Point((0, 0, -0.1)), sr.Surface("1 - x**2/4 - y**2 - z**2"), (0, 0.6, 0), (1, 2, -1), (1, 2, 3)),
    "sphere-profile": (
        sr.Sphere(0.05),
        sr.Profile("0.3*cos(s)", "0.2*sin(s)", (0, TURN)),
        (0.1, 0.1, 0.1),
        (0.3, 0.5, 0.1),
        (1, 2, 3),
    ),
    "sphere-cam": (
        sr.Sphere(0.05),
        sr.Profile("0.3*cos(s)", "-0.2*sin(s)", (0, TURN), inside=False),
        (0.1, 0.26, 0.1),
        (0.3, -0.5, 0.1),
        (1, 2, 3),
    ),
    "sphere-revolution": (sr.Sphere(0.05), sr.Revolution("0.1 + s**2", (-0.5, 0.5)), (0.02, 0, 0.1), (0.5, 0.1, -0.4), (1, 2, 3)),
    "capsule-revolution": (
        sr.Capsule((0, 0, -0.1), (0, 0, 0.1), 0.05),
        sr.Revolution("0.2 - s**2", (-0.3, 0.3), inside=False, axis="x"),
        (0.1, 0.0, 0.4),
        (0.1, 0, -1),
        (0, 1, 0),
    ),
}


def pair(name: str, law: object, friction: object = None) -> sr.Model:
    shape_a, shape_b, place, velocity, spin = PAIRS[name]
    m = sr.Model(name, gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(0.02, 0.03, 0.04), position=place, velocity=velocity, angular_velocity=spin))
    m.add(sr.Body("b", mass=2, com=(0.01, 0, 0.02), inertia=(0.05, 0.06, 0.04), angular_velocity=(0.1, 0.2, 0.3)))
    m.add(sr.Contact("touch", "a", "b", shape_a, shape_b, law=law, friction=friction))
    return m


@pytest.mark.parametrize("name", PAIRS)
def test_an_elastic_contact_keeps_energy_and_momenta(name: str) -> None:
    r = pair(name, ELASTIC).simulate(0.5, step=0.001, tolerance=1e-11)
    depth = r["touch.depth"]
    assert depth.max() > 1e-5, "they must touch"
    assert r["touch.force"].max() > 0.01 and r["touch.force"].min() >= 0.0
    energy = r["energy.total"]
    assert np.abs(energy - energy[0]).max() < 1e-6 * energy[0]
    for quantity in ("system.momentum", "system.angular_momentum"):
        values = r[quantity]
        assert np.abs(values - values[0]).max() < 1e-8


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_lost_is_the_loss(name: str) -> None:
    law = sr.HuntCrossley(2e5, damping=0.5)
    r = pair(name, law, sr.Friction(0.3, 0.5, speed=0.05, viscous=0.1)).simulate(0.3, output=1e-5, tolerance=1e-11)
    energy, loss = r["energy.total"], r["touch.loss"]
    assert loss.min() >= 0.0
    lost = np.trapezoid(loss, r.t)
    assert lost > 1e-5
    assert energy[0] - energy[-1] == pytest.approx(lost, rel=1e-3)
    H = r["system.angular_momentum"]
    assert np.abs(H - H[0]).max() < 1e-8
