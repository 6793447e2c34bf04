"""Python functions in constraints, in derived code: profiles of cams, lengths and motions over time, against the engine."""

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.kernel import PLAIN

from .test_derived_functions import call
from .test_signals import arms, compare

pytestmark = pytest.mark.skipif(PLAIN, reason="machine code of one's own is not plain Python")

PROFILE = (lambda q: 0.2 * math.sin(q), lambda q: 0.2 * math.cos(q), lambda q: -0.2 * math.sin(q))
MIXED = (lambda q: 0.1 * q * q, "0.2*q", 0.2)
LENGTH = (lambda t: 1.3 + 0.1 * t * t, "0.2*t", 0.2)
ELEMENTS = {
    "cam": [sr.Cam("pair", "A", "B", PROFILE)],
    "cam of functions and formulas": [sr.Cam("pair", "A", "B", MIXED)],
    "length by three": [sr.Distance("rod", "ground", "b", at_b=(1.2, 0.5, 0), length=LENGTH)],
    "length": [sr.Distance("rod", "ground", "b", at_b=(1.2, 0.5, 0), length=lambda t: 1.3 + 0.1 * math.sin(t))],
}


@pytest.mark.parametrize("kind", ELEMENTS)
def test_rates_and_power(kind):
    m = arms()
    m.add(*ELEMENTS[kind])
    compare(m)


@pytest.mark.parametrize("kind", ELEMENTS)
def test_runs_and_projection(kind):
    m = arms()
    m.add(*ELEMENTS[kind])
    a, b = (m.simulate(0.5, tolerance=1e-9, method=method) for method in ("articulated", "symbolic"))
    assert b.stats["engine_evaluations"] == 0
    for name in ("A.q", "B.q"):
        np.testing.assert_allclose(b[name], a[name], atol=1e-6)
    system = m.compile(method="symbolic")
    y = system.y0 + 1e-8
    assert call(system.derived.projection, system, 0.0, y, 8)[3] == 0.0
    assert call(PROJECTION.address, system, 0.0, y, 8)[0] < 1e-12
    assert b.stats["energy_residual"] < 1e-6
