"""Frequencies of beams in mechanisms: closed forms with 16 digits, and digits of single finite elements."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import sharnir as sr
from reference.rows_of_parts import extrapolated
from sharnir.flexible import Material, Section, reduce, straight_beam

CLAMPED_PINNED = (15.418205716980061, 49.96486203180022, 104.24769645886133)  # (βL)²
TIP_MASS = {  # βL by the mass at the tip, in masses of the beam
    0.5: (1.4199644297681475, 4.111133386424434, 7.1903352419607875),
    1.0: (1.2479174096064694, 4.03113943671496, 7.134132240939746),
    2.0: (1.076195664079243, 3.982573287761904, 7.102650186049932),
}
ELEMENTS = {  # ω of a cantilever, EI = ρA = L = 1: cubic elements with consistent mass
    1: (3.532731542836757, 34.80689310820841),
    2: (3.517715041626624, 22.22147447408264, 75.15708305881648, 218.1380245556005),
    4: (3.516130270592935, 22.06016630793435, 62.17489252586884, 122.6576393979722),
    8: (3.516022592396933, 22.03625341832826, 61.73474119194417, 121.1727506258892),
}
CHAIN = (0.5176380902050415, 1.0, 1.414213562373095, 1.732050807568877, 1.931851652578137)
THIN = Section(area=1e3, Iy=1e-3, Iz=4e-3, J=2e-3)  # EI = 1 for bending in x-z, hardly any stretch


def frequencies(reduced, *joints):
    """ω of a beam with the interfaces a and b, held by joints."""
    m = sr.Model("beam", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("beam", reduced=reduced), *joints)
    return 2 * math.pi * m.modes().frequencies


def clamp():
    return sr.Fixed("clamp", "ground", "beam:a")


def thin(elements, rotary=False):
    beam = straight_beam((0, 0, 0), (1, 0, 0), THIN, Material(1e3, 0.0, 1e-3), elements=elements, theory="euler", rotary=rotary)
    return reduce(beam, {"a": 0, "b": elements}, modes=max(6 * (elements - 1), 0))


@pytest.mark.parametrize("elements", ELEMENTS)
def test_cubic_elements(elements):
    """All freedoms of the model are kept, so the digits of its elements appear in the mechanism: 12 of them."""
    exact = ELEMENTS[elements]
    found = frequencies(thin(elements), clamp())
    for omega in exact:
        assert np.abs(found / omega - 1).min() < 1e-9
    assert found[0] == pytest.approx(exact[0], rel=1e-10)


def limit(coarse, fine, omega, order):
    """What the frequencies nearest to one converge to, with elements of half the length and an error of a given order."""
    a, b = (found[np.argmin(abs(found - omega))] for found in (coarse, fine))
    return b + (b - a) / (2**order - 1)


def test_clamped_and_pinned():
    """The pin is a constraint of the mechanism."""
    pin = sr.PointOnLine("pin", "ground", "beam:b", at=(1, 0, 0), axis="x")
    coarse, fine = (frequencies(thin(n), clamp(), pin) for n in (6, 12))
    error = [min(abs(found / CLAMPED_PINNED[1] - 1)) for found in (coarse, fine)]
    assert error[0] / error[1] == pytest.approx(16.0, rel=0.1)
    for exact in CLAMPED_PINNED:
        assert limit(coarse, fine, exact, 4) == pytest.approx(exact, rel=5e-5 if exact > 100 else 5e-6)


@pytest.mark.parametrize("mass", TIP_MASS)
def test_mass_at_the_tip(mass):
    weight = sr.Body("weight", mass=mass, inertia=(1e-9, 1e-9, 1e-9), position=(1, 0, 0))
    coarse, fine = (frequencies(thin(n), clamp(), weight, sr.Fixed("weld", "beam:b", "weight")) for n in (6, 12))
    for exact in (b * b for b in TIP_MASS[mass]):
        assert limit(coarse, fine, exact, 4) == pytest.approx(exact, rel=3e-6)


def test_steel_cantilever_in_hertz():
    """L = 1 m, 20 × 10 mm: 8.355 166, 52.360 931, 146.612 123 Hz, and along its axis 1293.05 Hz."""
    rows = []
    for n in (6, 12):
        beam = straight_beam((0, 0, 0), (1, 0, 0), Section.rectangle(0.02, 0.01), elements=n, theory="euler", rotary=False)
        rows.append(frequencies(reduce(beam, {"a": 0, "b": n}, modes=6 * (n - 1)), clamp()) / (2 * math.pi))
    for exact in (8.355165944440804, 52.360931186372646, 146.6121234891121):
        assert limit(*rows, exact, 4) == pytest.approx(exact, rel=1.5e-5 if exact > 100 else 1e-6)
    assert limit(*rows, 1293.0485382587126, 2) == pytest.approx(1293.0485382587126, rel=1e-5)


def timoshenko(section, material, length, joints):
    """Of 8, 16 and 32 elements; 70 modes leave 3·10⁻⁵ (all of them, in tests of the elements, 10⁻⁶)."""
    for n in (8, 16, 32):
        beam = straight_beam((0, 0, 0), (length, 0, 0), section, material, elements=n)
        yield frequencies(reduce(beam, {"a": 0, "b": n}, modes=min(6 * (n - 1), 70)), *joints)


def test_timoshenko_cantilever():
    """L = 1 m, 0.1 × 0.1 m, shear factor 5/6."""
    section = Section(0.01, Iy=1e-4 / 12, Iz=1e-4 / 3, J=1e-5)
    rows = list(timoshenko(section, Material(2.1e11, 0.3, 7850.0), 1.0, [clamp()]))
    for exact in (520.8406417226977, 3121.5777653984132, 8210.226133092017, 14893.086948450657):
        found = extrapolated([found[np.argmin(abs(found - exact))] for found in rows])
        assert found == pytest.approx(exact, rel=4e-5 if exact < 1e4 else 2e-4)


def test_timoshenko_beam_on_two_supports():
    """Nachbagauer and others (2013): closed form; 512 of Exudyn's elements give 95.634397 and 332.239447."""
    nu, side = 0.3, 0.4
    k = 10 * (1 + nu) / (12 + 11 * nu)
    section = Section(side**2, Iy=side**4 / 12, Iz=side**4 / 3, J=1e-2, shear_y=k, shear_z=k)
    hinge = sr.Revolute("hinge", "ground", "beam:a", axis="y")
    roller = sr.PointOnLine("roller", "ground", "beam:b", at=(2, 0, 0), axis="x")
    rows = list(timoshenko(section, Material(1e9, nu, 7850.0), 2.0, [hinge, roller]))
    for exact in (95.63398088108255, 332.23451363722876, 635.6962883658778):
        found = extrapolated([found[np.argmin(abs(found - exact))] for found in rows])
        assert found == pytest.approx(exact, rel=4e-5)


def test_chain_between_walls():
    """Five masses and six springs, 2 sin(k π/12)."""
    m = sr.Model("chain", gravity=(0, 0, 0))
    for i in range(5):
        m.add(sr.Body(f"m{i}", mass=1, position=(i + 1, 0, 0)), sr.Prismatic(f"x{i}", "ground", f"m{i}", axis="x"))
    ends = ["ground", *(f"m{i}" for i in range(5)), "ground"]
    for i, (a, b) in enumerate(pairwise(ends)):
        m.add(sr.Spring(f"s{i}", a, b, at_a=(i, 0, 0), at_b=(i + 1, 0, 0), stiffness=1.0, length=1.0))
    assert 2 * math.pi * m.modes().frequencies == pytest.approx(CHAIN, rel=1e-9)
