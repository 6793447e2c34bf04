"""The tolerance follows the motion: not the distance from the origin, the count of turns, or units in which a motion is small."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr

MU = 3.986004418e14  # m³/s², the Earth


def oscillator(q, offset=0.0, speed=0.0, k=900.0):
    """Two masses on a spring: their distance swings with amplitude q, wherever and however fast both move."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1), sr.Body("b", mass=2, position=(1, 0, 0)), sr.Spring("s", "a", "b", stiffness=k))
    m.add(sr.Prismatic("A", "ground", "a", axis="x", q=offset, v=speed))
    m.add(sr.Prismatic("B", "ground", "b", axis="x", q=offset + q, v=speed))
    return m, np.sqrt(1.5 * k)


def error(result, q, rate):
    stretch = result["s.length"] - 1.0
    return np.abs(stretch - q * np.cos(rate * result.t)).max() / abs(q)


@pytest.mark.parametrize("seed", range(6))
def test_amplitudes(seed):
    """Any amplitude between 1e-8 and 1 m is computed as exactly as any other."""
    q = 10.0 ** np.random.default_rng(seed).uniform(-8.0, -0.5)
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1), sr.Prismatic("A", "ground", "a", axis="x", q=q, stiffness=900.0))
    result = m.simulate(5.0)
    assert np.abs(result["A.q"] - q * np.cos(30.0 * result.t)).max() < 2e-5 * q


@pytest.mark.parametrize("seed", range(4))
def test_places_and_speeds(seed):
    """An oscillator far away, or on a fast train, keeps what rounding leaves of its digits."""
    rng = np.random.default_rng(seed)
    offset, speed = 10.0 ** rng.uniform(3, 6), 10.0 ** rng.uniform(0, 3)
    m, rate = oscillator(0.1, offset, speed)
    rounding = 1e-15 * (offset + 5.0 * speed) / 0.1
    assert error(m.simulate(5.0), 0.1, rate) < 2e-6 + 1e3 * rounding


@pytest.mark.parametrize("speed", [100.0, 1000.0])
def test_twist_of_discs_that_turn(speed):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 0.01)), sr.Body("b", mass=1, inertia=(1, 1, 0.02), position=(0, 0, 1)))
    m.add(sr.Revolute("A", "ground", "a", axis="z", v=speed), sr.Revolute("B", "ground", "b", axis="z", q=1e-4, v=speed))
    m.add(sr.Signal("twist", "B.q - A.q"), sr.JointForce("f", "A", "200*twist"), sr.JointForce("g", "B", "-200*twist"))
    result = m.simulate(5.0)
    rate = np.sqrt(200.0 / 0.01 + 200.0 / 0.02)
    assert np.abs(result["twist"] - 1e-4 * np.cos(rate * result.t)).max() < 1e-2 * 1e-4  # 1e-8 rad a step, over 800 turns


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_satellites_on_a_soft_tether(formulation):
    """7000 km from the origin; the tether of 10 m swings between 9.85 and 10 m, as Newton's equations in relative motion say."""
    R, stiffness, length, t_end = 7e6, 0.05, 9.9, 6000.0
    rate = np.sqrt(MU / R**3)
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("A", mass=100, inertia=(10, 10, 10), position=(R, 0, 0), velocity=(0, rate * R, 0)))
    m.add(sr.Body("B", mass=50, inertia=(5, 5, 5), position=(R + 10, 0, 0), velocity=(0, rate * (R + 10), 0)))
    m.add(sr.CentralGravity("earth", mu=MU), sr.Spring("tether", "A", "B", stiffness=stiffness, length=length))
    result = m.simulate(t_end, formulation=formulation, output=20.0)
    # Hill's equations of the two bodies' distance (x outwards, y along the orbit), by fixed steps
    reduced = 100.0 * 50.0 / 150.0

    def slope(s):
        x, y, u, w = s
        d = np.hypot(x, y)
        pull = stiffness * (d - length) / (reduced * d)
        return np.array([u, w, 3 * rate**2 * x + 2 * rate * w - pull * x, -2 * rate * u - pull * y])

    s, h, found = np.array([10.0, 0.0, 0.0, 0.0]), 1.0, [10.0]
    for k in range(int(t_end)):
        a = slope(s)
        b = slope(s + 0.5 * h * a)
        c = slope(s + 0.5 * h * b)
        s = s + h / 6.0 * (a + 2 * b + 2 * c + slope(s + h * c))
        if (k + 1) % 20 == 0:
            found.append(np.hypot(s[0], s[1]))
    assert np.abs(result["tether.length"] - found).max() < 2e-3  # Hill's equations leave out terms of 10 m / 7000 km
    assert 9.8 < result["tether.length"].min() < 9.9 and result["tether.length"].max() < 10.001


@pytest.mark.parametrize("preload", [0.0, 100.0])
@pytest.mark.parametrize("integrator", ["auto", "radau5", "abm"])
def test_at_rest_nothing_is_resolved(preload, integrator):
    """Rounding of forces that balance each other is no motion: a mechanism at rest takes few steps."""
    m = sr.Model()
    m.add(sr.Body("a", mass=0.1, position=(0, 0, -1)), sr.Prismatic("A", "ground", "a", axis="z"))
    m.add(sr.Spring("up", "ground", "a", at_a=(0, 0, 0), stiffness=1e4, force=preload + 0.981))
    m.add(sr.Spring("down", "ground", "a", at_a=(0, 0, -3), stiffness=1e4, force=preload))
    result = m.simulate(20.0, integrator=integrator)
    assert np.abs(result["A.q"]).max() < 1e-9
    assert result.stats["steps"] < 30_000  # near the limit of stability of "abm"


def hard_ball_in_a_barrel():
    """A capsule of millimetres that spins and meets the wall of a barrel at 330 m/s, after 0.01 ms for the first time."""
    m = sr.Model("barrel", gravity=(0, 0, 0))
    radius, length = 0.004675807189488647, 0.0006528192075584696
    given = {
        "rotation": (-0.10097, 0.52903, 0.11623, 0.83452),
        "velocity": (-326.95, -73.86, 0.0),
        "angular_velocity": (5585.0, 6798.9, -4512.5),
    }
    m.add(sr.Body("a", mass=2.2257e-6, inertia=(1.28822e-12, 1.46747e-12, 1.26226e-12), **given))
    m.add(sr.Body("b", mass=5.647e-5, inertia=(4.9386e-10,) * 3))
    barrel = sr.Revolution(f"{radius}*(1 + 0.1*sin(s/{radius}))", span=(-1000 * radius, 1000 * radius), inside=True)
    pin = sr.Capsule((0, 0, -length), (0, 0, length), length)
    m.add(sr.Contact("c", "a", "b", pin, barrel, law=sr.Hertz(8.97e10)))
    return m


@pytest.mark.parametrize(("integrator", "allowed"), [("abm", 3e-11), ("dopri5", 1e-11)])
def test_free_flight_after_a_hard_contact(integrator, allowed):
    """What rounding makes of a stiff contact says nothing about the flight behind it: there the velocity is constant."""
    end = 2.8e-5
    result = hard_ball_in_a_barrel().simulate(end, output=end / 200, integrator=integrator, tolerance=1e-12)
    behind = np.flatnonzero(result["c.force"] > 0.0)[-1] + 1
    assert 50 < behind < 100
    v = result["a.velocity"][behind:]
    assert np.ptp(v, axis=0).max() < allowed * np.linalg.norm(v[0])
