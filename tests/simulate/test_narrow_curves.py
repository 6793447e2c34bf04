"""Narrow bumps of curves of which no coordinate tells where the point is: every output interval is looked into."""

import numpy as np
import pytest

import sharnir as sr


def bead(at, z=None):
    """A bead that slides along a circle without friction, over a bump out of its plane."""
    m = sr.Model("bead", gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(0.01, 0.01, 0.01), position=(0, 1, 0), velocity=(2.0, 0, 0)))
    bump = f"0.03*exp(-((s - {at})/0.005)^2)" if z is None else z
    m.add(sr.PointOnCurve("wire", "ground", "b", curve=("sin(s)", "cos(s)", bump), s=0.0))
    return m


@pytest.mark.parametrize("at", [0.7, 1.3, 1.9])
def test_a_bump_is_not_passed_over(at):
    """The way over it is longer: by the length of the curve at constant speed."""
    s = np.linspace(-0.05, 0.05, 200_001)
    slope = -2.0 * s / 0.005**2 * 0.03 * np.exp(-((s / 0.005) ** 2))
    longer = float(np.mean(np.sqrt(1.0 + slope**2) - 1.0)) * 0.1
    r = bead(at).simulate(1.5, output=1.5)
    assert r["b.position"][-1, 0] == pytest.approx(np.sin(3.0 - longer), abs=1e-6)
    assert any("seen every" in text for text in r.trust.known)


def test_smooth_curves_need_no_limit():
    r = bead(1.0, "0.1*sin(3*s)").simulate(1.5, output=1.5)
    assert "max_step" not in r.stats and r.stats["steps"] < 100
