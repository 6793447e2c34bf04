"""Slider-crank whose slider has clearance in its guide (Flores, Leine and Glocker, Multibody System Dynamics 23, 2010).

Their data: crank 153 mm, rod 306 mm, slider 100 × 50 mm with 1 mm to either side, restitution 0.4, friction 0.01, free from
150 rad/s on. They have rigid impacts and Moreau's time stepping. That is written down here for the same data, in a few lines and
with steps so short that it has converged; our stiff contact must give the same motion.

A record of this problem is public: the reference file of Siconos' example SliderCrank (steps of 0.1 ms, with projection). Its
energy rises (by 1.9 % at 20 ms, by 15 % at 0.2 s) although nothing drives the mechanism. A scheme of its kind with the mass
matrix taken at the end of a step gives its numbers, so we compare with the record only as far as that error allows.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr

L1, L2, M1, M2, M3, J1, J2, J3 = 0.153, 0.306, 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6
GAP, RESTITUTION, FRICTION, g = 1e-3, 0.4, 0.01, 9.81
HALF = (0.05, 0.025)  # length and height of the slider
START = (150.0, -75.0)
# Siconos: t [s], turns of the crank, speeds of crank and rod [rad/s]
RECORD = (
    (0.0025, 0.05322397816186737, 112.7938765518875, None),
    (0.005, 0.09193653783558145, 86.0968984, -37.1451958),
    (0.01, 0.1516149228648951, 68.1142216, -21.5343914),
    (0.02, 0.258912087697199, 73.0514970, None),
)


def mass(q: np.ndarray) -> np.ndarray:
    k = (0.5 * M2 + M3) * L1 * L2 * math.cos(q[1] - q[0])
    return np.array([[J1 + (0.25 * M1 + M2 + M3) * L1**2, k], [k, J2 + (0.25 * M2 + M3) * L2**2]])


def load(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    k = (0.5 * M2 + M3) * L1 * L2 * math.sin(q[0] - q[1])
    weight = g * np.array([(0.5 * M1 + M2 + M3) * L1 * math.cos(q[0]), (0.5 * M2 + M3) * L2 * math.cos(q[1])])
    return np.array([-k * v[1] ** 2, k * v[0] ** 2]) - weight


def moreau(step: float, t_end: float) -> tuple[np.ndarray, list[tuple[float, float]]]:
    """Angles and speeds of crank and rod after every step; times and speeds of impacts. The slider stays level."""
    q, v = np.zeros(2), np.array(START)
    states, hits = [(*q, *v)], []
    for k in range(round(t_end / step)):
        q = q + 0.5 * step * v
        inverse = np.linalg.inv(mass(q))
        change = step * inverse @ load(q, v)
        height = L1 * math.sin(q[0]) + L2 * math.sin(q[1])
        if abs(height) >= GAP:
            inwards = -np.sign(height) * np.array([L1 * math.cos(q[0]), L2 * math.cos(q[1])])
            along = -np.array([L1 * math.sin(q[0]), L2 * math.sin(q[1])])
            towards = inwards - FRICTION * np.sign(along @ v) * along
            impulse = -((1 + RESTITUTION) * (inwards @ v) + inwards @ change) / (inwards @ inverse @ towards)
            if impulse > 0.0:
                hits.append((k * step, -float(inwards @ v)))
                change = change + impulse * inverse @ towards
        v = v + change
        q = q + 0.5 * step * v
        states.append((*q, *v))
    return np.array(states), hits


@pytest.fixture(scope="module")
def motion() -> sr.Result:
    m = sr.Model("guide", gravity=(0, -g, 0))
    m.add(sr.Body("crank", mass=M1, inertia=(J1,) * 3, position=(L1 / 2, 0, 0)))
    m.add(sr.Body("rod", mass=M2, inertia=(J2,) * 3, position=(L1 + L2 / 2, 0, 0)))
    m.add(sr.Body("slider", mass=M3, inertia=(J3,) * 3, position=(L1 + L2, 0, 0)))
    m.add(sr.Revolute("O", "ground", "crank", at=(0, 0, 0), axis="z", v=START[0]))
    m.add(sr.Revolute("A", "crank", "rod", at=(L1, 0, 0), axis="z", v=START[1] - START[0]))
    m.add(sr.Revolute("B", "rod", "slider", at=(L1 + L2, 0, 0), axis="z", v=-START[1]))
    block, law = sr.Box((2 * HALF[0], 2 * HALF[1], 0.01)), sr.HuntCrossley(1e12, restitution=RESTITUTION, speed=0.84)
    for name, side in (("upper", 1), ("lower", -1)):
        wall = sr.Plane((0, side * (HALF[1] + GAP), 0), (0, -side, 0))
        m.add(sr.Contact(name, "slider", "ground", block, wall, law=law, friction=sr.Friction(FRICTION, speed=0.01)))
    return m.simulate(0.1, output=1e-5, tolerance=1e-8)


def crank_of(r: sr.Result, t: float) -> tuple[float, float, float]:
    """Turns of the crank, speeds of crank and rod."""
    k = int(np.searchsorted(r.t, t - 1e-9))
    return float(r["O.q"][k]) / (2 * math.pi), float(r["O.v"][k]), float(r["O.v"][k] + r["A.v"][k])


def hits_of(r: sr.Result, name: str) -> np.ndarray:
    touching = r[f"{name}.force"] > 0
    return r.t[1:][touching[1:] & ~touching[:-1]]


def test_motion_is_that_of_rigid_impacts(motion: sr.Result) -> None:
    """Time stepping has an error of its own, of the order of its step: two steps, and what lies beyond them."""
    coarse, fine = (moreau(step, 0.1)[0] for step in (1e-5, 5e-6))
    for t in (0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1):
        expected = 2 * fine[round(t / 5e-6)] - coarse[round(t / 1e-5)]
        turns, crank, rod = crank_of(motion, t)
        assert turns == pytest.approx(expected[0] / (2 * math.pi), rel=1e-3)
        assert crank == pytest.approx(expected[2], rel=5e-3)
        assert rod == pytest.approx(expected[3], abs=0.5)
    height = motion["slider.position"][:, 1]
    assert np.abs(height).max() < 1.02 * GAP


def test_impacts_come_when_rigid_ones_do(motion: sr.Result) -> None:
    hits = moreau(2e-6, 0.007)[1]
    assert hits[0] == pytest.approx((2.69e-3, 0.841), rel=2e-3)
    second = next(t for t, _ in hits if t > 4e-3)
    assert hits_of(motion, "upper")[:2] == pytest.approx([hits[0][0], second], abs=5e-5)


def test_energy_is_lost_by_impacts_and_friction_alone(motion: sr.Result) -> None:
    energy = motion["energy.total"]
    assert (np.diff(energy) < 1e-7).all()
    assert energy[0] == pytest.approx(7.49554875, rel=1e-9)
    assert 7.0 < energy[-1] < 7.4


def test_record_before_the_first_impact() -> None:
    """The trapezoidal rule with the mass matrix at the end of a step is the record; ours differs by fifty times as much."""
    step, q, v = 1e-4, np.zeros(2), np.array(START)
    for _ in range(25):
        q_new, v_new = q + step * v, v
        for _ in range(30):
            mean = 0.5 * (load(q, v) + load(q_new, v_new))
            v_new = v + step * np.linalg.solve(mass(q_new), mean)
            q_new = q + 0.5 * step * (v + v_new)
        q, v = q_new, v_new
    assert q[0] / (2 * math.pi) == pytest.approx(RECORD[0][1], abs=2e-6)
    assert v[0] == pytest.approx(RECORD[0][2], abs=0.01)


@pytest.mark.parametrize("row", RECORD, ids=lambda row: f"{row[0]} s")
def test_public_record(motion: sr.Result, row: tuple) -> None:
    """Turns within 0.9 %, speeds within 2.1 % up to 20 ms; the record's energy is 2.5 % above ours then."""
    t, turns, crank, rod = row
    found = crank_of(motion, t)
    assert found[0] == pytest.approx(turns, rel=0.009)
    assert found[1] == pytest.approx(crank, rel=0.021)
    if rod is not None:
        assert found[2] == pytest.approx(rod, rel=0.021)


def test_first_impacts_of_the_record(motion: sr.Result) -> None:
    """Upper wall first, several times, then the lower one: after 2.8 and 26.0 ms in the record, 2.69 and 25.9 with rigid impacts.

    Ours leaves the upper wall 0.5 ms earlier: slow impacts rebound more by a law whose restitution depends on the speed.
    """
    upper, lower = hits_of(motion, "upper"), hits_of(motion, "lower")
    assert upper[0] == pytest.approx(2.8e-3, abs=1.5e-4)
    assert lower[0] == pytest.approx(26.0e-3, abs=0.8e-3)
    assert ((upper > upper[0]) & (upper < 0.02)).sum() >= 3
    assert not ((upper > 0.02) & (upper < lower[0])).any()
