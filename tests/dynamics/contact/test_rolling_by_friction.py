"""Wheels on a plane by contact and friction alone: they roll as the closed forms and the rolling constraint say."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr

g = 9.81


@pytest.mark.parametrize(
    ("shape", "part"), [(sr.Cylinder(0.1, 0.1, axis="y"), 2 / 3), (sr.Sphere(0.1), 5 / 7)], ids=["cylinder", "sphere"]
)
def test_rolling_down_an_incline(shape: object, part: float) -> None:
    """a = 2/3 g sin or 5/7 g sin (references: rolling_incline)."""
    angle = math.radians(30)
    m = sr.Model("incline", gravity=(g * math.sin(angle), 0, -g * math.cos(angle)))
    m.add(sr.Body("wheel", density=1000, shape=shape, position=(0, 0, 0.1)))
    m.add(
        sr.Contact("road", "wheel", "ground", shape_b=sr.Plane(), law=sr.HuntCrossley(1e9, damping=5), friction=sr.Friction(0.6))
    )
    r = m.simulate(1.0, step=0.01, integrator="radau5", tolerance=1e-7)
    assert r["wheel.velocity"][-1, 0] == pytest.approx(part * g * math.sin(angle), rel=1e-3)
    assert r["wheel.angular_velocity"][-1, 1] == pytest.approx(10 * r["wheel.velocity"][-1, 0], rel=1e-3)
    assert r["road.friction"][-1, 0] == pytest.approx(-(1 - part) * g * math.sin(angle) * m.bodies["wheel"].mass, rel=1e-3)


def test_thin_disc_rolls_as_the_constraint_does() -> None:
    """Tilted disc, r = 0.5 m, θ₀ = 80°, spin -6 rad/s (references 4.7, case A): place of contact and tilt after 1 s."""
    radius, tilt = 0.5, math.radians(80)
    axis = np.array([0, -math.sin(tilt), math.cos(tilt)])
    up_slope = np.cross(axis, [1, 0, 0])
    turn = sr.rotation_about("x", tilt)
    m = sr.Model("disc")
    inertia = (radius**2 / 4, radius**2 / 4, radius**2 / 2)
    place, spin = tuple(radius * up_slope - [0, 0, 2e-6]), -6 * axis
    velocity = tuple(np.cross(spin, radius * up_slope))
    m.add(
        sr.Body("disc", mass=1, inertia=inertia, position=place, rotation=turn, velocity=velocity, angular_velocity=tuple(spin))
    )
    law, rub = sr.HuntCrossley(1e8, damping=20), sr.Friction(1.0, speed=1e-4)
    m.add(sr.Contact("floor", "disc", "ground", sr.Cylinder(radius, 1e-4), sr.Plane(), law=law, friction=rub))
    r = m.simulate(1.0, step=0.01, integrator="radau5", tolerance=1e-6)
    assert r["floor.point"][-1, :2] == pytest.approx([2.945667393880586094, 0.6700120509099450134], abs=1e-3)
    _, x, y, _ = r["disc.rotation"][-1]
    assert math.acos(1 - 2 * (x * x + y * y)) == pytest.approx(1.334882990997852637, abs=2e-4)
