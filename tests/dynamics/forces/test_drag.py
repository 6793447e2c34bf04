"""Drag of air and of viscous fluids against closed forms and an independent integration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sharnir as sr
from sharnir.errors import ModelError
from sharnir.model.files.model_file import run_from_text, text_of

FORMULATIONS = ("joint", "absolute")


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_terminal_speed(formulation):
    m = sr.Model("stone")
    m.add(sr.Body("stone", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Drag("air", "stone", area=0.05, coefficient=0.9, density=1.2))
    r = m.simulate(10.0, output=0.5, tolerance=1e-10, formulation=formulation)
    end = np.sqrt(2 * 2 * 9.81 / (1.2 * 0.9 * 0.05))
    assert r["stone.velocity"][:, 2] == pytest.approx(-end * np.tanh(9.81 * r.t / end), rel=1e-8, abs=1e-9)
    assert r["air.force"][-1, 2] == pytest.approx(2 * 9.81 * np.tanh(98.1 / end) ** 2, rel=1e-7)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize(
    "given", [{"linear": 0.6}, {"linear": "0.6 + 0*h"}, {"area": 2.0, "coefficient": "0.5/max(x, 1e-9)", "density": 1.2}]
)
def test_projectile_with_linear_drag(formulation, given):
    """r = (v₀ - g/k)(1 - e^(-kt))/k + g t/k, k = 0.6/m, g a vector, velocities relative to the wind; it starts from rest, too."""
    m = sr.Model("stones")
    starts = ((30.0, 5.0, 40.0), (0.0, 0.0, 0.0))
    for i, v in enumerate(starts):
        m.add(sr.Body(f"stone{i}", mass=2, inertia=(0.1, 0.1, 0.1), velocity=v))
        m.add(sr.Drag(f"air{i}", f"stone{i}", wind=(0, 3, 0), **given))
    r = m.simulate(8.0, output=0.5, tolerance=1e-10, formulation=formulation)
    k, g, wind, t = 0.3, np.array([0, 0, -9.81]), np.array([0, 3.0, 0]), r.t[:, None]
    for i, v in enumerate(starts):
        exact = wind * t + (v - wind - g / k) * (1 - np.exp(-k * t)) / k + g / k * t
        assert r[f"stone{i}.position"] == pytest.approx(exact, abs=1e-6)
        assert r[f"air{i}.force"] == pytest.approx(-0.6 * (r[f"stone{i}.velocity"] - wind), abs=1e-9)


def test_a_ball_sinks_in_oil_with_both_drags():
    """m v̇ = m g - k v - c v²: v = b tanh(β t + φ) - k/(2c), by partial fractions."""
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=2, inertia=(0.1, 0.1, 0.1)), sr.Drag("oil", "ball", 0.05, 0.8, density=900, linear=3.0))
    r = m.simulate(2.0, output=0.1, tolerance=1e-11)
    c, k = 0.5 * 900 * 0.8 * 0.05, 3.0
    b = np.sqrt(k * k / (4 * c * c) + 2 * 9.81 / c)
    exact = b * np.tanh(b * c / 2 * r.t + np.arctanh(k / (2 * c * b))) - k / (2 * c)
    assert -r["ball.velocity"][:, 2] == pytest.approx(exact, abs=1e-8)


def test_drag_of_mach_number_height_and_wind():
    m = sr.Model("shell")
    m.add(sr.Body("shell", mass=40, inertia=(1, 1, 1), velocity=(500, 0, 500)))
    curve = sr.Table((0, 0.8, 1.1, 3), (0.15, 0.16, 0.4, 0.28), kind="cubic")
    m.add(
        sr.Drag("air", "shell", 0.02, curve, density="1.225*exp(-h/8500)", sound="340 - 0.004*h", wind=(0, "10*sin(t)", 0)),
    )
    r = m.simulate(20.0, output=1.0, tolerance=1e-10)

    def rates(t, y):
        u = y[3:] - np.array([0, 10 * np.sin(t), 0])
        s, h = np.linalg.norm(u), y[2]
        a = -0.5 * 1.225 * np.exp(-h / 8500) * float(curve.evaluate(s / (340 - 0.004 * h))) * 0.02 * s * u / 40
        return [*y[3:], *(a + np.array([0, 0, -9.81]))]

    exact = solve_ivp(rates, (0, 20), [0, 0, 0, 500, 0, 500], rtol=1e-10, atol=1e-9, t_eval=r.t).y
    assert np.abs(r["shell.position"] - exact[:3].T).max() < 1e-3


def test_drag_without_effect_is_refused():
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1)))
    idle = m.copy()
    idle.add(sr.Drag("d", "ball", area=1.0))
    with pytest.raises(ModelError, match="give no drag; give area and coefficient"):
        idle.compile()
    m.add(sr.Drag("d", "ground", 1.0, 1.0))
    with pytest.raises(ModelError, match="'ground' does not move"):
        m.compile()


def test_files_hold_drag():
    m = sr.Model("ball")
    m.add(sr.Body("ball", mass=1, inertia=(1, 1, 1)))
    m.add(sr.Drag("d", "ball", 0.1, "0.3 + 0.1*x", sound=340.0, wind=("t", 0, 0)))
    again, _ = run_from_text(text_of(m))
    assert again.forces == m.forces
