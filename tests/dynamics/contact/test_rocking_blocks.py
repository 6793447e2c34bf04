"""Blocks that rock and topple: times and losses of Housner's closed forms, over several impacts."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import sharnir as sr

g = 9.81
LAW, RUB = sr.HuntCrossley(1e10, damping=100), sr.Friction(1.0, speed=1e-4)  # plastic, and it does not slide


def block(name: str, b: float, h: float, theta: float, spin: float = 0.0, x: float = 0.0) -> list[object]:
    """A block of half width b and half height h that leans by theta over its right lower edge at x, on the floor."""
    R, alpha = math.hypot(b, h), math.atan(b / h)
    arm = np.array([-R * math.sin(alpha - theta), 0, R * math.cos(alpha - theta)])
    body = sr.Body(
        name,
        density=500,
        shape=sr.Box((2 * b, 0.2, 2 * h)),
        position=(x + arm[0], 0, arm[2] - 2e-6),
        rotation=sr.rotation_about("y", theta),
        velocity=tuple(np.cross([0, spin, 0], arm)),
        angular_velocity=(0, spin, 0),
    )
    return [body, sr.Contact(f"floor of {name}", name, "ground", shape_b=sr.Plane(), law=LAW, friction=RUB)]


def lean(r: sr.Result, name: str) -> np.ndarray:
    """Angle about y."""
    return 2 * np.arcsin(r[f"{name}.rotation"][:, 2])


def quarter(p2: float, alpha: float, theta: float) -> float:
    """Time from rest at theta to upright: θ'² = 2 p² (cos(α - θ₀) - cos(α - θ)), with θ = θ₀ - u²."""

    def rate(u: float) -> float:
        return 2 * u / math.sqrt(2 * p2 * (math.cos(alpha - theta) - math.cos(alpha - theta + u * u)))

    return float(quad(rate, 1e-9, math.sqrt(theta))[0])


@pytest.fixture(scope="module")
def rocking() -> tuple[sr.Result, float, float, float]:
    b, h, theta = 0.06, 0.5, 0.07
    m = sr.Model("rocking block")
    m.add(*block("block", b, h, theta))
    return m.simulate(2.7, output=5e-4, integrator="radau5", tolerance=1e-6), math.hypot(b, h), math.atan(b / h), theta


def upright_times(r: sr.Result) -> np.ndarray:
    """When the block passes upright."""
    angle = lean(r, "block")
    k = np.flatnonzero(angle[1:] * angle[:-1] < 0)
    return r.t[k] - angle[k] * (r.t[k + 1] - r.t[k]) / (angle[k + 1] - angle[k])


def test_impacts_and_amplitudes(rocking: tuple) -> None:
    """Exact for a rigid block: between impacts a pendulum, at each of them the speed falls by 1 - 3/2 sin² α."""
    r, R, alpha, theta = rocking
    p2, ratio = 3 * g / (4 * R), 1 - 1.5 * math.sin(alpha) ** 2
    times, amplitudes, t = [], [theta], 0.0
    for _ in range(4):
        fall = quarter(p2, alpha, amplitudes[-1])
        times.append(t + fall)
        energy = (math.cos(alpha - amplitudes[-1]) - math.cos(alpha)) * ratio**2
        amplitudes.append(alpha - math.acos(math.cos(alpha) + energy))
        t = times[-1] + quarter(p2, alpha, amplitudes[-1])
    found = upright_times(r)
    assert found[:4] == pytest.approx(times, rel=5e-3)
    angle = np.abs(lean(r, "block"))
    peaks = [angle[(r.t > a) & (r.t < b)].max() for a, b in pairwise(found[:4])]
    assert peaks == pytest.approx(amplitudes[1:4], rel=0.01)


def test_housner_period(rocking: tuple) -> None:
    """T = (4/p) arcosh(1/(1 - θ₀/α)) of slender blocks, each half of it with its own amplitude (Housner 1963)."""
    r, R, alpha, theta = rocking
    p = math.sqrt(3 * g / (4 * R))
    found = upright_times(r)
    assert 4 * found[0] == pytest.approx(4 / p * math.acosh(1 / (1 - theta / alpha)), rel=2e-3)
    kept, phi = (1 - 1.5 * math.sin(alpha) ** 2) ** 2, theta / alpha
    for n, half in enumerate(np.diff(found)[:3], start=1):
        assert half == pytest.approx(2 / p * math.atanh(math.sqrt(kept**n * (1 - (1 - phi) ** 2))), rel=5e-3)


def test_a_domino_falls_as_a_pendulum_until_it_meets_the_next() -> None:
    """θ'² = ω² + 2 p² (cos α - cos(α - θ)): time and speed where sin θ = gap/height; then the next one is pushed over."""
    b, h, spin, gap = 0.004, 0.024, 3.0, 0.016
    R, alpha = math.hypot(b, h), math.atan(b / h)
    p2, touch = 3 * g / (4 * R), math.asin(gap / (2 * h))
    m = sr.Model("dominoes")
    m.add(*block("one", b, h, 0.0, spin))
    m.add(*block("two", b, h, 0.0, 0.0, gap + 2 * b))
    m.add(sr.Contact("hit", "one", "two", law=sr.HuntCrossley(1e7, damping=1), friction=0.2))
    r = m.simulate(0.5, output=5e-4, integrator="radau5", tolerance=1e-6)

    def speed(angle: float) -> float:
        return math.sqrt(spin**2 + 2 * p2 * (math.cos(alpha) - math.cos(alpha - angle)))

    time = quad(lambda angle: 1 / speed(angle), 0, touch)[0]
    first = int(np.argmax(r["hit.force"] > 0))
    assert r.t[first] == pytest.approx(time, rel=0.01, abs=1e-3)
    assert r["one.angular_velocity"][first - 1, 1] == pytest.approx(speed(touch), rel=0.01)
    assert lean(r, "one")[first] == pytest.approx(touch, rel=0.01)
    assert lean(r, "two")[-1] == pytest.approx(math.pi / 2, abs=1e-3)  # it lies on the floor
