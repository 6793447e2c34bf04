"""Initial states of loops with flexible bodies: what is not given follows from rigid motion, elastic coordinates stay."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import sharnir as sr
from sharnir.flexible import Section, reduce, straight_beam


@cache
def rod(length):
    beam = straight_beam((0, 0, 0), (length, 0, 0), Section.round(0.005), elements=6)
    return reduce(beam, interfaces={"a": 0, "b": 6}, modes=3)


def slider_crank(flexible=True, q=None, v=60.0, frame_at="a"):
    a, l, angle = 0.15, 0.3, 0.7
    A = np.array([a * math.cos(angle), 0, a * math.sin(angle)])
    lean = math.asin(A[2] / l)
    B = A + l * np.array([math.cos(lean), 0, -math.sin(lean)])
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("crank", mass=0.5, inertia=(1e-3, 1e-3, 1e-3), position=tuple(A / 2)))
    turn = sr.rotation_about("y", lean)
    if flexible:
        m.add(sr.FlexibleBody("rod", reduced=rod(l), position=tuple(A), rotation=turn, frame_at=frame_at))
    else:
        m.add(sr.Body("rod", mass=0.18, inertia=(1e-4, 1e-3, 1e-3), com=(0.15, 0, 0), position=tuple(A), rotation=turn))
    m.add(sr.Body("slider", mass=0.3, inertia=(1e-4, 1e-4, 1e-4), position=tuple(B)))
    given = {} if q is None else {"q": q}
    ends = ("rod:a", "rod:b") if flexible else ("rod", "rod")
    m.add(sr.Revolute("O", "ground", "crank", axis="y", at=(0, 0, 0), v=v, **given))
    m.add(sr.Revolute("A", "crank", ends[0], axis="y", at=tuple(A)))
    m.add(sr.Revolute("B", ends[1], "slider", axis="y", at=tuple(B)), sr.Prismatic("S", "ground", "slider", axis="x"))
    return m


def elastic(system):
    parts = system.assembly.coordinates.elastic.values()
    return np.concatenate([np.r_[system.q0[q : q + h], system.v0[v : v + h]] for q, v, h in parts])


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("frame_at", ["a", "b", "floating"])
@pytest.mark.parametrize("q", [None, 0.4, -1.1])
def test_a_slider_crank_begins_as_with_a_rigid_rod(formulation, frame_at, q):
    m, rigid = slider_crank(q=q, frame_at=frame_at), slider_crank(False, q)
    s = m.compile(formulation)
    np.testing.assert_allclose(elastic(s), 0.0, atol=1e-14)
    found, wanted = m.simulate(1e-6, formulation=formulation), rigid.simulate(1e-6, formulation=formulation)
    for name in ("O", "A", "B", "S"):
        for key in ("q", "v"):
            assert found[f"{name}.{key}"][0] == pytest.approx(wanted[f"{name}.{key}"][0], rel=1e-8, abs=1e-9)


def test_the_rod_does_not_ring():
    """The rod bends under its own inertia only: about 5/384 μ l⁴ ω² a/(E I) at the middle."""
    r = slider_crank(frame_at="floating").simulate(0.1, tolerance=1e-8)
    mu, EI = 7850 * math.pi * 0.005**2, 210e9 * math.pi * 0.005**4 / 4
    bend = 5 / 384 * mu * 0.3**4 * 60**2 * 0.15 / EI
    assert np.abs(r["rod.largest_displacement"]).max() < 5 * bend


def test_four_bars_with_random_lengths():
    rng = np.random.default_rng(5)
    for _ in range(10):
        angle, lift = rng.uniform(0.4, 1.2), rng.uniform(0.5, 1.0)
        A = np.array([0.3 * math.cos(angle), 0, 0.3 * math.sin(angle)])
        B = A + 0.5 * np.array([math.cos(lift - 0.5), 0, math.sin(lift - 0.5)])
        D = np.array([B[0] + rng.uniform(0.1, 0.4), 0, 0])
        m = sr.Model()
        m.add(sr.Body("crank", mass=1, inertia=(0.01,) * 3, position=tuple(A / 2)))
        m.add(sr.FlexibleBody("coupler", reduced=rod(0.5), position=tuple(A), rotation=sr.rotation_about("y", 0.5 - lift)))
        m.add(sr.Body("rocker", mass=1, inertia=(0.01,) * 3, position=tuple((B + D) / 2)))
        m.add(sr.Revolute("O", "ground", "crank", axis="y", at=(0, 0, 0), v=rng.normal() * 30))
        joint = sr.Ball if rng.random() < 0.5 else sr.Revolute
        turned = {} if joint is sr.Ball else {"axis": "y"}
        m.add(
            sr.Revolute("A", "crank", "coupler:a", axis="y", at=tuple(A)),
            joint("B", "coupler:b", "rocker", at=tuple(B), **turned),
        )
        m.add(sr.Revolute("D", "rocker", "ground", axis="y", at=tuple(D)))
        for formulation in ("joint", "absolute"):
            s = m.compile(formulation)
            np.testing.assert_allclose(elastic(s), 0.0, atol=1e-12)
            assert np.abs(s.constraints(s.q0, s.v0)).max() < 1e-10


def test_a_mechanism_that_only_strains_can_move_still_has_its_speeds():
    """A rod between two sliders on the same line, one of them given a speed: only stretching lets it move."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("bar", reduced=rod(0.3)), sr.Body("slider", mass=1, inertia=(1e-3,) * 3, position=(0.3, 0, 0)))
    m.add(sr.Fixed("wall", "ground", "bar:a"), sr.Fixed("end", "bar:b", "slider"))
    m.add(sr.Prismatic("rail", "ground", "slider", axis="x", v=0.1))
    for formulation in ("joint", "absolute"):
        r = m.simulate(1e-7, formulation=formulation)
        assert r["slider.velocity"][0] == pytest.approx((0.1, 0, 0), abs=1e-9)
