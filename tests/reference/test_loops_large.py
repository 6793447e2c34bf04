"""A Stewart platform, 25 bodies with five loops, and nets: both formulations agree, and what must stay stays."""

from __future__ import annotations

import math

import numpy as np
import pytest

from large_mechanisms import LENGTH, chain, five_loops, mesh, stewart
from reference.closure import FORMULATIONS, energy_change, gap


def heave(i):
    """The length of leg i less its drawn one, when the platform goes up and down by 0.1 sin 2t."""
    below, above = math.radians(60 * i + (8 if i % 2 else -8)), math.radians(60 * i + (-22 if i % 2 else 22))
    away2 = (0.6 * math.cos(above) - math.cos(below)) ** 2 + (0.6 * math.sin(above) - math.sin(below)) ** 2
    return f"sqrt({away2!r} + (1 + 0.1*sin(2*t))^2) - {math.sqrt(away2 + 1)!r}"


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_driven_stewart_platform(formulation):
    """Six prescribed leg lengths leave no freedom; the lengths are written down from the platform's heave."""
    m = stewart(drives=[heave(i) for i in range(6)])
    r = m.simulate(3.0, step=0.1, tolerance=1e-11, formulation=formulation)
    z = 1 + 0.1 * np.sin(2 * r.t)
    assert r["platform.position"] == pytest.approx(np.stack([0 * z, 0 * z, z], axis=1), abs=1e-8)
    assert r["platform.rotation"] == pytest.approx(np.tile([1.0, 0, 0, 0], (31, 1)), abs=1e-8)
    assert r["platform.acceleration"][:, 2] == pytest.approx(-0.4 * np.sin(2 * r.t), abs=1e-6)
    assert gap(m, r, every=5) < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_stewart_platform_on_springs(formulation):
    """Six freedoms: it sinks and swings, symmetric under turns by 120°."""
    m = stewart()
    r = m.simulate(2.0, step=0.05, tolerance=1e-10, formulation=formulation)
    assert r["platform.position"][:, :2] == pytest.approx(0, abs=1e-8)
    assert r["leg2.q"] == pytest.approx(r["leg0.q"], abs=1e-8)
    assert r["leg3.q"] == pytest.approx(r["leg1.q"], abs=1e-8)
    assert r["platform.position"][:, 2].min() < 0.98
    assert gap(m, r, every=10) < 1e-9


def test_five_loops_in_both_formulations():
    """25 bodies, 30 joints, 5 loops: the same motion to 1e-8 for 2 s."""
    m = five_loops()
    a, b = (m.simulate(2.0, step=0.1, tolerance=1e-11, formulation=kind) for kind in FORMULATIONS)
    for name in m.bodies:
        assert a[f"{name}.position"] == pytest.approx(b[f"{name}.position"], abs=1e-8)
    for name in m.joints:
        assert a[f"{name}.q"] == pytest.approx(b[f"{name}.q"], abs=1e-7)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_five_loops_at_default_settings(formulation):
    m = five_loops()
    r = m.simulate(5.0, step=0.05, formulation=formulation)
    assert gap(m, r, every=20) < 1e-9


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_net(formulation):
    """A net held at its edge falls: mirror images stay so; the border carries less, so the weft rods turn."""
    m = mesh(4)
    r = m.simulate(0.5, step=0.05, formulation=formulation)
    for c in range(2):
        mirrored = r[f"warp3,{4 - c}.position"] * [1, -1, 1] + [0, 4 * LENGTH, 0]
        assert r[f"warp3,{c}.position"] == pytest.approx(mirrored, abs=1e-8)
    assert r["warp3,0.position"][-1, 2] < -0.05
    assert energy_change(r) < 1e-6
    assert gap(m, r, every=5) < 1e-9


def test_net_in_both_formulations():
    """36 of its 114 joints are cut in joint coordinates, all of them in absolute ones."""
    a, b = (mesh(6).simulate(0.2, step=0.05, tolerance=1e-11, formulation=kind) for kind in FORMULATIONS)
    for name in ("warp5,3", "weft5,0", "weft2,2"):
        assert a[f"{name}.position"] == pytest.approx(b[f"{name}.position"], abs=1e-9)
        assert a[f"{name}.angular_acceleration"] == pytest.approx(b[f"{name}.angular_acceleration"], abs=1e-6)


def test_chain_in_both_formulations():
    m = chain(12)
    a, b = (m.simulate(0.5, step=0.1, tolerance=1e-11, formulation=kind) for kind in FORMULATIONS)
    assert a["rod11.position"] == pytest.approx(b["rod11.position"], abs=1e-9)
    assert a["joint0.reaction"] == pytest.approx(b["joint0.reaction"], abs=1e-5)
