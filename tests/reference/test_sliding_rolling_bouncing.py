"""Friction, rolling and impacts with known numbers: stopping distance, least friction of rolling, Zeno's time, a hoop's spin."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import sharnir as sr

G = 9.81
SLOPE = math.radians(30)


def test_a_sliding_block_stops():
    """2 m/s and μ = 0.3: it stops after 0.6795786612300374 s and as many metres; friction is smooth below 10⁻⁶ m/s."""
    m = sr.Model("block")
    m.add(sr.Body("block", mass=3, inertia=(1, 1, 1)), sr.Prismatic("floor", "ground", "block", axis="x", v=2.0))
    m.add(sr.JointFriction("rub", "floor", coefficient=0.3, smoothing=1e-6))
    stop = 0.6795786612300374
    r = m.simulate(1.0, output=[0.0, 0.5 * stop, 0.999 * stop, 1.001 * stop, 1.0], tolerance=1e-10)
    assert r["floor.v"][1] == pytest.approx(1.0, rel=1e-8)
    assert r["floor.v"][2] == pytest.approx(0.002, rel=1e-5)
    assert abs(r["floor.v"][3]) < 1e-6
    assert r["floor.q"][-1] == pytest.approx(stop, abs=2e-6)


@pytest.mark.parametrize(
    ("kind", "share", "acceleration", "least"),
    [
        ("sphere", 0.4, 3.5035714285714286, 0.16495721976846450),
        ("disc", 0.5, 3.27, 0.19245008972987525),
        ("hoop", 1.0, 2.4525, 0.5 * math.tan(SLOPE)),
    ],
)
def test_rolling_down_a_slope(kind, share, acceleration, least):
    """a = g sin α/(1 + J/m r²); what holds it is friction, at least tan α/(1 + m r²/J) of the normal force."""
    m = sr.Model(kind, gravity=(G * math.sin(SLOPE), 0, -G * math.cos(SLOPE)))
    J = share * 2.0 * 0.25
    inertia = (J, J, J) if kind == "sphere" else (0.5 * J + 1e-3, J, 0.5 * J + 1e-3)
    m.add(sr.Body("wheel", mass=2, inertia=inertia, position=(0, 0, 0.5)))
    if kind == "sphere":
        m.add(sr.RollingBall("contact", "wheel", radius=0.5))
    else:
        m.add(sr.RollingDisc("contact", "wheel", radius=0.5, axis="y"))
    r = m.simulate(0.5, step=0.1, tolerance=1e-10)
    np.testing.assert_allclose(r["wheel.position"][:, 0], 0.5 * acceleration * r.t**2, atol=1e-9)
    normal, *friction = np.abs(r["contact.force"]).T
    np.testing.assert_allclose(np.hypot(*friction) / normal, least, rtol=1e-8)


def test_zeno_time_of_a_bouncing_ball():
    """Dropped from 1 m, restitution 0.8: impacts as in the closed form, endless many before √(2h/g) (1 + e)/(1 - e)."""
    e, first, zeno = 0.8, 0.4515236409857309, 4.063712768871578
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1)), sr.Prismatic("fall", "ground", "ball", axis="z", q=1.0))
    m.add(sr.JointLimit("floor", "fall", 0.0, None, restitution=e))
    with pytest.raises(sr.SimulationError, match=r"happen infinitely often before t = ([\d.]+)") as error:
        m.simulate(5.0, output=[0.0, 1.5], tolerance=1e-11)
    said = float(re.search(r"before t = ([\d.]+\d)", str(error.value))[1])
    assert said == pytest.approx(zeno, abs=1e-8)
    r = error.value.result
    times = first * (1 + 2 * np.cumsum(e ** np.arange(1, 40)))
    found = np.array([event["t"] for event in r.events])
    assert len(found) >= 40 and (found < zeno).all()
    np.testing.assert_allclose(found[:40], [first, *times], rtol=1e-9)
    assert r["fall.q"][np.argmin(np.abs(r.t - 1.5))] == pytest.approx(0.40286202182029803914, rel=1e-9)


@pytest.mark.parametrize(("kind", "critical"), [("hoop", 2.2147234590350100863), ("disc", 2.5573423705088843657)])
def test_spin_at_which_upright_rolling_becomes_stable(kind, critical):
    """spin² = m g r It/(Ia (Ia + m r²)): thin disc g/3r, hoop g/4r with r = 0.5 m; the growing mode goes at ±0.01 % of it."""
    mass, r = 2.0, 0.5
    Ia = mass * r * r * (1.0 if kind == "hoop" else 0.5)
    for share, stable in ((0.9999, False), (1.0001, True)):
        spin = share * critical
        m = sr.Model(kind)
        m.add(sr.Body("wheel", mass=mass, inertia=(Ia / 2, Ia, Ia / 2), position=(0, 0, r)))
        m.add(sr.RollingDisc("contact", "wheel", radius=r, axis="y"))
        rolling = sr.Initial(v={"wheel": (spin * r, 0, 0, 0, spin, 0)})
        modes = m.modes(equilibrium=False, initial=rolling)
        growth = float(modes.eigenvalues.real.max())
        # λ² = m g r/(It + m r²) (1 - share²): ± 0.05 1/s
        expected = math.sqrt(mass * G * r / (Ia / 2 + mass * r * r) * 2e-4)
        assert (growth < 0.1 * expected) if stable else (growth == pytest.approx(expected, rel=0.02))
