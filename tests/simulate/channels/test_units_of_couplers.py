"""Force and its unit of couplers between shifts and turns, against a winch worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr

MASS, INERTIA, RADIUS, G = 3.0, 0.2, 0.25, 9.81


def winch(*terms):
    """A weight on a rope over a drum: x = -r φ whatever the equation is multiplied with."""
    m = sr.Model(gravity=(0, 0, -G))
    m.add(sr.Body("drum", mass=1, inertia=(INERTIA,) * 3), sr.Revolute("turn", "ground", "drum", axis="y"))
    m.add(sr.Body("weight", mass=MASS, inertia=(1, 1, 1), position=(RADIUS, 0, -1)))
    m.add(sr.Prismatic("lift", "ground", "weight", axis="z"), sr.Coupler("rope", terms))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize(
    ("terms", "unit", "per"),
    [
        ((("lift", 1), ("turn", RADIUS)), "N", 1.0),
        ((("turn", RADIUS), ("lift", 1)), "N", 1.0),
        ((("turn", 1), ("lift", 1 / RADIUS)), "N m", RADIUS),
        ((("lift", -1 / RADIUS), ("turn", -1)), "N m", -RADIUS),
        ((("lift", 2.0), ("turn", 2 * RADIUS)), "J", 0.5),
    ],
)
def test_force_of_a_coupler_of_a_shift_and_a_turn(terms, unit, per, formulation):
    """The rope carries S = m g J/(J + m r²); every joint receives its coefficient times the multiplier."""
    r = winch(*terms).simulate(0.3, step=0.1, formulation=formulation)
    pull = MASS * G * INERTIA / (INERTIA + MASS * RADIUS**2)
    np.testing.assert_allclose(r["rope.force"], pull * per, rtol=1e-9)
    assert r.unit("rope.force") == unit
    np.testing.assert_allclose(r["lift.a"], pull / MASS - G, rtol=1e-9)
    np.testing.assert_allclose(r["turn.a"], pull * RADIUS / INERTIA, rtol=1e-9)


@pytest.mark.parametrize(("kind", "unit"), [(sr.Prismatic, "N"), (sr.Revolute, "N m")])
def test_couplers_of_one_kind(kind, unit):
    m = sr.Model(gravity=(0, 0, 0))
    for name in "abc":
        m.add(sr.Body(name, mass=1, inertia=(1, 1, 1)), kind(name.upper(), "ground", name, axis="x"))
    m.add(sr.Coupler("tie", (("A", 0.3), ("B", 1.0), ("C", -2.0))))
    assert m.simulate(0.1).unit("tie.force") == unit
