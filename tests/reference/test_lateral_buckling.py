"""Strips that buckle sideways as one flexible body with stiffening: bending moments of the loads couple torsion with bending.

Critical loads by S. P. Timoshenko and J. M. Gere, Theory of Elastic Stability (1961), chapter 6, of Saint-Venant torsion only.
"""

from __future__ import annotations

import math

import pytest

import sharnir as sr
from sharnir.flexible import Material, Section, reduce, straight_beam

L, STIFF = 1.0, 1e4  # Iz / Iy: deflections before buckling do not matter
SECTION, MATERIAL = Section(1e-3, Iy=1e-12, Iz=1e-12 * STIFF, J=2e-12), Material(2.1e11, 0.3, 7850.0)
BENDING, TORSION = 2.1e11 * 1e-12, 2.1e11 / 2.6 * 2e-12
UNIT = math.sqrt(BENDING * TORSION)  # N m²


BEAM = straight_beam((0, 0, 0), (L, 0, 0), SECTION, MATERIAL, elements=20, theory="euler")
STRIP = reduce(BEAM, {"root": 0, "tip": 20}, modes=30, stiffening=True)


def cantilever(load, gravity=0.0):
    """A force across the free end, and weight, in the stiff plane."""
    m = sr.Model("strip", gravity=(0, -gravity, 0))
    m.add(sr.FlexibleBody("strip", reduced=STRIP), sr.Fixed("clamp", "ground", "strip:root"))
    m.add(sr.Force("P", "strip:tip", force=(0, -load, 0)))
    return m


def in_a_fork(moment):
    """Simply supported at ends that do not turn about the axis; a moment in the stiff plane."""
    m = sr.Model("fork", gravity=(0, 0, 0))
    m.add(sr.FlexibleBody("strip", reduced=STRIP))
    fork = (sr.Freedom("rotation", "z"), sr.Freedom("rotation", "y"))
    m.add(sr.FreedomSequence("left", "ground", "strip:root", freedoms=fork, torque=(moment, 0.0)))
    slide = (sr.Freedom("translation", "x"), *fork)
    m.add(sr.FreedomSequence("right", "ground", "strip:tip", at=(L, 0, 0), freedoms=slide, torque=(0.0, -moment, 0.0)))
    return m


def critical(model, guess):
    """The load at which the least stiffness vanishes."""
    loads, values = [0.9 * guess, 0.97 * guess], []
    for load in loads:
        values.append(model(load).compile().equilibrium(stable=False).stiffness[0])
    for _ in range(3):
        loads.append(loads[-1] - values[-1] * (loads[-1] - loads[-2]) / (values[-1] - values[-2]))
        values.append(model(loads[-1]).compile().equilibrium(stable=False).stiffness[0])
    return loads[-1]


def test_force_at_the_end_of_a_cantilever():
    assert critical(cantilever, 4.0126 * UNIT / L**2) == pytest.approx(4.0126 * UNIT / L**2, rel=1e-3)


def test_weight_of_a_cantilever():
    """Spread evenly: q L³ = 12.85 √(EI GJ)."""
    guess = 12.85 * UNIT / L**3 / (MATERIAL.density * SECTION.area)
    assert critical(lambda g: cantilever(0.0, g), guess) == pytest.approx(guess, rel=2e-3)


def test_moment_in_a_fork():
    """π √(EI GJ) / L."""
    assert critical(in_a_fork, math.pi * UNIT / L) == pytest.approx(math.pi * UNIT / L, rel=2e-3)
