"""Tops: free, heavy, Lagrange's; to the digits of closed forms and of published runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr
from agree.by_hand import quaternion_matrix
from reference.digits import DIGITS

METHODS = ["articulated", "composite", "lagrange1", "inverse-iterative"]


def same_rotation(found, expected, limit):
    assert min(np.abs(found - expected).max(), np.abs(found + expected).max()) < limit


@pytest.mark.parametrize("method", METHODS)
def test_torque_free_asymmetric_top(method):
    m = sr.Model("Euler", gravity=(0, 0, 0))
    m.add(sr.Body("top", mass=1, inertia=(1, 1.6, 2.2)), sr.Free("flight", "ground", "top", v=(0, 0, 0, 1.2, 0, 0.9)))
    states = DIGITS["torque_free_top"]
    times = [float(t) for t in states]
    r = m.simulate(times[-1], output=times, tolerance=1e-13, method=method)
    for k, state in enumerate(states.values(), start=1):
        assert r["flight.v"][k, 3:] == pytest.approx(state["w"], abs=2e-11)
        same_rotation(r["top.rotation"][k], np.array(state["q"]), 2e-11)
    assert r["top.position"][-1] == pytest.approx([0, 0, 0], abs=1e-12)
    E, H = r.energy.kinetic, r["system.angular_momentum"]
    assert 2 * E[-1] == pytest.approx(3.222, rel=1e-12)
    assert (H**2).sum(axis=1) == pytest.approx(5.3604, rel=1e-12)


def heavy_top():
    m = sr.Model("heavy top")
    m.add(sr.Body("top", mass=15, com=(0, 1, 0), inertia=(0.234375, 0.46875, 0.234375)))
    m.add(sr.Ball("tip", "ground", "top", at=(0, 0, 0), v=(0, 150, -4.61538)))
    return m


@pytest.mark.parametrize("integrator", ["dop853", "abm"])
def test_heavy_top(integrator):
    """Fast spin with nutation; the body's own frame is in the tip, so its centre moves with the rotation."""
    states = DIGITS["heavy_top"]
    times = [float(t) for t in states]
    r = heavy_top().simulate(times[-1], output=times, tolerance=1e-13, integrator=integrator)
    limit = 2e-8 if integrator == "abm" else 1e-9  # 150 rad/s for 2 s: 300 rad with rounding in every step
    for k, state in enumerate(states.values(), start=1):
        same_rotation(r["top.rotation"][k], np.array(state["q"]), limit)
        assert r["tip.v"][k] == pytest.approx(state["omega_body"], abs=10 * limit)
        assert quaternion_matrix(r["top.rotation"][k])[:, 1] == pytest.approx(state["x_com"], abs=limit)
    # the five digits that EXUDYN prints at 0.2 s
    q = r["top.rotation"][2] * np.sign(r["top.rotation"][2][1])
    assert q == pytest.approx([-0.70828, 0.43878, 0.54573, 0.0894], abs=6e-6)


M, LENGTH, I1, I3, SPIN, G = 1.0, 0.1, 0.012, 0.002, 150.0, 9.81


def lagrange_top(theta, precession, spin, joint=sr.Ball):
    """Symmetric top with its tip in the origin; `spin` is the third component of ω, `precession` about the vertical."""
    side = I1 - M * LENGTH**2  # about the centre of mass
    turn = sr.rotation_about("x", theta)
    v = (0.0, precession * math.sin(theta), spin)
    m = sr.Model("Lagrange")
    m.add(sr.Body("top", mass=M, com=(0, 0, LENGTH), inertia=(side, side, I3)))
    m.add(joint("tip", "ground", "top", q=turn, v=v))
    return m


def angles(r):
    """θ from the vertical and φ about it, continued over the run."""
    axis = np.array([quaternion_matrix(e)[:, 2] for e in r["top.rotation"]])
    phi = np.unwrap(np.arctan2(axis[:, 0], -axis[:, 1]))
    return np.arccos(axis[:, 2]), phi - phi[0]


def test_lagrange_top():
    d = DIGITS["lagrange_top"]
    r = lagrange_top(math.pi / 6, 0.0, SPIN).simulate(2.0, step=0.0025, tolerance=1e-13)
    theta, phi = angles(r)
    for t, state in d["states"].items():
        k = round(float(t) / 0.0025)
        assert theta[k] == pytest.approx(state["theta"], abs=1e-9)
        assert phi[k] == pytest.approx(state["phi"], abs=1e-8)


def test_nutation():
    """One period of nutation: back at the start, precessed by the elliptic integral; halfway at the largest angle."""
    d = DIGITS["lagrange_top"]
    T = d["nutation_period"]
    r = lagrange_top(math.pi / 6, 0.0, SPIN).simulate(T, output=T / 100, tolerance=1e-13)
    theta, phi = angles(r)
    assert theta[50] == pytest.approx(d["theta_max_rad"], abs=1e-10)
    assert theta[-1] == pytest.approx(math.pi / 6, abs=1e-10)
    assert phi[-1] == pytest.approx(d["precession_per_nutation_rad"], abs=1e-9)


@pytest.mark.parametrize("which", ["slow", "fast"])
def test_steady_precession(which):
    rate = DIGITS["lagrange_top"]["steady_precession_theta60"][which]
    r = lagrange_top(math.pi / 3, rate, SPIN).simulate(1.0, step=0.01, tolerance=1e-12)
    theta, phi = angles(r)
    assert theta == pytest.approx(math.pi / 3, abs=1e-9)
    assert phi[-1] == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize(("factor", "stays"), [(1.02, True), (0.98, False)])
def test_sleeping_top(factor, stays):
    """Above its critical spin an upright top sleeps, below it falls."""
    critical = DIGITS["lagrange_top"]["steady_precession_theta60"]["sleeping_top_min_w3"]
    r = lagrange_top(1e-4, 0.0, factor * critical).simulate(3.0, tolerance=1e-11)
    assert (angles(r)[0].max() < 2e-3) == stays
