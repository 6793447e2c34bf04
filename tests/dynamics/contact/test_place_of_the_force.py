"""Where the force of a deep, soft contact acts: halfway between both surfaces; its moment shows it."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr

MU, SPEED = 0.4, 1e-3
DEEP = {  # shapes, place of a, depth, place of the force, normal on a
    "sphere-plane": (sr.Sphere(0.5), sr.Plane(), (0.3, 0.2, 0.2), 0.3, (0.3, 0.2, -0.15), (0, 0, 1)),
    "sphere-sphere": (sr.Sphere(0.5), sr.Sphere(0.8), (0, 0.6, 0.8), 0.3, (0, 0.39, 0.52), (0, 0.6, 0.8)),
    "sphere-capsule": (sr.Sphere(0.3), sr.Capsule((-2, 0, 0), (2, 0, 0), 0.5), (0.4, 0, 0.5), 0.3, (0.4, 0, 0.35), (0, 0, 1)),
    "sphere-box": (sr.Sphere(0.5), sr.Box((4, 4, 2)), (0.3, 0.2, 1.1), 0.4, (0.3, 0.2, 0.8), (0, 0, 1)),
    "point-plane": (sr.Point((0, 0, -0.5)), sr.Plane(), (0, 0, 0.3), 0.2, (0, 0, -0.1), (0, 0, 1)),
    "box-box": (sr.Box((1, 1, 1)), sr.Box((4, 4, 2)), (0.3, 0.2, 1.3), 0.2, (0.3, 0.2, 0.9), (0, 0, 1)),
    "small box under": (sr.Box((4, 4, 2)), sr.Box((1, 1, 1)), (0.3, 0.2, 1.3), 0.2, (0, 0, 0.4), (0, 0, 1)),
}


def pressed(name, swapped=False):
    shape_a, shape_b, place, *_ = DEEP[name]
    m = sr.Model(gravity=(0, 0, 0))
    slide = (1.0, 0.0, 0.0)  # along x, which is tangential in all cases
    m.add(sr.Body("a", mass=2, inertia=(0.3, 0.3, 0.3), position=place, velocity=slide))
    m.add(sr.Body("b", mass=5, inertia=(0.7, 0.7, 0.7)))
    law = {"law": sr.Hertz(1e3), "friction": sr.Friction(MU, MU, speed=SPEED)}
    if swapped:
        m.add(sr.Contact("touch", "b", "a", shape_b, shape_a, **law))
    else:
        m.add(sr.Contact("touch", "a", "b", shape_a, shape_b, **law))
    return m


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("name", DEEP)
def test_force_acts_halfway_between_the_surfaces(name, swapped):
    """One force at one point: J α of both bodies is its moment about their centres, with friction along -x."""
    *_, place, depth, point, normal = DEEP[name]
    r = pressed(name, swapped).simulate(1e-6, output=[0.0], tolerance=1e-6)
    assert r["touch.depth"][0] == pytest.approx(depth, rel=1e-9)
    np.testing.assert_allclose(r["touch.point"][0], point, atol=1e-9)
    pushes = r["touch.force"][0]
    force = pushes * (np.array(normal) - (MU, 0.0, 0.0))
    np.testing.assert_allclose(2.0 * r["a.acceleration"][0], force, rtol=1e-6, atol=1e-6 * pushes)
    np.testing.assert_allclose(5.0 * r["b.acceleration"][0], -force, rtol=1e-6, atol=1e-6 * pushes)
    moment_a, moment_b = np.cross(np.array(point) - place, force), np.cross(point, -force)
    np.testing.assert_allclose(0.3 * r["a.angular_acceleration"][0], moment_a, atol=1e-6 * pushes)
    np.testing.assert_allclose(0.7 * r["b.angular_acceleration"][0], moment_b, atol=1e-6 * pushes)
