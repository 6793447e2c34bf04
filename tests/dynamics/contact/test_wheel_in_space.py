"""Leaning wheels, moving surfaces, energy and momentum, formulas and files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import sharnir as sr

LAW = sr.LinearLaw(1e5, 500)
LEAN = (0.0, np.cos(0.3), np.sin(0.3))


def leaning(element: Any, speed: float = 2.0) -> sr.Model:
    """A disc that leans and rolls along x."""
    m = sr.Model("coin")
    tilted = {"position": (0, 0, 0.2 * np.cos(0.3)), "rotation": (np.cos(0.15), np.sin(0.15), 0, 0)}
    spin = tuple(speed / 0.2 * np.array(LEAN))
    m.add(sr.Body("coin", mass=2, inertia=(0.02, 0.04, 0.02), velocity=(speed, 0, 0), angular_velocity=spin, **tilted))
    m.add(element)
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_energy_goes_where_the_loss_says(formulation: str) -> None:
    """Slip, rolling resistance, aligning torque, damping of the law, a leaning tyre with a round edge."""
    body = {"resistance": 0.05, "trail": 0.02, "tube": 0.05, "radius": 0.2}
    m = leaning(sr.Wheel("tyre", "coin", axis=LEAN, law=LAW, tyre=sr.BrushTyre(200, 150, friction=0.4), **body))
    m.add(sr.Integral("lost", input="tyre.loss"))
    r = m.simulate(0.6, step=0.02, tolerance=1e-9, formulation=formulation)
    total = r["energy.total"] + r["lost"]
    assert r["lost"][-1] > 0.5
    assert np.abs(total - total[0]).max() < 1e-5 * abs(total[0])


def test_momentum_of_wheel_and_platform() -> None:
    """No gravity: a wheel that presses and turns on a plate that flies; momentum and angular momentum of both stay."""
    m = sr.Model("pair", gravity=(0, 0, 0))
    m.add(sr.Body("plate", mass=3, inertia=(0.5, 0.6, 1), position=(0, 0, -0.1), velocity=(0.1, 0, 0.2)))
    m.add(
        sr.Body(
            "wheel",
            mass=2,
            inertia=(0.02, 0.04, 0.02),
            position=(0.1, 0, 0.19),
            velocity=(1, 0.5, -0.3),
            angular_velocity=(0.2, 15, 0.4),
        )
    )
    tyre = sr.MagicFormula((10, 1.5, 0.8, 0), (8, 1.3, 0.7, -1))
    m.add(sr.Wheel("tyre", "wheel", surface="plate", radius=0.2, law=LAW, tyre=tyre, resistance=0.1, trail="0.02*cos(alpha)"))
    r = m.simulate(0.05, step=0.001, tolerance=1e-10)
    assert r["tyre.load"].max() > 100 and np.abs(r["tyre.lateral"]).max() > 10
    for key in ("system.momentum", "system.angular_momentum"):
        assert np.abs(r[key] - r[key][0]).max() < 1e-8


def test_stiff_tyre_is_a_rolling_disc() -> None:
    """With much stiffness and grip the wheel moves as one that rolls without slipping (a constraint)."""
    paths = []
    stiff = sr.LinearTyre(3e4, 3e4, friction=10)
    for element in (
        sr.RollingDisc("roll", "coin", axis=LEAN, radius=0.2),
        sr.Wheel("roll", "coin", axis=LEAN, radius=0.2, law=sr.LinearLaw(1e7, 1e4), tyre=stiff),
    ):
        paths.append(leaning(element).simulate(0.5, step=0.05, integrator="radau5", tolerance=1e-8)["coin.position"])
    assert np.abs(paths[0] - paths[1]).max() < 4e-3
    assert abs(paths[0][-1, 1]) > 0.2  # it turns


def rig(grip: Any = 1.0, tyre: Any = None, **options: Any) -> sr.Model:
    """A locked wheel on a sledge that moves along x, 2 m/s, pressed by 1000 N."""
    m = sr.Model("rig", gravity=(0, 0, 0), parameters={"wet": 0.4, "peak": 0.8})
    m.add(sr.Body("sledge", mass=10, inertia=(1, 1, 1), position=(0, 0, 0.3)))
    m.add(sr.Signal("wetness", "0.5 + 0.1*t"))
    m.add(sr.Prismatic("rail", "ground", "sledge", axis="x", motion="2*t"))
    tyre = sr.LinearTyre(1e5, 1e5, friction=0.8) if tyre is None else tyre
    m.add(sr.Wheel("tyre", "sledge", radius=0.3, through=(0, 0, 0.01), law=LAW, tyre=tyre, grip=grip, **options))
    return m


def test_grip_by_place_parameter_and_signal() -> None:
    r = rig(grip="if(x > 1, wet, 1)").simulate(1.0, step=0.1)
    x, force = r["tyre.point.x"], r["tyre.longitudinal"]
    assert force == pytest.approx(np.where(x > 1, -320, -800), rel=1e-9)
    m = rig(tyre=sr.FormulaTyre(x="load*peak*tanh(20*kappa)*wetness", y=sr.Table((-1, 1), (-100, 100))))
    r = m.simulate(1.0, step=0.5)
    assert r["tyre.longitudinal"] == pytest.approx(-800 * (0.5 + 0.1 * r.t), rel=1e-6)
    assert r["tyre.slip"] == pytest.approx(-1.0)


def test_python_functions_and_table_of_load() -> None:
    m = rig(tyre=sr.FormulaTyre(x=lambda kappa, alpha, load: 0.5 * load * kappa, y=0.0))
    assert m.simulate(0.1, step=0.1)["tyre.longitudinal"][-1] == pytest.approx(-500)
    m = rig(tyre=sr.LinearTyre(longitudinal=sr.Table((0, 2000), (0, 600)), cornering=0))
    assert m.simulate(0.1, step=0.1)["tyre.longitudinal"][-1] == pytest.approx(-300)


def test_wheel_in_the_air() -> None:
    m = sr.Model("air")
    m.add(sr.Body("wheel", mass=1, inertia=(1, 1, 1), position=(0, 0, 1)))
    m.add(sr.Wheel("tyre", "wheel", radius=0.3, law=LAW, tyre=sr.LinearTyre(1e4, 1e4)))
    r = m.simulate(0.1, step=0.1)
    assert r["tyre.load"][0] == 0.0 and r["tyre.depth"][0] == pytest.approx(-0.7)
    assert np.all(r["tyre.force"] == 0.0)


@pytest.mark.parametrize(
    "tyre",
    [
        sr.LinearTyre("12*load", sr.Table((0, 5000), (0, 5e4)), 0.9, 0.8),
        sr.BrushTyre(6e4, 5e4),
        sr.MagicFormula((10, 1.5, 0.8, 0), (8, 1.3, 0.7, -1)),
        sr.FormulaTyre("load*peak*kappa", "load*alpha"),
    ],
)
def test_files(tyre: Any, tmp_path: Any) -> None:
    m = rig(tyre=tyre, grip="1 - 0.1*x", resistance=0.01, trail="0.01*alpha", tube=0.1, low_speed=0.2)
    m.save(tmp_path / "rig.toml")
    again = sr.Model.load(tmp_path / "rig.toml")
    assert again.forces["tyre"] == m.forces["tyre"]


def test_what_is_refused() -> None:
    tyre = sr.LinearTyre(1, 1)
    with pytest.raises(sr.ModelError, match="lies on its side"):
        sr.Wheel("w", "wheel", axis="z", radius=1, law=LAW, tyre=tyre)
    with pytest.raises(sr.ModelError, match="tyre = 3 must be one of LinearTyre"):
        sr.Wheel("w", "wheel", radius=1, law=LAW, tyre=3)
    with pytest.raises(sr.ModelError, match="B, C and D must be positive"):
        sr.MagicFormula((10, 1.5, 0, 0), (8, 1.3, 0.7, -1))
    with pytest.raises(sr.ModelError, match="E must not be above 1"):
        sr.MagicFormula((10, 1.5, 1, 1.2), (8, 1.3, 0.7, -1))
    with pytest.raises(sr.FormulaError, match="slope"):
        rig(tyre=sr.FormulaTyre("slope*kappa", 0))
