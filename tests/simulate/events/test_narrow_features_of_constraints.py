"""Bumps of tracks, cams, curves, surfaces and constraints that are much shorter than steps; pulses of time in them."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from scipy.integrate import quad

import sharnir as sr

HEIGHT, WIDTH, PLACE = 0.1, 0.002, 5.01
BUMP = f"{HEIGHT}*exp(-(({{x}} - {PLACE})/{WIDTH})^2)"
STEP = f"{HEIGHT}*tanh(({{x}} - {PLACE})/{WIDTH})"


def flyer(constraint=None, z=0.0):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, z), velocity=(10, 0, 0)))
    m.add(constraint)
    return m


def track(z):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("b", mass=1, inertia=(0.1, 0.1, 0.1)))
    m.add(sr.FormulaJoint("J", "ground", "b", variables={"s": "m"}, position=("s", 0, z.format(x="s")), v=10))
    return m


def follower(z, coupling):
    """A slide and, across it, a slide that follows."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1), sr.Body("b", mass=1))
    m.add(sr.Prismatic("A", "ground", "a", axis="x", v=10), sr.Prismatic("B", "ground", "b", axis="z"))
    m.add(coupling(z))
    return m


WAYS = {
    "joint by formulas": (lambda z: track(z), "b.position.x"),
    "surface": (
        lambda z: flyer(sr.PointOnSurface("c", "ground", "b", surface=f"z - ({z.format(x='x')})"), start(z)),
        "b.position.x",
    ),
    "curve": (lambda z: flyer(sr.PointOnCurve("c", "ground", "b", curve=("s", "0", z.format(x="s"))), start(z)), "b.position.x"),
    "curve whose parameter is no coordinate": (
        lambda z: flyer(sr.PointOnCurve("c", "ground", "b", curve=("3 - 2*s", "0", z.format(x="(3 - 2*s)"))), start(z)),
        "b.position.x",
    ),
    "cam": (lambda z: follower(z, lambda z: sr.Cam("c", "A", "B", z.format(x="q"))), "A.q"),
    "constraint": (lambda z: follower(z, lambda z: sr.Constraint("c", f"B.q - ({z.format(x='A.q')})")), "A.q"),
}


def start(z):
    return -HEIGHT if "tanh" in z else 0.0


def slope(z, x):
    u = max(-20.0, min(20.0, (x - PLACE) / WIDTH))
    return HEIGHT / WIDTH * (1 / math.cosh(u) ** 2 if "tanh" in z else -2 * u * math.exp(-u * u))


def time_at(z, end):
    """Without gravity the speed along the path stays 10 m/s; ∫ √(1 + z'²) dx / 10 is the time to reach x."""
    near = [PLACE + k * WIDTH for k in (-12, -4, -2, -1, -0.5, 0, 0.5, 1, 2, 4, 12)]
    edges = [0.0, *near, end]
    return sum(quad(lambda x: math.hypot(1, slope(z, x)), a, b)[0] for a, b in pairwise(edges)) / 10


@pytest.mark.parametrize("z", [BUMP, STEP], ids=["bump", "step"])
@pytest.mark.parametrize("way", WAYS)
def test_a_feature_much_shorter_than_a_step(way, z):
    """The detour up and down costs 2 % of the time; what is behind it is level again, so that no energy tells of it.

    A cam and a constraint between two slides of 1 kg are the same path: ½ (1 + z'²) ẋ².
    """
    make, channel = WAYS[way]
    result = make(z).simulate(1.0, output=[0.3, 1.0])
    end = float(result[channel][-1])
    assert end < 9.9
    assert time_at(z, end) == pytest.approx(1.0, abs=1e-7)


@pytest.mark.filterwarnings("ignore:.*that no force accounts for")
def test_pulses_of_time_in_a_joint_and_in_a_constraint():
    """z = s(t) p(t) with a pulse p of a millisecond: the same motion as with steps that are short everywhere."""
    pulse = "0.05*exp(-((t - 0.501)/0.001)^2)"
    models = [track(f"s*{pulse}"), follower("", lambda z: sr.Constraint("c", f"B.q - A.q*{pulse}"))]
    for m, channel in zip(models, ("J.q", "A.q"), strict=True):
        found = m.simulate(1.0, output=[0.3, 1.0])[channel]
        exact = m.simulate(1.0, output=[0.3, 1.0], max_step=1e-3, tolerance=1e-10)[channel]
        assert found == pytest.approx(exact, abs=1e-7)
        assert abs(exact[-1] - 10.0) > 0.1
