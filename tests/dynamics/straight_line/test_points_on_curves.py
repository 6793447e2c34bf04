"""Points on curves in derived code: rates, power, projection, whole runs, sensitivities, against the engine."""

import math

import numpy as np
import pytest

import sharnir as sr
import zoo
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.power_balance import WITH_BALANCE
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import PLAIN

from .test_derived_functions import call, difference

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")

WAVE = sr.Table((-4, -2, 0, 2, 4, 6), (0.1, -0.3, 0, 0.4, 0.2, 0.5), "cubic", outside="extend")
TRIPLE = (lambda s: math.sin(s), lambda s: math.cos(s), lambda s: -math.sin(s))
CURVES = {
    "in a plane": ("s", 0, "0.3*cos(2*s)"),
    "helix": ("cos(s)", "sin(s)", "0.4*s"),
    "loops in space": ("sin(s)", "sin(2*s)", "cos(3*s)"),
    "table": ("s", WAVE, "0.2*s^2"),
    "Python": ("s", TRIPLE, 0),
}


def bead(name, **options):
    """A pendulum of two bodies, the first of which slides on a curve on a moving arm."""
    rng = np.random.default_rng(3)
    m = sr.Model("bead", **options)
    for k, body in enumerate(("arm", "a", "b")):
        x = zoo.body(rng, body)
        m.add(sr.Body(body, mass=x.mass, inertia=x.inertia, com=x.com, position=(0, 0, -0.5 * (k == 2))))
    m.add(sr.Revolute("turn", "ground", "arm", at=(0, 0, 0), axis="z", v=0.5, damping=0.1), sr.Free("fly", "ground", "a"))
    m.add(sr.Revolute("hinge", "a", "b", at=(0, 0, -0.2), axis="y", v=0.3))
    m.add(sr.PointOnCurve("track", "arm", "a", curve=CURVES[name], s=0.4), sr.Drag("drag", "b", area=0.2, coefficient=0.5))
    return m


@pytest.mark.parametrize("name", CURVES)
def test_rates_and_power(name):
    m = bead(name)
    engine, system = m.compile(), m.compile(method="symbolic")
    for x in (engine, system):
        x.table[L.F_BALANCE] = engine.derivative.address
    rng = np.random.default_rng(1)
    for _ in range(4):
        y = engine.y0 + 0.1 * rng.standard_normal(len(engine.y0))
        for k in engine.assembly.coordinates.quaternions:
            y[k : k + 4] /= np.linalg.norm(y[k : k + 4])
        call(PROJECTION.address, engine, 0.2, y, 8)
        wanted = call(WITH_BALANCE.address, engine, 0.2, y, len(y) + 1)
        found = call(system.derived.balanced, system, 0.2, y, len(y) + 1)
        assert difference(found[:-1], wanted[:-1]) < 1e-10
        assert abs(found[-1] - wanted[-1]) < 1e-9 * max(1.0, np.abs(wanted).max())
        own = y + 1e-8 * rng.standard_normal(len(y))
        said = call(system.derived.projection, system, 0.2, own, 8)
        assert said[3] == 0.0
        assert call(PROJECTION.address, engine, 0.2, own, 8)[0] < 1e-12
    assert system.work[system.handed_over] == 0.0


@pytest.mark.parametrize("name", CURVES)
def test_runs(name):
    a, b = (bead(name).simulate(1.0, tolerance=1e-9, method=method) for method in ("articulated", "symbolic"))
    assert b.stats["engine_evaluations"] == 0
    assert b.trust.good
    for channel in ("a.position", "hinge.q", "turn.q", "track.force"):
        np.testing.assert_allclose(b[channel], a[channel], atol=1e-5 * max(1.0, np.abs(a[channel]).max()), err_msg=channel)
    assert b.stats["energy_residual"] < 1e-6


def test_implicit_integrators_have_an_exact_jacobian():
    a, b = (bead("helix").simulate(0.5, tolerance=1e-8, integrator="radau5", method=x) for x in ("articulated", "symbolic"))
    np.testing.assert_allclose(b["a.position"], a["a.position"], atol=1e-6)
    assert bead("helix").compile(method="symbolic").derived.derivation.without_slopes is None


def test_sensitivity_to_the_pitch_of_a_helix():
    def model(pitch):
        m = sr.Model("helix", parameters={"pitch": pitch})
        m.add(sr.Body("bead", mass=1, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0)), sr.Free("fly", "ground", "bead"))
        m.add(sr.PointOnCurve("wire", "ground", "bead", curve=("cos(s)", "sin(s)", "pitch*s"), s=0.0))
        return m

    exact = model(0.4).simulate(0.5, step=0.25, tolerance=1e-10).sensitivity("bead.position.z", "pitch")
    h, run = 1e-3, lambda p: model(p).simulate(0.5, step=0.25, tolerance=1e-12)["bead.position.z"]
    wanted = (8 * (run(0.4 + h) - run(0.4 - h)) - (run(0.4 + 2 * h) - run(0.4 - 2 * h))) / (12 * h)
    np.testing.assert_allclose(exact, wanted, atol=1e-7 * np.abs(wanted).max())
