"""Motions that a textbook writes down: throws, friction, oscillators, screws, rotating frames, orbits."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr

G = 9.81


def solid(name, **options):
    return sr.Body(name, **({"mass": 2.0, "inertia": (0.3, 0.4, 0.5)} | options))


def test_projectile():
    """A body that tumbles about its centre flies the parabola; its frame is not in the centre of mass."""
    m = sr.Model()
    spin = (0.0, 0.0, 3.0)
    m.add(solid("stone", com=(0.2, 0, 0), position=(1, 2, 3), velocity=(5, 0.6, 7), angular_velocity=spin))
    r = m.simulate(2.0, step=0.1, tolerance=1e-12)
    t, c = r.t[:, None], r["system.center_of_mass"]
    start = np.array([5, 0.6, 7]) + np.cross(spin, (0.2, 0, 0))
    assert c == pytest.approx(np.array([1.2, 2, 3]) + start * t - 0.5 * G * t**2 * np.array([0, 0, 1]), abs=1e-9)
    assert r["stone.angular_velocity"] == pytest.approx(np.broadcast_to(spin, (21, 3)), abs=1e-12)


def disc(**options):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(solid("disc"), sr.Revolute("axle", "ground", "disc", axis="z", v=10.0, **options))
    return m


def test_disc_with_viscous_friction():
    r = disc(damping=0.2).simulate(3.0, step=0.1, tolerance=1e-11)
    decay = np.exp(-0.2 / 0.5 * r.t)
    assert r["axle.v"] == pytest.approx(10 * decay, rel=1e-9)
    assert r["axle.q"] == pytest.approx(10 * 0.5 / 0.2 * (1 - decay), abs=1e-9)


def test_disc_with_dry_friction():
    """Constant torque against the motion until it stops at J ω/T = 5 s, after ½ J ω²/T = 25 rad."""
    r = disc(torque="-1.0*sign(v)").simulate(4.9, step=0.1, tolerance=1e-11)
    assert r["axle.v"] == pytest.approx(10 - 2 * r.t, abs=1e-8)
    assert r["axle.q"] == pytest.approx(10 * r.t - r.t**2, abs=1e-8)


def test_disc_with_air_drag():
    """J v̇ = -k v²: v = v0/(1 + k v0 t/J)."""
    r = disc(torque="-0.05*v*abs(v)").simulate(3.0, step=0.1, tolerance=1e-11)
    assert r["axle.v"] == pytest.approx(10 / (1 + 0.05 * 10 / 0.5 * r.t), rel=1e-9)


def test_damped_oscillator():
    """m ẍ + c ẋ + k x = 0 by a spring element, by the joint's own spring, and by a bushing: one motion."""
    k, c, mass, x0 = 50.0, 0.8, 2.0, 0.1
    w = math.sqrt(k / mass - (c / mass / 2) ** 2)
    elements = {
        "spring": ({}, [sr.Spring("s", "ground", "cart", at_a=(-1, 0, 0), stiffness=k, damping=c)]),
        "joint": ({"stiffness": k, "damping": c}, []),
        "torsion": ({}, [sr.TorsionSpring("s", "rail", stiffness=k, damping=c)]),
        "bushing": (
            {},
            [sr.Bushing("s", "ground", "cart", at=(0, 0, 0), stiffness=(k, 0, 0, 0, 0, 0), damping=(c, 0, 0, 0, 0, 0))],
        ),
        "formula": ({"torque": "-50*q - 0.8*v"}, []),
    }
    for own, more in elements.values():
        m = sr.Model(gravity=(0, 0, 0))
        m.add(solid("cart"), sr.Prismatic("rail", "ground", "cart", axis="x", q=x0, **own), *more)
        r = m.simulate(3.0, step=0.05, tolerance=1e-12)
        t, d = r.t, c / mass / 2
        assert r["rail.q"] == pytest.approx(x0 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t)), abs=1e-10)


def test_forced_oscillator():
    """From rest under F sin Ωt without damping: two frequencies."""
    k, mass, F, W = 32.0, 2.0, 3.0, 2.5
    m = sr.Model(gravity=(0, 0, 0))
    m.add(
        solid("cart"),
        sr.Prismatic("rail", "ground", "cart", axis="x", stiffness=k),
        sr.Force("f", "cart", ("3*sin(2.5*t)", 0, 0)),
    )
    r = m.simulate(5.0, step=0.1, tolerance=1e-12)
    w = math.sqrt(k / mass)
    expected = F / mass / (w**2 - W**2) * (np.sin(W * r.t) - W / w * np.sin(w * r.t))
    assert r["rail.q"] == pytest.approx(expected, abs=1e-10)


def test_nut_on_a_screw():
    """Gravity turns the nut: (J + m p²) q̈ = -m g p."""
    p = 0.3
    m = sr.Model()
    m.add(solid("nut", com=(0, 0, 0.1)), sr.Screw("thread", "ground", "nut", axis="z", pitch=p))
    r = m.simulate(1.0, step=0.1)
    a = -2.0 * G * p / (0.5 + 2.0 * p**2)
    assert r["thread.q"] == pytest.approx(0.5 * a * r.t**2, abs=1e-10)
    assert r["nut.position"][:, 2] == pytest.approx(0.5 * a * p * r.t**2, abs=1e-10)


def test_bead_on_a_rotating_rod():
    """r̈ = Ω² r: r = r0 cosh Ωt; the motor gives the Coriolis torque 2 m r ṙ Ω, and the rod pushes sideways with 2 m ṙ Ω."""
    W, r0 = 2.0, 0.5
    m = sr.Model(gravity=(0, 0, 0))
    m.add(solid("rod"), sr.Revolute("motor", "ground", "rod", axis="z", motion="2*t"))
    m.add(sr.Body("bead", mass=3.0, position=(r0, 0, 0)), sr.Prismatic("slide", "rod", "bead", axis="x", at=(0, 0, 0)))
    run = m.simulate(1.5, step=0.1, tolerance=1e-12)
    r, rate = r0 * np.cosh(W * run.t), r0 * W * np.sinh(W * run.t)
    assert run["slide.q"] == pytest.approx(r - r0, abs=1e-9)
    assert run["motor.drive"] == pytest.approx(2 * 3.0 * r * rate * W, rel=1e-9, abs=1e-9)
    side = np.stack([-np.sin(W * run.t), np.cos(W * run.t), 0 * run.t], axis=1)
    assert run["slide.reaction"][:, :3] == pytest.approx(2 * 3.0 * rate[:, None] * W * side, abs=1e-8)


def test_conical_pendulum():
    """Steady at cos θ = g/(Ω² L); the string pulls with m Ω² L."""
    L, W = 1.0, 5.0
    theta = math.acos(G / W**2 / L)
    m = sr.Model()
    m.add(sr.Body("hub", mass=1, inertia=(1, 1, 1)), sr.Revolute("motor", "ground", "hub", axis="z", motion="5*t"))
    m.add(sr.Body("bob", mass=2.0, position=(0, 0, -L)), sr.Revolute("hinge", "hub", "bob", at=(0, 0, 0), axis="-y", q=theta))
    r = m.simulate(1.0, tolerance=1e-11)
    assert r["hinge.q"] == pytest.approx(theta, abs=1e-9)
    assert np.linalg.norm(r["hinge.reaction"][:, :3], axis=1) == pytest.approx(2.0 * W**2 * L, rel=1e-9)


def test_what_is_free_does_not_feel_a_moving_ground():
    """In world axes it flies straight, however the ground shakes and turns below it."""
    m = sr.Model(gravity=(0, 0, -G), base_motion={"x": "sin(3*t)", "z": "t^2", "rx": "t", "ry": "sin(t)", "rz": "2*t"})
    m.add(solid("stone", position=(1, 0, 0), velocity=(1, 2, 3), angular_velocity=(0, 0, 4)))
    r = m.simulate(1.0, step=0.1, tolerance=1e-11)
    t = r.t[:, None]
    assert r["stone.position"] == pytest.approx(
        np.array([1, 0, 0]) + np.array([1, 2, 3]) * t - 0.5 * G * t**2 * np.array([0, 0, 1]), abs=1e-8
    )
    assert r["stone.angular_velocity"] == pytest.approx(np.broadcast_to((0, 0, 4), (11, 3)), abs=1e-8)
    assert r["ground.position"][:, 0] == pytest.approx(np.sin(3 * r.t), abs=1e-12)


def test_pendulum_on_an_accelerated_cart():
    """Hangs at tan θ = a/g without moving."""
    a = 4.0
    m = sr.Model(base_motion={"x": "2*t^2"})
    m.add(
        sr.Body("bob", mass=1, position=(0, 0, -1)),
        sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y", q=math.atan(a / G)),
    )
    assert m.simulate(2.0)["hinge.q"] == pytest.approx(math.atan(a / G), abs=1e-9)


def test_kepler_orbit():
    """A user's own force, compiled into the loop: an ellipse of eccentricity ½ closes after its period."""

    def sun(t, r, R, v, w, force, torque):
        d = math.sqrt(r[0, 0] ** 2 + r[0, 1] ** 2 + r[0, 2] ** 2)
        for k in range(3):
            force[0, k] = -r[0, k] / d**3

    m = sr.Model("orbit", gravity=(0, 0, 0))
    m.add(
        sr.Body("planet", mass=1, inertia=(1e-3,) * 3, position=(0.5, 0, 0), velocity=(0, math.sqrt(3), 0)),
        sr.UserForce("sun", "planet", sun),
    )
    r = m.simulate(2 * math.pi, output=[math.pi], tolerance=1e-13)
    assert r["planet.position"][1] == pytest.approx([-1.5, 0, 0], abs=1e-10)
    assert r["planet.position"][2] == pytest.approx([0.5, 0, 0], abs=1e-10)


def test_atwood():
    """Two weights over a pulley, as a mimic of the opposite sign: a = g (m1 - m2)/(m1 + m2)."""
    m = sr.Model()
    m.add(sr.Body("left", mass=3), sr.Body("right", mass=1))
    m.add(sr.Prismatic("a", "ground", "left", axis="z"), sr.Prismatic("b", "ground", "right", axis="z", mimic=("a", -1.0)))
    r = m.simulate(1.0)
    assert r["right.position"][-1, 2] == pytest.approx(0.5 * G * 2 / 4, rel=1e-9)


def test_rocket():
    """Thrust in body axes on a body that turns steadily: the velocity is a circle."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(solid("rocket", angular_velocity=(0, 0, 2)), sr.Force("thrust", "rocket", (6, 0, 0), axes="body"))
    r = m.simulate(3.0, step=0.1, tolerance=1e-11)
    assert r["rocket.velocity"][:, 0] == pytest.approx(1.5 * np.sin(2 * r.t), abs=1e-9)
    assert r["rocket.velocity"][:, 1] == pytest.approx(1.5 * (1 - np.cos(2 * r.t)), abs=1e-9)


def test_physical_pendulum_reaction():
    """A uniform rod let go level: at the lowest point the hinge carries 5/2 of its weight."""
    m = sr.Model()
    m.add(sr.Body("rod", mass=2, com=(0.5, 0, 0), inertia=(0, 2 / 12, 2 / 12)), sr.Revolute("hinge", "ground", "rod", axis="y"))
    s = m.compile()
    v = math.sqrt(3 * G)  # from energy
    assert s.bodies([math.pi / 2], [v])["rod"].reaction[:3] == pytest.approx([0, 0, 2.5 * 2 * G], abs=1e-10)
    assert s.bodies([0.0], [0.0])["rod"].reaction[:3] == pytest.approx([0, 0, 0.25 * 2 * G], abs=1e-12)  # let go: a quarter
