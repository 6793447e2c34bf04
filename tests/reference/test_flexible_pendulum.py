"""Exudyn's flexible pendulum with the same matrices: the same motion; and Lagrange's equations straight from the matrices."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sharnir as sr
from flexible.boxes import bricks
from sharnir.flexible import Material, RigidTie, reduce, solid

DIGITS = json.loads(Path(__file__).with_name("flexible_digits.json").read_text())["pendulum"]
ROOT = 10**6


@pytest.fixture(scope="module")
def bar():
    points, cells = bricks((20, 2, 2), (1.0, 0.05, 0.05))
    return solid((points - np.array([0.0, 0.025, 0.025]), {"hexahedron": cells}), Material(1e8, 0.3, 1000.0))


@pytest.fixture(scope="module")
def tip(bar):
    """x, y of the middle of the right end every 0.1 s."""
    tied = bar.with_ties(RigidTie(np.flatnonzero(bar.nodes[:, 0] < 1e-9), label=ROOT))
    body = reduce(tied, {"root": ROOT}, modes=8).fixed_at("root")
    model = sr.Model("flexible pendulum", gravity=(0.0, -9.81, 0.0))
    model.add(sr.FlexibleBody("bar", reduced=body), sr.Revolute("hinge", "ground", "bar:root", axis="z"))
    result = model.simulate(1.0, step=0.1, tolerance=1e-10)
    end = int(np.abs(bar.nodes - np.array([1.0, 0.0, 0.0])).sum(axis=1).argmin())
    angles, places = result["hinge.q"], np.stack([body.places(w)[end] for w in result["bar.w"]])
    c, s = np.cos(angles), np.sin(angles)
    return np.stack([c * places[:, 0] - s * places[:, 1], s * places[:, 0] + c * places[:, 1]], axis=1)[1:]


def test_lagranges_equations(tip):
    assert np.abs(tip - np.array(DIGITS["equations"])).max() < 1e-9


def test_exudyn(tip):
    # its steps of 1/16000 s leave 8e-7 m, extrapolation 3e-7 m; the tip moves by two metres
    assert np.abs(tip - np.array(DIGITS["exudyn"])).max() < 5e-7
    rigid_end = np.array([-1.0, 0.0])
    assert np.linalg.norm(tip[-1] - rigid_end) > 5e-3  # the deformation is far larger than what is compared
