"""Tops and pendulums of the literature in absolute coordinates: every joint a constraint, the same digits."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr
from agree.by_hand import quaternion_matrix
from reference.closure import energy_change, gap
from reference.digits import DIGITS
from reference.test_pendulums import THREE, TIMES, by_lagrange, rods, tip, tip_of
from reference.test_tops import SPIN, angles, heavy_top, lagrange_top, same_rotation

G = 9.81


def test_torque_free_asymmetric_top():
    m = sr.Model("Euler", gravity=(0, 0, 0))
    m.add(sr.Body("top", mass=1, inertia=(1, 1.6, 2.2)), sr.Free("flight", "ground", "top", v=(0, 0, 0, 1.2, 0, 0.9)))
    states = DIGITS["torque_free_top"]
    times = [float(t) for t in states]
    r = m.simulate(times[-1], output=times, tolerance=1e-13, formulation="absolute")
    for k, state in enumerate(states.values(), start=1):
        assert r["flight.v"][k, 3:] == pytest.approx(state["w"], abs=2e-11)
        same_rotation(r["top.rotation"][k], np.array(state["q"]), 2e-11)


def test_heavy_top():
    """The tip is held by three constraints; the spin of 150 rad/s makes them work."""
    states = DIGITS["heavy_top"]
    times = [float(t) for t in states]
    r = heavy_top().simulate(times[-1], output=times, tolerance=1e-13, formulation="absolute")
    for k, state in enumerate(states.values(), start=1):
        same_rotation(r["top.rotation"][k], np.array(state["q"]), 5e-9)
        assert quaternion_matrix(r["top.rotation"][k])[:, 1] == pytest.approx(state["x_com"], abs=5e-9)
        assert r["tip.v"][k] == pytest.approx(state["omega_body"], abs=5e-8)
    assert np.abs(r["top.position"]).max() < 1e-10


def test_lagrange_top():
    d = DIGITS["lagrange_top"]
    r = lagrange_top(math.pi / 6, 0.0, SPIN).simulate(2.0, step=0.0025, tolerance=1e-13, formulation="absolute")
    theta, phi = angles(r)
    for t, state in d["states"].items():
        k = round(float(t) / 0.0025)
        assert theta[k] == pytest.approx(state["theta"], abs=2e-9)
        assert phi[k] == pytest.approx(state["phi"], abs=2e-8)


def bob(inertia):
    """IFToMM A01, as far as absolute coordinates can have it."""
    m = sr.Model("A01", gravity=(0, -G, 0))
    m.add(sr.Body("bob", mass=1, position=(-1, 0, 0), inertia=inertia))
    m.add(sr.Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="z"))
    return m


def test_simple_pendulum():
    """A point mass with a little inertia of its own, which shows in the seventh digit."""
    d = DIGITS["simple_pendulum"]
    r = bob((1e-9,) * 3).simulate(10.0, output=[float(t) for t in d["states"]], tolerance=1e-13, formulation="absolute")
    for k, state in enumerate(d["states"].values(), start=1):
        assert r["bob.position"][k] == pytest.approx([state["x"], state["y"], 0], abs=1e-6)
        assert r["bob.velocity"][k] == pytest.approx([state["vx"], state["vy"], 0], abs=5e-6)


def test_a_point_mass_moves_as_in_joint_coordinates():
    """It has no inertia of its own; the hinge lets it turn with its way only."""
    runs = [bob(None).simulate(1.0, formulation=formulation, tolerance=1e-10) for formulation in ("joint", "absolute")]
    assert np.abs(runs[0]["bob.position"] - runs[1]["bob.position"]).max() < 1e-8


def test_spherical_pendulum():
    """A symmetric body without spin on a ball joint moves as a point mass at (J + m L²)/(m L) = 1."""
    d, theta, J = DIGITS["spherical_pendulum"], math.pi / 3, 0.2
    L = (1 + math.sqrt(1 - 4 * J)) / 2
    u = np.array([math.sin(theta), 0, -math.cos(theta)])
    turn = sr.rotation_about("y", math.pi - theta)  # its z axis points along u
    m = sr.Model("spherical")
    m.add(sr.Body("bob", mass=1, com=(0, 0, L), inertia=(J, J, 0.1), rotation=turn))
    m.add(sr.Ball("hinge", "ground", "bob", at=(0, 0, 0), v=(-2 * math.sin(theta), 0, 0)))  # perpendicular to u
    r = m.simulate(10.0, output=[float(t) for t in d["states"]], tolerance=1e-13, formulation="absolute")
    assert quaternion_matrix(r["bob.rotation"][0])[:, 2] == pytest.approx(u, abs=1e-14)
    for k, state in enumerate(d["states"].values(), start=1):
        axis = quaternion_matrix(r["bob.rotation"][k])[:, 2]
        assert axis == pytest.approx([state["x"], state["y"], state["z"]], abs=1e-9)


def test_three_rods_of_paper_001():
    m = rods(3, THREE)
    solid = {k: sr.Body(k, mass=1, com=b.com, inertia=(1 / 12, 1e-3, 1 / 12), position=b.position) for k, b in m.bodies.items()}
    m._bodies = solid  # thin rods have no inverse; their turning about themselves never happens
    r = m.simulate(5.0, step=1.0, tolerance=1e-12, formulation="absolute")
    assert np.abs(tip_of(r, 3) - tip(by_lagrange(THREE, TIMES))).max() < 1e-9
    assert energy_change(r) < 1e-10
    assert gap(m, r) < 1e-11
