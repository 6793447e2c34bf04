"""Derived code of mechanisms with flexible bodies against the engine."""

import numpy as np
import pytest

import flexible_mechanisms
import sharnir as sr
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.kernel import PLAIN

from .test_derived_functions import call, compare

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")


def states(system):
    """Joints by some tenths, deformations of a millimetre, loops closed."""
    q, v = flexible_mechanisms.state(system, 2, turn=0.2, deformation=1e-3)
    y = np.concatenate([q, v, system.z0])
    if system.constrained:
        call(PROJECTION.address, system, 0.0, y, 8)
    return [y]


@pytest.mark.parametrize("name", ["pendulum", "floating", "driven", "sprung", "blade", "slider_crank", "stayed"])
def test_rates_and_power(name):
    compare(getattr(flexible_mechanisms, name)(), states, 0.3)


def test_followers():
    compare(flexible_mechanisms.geared(), lambda system: [system.y0])


def test_a_run_computes_all_by_itself():
    """A loop that closes by deformations has pivots of very different sizes, and no singular positions."""
    m = flexible_mechanisms.slider_crank()
    a, b = (m.simulate(0.02, step=0.01, method=method) for method in ("articulated", "symbolic"))
    assert b.stats["engine_evaluations"] == 0
    assert np.abs(a["slider.position"] - b["slider.position"]).max() < 1e-9


def test_sensitivity_to_a_mass():
    def model(mass):
        m = sr.Model("flexible pendulum", parameters={"mass": mass})
        m.add(sr.FlexibleBody("rod", reduced=flexible_mechanisms.rod(1)), sr.Revolute("hinge", "ground", "rod:root", axis="y"))
        m.add(sr.Body("bob", mass="mass", position=(1, 0, 0)), sr.Fixed("weld", "rod:tip", "bob", at=(1, 0, 0)))
        return m

    found = model(0.5).simulate(0.01, step=0.005).sensitivity("hinge.v", "mass")
    a, b = (model(0.5 + h).simulate(0.01, step=0.005, tolerance=1e-12)["hinge.v"] for h in (-1e-4, 1e-4))
    assert np.abs(found - (b - a) / 2e-4).max() < 1e-5 * np.abs(found).max()
