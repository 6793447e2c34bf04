"""Potentials of forces that are formulas and tables, after many turns: quadrature by SciPy, and the energy of a motion."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import sharnir as sr
from sharnir.model.formula import parse
from sharnir.model.formula.period import period

ROUND = 2 * math.pi


def rotor(torque, cut=False) -> sr.Model:
    m = sr.Model(gravity=(0, 0, 0), parameters={"n": 3.0})
    m.add(sr.Body("disc", mass=2, inertia=(1, 1, 0.5)))
    m.add(sr.Revolute("O", "ground", "disc", axis="z", torque=0.0 if cut else torque))
    if cut:  # a second joint on the same axis closes a loop
        m.add(sr.Revolute("P", "ground", "disc", axis="z", torque=torque))
    return m


def potential(model, turns):
    s = model.compile()
    q = s.q0.copy()
    q[0] = turns * ROUND
    return s.energy(q, s.v0).potential


def table(kind, outside="repeat", points=7, seed=0):
    y = np.random.default_rng(seed).normal(size=points) * 10
    if outside == "repeat":
        y[-1] = y[0]
    return sr.Table(np.linspace(0.3, 0.3 + ROUND / 3, points), y, kind, outside)


FORMULAS = [
    "20*sin(q)",
    "20*sin(n*q + 0.4) + 3",
    "5*cos(4*q)^2 - 0.3*q + sin(6*q)",
    "if(sin(q) > 0, 5, -2)",
    "4*(q/pi - 2*floor(q/(2*pi) + 0.5))",
    "exp(sin(2*q + cos(q)))",
    "10*max(0, sin(q - 0.2*t))",
    "3*atan2(sin(q), 2 + cos(q))",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_after_many_turns(text):
    f, model = parse(text, ("q", "v", "t"), {"n": 3.0}), rotor(text)
    assert period(f, "q") is not None

    def area(a, b):
        edges = np.linspace(a, b, 41)
        return sum(quad(lambda q: f.evaluate(q=q, v=0, t=0), *pair, epsabs=1e-11, limit=200)[0] for pair in pairwise(edges))

    # whole turns one by one; what grows with q grows by the same in each
    first, second = area(0, ROUND), area(ROUND, 2 * ROUND)
    for turns in (0.3, -0.7, 3.1, 1000.25, -421.9):
        x, n = turns * ROUND, math.floor(turns)
        r = x - n * ROUND
        whole = n * first + 0.5 * n * (n - 1) * (second - first)
        rest = area(n * ROUND, x) if abs(n) < 5 else area(0, r) + n * (second - first) / ROUND * r
        assert potential(model, turns) == pytest.approx(-(whole + rest), abs=1e-7 * (1 + abs(turns)), rel=1e-9)


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("kind", ["linear", "cubic"])
@pytest.mark.parametrize("outside", ["repeat", "constant", "extend"])
def test_tables(kind, outside, cut):
    curve = table(kind, outside)
    s = rotor(curve, cut).compile()
    for x in (0.2, -8.1, 440.5):
        y = s.y0.copy()
        y[: s.n_q] = x
        y[s.n_q + s.n_v :] = x  # the coordinate of the cut joint
        assert s.observe_energy(np.zeros(1), y[None])[0][0, 1] == pytest.approx(-exact_area(curve, x), rel=1e-9, abs=1e-9)


def exact_area(curve, x):
    """∫ from 0 to x by Gauss' formula on every piece between knots, exact for cubic ones."""
    knots = np.array(curve.x)
    if curve.outside == "repeat":
        P = knots[-1] - knots[0]
        shifts = np.arange(math.floor((min(0, x) - knots[0]) / P), math.ceil((max(0, x) - knots[0]) / P) + 1) * P
        knots = np.unique(np.concatenate([knots + k for k in shifts]))
    inside = knots[(knots > min(0, x)) & (knots < max(0, x))]
    edges = np.concatenate([[min(0, x)], inside, [max(0, x)]])
    points, weights = np.polynomial.legendre.leggauss(4)
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    values = curve.evaluate(middle[:, None] + half[:, None] * points)
    return math.copysign(1.0, x) * float(np.sum(half[:, None] * weights * values))


@pytest.mark.parametrize("torque", ["20*sin(3*q)", "8*if(sin(2*q) > 0, sin(2*q), 0) - 8/pi", table("cubic", seed=2)])
def test_energy_is_kept_over_hundreds_of_turns(torque):
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("disc", mass=2, inertia=(1, 1, 0.5)), sr.Revolute("O", "ground", "disc", axis="z", torque=torque, v=80.0))
    r = m.simulate(30.0, tolerance=1e-11, output=1.0)
    assert r["O.q"][-1] > 300 * ROUND
    assert np.ptp(r["energy.total"]) < 1e-5 * r["energy.kinetic"][0]


def test_springs_by_formula_and_by_table():
    for entry in ("100*sin(50*x)", sr.Table((-1, 0, 1, 5), (-10, 0, 30, 10))):
        m = sr.Model(gravity=(0, 0, 0))
        m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)), sr.Prismatic("rail", "ground", "bob", axis="x"))
        m.add(sr.Spring("s", "ground", "bob", length=0.5, force=entry))
        s = m.compile()
        for q in (-0.7, 0.2, 3.0):
            x = 1 + q - 0.5
            f = (lambda u: 100 * math.sin(50 * u)) if isinstance(entry, str) else entry.evaluate
            wanted = quad(f, 0, x, points=[0, 1] if abs(x) > 1 else None, limit=500)[0]
            assert s.energy(np.array([q]), s.v0).potential == pytest.approx(wanted, abs=1e-8)


def test_a_potential_that_cannot_be_found_is_not_a_number():
    m = rotor("sin(1e7*q^2)")
    assert math.isnan(potential(m, 10.0))


def test_formulas_without_a_period():
    for text in (
        "q*sin(q)",
        "sin(q^2)",
        "sin(q*t)",
        "sin(q) + sin(sqrt(2)*q)",
        "q > 3",
        "2*q",
        "if(q > 3, sin(q), 0)",
        "q/floor(q)",
    ):
        assert period(parse(text, ("q", "v", "t")), "q") is None
