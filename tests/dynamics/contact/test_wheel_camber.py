"""Wheels that lean: camber thrust and overturning moment against their formulas, energy and momentum with them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sharnir as sr

R, LOAD, SPEED = 0.3, 4000.0, 20.0
CAMBER, ANGLE = 3000.0, 0.02


def rig(lean: float, angle: float = 0.0, brake: float = 0.0, speed: float = SPEED, **options: Any) -> sr.Model:
    """A wheel that leans to the left and rolls straight on with a slip angle, under a constant load."""
    law, axis = sr.LinearLaw(2e5), (0.0, math.cos(lean), -math.sin(lean))
    height = R * math.cos(lean) - LOAD / law.stiffness
    m = sr.Model("rig", gravity=(0, 0, 0))
    for name in ("carriage", "wheel"):
        m.add(sr.Body(name, mass=10, inertia=(0.3, 0.5, 0.3), position=(0, 0, height)))
    ways = (f"{speed * math.cos(angle)!r}*t", f"{-speed * math.sin(angle)!r}*t")
    freedoms = (sr.Translation("x"), sr.Translation("y"))
    m.add(sr.FreedomSequence("rail", "ground", "carriage", freedoms=freedoms, motion=ways))
    m.add(sr.Revolute("axle", "carriage", "wheel", axis=axis, v=speed / R, torque=-brake))
    m.add(sr.Wheel("tyre", "wheel", axis=axis, radius=R, law=law, **options))
    return m


MAGIC = sr.MagicFormula(x=(11.0, 1.6, 1.05, 0.1), y=(9.0, 1.35, 0.95, -0.6))
TYRES = (sr.LinearTyre(6e4, 5e4), sr.BrushTyre(6e4, 5e4), MAGIC, sr.FormulaTyre(x="6e4*kappa", y="5e4*alpha"))


@pytest.mark.parametrize("tyre", TYRES, ids=lambda tyre: tyre.kind)
@pytest.mark.parametrize("lean", [1e-3, -1e-3])
def test_thrust_to_the_side_of_the_lean(tyre: Any, lean: float) -> None:
    """F = C_γ γ at small angles, in every tyre; the slope may depend on the load."""
    for camber in (CAMBER, "0.75*load", sr.Table((0, 8000), (0, 6000))):
        r = rig(lean, tyre=tyre, camber=camber).simulate(0.1, step=0.05)
        assert r["tyre.camber"][-1] == pytest.approx(lean)
        assert r["tyre.slip_angle"][-1] == pytest.approx(0.0, abs=1e-12)
        assert r["tyre.lateral"][-1] == pytest.approx(CAMBER * lean, rel=1e-3)
        assert r["tyre.force.y"][-1] == r["tyre.lateral"][-1]


def test_thrust_and_side_force_share_the_friction() -> None:
    """C_α tan α + C_γ γ, as if the slip were larger; never more than friction gives."""
    small = rig(0.3, ANGLE, tyre=sr.LinearTyre(6e4, 5e4, 0.9), camber=CAMBER).simulate(0.1, step=0.1)
    assert small["tyre.lateral"][-1] == pytest.approx(5e4 * math.tan(ANGLE) + CAMBER * 0.3, rel=1e-6)
    against = rig(-0.3, ANGLE, tyre=MAGIC, camber=CAMBER).simulate(0.1, step=0.1)
    slip = math.tan(ANGLE) - CAMBER * 0.3 / (LOAD * 9.0 * 1.35 * 0.95)
    x = 9.0 * slip
    assert against["tyre.lateral"][-1] == pytest.approx(
        LOAD * 0.95 * math.sin(1.35 * math.atan(x + 0.6 * (x - math.atan(x)))), rel=1e-5
    )
    large = rig(0.3, 0.1, tyre=sr.LinearTyre(6e4, 5e4, 0.9), camber=CAMBER).simulate(0.1, step=0.1)
    assert large["tyre.lateral"][-1] == pytest.approx(0.9 * LOAD, rel=1e-6)


def test_trail_is_that_of_the_slip_angle() -> None:
    """What trail adds to the torque about the normal is -trail × C_α tan α, whatever the camber thrust is."""
    for lean, camber in ((0.0, CAMBER), (0.3, 0.0), (0.3, CAMBER)):
        turns = []
        for trail in (0.0, 0.04):
            r = rig(lean, ANGLE, tyre=sr.LinearTyre(6e4, 5e4, friction=5), camber=camber, trail=trail).simulate(0.01, step=0.01)
            turns.append(r["rail.reaction"][0, 5])
        sin2 = math.sin(lean) ** 2
        share = 1 - 0.3 * sin2 / (0.5 * (1 - sin2) + 0.3 * sin2)  # the rest spins the wheel about its axis: 1 - (J a)_z a_z/aᵀJa
        assert turns[1] - turns[0] == pytest.approx(0.04 * 5e4 * math.tan(ANGLE) * share, rel=1e-6)


def test_overturning_moment() -> None:
    """The patch goes sideways by F_y c: M_x = F_z F_y c about the heading and M_z = -F_x F_y c; the rail has to hold them."""
    c, brake = 2e-5, 150.0
    tyre = sr.LinearTyre(6e4, 5e4)
    plain, soft = (rig(0.0, ANGLE, brake, tyre=tyre, lateral_compliance=x).simulate(1.0, step=0.5) for x in (0.0, c))
    fy, fx = soft["tyre.lateral"][-1], soft["tyre.longitudinal"][-1]
    assert fy == pytest.approx(5e4 * math.tan(ANGLE), rel=1e-6)
    assert fx == pytest.approx(-brake / (R - LOAD / 2e5), rel=1e-6)
    assert soft["tyre.overturning"][-1] == pytest.approx(LOAD * fy * c, rel=1e-9)
    more = (soft["rail.reaction"] - plain["rail.reaction"])[-1]
    assert more[3:] == pytest.approx((-LOAD * fy * c, 0, fx * fy * c), abs=1e-4)
    assert more[:3] == pytest.approx((0, 0, 0), abs=1e-6)


def test_a_wheel_that_stands_is_not_pushed() -> None:
    r = rig(0.3, speed=1e-9, tyre=sr.LinearTyre(6e4, 5e4), camber=CAMBER).simulate(0.1, step=0.1)
    assert abs(r["tyre.lateral"][-1]) < 1e-3
    back = rig(0.3, speed=-SPEED, tyre=sr.LinearTyre(6e4, 5e4), camber=CAMBER).simulate(0.1, step=0.1)
    assert back["tyre.lateral"][-1] == pytest.approx(CAMBER * 0.3, rel=1e-6)  # to the same side


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_energy_and_momentum(formulation: str) -> None:
    """A leaning coin on a plate that flies: momenta stay, and energy goes where the loss says."""
    m = sr.Model("pair", gravity=(0, 0, 0))
    m.add(sr.Body("plate", mass=3, inertia=(0.5, 0.6, 1), position=(0, 0, -0.1), velocity=(0.1, 0, 0.2)))
    turn, axis = (math.cos(0.15), math.sin(0.15), 0, 0), (0, math.cos(0.3), math.sin(0.3))
    moving = {"velocity": (1, 0.5, -0.3), "angular_velocity": (0.2, 15, 0.4)}
    m.add(sr.Body("coin", mass=2, inertia=(0.02, 0.04, 0.02), position=(0.1, 0, 0.185), rotation=turn, **moving))
    law, tyre = sr.LinearLaw(1e5, 500), sr.BrushTyre(200, 150, friction=0.4)
    options = {"camber": "0.4*load", "lateral_compliance": 1e-4, "trail": 0.02}
    m.add(sr.Wheel("tyre", "coin", axis=axis, surface="plate", radius=0.2, law=law, tyre=tyre, **options))
    m.add(sr.Integral("lost", input="tyre.loss"))
    r = m.simulate(0.05, step=0.001, tolerance=1e-10, formulation=formulation)
    assert np.abs(r["tyre.overturning"]).max() > 0.1
    for key in ("system.momentum", "system.angular_momentum"):
        assert np.abs(r[key] - r[key][0]).max() < 1e-8
    total = r["energy.total"] + r["lost"]
    assert np.abs(total - total[0]).max() < 1e-6 * abs(total[0])


def test_files_and_what_is_refused(tmp_path: Any) -> None:
    m = rig(0.1, tyre=MAGIC, camber="0.8*load", lateral_compliance=1e-5)
    m.save(tmp_path / "m.toml")
    assert sr.Model.load(tmp_path / "m.toml") == m
    with pytest.raises(sr.ModelError, match="lateral_compliance"):
        rig(0.1, tyre=MAGIC, lateral_compliance=-1.0)


@pytest.mark.parametrize("tyre", TYRES, ids=lambda tyre: tyre.kind)
def test_without_grip_there_is_no_force_along_the_ground(tyre: Any) -> None:
    """On wet ice the wheel neither brakes nor steers, whatever its slip and lean; the ground still carries it."""
    r = rig(0.1, ANGLE, brake=200.0, tyre=tyre, camber=CAMBER, grip=0.0).simulate(0.1, step=0.05)
    assert r["tyre.load"][-1] == pytest.approx(LOAD, rel=1e-9)
    assert not r["tyre.lateral"].any() and not r["tyre.longitudinal"].any()
