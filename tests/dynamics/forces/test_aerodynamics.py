"""Lift, drag, moments and damping of the air against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sharnir as sr

g = 9.81


def glider(
    speed: float, climb: float = 0.0, gravity: float = g, pitch: float = 0.0, spin: Any = (0, 0, 0), **air: Any
) -> sr.Model:
    """A glider along x; pitch turns its nose up."""
    m = sr.Model("glider", gravity=(0, 0, -gravity))
    turn = (math.cos(pitch / 2), 0, -math.sin(pitch / 2), 0)
    m.add(
        sr.Body(
            "glider",
            mass=10,
            inertia=(2, 3, 4),
            rotation=turn,
            velocity=(speed * math.cos(climb), 0, speed * math.sin(climb)),
            angular_velocity=spin,
        )
    )
    m.add(sr.Aerodynamics("air", "glider", area=2.0, **air))
    return m


def test_phugoid() -> None:
    """Constant lift coefficient, no drag (Lanchester): small oscillations of height with the period π √2 v/g; energy stays."""
    v = 20.0
    lift = 10 * g / (0.5 * 1.225 * v * v * 2.0)
    T = math.pi * math.sqrt(2) * v / g
    r = glider(v, climb=0.01, lift=lift).simulate(T, step=T / 40, tolerance=1e-10)
    z, quarter = r["glider.position.z"], round(len(r.t) // 4)
    assert z[quarter] == pytest.approx(0.01 * v * T / (2 * math.pi), rel=2e-2)
    assert z[-1] == pytest.approx(0.0, abs=2e-2 * z[quarter])
    total = r["energy.total"]
    assert np.abs(total - total[0]).max() < 1e-6 * abs(total[0])


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_steady_glide(formulation: str) -> None:
    """tan γ = C_D/C_L, and the speed at which both carry the weight."""
    drag, lift = 0.05, 0.6
    angle = math.atan(drag / lift)
    v = math.sqrt(10 * g / (0.5 * 1.225 * 2.0 * math.hypot(drag, lift)))
    r = glider(v, climb=-angle, drag=drag, lift=lift).simulate(2.0, step=0.5, tolerance=1e-9, formulation=formulation)
    assert r["glider.velocity"][-1] == pytest.approx((v * math.cos(angle), 0, -v * math.sin(angle)), abs=1e-6)
    assert r["air.alpha"] == pytest.approx(angle)
    assert r["air.pressure"] == pytest.approx(0.5 * 1.225 * v * v)


@pytest.mark.parametrize(("key", "across"), [("lift", 2), ("side", 1)])
def test_a_force_across_the_velocity_makes_a_circle(key: str, across: int) -> None:
    """Upwards, or to the left: a circle of radius 2m/(ρ A C), and the speed as it was."""
    radius = 2 * 10 / (1.225 * 2.0 * 0.5)
    T = 2 * math.pi * radius / 30.0
    r = glider(30.0, gravity=0.0, **{key: 0.5}).simulate(T / 6, step=T / 12, tolerance=1e-10)
    expected = np.zeros(3)
    expected[0], expected[across] = math.sin(math.pi / 3), 1 - math.cos(math.pi / 3)
    assert r["glider.position"][-1] == pytest.approx(radius * expected, abs=1e-6 * radius)
    assert r["air.beta" if key == "side" else "air.alpha"][-1] == pytest.approx(math.pi / 3 * (1 if key == "side" else -1))


def test_weathercock() -> None:
    """A pitching moment -c α on an arrow that flies on: a damped oscillation, J θ̈ = -½ρv²A l c θ - ¼ρ v A l² d θ̇."""
    m = sr.Model("tunnel", gravity=(0, 0, 0))
    m.add(sr.Body("vane", mass=1, inertia=(2, 3, 4)))
    m.add(sr.Revolute("pin", "ground", "vane", axis="-y", q=0.02))
    m.add(
        sr.Aerodynamics(
            "air", "vane", area=0.1, length=0.5, moment=(0, "0.8*alpha", 0), damping=(0, 12, 0), density=1.2, wind=(-40, 0, 0)
        )
    )
    r = m.simulate(3.0, step=0.05, tolerance=1e-10)
    k, c = 0.5 * 1.2 * 1600 * 0.1 * 0.5 * 0.8 / 3, 0.25 * 1.2 * 40 * 0.1 * 0.25 * 12 / 3
    w = math.sqrt(k - c * c / 4)
    expected = 0.02 * np.exp(-c / 2 * r.t) * (np.cos(w * r.t) + c / (2 * w) * np.sin(w * r.t))
    assert r["pin.q"] == pytest.approx(expected, abs=1e-7)
    assert r["air.alpha"] == pytest.approx(r["pin.q"], abs=1e-12)


def test_stabilised_by_the_centre_of_pressure() -> None:
    """Lift behind the pin turns a vane into the wind, as its moment does."""
    m = sr.Model("tunnel", gravity=(0, 0, 0))
    m.add(sr.Body("vane", mass=1, inertia=(2, 3, 4)))
    m.add(sr.Revolute("pin", "ground", "vane", axis="z", q=0.1))
    m.add(sr.Aerodynamics("air", "vane", area=0.1, at=(-0.5, 0, 0), side="-2*beta", wind=("-40 - 0*h", 0, 0)))
    system = m.compile()
    beta = 0.1  # at rest; it moves to its right against the air that comes along -x
    expected = -0.5 * 1.225 * 1600 * 0.1 * 2 * beta * 0.5 * 1.0 / 4
    assert system.accelerations([0.1], [0.0])[0] == pytest.approx(expected, rel=6e-3)


@pytest.mark.parametrize("pitch", [-0.1, 0.05, 0.13, 0.4])
def test_tables_of_the_angle_of_attack(pitch: float) -> None:
    """½ρv²A (-C_D along the flight, C_L across it), between the points of the tables and behind their ends."""
    lift, drag = sr.Table((-0.2, 0.0, 0.2, 0.3), (-0.8, 0.2, 1.2, 0.9)), sr.Table((-0.3, 0.3), (0.02, 0.14))
    r = glider(25.0, pitch=pitch, lift=lift, drag=drag).simulate(0.01, step=0.01)
    q, alpha = 0.5 * 1.225 * 625 * 2.0, min(pitch, 0.3)
    up = 0.2 + 5 * alpha if pitch < 0.2 else 0.9
    assert r["air.alpha"][0] == pytest.approx(pitch)
    assert r["air.force"][0] == pytest.approx((-q * (0.08 + 0.2 * alpha), 0, q * up), rel=1e-9)


def test_mach_signals_tables_and_files(tmp_path: Any) -> None:
    m = sr.Model("jet", gravity=(0, 0, 0))
    m.add(sr.Signal("flap", "0.2 + 0.1*t"))
    m.add(sr.Body("jet", mass=100, inertia=(1, 1, 1), velocity=(170, 0, 0)))
    air = {"density": "1.2*exp(-h/8000)", "sound": sr.Table((0, 10000), (340, 300)), "wind": (0, 0, "0.1*t")}
    m.add(sr.Aerodynamics("air", "jet", area=1, drag=sr.Table((-1, 0, 1), (0.5, 0.1, 0.5)), lift="flap + 0.1*x", **air))
    r = m.simulate(0.1, step=0.1)
    q = 0.5 * 1.2 * 170**2
    assert r["air.force"][0] == pytest.approx((-0.1 * q, 0, (0.2 + 0.05) * q), rel=1e-9)
    m.save(tmp_path / "jet.toml")
    assert sr.Model.load(tmp_path / "jet.toml").forces["air"] == m.forces["air"]


def test_what_is_refused() -> None:
    with pytest.raises(sr.ModelError, match="has 2 entries; 3 are needed"):
        sr.Aerodynamics("air", "body", area=1, moment=(1, 2))
    m = sr.Model("ground")
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Aerodynamics("air", "ground", area=1, drag=1))
    with pytest.raises(sr.ModelError, match="does not move"):
        m.compile()
