"""Pendulums: plane, spherical, double, triple (the literature), and a beam as forty of them."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import sharnir as sr
from reference.digits import DIGITS

G = 9.81


@pytest.mark.parametrize("kind", [sr.Revolute, sr.Ball, sr.Universal])
def test_simple_pendulum(kind):
    """A point mass that starts level: 10 s to eleven digits. A ball or cardan joint needs a little inertia to turn."""
    inertia = None if kind is sr.Revolute else (1e-9, 1e-9, 1e-9)
    m = sr.Model("A01", gravity=(0, -G, 0))
    m.add(sr.Body("bob", mass=1, position=(-1, 0, 0), inertia=inertia))
    own = {sr.Revolute: {"axis": "z"}, sr.Universal: {"axis": "z", "axis2": "x"}, sr.Ball: {}}[kind]
    m.add(kind("hinge", "ground", "bob", at=(0, 0, 0), **own))
    d = DIGITS["simple_pendulum"]
    times = [float(t) for t in d["states"]]
    r = m.simulate(10.0, output=times, tolerance=1e-13)
    limit = 1e-10 if kind is sr.Revolute else 1e-6  # the little inertia of 1e-9 shows
    for k, state in enumerate(d["states"].values(), start=1):
        assert r["bob.position"][k] == pytest.approx([state["x"], state["y"], 0], abs=limit)
        assert r["bob.velocity"][k] == pytest.approx([state["vx"], state["vy"], 0], abs=5 * limit)
    assert np.abs(r.energy.total - r.energy.total[0]).max() < 5e-5  # the benchmark's own limit


def test_spherical_pendulum():
    """A point mass in a cardan joint about the vertical and a level axis."""
    d = DIGITS["spherical_pendulum"]
    times = [float(t) for t in d["states"]]
    m = sr.Model("spherical")
    theta = math.pi / 3
    m.add(sr.Body("bob", mass=1, position=(math.sin(theta), 0, -math.cos(theta))))
    m.add(sr.Universal("hinge", "ground", "bob", at=(0, 0, 0), axis="z", axis2="y", v=(2, 0)))
    r = m.simulate(10.0, output=times, tolerance=1e-13)
    for k, state in enumerate(d["states"].values(), start=1):
        assert r["bob.position"][k] == pytest.approx([state["x"], state["y"], state["z"]], abs=1e-10)
        assert r["hinge.q"][k, 0] == pytest.approx(state["phi"], abs=1e-10)
    T = d["vertical_period"]
    r = m.simulate(T, output=[T], tolerance=1e-13)
    assert r["hinge.q"][-1] == pytest.approx([d["apsidal_advance_per_vertical_period"], 0], abs=1e-10)


# ---- chains of rods: an independent planar formulation in absolute angles ------------------------------------------------


def rods(count, angles):
    """Uniform rods m = 1, L = 1 that hang from the origin in the plane x–y; absolute angles from the downward vertical."""
    m = sr.Model(f"{count} rods", gravity=(0, -G, 0))
    for i in range(count):
        at = (0, -i, 0)
        m.add(sr.Body(f"rod{i}", mass=1, com=(0, -0.5, 0), inertia=(1 / 12, 0, 1 / 12), position=at))
        q = angles[i] - (angles[i - 1] if i else 0.0)
        m.add(sr.Revolute(f"hinge{i}", "ground" if i == 0 else f"rod{i - 1}", f"rod{i}", at=at, axis="z", q=q))
    return m


@cache
def by_lagrange(angles, times):
    """θ(t) of the same chain: M_ij = a_ij cos(θ_i - θ_j), derived on paper, integrated by SciPy."""
    n = len(angles)
    i, j = np.indices((n, n))
    a = n - np.maximum(i, j) - 0.5  # rods beyond j move by L, rod j itself by L/2
    a[np.diag_indices(n)] = n - 1 - np.arange(n) + 1 / 3
    weight = (n - 0.5 - np.arange(n)) * G

    def slope(t, y):
        th, w = y[:n], y[n:]
        d = th[:, None] - th[None, :]
        return np.concatenate([w, np.linalg.solve(a * np.cos(d), -(a * np.sin(d)) @ w**2 - weight * np.sin(th))])

    y0 = np.concatenate([angles, np.zeros(n)])
    found = solve_ivp(slope, (0, times[-1]), y0, "DOP853", t_eval=times, rtol=3e-14, atol=1e-15)
    assert found.success
    return found.y[:n].T


def tip(theta):
    return np.stack([np.sin(theta).sum(-1), -np.cos(theta).sum(-1)], axis=-1)


def tip_of(r, count):
    """The lower end of the last rod."""
    q = np.cumsum([r[f"hinge{i}.q"] for i in range(count)], axis=0)[-1]
    x = r[f"rod{count - 1}.position"]
    return x[:, :2] + np.stack([np.sin(q), -np.cos(q)], axis=1)


THREE = (0.0, 0.0, math.pi / 6)
TIMES = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)


@pytest.mark.parametrize("method", ["articulated", "composite", "direct", "lagrange1", "inverse-iterative", "direct-iterative"])
def test_three_rods_of_paper_001(method):
    m = rods(3, THREE)
    if method == "lagrange1":  # a rod without thickness has no inverse; its turning about itself never happens
        bodies = {
            k: sr.Body(k, mass=1, com=b.com, inertia=(1 / 12, 1e-3, 1 / 12), position=b.position) for k, b in m.bodies.items()
        }
        m._bodies = bodies
    r = m.simulate(5.0, step=1.0, tolerance=1e-12, method=method)
    assert np.abs(tip_of(r, 3) - tip(by_lagrange(THREE, TIMES))).max() < 1e-9
    assert r["rod2.position"][:, 2] == pytest.approx(0, abs=1e-13)


def test_three_rods_start_as_drawn_in_the_paper():
    r = rods(3, THREE).simulate(0.01)
    centres = [r[f"rod{i}.position"][0] + [0.5 * math.sin(a), -0.5 * math.cos(a), 0] for i, a in enumerate(THREE)]
    assert centres[0] == pytest.approx([0, -0.5, 0])
    assert centres[1] == pytest.approx([0, -1.5, 0])
    assert centres[2] == pytest.approx([0.25, -2.43, 0], abs=4e-3)


def test_three_rods_converge():
    """Two integrators and two tolerances: their differences fall with the tolerance, and the energy stays."""
    runs = {
        (k, tol): rods(3, THREE).simulate(5.0, step=1.0, integrator=k, tolerance=tol)
        for k in ("dop853", "abm")
        for tol in (1e-8, 1e-12)
    }
    exact = tip(by_lagrange(THREE, TIMES))
    error = {key: np.abs(tip_of(r, 3) - exact).max() for key, r in runs.items()}
    for k in ("dop853", "abm"):
        assert error[k, 1e-12] < 1e-9 < error[k, 1e-8] * 1e3
        assert error[k, 1e-12] < 0.01 * error[k, 1e-8]
    for (_, tol), r in runs.items():
        assert np.ptp(r.energy.total) < 1e3 * tol


@pytest.mark.slow
def test_three_rods_for_100_seconds():
    """Small amplitudes stay tame enough for two tolerances to agree to a micrometre after 100 s."""
    a, b = (rods(3, THREE).simulate(100.0, step=0.01, tolerance=tol) for tol in (1e-11, 1e-13))
    assert np.abs(tip_of(a, 3) - tip_of(b, 3)).max() < 1e-6
    assert np.ptp(b.energy.total) < 1e-9


@pytest.mark.parametrize("angles", [(2.0, 2.5), (1.5, -0.5, 0.3, 2.0)])
def test_large_swings(angles):
    """Double and fourfold pendulums that go over the top: chaotic, so half the time."""
    times = (0.0, 0.5, 1.0, 1.5, 2.0)
    r = rods(len(angles), angles).simulate(2.0, step=0.5, tolerance=1e-13)
    assert np.abs(tip_of(r, len(angles)) - tip(by_lagrange(angles, times))).max() < 1e-8


def test_small_oscillations_have_the_frequencies_of_the_eigenproblem():
    """Hanging double pendulum, started in its second mode: returns after the period of that mode."""
    M = np.array([[4 / 3, 0.5], [0.5, 1 / 3]])
    K = np.diag([1.5 * G, 0.5 * G])
    values, vectors = np.linalg.eig(np.linalg.solve(M, K))
    k = int(np.argmax(values))
    mode, T = 1e-5 * vectors[:, k], 2 * math.pi / math.sqrt(values[k])
    r = rods(2, tuple(mode)).simulate(T, output=[T / 2], tolerance=1e-12)
    q = np.array([r["hinge0.q"], r["hinge0.q"] + r["hinge1.q"]])
    assert q[:, 1] == pytest.approx(-mode, abs=1e-12)
    assert q[:, 2] == pytest.approx(mode, abs=1e-12)


def test_beam_of_forty_links():
    """The test set's `beam`: an inextensible elastic line as 40 rigid links with half their mass at each end.

    Torsion springs of stiffness n join the links (2 n at the clamp, half a cell away); a dead force (-φ, φ) pulls at the tip.
    """
    n = 40
    m = sr.Model("beam", gravity=(0, 0, 0))
    mass, L = 1 / n, 1 / n
    for i in range(n):
        at = (i * L, 0, 0)
        m.add(sr.Body(f"b{i}", mass=mass, com=(L / 2, 0, 0), inertia=(0, mass * L**2 / 4, mass * L**2 / 4), position=at))
        m.add(sr.Revolute(f"j{i}", "ground" if i == 0 else f"b{i - 1}", f"b{i}", at=at, axis="z", stiffness=n if i else 2 * n))
    pull = "if(t <= pi, 1.5*sin(t)^2, 0)"
    m.add(sr.Force("pull", f"b{n - 1}", (f"-{pull}", pull, 0), at=(1, 0, 0)))
    r = m.simulate(5.0, output=[5.0], tolerance=1e-11)
    theta = np.cumsum([r[f"j{i}.q"][-1] for i in range(n)])
    rate = np.cumsum([r[f"j{i}.v"][-1] for i in range(n)])
    d = DIGITS["beam_40_links"]
    assert theta == pytest.approx(d["published"][:n], abs=1e-8)
    assert rate == pytest.approx(d["published"][n:], abs=1e-6)
    assert theta == pytest.approx(d["quad"][:n], abs=1e-8)
