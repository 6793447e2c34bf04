"""Rolling without slipping and the knife edge: discs, coins, balls, Chaplygin's sleigh, the bicycle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

from agree.by_hand import quaternion_matrix
from reference.closure import FORMULATIONS, energy_change
from reference.loop_digits import LOOP_DIGITS
from rolling_mechanisms import G, bicycle, chaplygin_sleigh, rolling_disc, rolling_down

pytestmark = pytest.mark.parametrize("formulation", FORMULATIONS)


def lean_frame(r, k):
    """θ of the disc's axis from the vertical, ψ of the level direction in its plane, and the contact."""
    axis = quaternion_matrix(r["disc.rotation"][k])[:, 2]
    theta, psi = math.acos(axis[2]), math.atan2(axis[0], -axis[1])
    e1 = np.array([math.cos(psi), math.sin(psi), 0.0])
    return theta, psi, e1, np.cross(axis, e1)


def agrees(r, states, radius, limit):
    for k, s in enumerate(states.values(), start=1):
        theta, psi, e1, e2 = lean_frame(r, k)
        centre = r["disc.position"][k]
        assert centre == pytest.approx(s["centre"], abs=limit * radius)
        assert (centre - radius * e2)[:2] == pytest.approx(s["contact"], abs=limit * radius)
        assert theta == pytest.approx(s["th"], abs=limit)
        assert math.remainder(psi - s["psi"], 2 * math.pi) == pytest.approx(0, abs=limit)
        omega, axis = r["disc.angular_velocity"][k], np.cross(e1, e2)
        assert [omega @ e1, omega @ e2, omega @ axis] == pytest.approx(s["w"], abs=limit * 30)


def test_rolling_disc(formulation):
    """r = 0.5 m, leaning by 10°, 6 rad/s: it wobbles along a curve; 5 s."""
    states = LOOP_DIGITS["rolling_disc"]
    m = rolling_disc(math.radians(80), -6.0)
    r = m.simulate(5.0, output=[float(t) for t in states], tolerance=1e-12, formulation=formulation)
    agrees(r, states, 0.5, 1e-8)
    assert energy_change(r) < 1e-10


def test_rolling_coin(formulation):
    """r = 1 cm, 10 π rad/s about the vertical, leaning by 1°."""
    states, theta, rate = LOOP_DIGITS["rolling_coin"], math.radians(89), 10 * math.pi
    m = rolling_disc(theta, 0.0, r=0.01, yaw=rate)
    r = m.simulate(1.0, output=[float(t) for t in states], tolerance=1e-12, formulation=formulation)
    agrees(r, states, 0.01, 1e-7)


def test_disc_at_default_settings(formulation):
    """The disc stays on the plane and does not slip."""
    r = rolling_disc(math.radians(80), -6.0).simulate(5.0, step=0.01, formulation=formulation)
    for k in range(0, len(r.t), 25):
        _, _, _, e2 = lean_frame(r, k)
        arm = -0.5 * e2
        assert abs(r["disc.position"][k, 2] + arm[2]) < 1e-9
        slip = r["disc.velocity"][k] + np.cross(r["disc.angular_velocity"][k], arm)
        assert np.abs(slip).max() < 1e-8
    assert energy_change(r) < 1e-6


@pytest.mark.parametrize("factor", [1.05, 1.5, 0.95])
def test_critical_spin_of_a_rolling_disc(factor, formulation):
    """At f times √(g/3r) a lean of ξ swings up to ξ (f² + 1)/(f² - 1) if f > 1, and grows without end if f < 1."""
    spin, small = factor * LOOP_DIGITS["critical_spin"]["rolling thin disc"], 1e-5
    r = rolling_disc(math.pi / 2 - small, -spin).simulate(8.0, step=0.01, tolerance=1e-10, formulation=formulation)
    lean = [abs(lean_frame(r, k)[0] - math.pi / 2) for k in range(len(r.t))]
    if factor > 1:
        assert max(lean) == pytest.approx(small * (factor**2 + 1) / (factor**2 - 1), rel=1e-3)
    else:
        assert max(lean) > 50 * small


@pytest.mark.parametrize(("kind", "share"), [("ball", 5 / 7), ("cylinder", 2 / 3), ("hoop", 1 / 2)])
def test_rolling_down_an_incline(kind, share, formulation):
    r = rolling_down(kind).simulate(1.0, step=0.1, tolerance=1e-11, formulation=formulation)
    a = share * G * math.sin(math.radians(30))
    assert r["roller.position"][:, 0] == pytest.approx(0.5 * a * r.t**2, abs=1e-9)
    assert r["roller.angular_velocity"][:, 1] == pytest.approx(a * r.t / 0.2, abs=1e-8)
    assert r["roller.position"][:, 2] == pytest.approx(0.2, abs=1e-10)


def test_chaplygin_sleigh(formulation):
    """v = v∞ tanh, ω = ω∞ sech: it turns until the centre of mass runs ahead, although nothing damps it."""
    d = LOOP_DIGITS["chaplygin_sleigh"]
    times = [float(t) for t in d["states"]]
    r = chaplygin_sleigh().simulate(5.0, output=times, tolerance=1e-12, formulation=formulation)
    for k, s in enumerate(d["states"].values(), start=1):
        assert r["sleigh.position"][k] == pytest.approx([s["x_blade"], s["y_blade"], 0], abs=1e-9)
        assert r["ice.q"][k, 2] == pytest.approx(s["theta"], abs=1e-9)
        assert r["sleigh.angular_velocity"][k, 2] == pytest.approx(s["omega"], abs=1e-9)
        heading = np.array([math.cos(s["theta"]), math.sin(s["theta"]), 0])
        assert r["sleigh.velocity"][k] == pytest.approx(s["v"] * heading, abs=1e-9)
    assert r.energy.kinetic == pytest.approx(2.36, rel=1e-10)


def linear_bicycle(speed, lean_rate, t):
    """Lean and steer angle by the linearized equations of the literature; exact in time."""
    d = {k: np.array(v) for k, v in LOOP_DIGITS["bicycle"].items()}
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2] = -np.linalg.solve(d["M"], G * d["K0"] + speed**2 * d["K2"])
    A[2:, 2:] = -np.linalg.solve(d["M"], speed * d["C1"])
    return expm(A * t) @ [0, 0, lean_rate, 0]


@pytest.mark.parametrize("speed", [4.0, 4.6, 8.0])  # the three manoeuvres of IFToMM: weaves, is stable, capsizes
def test_bicycle(speed, formulation):
    """Five bodies' worth of published matrices: two rolling wheels, a steering axis, gyroscopic terms."""
    small = 1e-5
    r = bicycle(speed, small).simulate(2.0, step=0.25, tolerance=1e-12, formulation=formulation)
    for k, t in enumerate(r.t):
        lean, steer, lean_rate, steer_rate = linear_bicycle(speed, small, t)
        R = quaternion_matrix(r["frame.rotation"][k])
        assert R[2, 1] == pytest.approx(lean, abs=1e-5 * small)
        assert -r["steer.q"][k] == pytest.approx(steer, abs=1e-5 * small)
        assert -r["steer.v"][k] == pytest.approx(steer_rate, abs=1e-4 * small)
        assert r["frame.angular_velocity"][k, 0] == pytest.approx(lean_rate, abs=1e-4 * small)


def test_bicycle_keeps_its_energy(formulation):
    """IFToMM manoeuvre 2, not small: 0.5 rad/s of lean at 4.6 m/s for 5 s; the benchmark asks for 1e-5 of the energy."""
    r = bicycle(4.6, 0.5).simulate(5.0, step=0.05, formulation=formulation)
    assert np.abs(r["steer.q"]).max() > 0.05
    assert energy_change(r) < 1e-6
