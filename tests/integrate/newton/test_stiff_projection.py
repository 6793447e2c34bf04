"""Corrections onto the constraints do not shake stiff springs: implicit integrators need no more steps with them than without."""

from __future__ import annotations

import pytest

import sharnir as sr

TIME = 0.5


def pad_on_a_slider():
    """A slider-crank with a pad of 1 g on a spring of 10⁷ N/m: ω = 10⁵ /s, half critically damped, and three turns per second."""
    m = sr.Model("pad")
    m.add(
        sr.Body("crank", mass=0.4, inertia=(1e-3, 1e-3, 1e-3), com=(0.07, 0, 0)),
        sr.Body("rod", mass=0.2, inertia=(2e-3, 2e-3, 2e-3), com=(0.17, 0, 0), position=(0.15, 0, 0)),
        sr.Body("slider", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), position=(0.5, 0, 0)),
        sr.Body("pad", mass=0.001, inertia=(1e-6, 1e-6, 1e-6), position=(0.6, 0, 0)),
    )
    m.add(
        sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="y", v=20.0),
        sr.Revolute("A", "crank", "rod", at=(0.15, 0, 0), axis="y"),
        sr.Revolute("B", "rod", "slider", at=(0.5, 0, 0), axis="y"),
        sr.Prismatic("S", "ground", "slider", axis="x"),
        sr.Prismatic("T", "slider", "pad", axis="x", stiffness=1e7, damping=100.0),
    )
    return m


@pytest.fixture(scope="module")
def angle():
    """Without the pad's own motion: its spring gives way by 10⁻⁹ m."""
    m = pad_on_a_slider()
    return m.simulate(TIME, output=0.1, integrator="radau5", tolerance=1e-10, formulation="absolute")["O.q"]


INTEGRATORS = [("radau5", 1e-6), ("bdf", 1e-6), ("ida", 1e-6), ("cvode", 1e-6)]
INTEGRATORS += [(name, 1e-5) for name in ("park", "generalized-alpha", "hht", "newmark")]


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize(("name", "tolerance"), INTEGRATORS)
def test_steps_on_a_stiff_spring(angle, name, tolerance, formulation):
    """A turn and a quarter in some hundred steps. One correction that moved the pad would cost a hundred more, each time."""
    if name in ("ida", "cvode"):
        pytest.importorskip("sksundae", reason="scikit-sundae is not installed (pip install sharnir[sundials])")
    m, settings = pad_on_a_slider(), {"integrator": name, "tolerance": tolerance, "formulation": formulation}
    r = m.simulate(TIME, output=0.1, **settings)
    assert r.stats["steps"] < (2000 if name in ("ida", "cvode") else 500)
    if name not in ("ida", "cvode"):  # these begin anew, with order 1, when the drift is too large
        free = m.simulate(TIME, output=0.1, correction=False, **settings)
        assert r.stats["steps"] < 1.5 * free.stats["steps"] + 100
    assert r.stats["position_residual"] < 1e-9 and r.stats["corrections"] > 0
    assert r["O.q"] == pytest.approx(angle, abs=1e-3 if tolerance < 5e-6 else 5e-3)
    assert r["T.q"] == pytest.approx(0.0, abs=5e-6 if name in ("ida", "cvode") else 2e-6)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_the_steps_of_radau_are_accurate(angle, formulation):
    r = pad_on_a_slider().simulate(TIME, output=0.1, integrator="radau5", tolerance=1e-8, formulation=formulation)
    assert r["O.q"] == pytest.approx(angle, abs=1e-7)
