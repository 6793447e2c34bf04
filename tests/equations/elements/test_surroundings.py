"""The air on wings and the gravity of a central body as formulas, for people and in derived code, against the engine."""

import numpy as np
import pytest

import sharnir as sr
import zoo
from dynamics.straight_line.test_signals import compare
from equations.states import difference
from sharnir.kernel import PLAIN

WING = {"area": 2, "length": 0.7, "lift": "0.1 + alpha", "drag": "0.1 + x/10", "side": "beta"}
WING |= {"moment": (0.1, "-alpha", "beta*x"), "damping": (0.1, 0.2, 0.3), "density": "1.2 - h/100", "wind": ("t", 0.1, "h")}
TURNED = (0.98006658, 0, 0, 0.19866933)
CASES = {
    "wing": sr.Aerodynamics("w", "b", **WING),
    "wing elsewhere": sr.Aerodynamics("w", "b", rotation=TURNED, at=(1.2, 0.1, 1), sound="300 + h", **WING),
    "wing by tables": sr.Aerodynamics("w", "b", area=2, lift=sr.Table((-4, 0, 4), (-3, 0.2, 2), "cubic", smooth=True)),
    "planet": sr.CentralGravity("g", mu=10.0, center=(5, 0, 0)),
    "flat planet": sr.CentralGravity("g", mu=10.0, center=(5, 0, 0), J2=0.1, radius=1.2, axis=(0.6, 0, 0.8)),
    "moving planet": sr.CentralGravity("g", mu=10.0, body="a", center=(0.5, 0.1, 3), J2=0.1, radius=1.2, axis=(0.6, 0, 0.8)),
}


def pair(force, moving):
    """A free body, and another one on it by a ball joint; in some cases on a ground that moves."""
    m = sr.Model("pair", base_motion=sr.BaseMotion(x="0.3*sin(3*t)", rz="0.2*t^2") if moving else None)
    turned = (0.98877108, 0, 0.14943813, 0)
    m.add(sr.Body("a", mass=2, inertia=(1, 2, 3), com=(0.1, 0.2, 0), position=(0, 0, 1), rotation=turned))
    m.add(sr.Body("b", mass=0.5, inertia=(0.1, 0.2, 0.25), position=(1, 0, 1), com=(0.2, 0, 0.1)))
    m.add(sr.Free("F", "ground", "a"), sr.Ball("B", "a", "b", at=(1, 0, 1)), force)
    return m


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("kind", CASES)
def test_equations(kind, moving):
    m = pair(CASES[kind], moving)
    system = m.compile()
    for seed in range(2):
        q, v = zoo.state(system, seed)
        for letters in (False, True):
            assert difference(m.equations(letters), system, q, v, 0.7) < 1e-11


@pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")
@pytest.mark.parametrize("kind", CASES)
def test_code(kind):
    compare(pair(CASES[kind], True))


@pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")
def test_with_a_tank_that_empties():
    """Its centre of mass and inertia change."""
    m = pair(CASES["flat planet"], True)
    m.add(sr.Thrust("engine", "b", 10.0, axis="z", exhaust_speed=1000, propellant=0.1, tank=(1.1, 0.1, 1)))
    compare(m)


@pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")
def test_from_rest_in_still_air():
    """Without speed there is no direction of flow, and no force."""
    m = sr.Model("glider")
    m.add(sr.Body("a", mass=2, inertia=(1, 2, 3)), sr.Aerodynamics("w", "a", area=0.2, lift="0.1 + alpha", drag=0.1, side="beta"))
    m.add(sr.Free("F", "ground", "a"))
    equations, system = m.equations(), m.compile()
    np.testing.assert_allclose(equations.accelerations(system.q0, system.v0), [0, 0, -9.81, 0, 0, 0], atol=1e-12)
    a, b = (m.simulate(1.0, tolerance=1e-9, method=x) for x in ("auto", "symbolic"))
    assert b.stats["method"] == "symbolic"
    for channel in ("a.position.x", "a.position.z"):
        assert np.abs(a[channel] - b[channel]).max() < 1e-7
