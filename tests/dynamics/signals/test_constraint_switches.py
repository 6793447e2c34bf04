"""Dwells of cams and other switches in formulas of constraints: what lies between two dwells is not stepped over."""

import math

import numpy as np
import pytest

import sharnir as sr


def follower(profile, speed):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("cam", mass=1, inertia=(0.1, 0.1, 0.1)), sr.Body("tappet", mass=1, inertia=(0.1, 0.1, 0.1)))
    m.add(sr.Revolute("R", "ground", "cam", axis="z", v=speed), sr.Prismatic("P", "ground", "tappet", axis="y"))
    if profile is not None:
        m.add(sr.Cam("K", "R", "P", profile))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_lifts_between_dwells(formulation):
    """Random places, widths and heights: energy stays, and the tappet has been up."""
    rng = np.random.default_rng(1)
    for _ in range(8 if formulation == "joint" else 3):
        place, width, height = rng.uniform(1, 5), rng.uniform(0.1, 1.0), rng.uniform(0.02, 0.2)
        lift = f"{height!r}*sin(pi*(q - {place!r})/{width!r})^4"
        m = follower(f"if((q > {place!r})*(q < {place + width!r}), {lift}, 0)", 10.0)
        result = m.simulate(2.0, formulation=formulation, output=0.001)
        assert np.ptp(result.energy.total) < 1e-6 * result.energy.total[0]
        assert result["P.q"].max() == pytest.approx(height, rel=0.02)


def test_a_cam_by_a_table():
    x = np.linspace(0, 2 * math.pi, 49)
    y = np.where((x > 3) & (x < 3.6), 0.1 * np.sin(math.pi * (x - 3) / 0.6) ** 4, 0.0)
    result = follower(sr.Table(x, y, kind="cubic", outside="repeat"), 10.0).simulate(1.2, output=0.001)
    assert np.ptp(result.energy.total) < 1e-6 * result.energy.total[0]
    assert result["P.q"].max() == pytest.approx(0.1, rel=0.1)


def test_a_constraint_by_a_formula():
    """The same lift as a constraint of the user."""
    m = follower(None, 10.0)
    m.add(sr.Constraint("K", "P.q - if((R.q > 3)*(R.q < 3.4), 0.1*sin(pi*(R.q - 3)/0.4)^4, 0)"))
    result = m.simulate(2.0, output=0.001)
    assert np.ptp(result.energy.total) < 1e-6 * result.energy.total[0]
    assert result["P.q"].max() == pytest.approx(0.1, rel=0.02)
