"""Closed loops of one freedom against Lagrange's equation in that freedom: pendulum with a loop, slider-cranks, Bricard."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mechanisms import CLOSED_PENDULUM, G, bricard, closed_pendulum, slider_crank, spatial_slider_crank
from reference import one_freedom_mechanisms as on_paper
from reference.closure import FORMULATIONS, energy_change, gap
from reference.loop_digits import LOOP_DIGITS
from reference.one_freedom import Jet, energy, motion

DOWN = (0, -G, 0)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_closed_pendulum_of_paper_001(formulation):
    """10 s with 100 outputs a second, to 1e-8; Computer Research and Modeling 2024 compares curves."""
    m, times = closed_pendulum(), np.linspace(0, 10, 1001)
    phi, rate = motion(on_paper.closed_pendulum, DOWN, CLOSED_PENDULUM["start"], 0.0, times)
    r = m.simulate(10.0, step=0.01, tolerance=1e-12, formulation=formulation)
    assert np.ptp(phi) > 4  # it is no small swing
    assert CLOSED_PENDULUM["start"] + r["O.q"] == pytest.approx(phi, abs=1e-8)
    assert r["O.v"] == pytest.approx(rate, abs=1e-7)
    assert energy_change(r) < 1e-10
    assert gap(m, r, every=50) < 1e-10


def test_the_paper_reference_keeps_its_own_energy():
    times = np.linspace(0, 10, 21)
    phi, rate = motion(on_paper.closed_pendulum, DOWN, CLOSED_PENDULUM["start"], 0.0, times)
    E = [sum(energy(on_paper.closed_pendulum, DOWN, a, b)) for a, b in zip(phi, rate, strict=True)]
    assert np.ptp(E) < 1e-10


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_closed_pendulum_at_default_settings(formulation):
    m = closed_pendulum()
    r = m.simulate(10.0, step=0.01, formulation=formulation)
    assert gap(m, r, every=20) < 1e-9
    assert energy_change(r) < 1e-6


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ["abm", "radau5", "bdf"])
@pytest.mark.sample(3)
def test_closed_pendulum_by_other_integrators(integrator, formulation):
    """Radau IIA is the method of Computer Research and Modeling 2024."""
    phi, _ = motion(on_paper.closed_pendulum, DOWN, CLOSED_PENDULUM["start"], 0.0, np.linspace(0, 10, 11))
    r = closed_pendulum().simulate(10.0, step=1.0, integrator=integrator, tolerance=1e-9, formulation=formulation)
    assert CLOSED_PENDULUM["start"] + r["O.q"] == pytest.approx(phi, abs=2e-5)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_slider_crank_kinematics(formulation):
    """The crank turns with 150 rad/s: position, speed and acceleration of the slider in closed form."""
    d = LOOP_DIGITS["slider_crank"]
    r = slider_crank(0.0, motion="150*t").simulate(0.02, output=[1 / 150, 0.02], tolerance=1e-12, formulation=formulation)
    assert r["slider.position"][1, 0] == pytest.approx(d["x"], abs=1e-11)
    assert r["slider.velocity"][1, 0] == pytest.approx(d["xdot"], rel=1e-10)
    assert r["slider.acceleration"][1, 0] == pytest.approx(d["xddot"], rel=1e-9)
    w, z = r["rod.rotation"][1, [0, 3]]
    assert 2 * math.atan2(z, w) == pytest.approx(d["rod_angle"], abs=1e-11)
    assert r["slide.q"][-1] == pytest.approx(0.15 * math.cos(3) + math.sqrt(0.09 - (0.15 * math.sin(3)) ** 2) - 0.45, abs=1e-11)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_drive_torque_of_the_slider_crank(formulation):
    """Power of the drive = rate of the energy: at constant speed Q = ½ a' ω² + V'."""
    from reference.one_freedom import coefficients

    omega = 40.0
    r = slider_crank(0.0, motion="40*t").simulate(0.1, step=0.01, tolerance=1e-12, formulation=formulation)
    for k, t in enumerate(r.t):
        _, slope, force = coefficients(on_paper.slider_crank(Jet(omega * t, 1.0)), DOWN)
        assert r["O.drive"][k] == pytest.approx(0.5 * slope * omega**2 + force, abs=1e-7)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_slider_crank_that_runs_free(formulation):
    """Started with 20 rad/s: only the crank's speed is given, the others follow."""
    times = np.linspace(0, 2, 21)
    phi, rate = motion(on_paper.slider_crank, DOWN, 1.0, 20.0, times)
    r = slider_crank(1.0, v=20.0).simulate(2.0, step=0.1, tolerance=1e-12, formulation=formulation)
    assert r["O.v"][0] == pytest.approx(20.0, abs=1e-12)
    assert 1.0 + r["O.q"] == pytest.approx(phi, abs=1e-8)
    assert r["O.v"] == pytest.approx(rate, abs=1e-7)
    x = [on_paper.slider_crank(Jet(a, 1.0))[2][2][0].a for a in phi]
    assert r["slider.position"][:, 0] == pytest.approx(x, abs=1e-9)
    assert energy_change(r) < 1e-10


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_spatial_slider_crank(formulation):
    """IFToMM's spatial slider-crank: ball, cardan joint and slider in one loop; 5 s, some nine revolutions."""
    m, times = spatial_slider_crank(), np.linspace(0, 5, 51)
    phi, rate = motion(on_paper.spatial_slider_crank, (0, 0, -G), 0.0, 6.0, times)
    r = m.simulate(5.0, step=0.1, tolerance=1e-12, formulation=formulation)
    assert r["rod.angular_velocity"][0] == pytest.approx([1.92, -0.96, 0.48], abs=1e-12)
    assert r["A.q"] == pytest.approx(phi, abs=1e-8)
    assert r["A.v"] == pytest.approx(rate, abs=1e-7)
    bodies = [on_paper.spatial_slider_crank(Jet(a, 1.0)) for a in phi]
    assert r["slider.position"][:, 0] == pytest.approx([b[2][2][0].a for b in bodies], abs=1e-9)
    assert energy_change(r) < 1e-10
    assert gap(m, r, every=10) < 1e-10


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_bricard(formulation):
    """Six hinges of one loop, 36 - 30 equations too many by one, and one freedom all the same; 10 s, two swings."""
    m, states = bricard(), LOOP_DIGITS["bricard"]
    times = [float(t) for t in states]
    r = m.simulate(10.0, output=times, tolerance=1e-12, formulation=formulation)
    for k, s in enumerate(states.values(), start=1):
        assert r["rod2.position"][k] == pytest.approx(s["P3"], abs=1e-8)
        assert r["rod2.velocity"][k] == pytest.approx(s["vP3"], abs=1e-7)
        assert abs(r["P0.q"][k]) == pytest.approx(s["q1"], abs=1e-8)
    assert r.energy.total == pytest.approx(-29.43, abs=1e-9)
    assert gap(m, r) < 1e-10
    alpha, _ = motion(on_paper.bricard, DOWN, 0.0, 0.0, [0.0, *times])
    assert np.abs(r["P0.q"]) == pytest.approx(alpha, abs=1e-8)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_bricard_at_default_settings(formulation):
    m = bricard()
    r = m.simulate(10.0, step=0.02, formulation=formulation)
    assert gap(m, r, every=20) < 1e-9
    assert energy_change(r) < 1e-6
