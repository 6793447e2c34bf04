"""IFToMM's stiff flyball governor against Lagrange's equations of its symmetric motion in shaft angle, slider and rod angle."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sharnir as sr
from reference.closure import FORMULATIONS

G = 9.81
ROD, BALL, SLIDER, SHAFT = 0.3, 5.0, 3.0, 0.3
OUT, LENGTH, HEIGHT, WIDTH = 0.05, 1.0, 1.0, 0.01  # hinge from the axis, rods, shaft, thickness of rods
K, C, REST = 8e5, 4e4, 0.5
BETA, SPIN = math.radians(30), 2 * math.pi
ALONG, ACROSS = ROD * WIDTH**2 / 6, ROD * (LENGTH**2 + WIDTH**2) / 12
Z_SLIDER, Z_SHAFT = SLIDER * 0.1**2 / 6, SHAFT * WIDTH**2 / 6


def governor():
    """Shaft, slider, two rods with balls, and two stiff springs from the rods' middles to the slider."""
    m = sr.Model("flyball governor")
    m.add(sr.Body("shaft", mass=SHAFT, com=(0, 0, 0.5), inertia=(0.025, 0.025, Z_SHAFT)))
    m.add(sr.Body("slider", mass=SLIDER, inertia=(Z_SLIDER,) * 3, position=(0, 0, 0.5)))
    m.add(sr.Revolute("spin", "ground", "shaft", axis="z", v=SPIN), sr.Prismatic("slide", "shaft", "slider", axis="z"))
    centre = (ROD * LENGTH / 2 + BALL * LENGTH) / (ROD + BALL)
    across = ACROSS + ROD * (centre - LENGTH / 2) ** 2 + BALL * (LENGTH - centre) ** 2
    for side, name in ((1, "right"), (-1, "left")):
        hinge = np.array([side * OUT, 0, HEIGHT])
        u = np.array([side * math.cos(BETA), 0, -math.sin(BETA)])
        turn = np.stack([u, (0, 1, 0), np.cross(u, (0, 1, 0))], axis=1)
        inertia = (ALONG, across, across)
        m.add(sr.Body(name, mass=ROD + BALL, com=(centre, 0, 0), inertia=inertia, position=hinge, rotation=turn))
        m.add(sr.Revolute(f"hinge {name}", "shaft", name, at=hinge, axis=(0, side, 0)))
        ends = {"at_a": (side * OUT, 0, 0.5), "at_b": hinge + 0.5 * LENGTH * u}
        m.add(sr.Spring(f"spring {name}", "slider", name, stiffness=K, damping=C, length=REST, **ends))
    return m


def right(_, y):
    """y = (ψ, s, β, and their rates); β is the rods' angle below the level, s the height of the slider."""
    _, s, b, w, sv, bv = y
    sb, cb = math.sin(b), math.cos(b)
    swing = ACROSS + ROD * LENGTH**2 / 4 + BALL * LENGTH**2

    def ring(mass, r):
        return mass * (OUT + r * cb) ** 2, -2 * mass * (OUT + r * cb) * r * sb  # m x² and its derivative by β

    (i1, d1), (i2, d2) = ring(ROD, LENGTH / 2), ring(BALL, LENGTH)
    Iz = Z_SHAFT + Z_SLIDER + 2 * (i1 + i2 + ALONG * sb**2 + ACROSS * cb**2)
    dIz = 2 * (d1 + d2 + 2 * (ALONG - ACROSS) * sb * cb)
    # the spring: from (OUT, s) to (OUT + ½ L cos β, H - ½ L sin β)
    dx, dz = 0.5 * LENGTH * cb, HEIGHT - 0.5 * LENGTH * sb - s
    L = math.hypot(dx, dz)
    L_s, L_b = -dz / L, (-dx * 0.5 * LENGTH * sb - dz * 0.5 * LENGTH * cb) / L
    tension = K * (L - REST) + C * (L_s * sv + L_b * bv)
    weight = 2 * G * (ROD * LENGTH / 2 + BALL * LENGTH) * cb  # -∂V/∂β, as the balls sink with β
    return [
        w,
        sv,
        bv,
        -dIz * bv * w / Iz,
        (-2 * tension * L_s - SLIDER * G) / SLIDER,
        (0.5 * dIz * w**2 - 2 * tension * L_b + weight) / (2 * swing),
    ]


@cache
def on_paper(times):
    start = [0, 0.5, BETA, SPIN, 0, 0]
    with np.errstate(over="ignore"):  # SciPy's difference of a column that is zero: nothing depends on ψ
        found = solve_ivp(right, (0, times[-1]), start, "Radau", t_eval=times, rtol=1e-11, atol=1e-13)
    assert found.success
    return found.y


TIMES = (0.0, 0.5, 1.0, 2.0, 5.0, 10.0)


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ["auto", "radau5", "bdf"])
def test_flyball_governor(integrator, formulation):
    """10 s with springs of 8e5 N/m and 4e4 N s/m on 3 kg: implicit methods take it without a hand-tuned step."""
    angle, s, beta, *_ = on_paper(TIMES)
    r = governor().simulate(10.0, output=list(TIMES[1:]), integrator=integrator, tolerance=1e-9, formulation=formulation)
    assert 0.5 + r["slide.q"] == pytest.approx(s, abs=1e-6)
    assert BETA + r["hinge left.q"] == pytest.approx(beta, abs=1e-6)
    assert r["hinge right.q"] == pytest.approx(r["hinge left.q"], abs=1e-8)
    assert r["spin.q"] == pytest.approx(angle, abs=1e-5)
    assert r.stats["steps"] < (5000 if integrator != "auto" else 50_000)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_momentum_about_the_shaft(formulation):
    """Nothing turns the governor from outside."""
    r = governor().simulate(1.0, step=0.05, integrator="radau5", tolerance=1e-8, formulation=formulation)
    H = r["system.angular_momentum"][:, 2]
    assert pytest.approx(H[0], rel=1e-7) == H
    assert np.diff(r.energy.total).max() < 1e-6  # dampers only take
