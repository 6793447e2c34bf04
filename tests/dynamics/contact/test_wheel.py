"""Wheels with slip against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sharnir as sr

g = 9.81
R, MASS = 0.3, 10.0
STIFF = sr.LinearLaw(1e7, 1e4)
DEPTH = MASS * g / STIFF.stiffness  # of the wheel's own weight


def disc(v: float = 0.0, spin: float = 0.0, angle: float = 0.0, **options: Any) -> sr.Model:
    """A disc in the x-z plane on a floor; gravity is tilted by an angle, down the slope is +x."""
    m = sr.Model("disc", gravity=(g * math.sin(angle), 0, -g * math.cos(angle)))
    m.add(sr.Body("disc", position=(0, 0, R), mass=MASS, inertia=(0.25 * MASS * R**2, 0.5 * MASS * R**2, 0.25 * MASS * R**2)))
    moving = {"q": (0, -DEPTH * math.cos(angle), 0), "v": (v, 0, spin)}
    freedoms = (sr.Translation("x"), sr.Translation("z"), sr.Rotation("y"))
    m.add(sr.FreedomSequence("move", "ground", "disc", freedoms=freedoms, **moving))
    options.setdefault("tyre", sr.LinearTyre(1e4, 1e4, friction=0.5))
    m.add(sr.Wheel("tyre", "disc", center=(0, 0, R), radius=R, law=STIFF, **options))
    return m


def test_free_rolling_has_no_force() -> None:
    r = disc(v=2.0, spin=2.0 / (R - DEPTH)).simulate(1.0, step=0.1, tolerance=1e-10)
    assert np.abs(r["tyre.longitudinal"]).max() < 1e-4
    assert r["tyre.load"] == pytest.approx(MASS * g, rel=1e-9)
    assert r["move.v"][-1] == pytest.approx([2.0, 0.0, 2.0 / (R - DEPTH)], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    "tyre",
    [
        sr.LinearTyre(1e4, 1e4),
        sr.BrushTyre(1e4, 1e4, friction=0.5),
        sr.MagicFormula(x=(11.0, 1.6, 1.05, 0.1), y=(9.0, 1.35, 0.95, -0.6)),
    ],
)
def test_a_wheel_at_rest_has_no_slip(tyre: Any) -> None:
    """Exactly none: slip stands in denominators."""
    r = disc(tyre=tyre).simulate(0.2, step=0.1)
    assert np.abs(r["tyre.longitudinal"]).max() == 0.0
    assert r["tyre.load"] == pytest.approx(MASS * g, rel=1e-6)


def test_spinning_disc_is_put_on_the_ground() -> None:
    """Coulomb's friction µ m g until v = ω r: v_end = ω₀ r/3 at t = ω₀ r/(3 µ g)."""
    spin, mu = 30.0, 0.5
    end = spin * R / (3 * mu * g)
    r = disc(spin=spin).simulate(1.5 * end, step=end / 20, tolerance=1e-9)
    v, t = r["move.v"], r.t
    sliding = t < 0.95 * end
    assert v[sliding, 0] == pytest.approx(mu * g * t[sliding], rel=1e-6, abs=1e-9)
    assert v[sliding, 2] == pytest.approx(spin - 2 * mu * g * t[sliding] / R, rel=1e-4)
    assert v[-1, 0] == pytest.approx(spin * R / 3, rel=2e-5)
    assert v[-1, 2] * (R - DEPTH) == pytest.approx(v[-1, 0], rel=1e-6)


def test_disc_rolls_down_a_slope() -> None:
    """a = 2/3 g sin θ, less what the slip asks for: 2F/m = (g sin θ - F/m)(1 - F/C) with the friction F."""
    angle, C = 0.2, 1e4
    pull = g * math.sin(angle)
    a, b, c = 1 / (MASS * C), -(3 / MASS + pull / C), pull
    F = (-b - math.sqrt(b * b - 4 * a * c)) / (2 * a)
    r = disc(v=1.0, spin=1.0 / R, angle=angle).simulate(2.0, step=0.5, tolerance=1e-9)
    slope = (r["move.v"][-1, 0] - r["move.v"][-2, 0]) / 0.5
    assert -r["tyre.longitudinal"][-1] == pytest.approx(F, rel=1e-4)
    assert slope == pytest.approx(pull - F / MASS, rel=1e-4)
    assert slope == pytest.approx(2 / 3 * pull, rel=F / C)


def test_rolling_resistance_slows_down() -> None:
    """A disc that coasts: v̇ = -f g/(1 + 1/2)."""
    r = disc(v=3.0, spin=3.0 / R, resistance=0.03, tyre=sr.LinearTyre(1e6, 1e6)).simulate(2.0, step=1.0, tolerance=1e-9)
    v = r["move.v"][:, 0]
    assert v[2] - v[1] == pytest.approx(-0.03 * g / 1.5, rel=1e-4)


def carriage(speed: float, angle: float, brake: float, load: float = 4000.0, **options: Any) -> sr.Model:
    """A wheel whose carriage moves straight on, with a slip angle, at a fixed height."""
    law = sr.LinearLaw(2e5)
    m = sr.Model("rig", gravity=(0, 0, 0))
    m.add(sr.Body("carriage", mass=100, inertia=(1, 1, 1), position=(0, 0, R)))
    m.add(sr.Body("wheel", mass=10, inertia=(0.3, 0.5, 0.3), position=(0, 0, R)))
    x, y = f"{speed * math.cos(angle)!r}*t", f"{-speed * math.sin(angle)!r}*t"
    freedoms = (sr.Translation("x"), sr.Translation("y"), sr.Translation("z"))
    m.add(sr.FreedomSequence("rail", "ground", "carriage", freedoms=freedoms, motion=(x, y, -load / law.stiffness)))
    m.add(sr.Revolute("axle", "carriage", "wheel", axis="y", v=speed / R, torque=-brake))
    m.add(sr.Wheel("tyre", "wheel", radius=R, law=law, **options))
    return m


MAGIC = sr.MagicFormula(x=(11.0, 1.6, 1.05, 0.1), y=(9.0, 1.35, 0.95, -0.6))


def magic(s: float, B: float, C: float, D: float, E: float) -> float:
    return D * math.sin(C * math.atan(B * s - E * (B * s - math.atan(B * s))))


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_braked_wheel_finds_its_slip(formulation: str) -> None:
    arm = R - 4000 / 2e5
    tyre = sr.LinearTyre(longitudinal="15*load", cornering=5e4)
    r = carriage(20.0, 0.0, 600.0, tyre=tyre).simulate(1.0, step=0.5, formulation=formulation)
    assert r["tyre.slip"][-1] == pytest.approx(-600 / arm / 6e4, rel=1e-6)
    r = carriage(20.0, 0.0, 600.0, tyre=MAGIC).simulate(1.0, step=0.5, formulation=formulation)
    assert 4000 * magic(r["tyre.slip"][-1], *MAGIC.x) == pytest.approx(-600 / arm, rel=1e-6)


def test_cornering_force() -> None:
    """F = C_α α in the linear range; the curves of Pacejka and of bristles at larger angles, by hand."""
    r = carriage(20.0, 0.01, 0.0, tyre=sr.LinearTyre(0, 5e4)).simulate(0.1, step=0.1)
    assert r["tyre.slip_angle"][-1] == pytest.approx(0.01, rel=1e-12)
    assert r["tyre.lateral"][-1] == pytest.approx(5e4 * 0.01, rel=1e-4)
    assert r["tyre.force.y"][-1] == r["tyre.lateral"][-1]
    angle = 0.15
    r = carriage(20.0, angle, 0.0, tyre=MAGIC).simulate(0.6, step=0.1)
    assert r["tyre.lateral"][-1] == pytest.approx(4000 * magic(math.tan(angle), *MAGIC.y), rel=1e-9)
    s = 5e4 * math.tan(0.05) / (0.9 * 4000)
    r = carriage(20.0, 0.05, 0.0, tyre=sr.BrushTyre(6e4, 5e4, friction=0.9)).simulate(0.6, step=0.1)
    assert r["tyre.lateral"][-1] == pytest.approx(0.9 * 4000 * (1 - (1 - s / 3) ** 3), rel=1e-6)


@pytest.mark.parametrize("tyre", [sr.LinearTyre(6e4, 6e4, 0.8), sr.BrushTyre(6e4, 6e4, 0.8), MAGIC])
def test_locked_wheel_slides_as_a_block(tyre: Any) -> None:
    """Full sliding of a locked wheel: within the ellipse of friction, and against the sliding if that is a circle."""
    m = carriage(20.0, 0.6, 0.0, tyre=tyre)
    m.add(sr.JointForce("lock", "axle", "-1e4*v"))
    r = m.simulate(0.05, step=0.01, integrator="radau5")
    fx, fy = r["tyre.longitudinal"][-1], r["tyre.lateral"][-1]
    if tyre is MAGIC:
        assert (fx / (4000 * 1.05)) ** 2 + (fy / (4000 * 0.95)) ** 2 < 1.0
    else:
        assert math.hypot(fx, fy) == pytest.approx(0.8 * 4000, rel=1e-6)
        assert math.atan2(fy, -fx) == pytest.approx(0.6, rel=2e-3)


def test_bicycle_turns_as_the_linear_single_track_model() -> None:
    """Yaw rate v δ/(L + K v²), K = m (b C_r - a C_f)/(L C_f C_r)."""
    a, b, mass, steer, load, Cf, Cr = 1.2, 1.5, 1000.0, 0.005, 5000.0, 4e4, 6e4
    K = mass * (b * Cr - a * Cf) / ((a + b) * Cf * Cr)
    law = sr.LinearLaw(2e5)
    m = sr.Model("bicycle", gravity=(0, 0, 0))
    m.add(sr.Body("frame", mass=mass - 2e-3, inertia=(300, 1400, 1500), position=(0, 0, R)))
    m.add(sr.Planar("road", "ground", "frame", axis="z", v=(20, 0, 0)))
    arm = R - load / law.stiffness
    for name, x, angle, C in (("front", a, steer, Cf), ("rear", -b, 0.0, Cr)):
        m.add(sr.Body(name, mass=1e-3, inertia=(1, 1, 1), position=(x, 0, R)))
        drive = {"motion": f"{20 / arm!r}*t"} if name == "rear" else {"v": 20 / arm}
        m.add(sr.Revolute(f"{name} axle", "frame", name, axis=(-math.sin(angle), math.cos(angle), 0), **drive))
        tyre = sr.LinearTyre(8e4, C)
        through = (0, 0, load / law.stiffness)
        m.add(
            sr.Wheel(
                f"{name} tyre", name, axis=(-math.sin(angle), math.cos(angle), 0), radius=R, through=through, law=law, tyre=tyre
            )
        )
    r = m.simulate(6.0, step=1.0)
    velocity, rate = r["road.v"][-1], r["road.v"][-1, 2]
    v = math.hypot(velocity[0], velocity[1])
    assert v == pytest.approx(20, rel=1e-3)
    assert rate == pytest.approx(v * steer / (a + b + K * v * v), rel=1e-3)
    assert r["road.v"][-2, 2] == pytest.approx(rate, rel=1e-6)
