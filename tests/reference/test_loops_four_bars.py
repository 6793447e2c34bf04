"""Four-bars: the IFToMM chains of them through their singular positions, the tables of kinematics, and what is redundant."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mechanisms import G, crank_rocker, four_bar, planar_parallelogram
from reference.closure import FORMULATIONS, energy_change, gap
from reference.loop_digits import LOOP_DIGITS
from reference.one_freedom import cos, jet, motion, plane_rotation, sin
from reference.one_freedom_mechanisms import slender


def top(r, k):
    """Position and velocity of the first crank's top at the k-th output."""
    x = r["coupler0.position"][k], r["coupler0.velocity"][k]
    return np.concatenate([part[:2] for part in x])


@pytest.mark.parametrize(("formulation", "tolerance", "error"), [("joint", 1e-10, 1e-7), ("absolute", 1e-8, 1e-6)])
def test_two_four_bars(formulation, tolerance, error):
    """IFToMM A02: five revolutions, each through two singular positions; the limits are those of the rounding there.

    In absolute coordinates tighter tolerances than the default one get lost in that rounding and stop the run.
    """
    states = LOOP_DIGITS["four_bars_2"]
    times = [float(t) for t in states]
    m = four_bar(2)
    r = m.simulate(10.0, output=times, tolerance=tolerance, formulation=formulation)
    for k, s in enumerate(states.values(), start=1):
        assert top(r, k) == pytest.approx([s["B0x"], s["B0y"], s["B0vx"], s["B0vy"]], abs=error)
        assert -r["foot0.q"][k] == pytest.approx(s["theta"], abs=error)
        assert -r["foot2.v"][k] == pytest.approx(s["thetadot"], abs=error)
    assert energy_change(r) < 0.1 * error
    assert gap(m, r) < 1e-9


@pytest.mark.parametrize(("formulation", "last"), [("joint", 10.0), ("absolute", 1.0)])
def test_forty_four_bars(formulation, last):
    """81 bodies, 40 loops, all of them singular at once; in absolute coordinates only as far as the first such position."""
    states = {float(t): s for t, s in LOOP_DIGITS["four_bars_40"].items() if float(t) <= last}
    r = four_bar(40).simulate(last, output=list(states), formulation=formulation)
    for k, s in enumerate(states.values(), start=1):
        assert top(r, k) == pytest.approx([s["B0x"], s["B0y"], s["B0vx"], s["B0vy"]], abs=5e-6)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_at_default_settings(formulation):
    """At the first try: 10 s, closed to 1e-9 at every output, and the energy stays."""
    m = four_bar(2)
    r = m.simulate(10.0, step=0.01, formulation=formulation)
    assert gap(m, r, every=37) < 1e-9
    assert energy_change(r) < 1e-6
    assert r["left0.q"] == pytest.approx(-r["foot0.q"], abs=1e-9)  # the couplers stay level


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("integrator", ["dop853", "dopri5", "abm"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-7, 1e-8])
@pytest.mark.parametrize("speed", [0.93, 1.0, 1.2])
def test_singular_positions_with_all_settings(formulation, integrator, tolerance, speed):
    """Two of them per revolution are passed, and no energy is lost there."""
    m = four_bar(2, omega=speed)
    r = m.simulate(3.0, step=0.01, formulation=formulation, integrator=integrator, tolerance=tolerance)
    assert r["left0.q"] == pytest.approx(-r["foot0.q"], abs=1e-9)
    assert energy_change(r) < 2e3 * tolerance * 30.0


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("branch", ["open", "crossed"])
def test_kinematics_tables(branch, formulation):
    """All freedoms prescribed: angles are drawn, rates and accelerations come from the constraints."""
    d = LOOP_DIGITS["crank_rocker"][branch]
    r = crank_rocker(1.0 if branch == "open" else -1.0).simulate(0.2, step=0.002, tolerance=1e-12, formulation=formulation)
    assert r["coupler.position"][0] == pytest.approx([math.sqrt(3), 1, 0], abs=1e-14)
    assert r["coupler.angular_velocity"][0, 2] == pytest.approx(d["omega3"], rel=1e-12)
    assert r["rocker.angular_velocity"][0, 2] == pytest.approx(d["omega4"], rel=1e-12)
    assert r["coupler.angular_acceleration"][0, 2] == pytest.approx(d["alpha3"], rel=1e-11)
    assert r["rocker.angular_acceleration"][0, 2] == pytest.approx(d["alpha4"], rel=1e-11)
    assert r["O.q"] == pytest.approx(10 * r.t, abs=1e-10)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_swing_of_the_rocker(formulation):
    """One revolution of the crank takes the rocker from limit to limit."""
    low, high = np.radians(LOOP_DIGITS["crank_rocker"]["rocker_limits_theta4_deg"])
    r = crank_rocker().simulate(0.2 * math.pi, step=2e-4, formulation=formulation)
    theta = np.radians(LOOP_DIGITS["crank_rocker"]["open"]["theta4_deg"]) + r["C.q"]
    assert theta.min() == pytest.approx(low, abs=1e-5)
    assert theta.max() == pytest.approx(high, abs=1e-5)
    assert theta[-1] == pytest.approx(theta[0], abs=1e-9)


def parallelogram(phi):
    """Two parallel rods of 1 m and a coupler of 2 kg that only shifts."""
    end = (cos(phi), sin(phi))
    level = plane_rotation(jet(1), jet(0))
    S, turn = slender(1.0, 1.0, 0.01), plane_rotation(*end)
    rods = [(1.0, S, (end[0] * 0.5 + x, end[1] * 0.5, 0.0), turn) for x in (0.0, 1.5)]
    return [*rods, (2.0, slender(2.0, 1.5, 0.01), (end[0] + 0.75, end[1], 0.0), level)]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_parallelogram_of_spatial_hinges(formulation):
    """Three of the constraints of a planar loop of spatial hinges are redundant: one freedom, as of a simple pendulum."""
    m, times = planar_parallelogram(), np.linspace(0, 5, 11)
    start = math.atan2(-0.6, 0.8)
    phi, rate = motion(parallelogram, (0, -G, 0), start, 0.0, times)
    r = m.simulate(5.0, output=list(times[1:]), tolerance=1e-12, formulation=formulation)
    assert start + r["O.q"] == pytest.approx(phi, abs=1e-9)
    assert r["C.v"] == pytest.approx(rate, abs=1e-9)
    assert r["coupler.rotation"] == pytest.approx(np.tile([1.0, 0, 0, 0], (11, 1)), abs=1e-10)
    assert gap(m, r) < 1e-10
    out_of_plane = np.abs(r["B.reaction"][:, [2, 3, 4]]).max()  # what is redundant carries nothing that it need not
    assert out_of_plane < 1e-8
