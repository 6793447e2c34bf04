"""Slow modes of loops with flexible bodies that are almost rigid: those of the rigid mechanism."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.flexible import Section, reduce, straight_beam


def slider_crank(width, flexible):
    beam = straight_beam((0, 0, 0), (0.1, 0, 0), Section.rectangle(width, width), elements=8)
    rigid = beam.rigid_inertia()
    m = sr.Model("slider-crank")
    m.add(sr.Body("crank", mass=0.5, inertia=(0.01, 0.01, 0.01), com=(0.1, 0, 0)), sr.Revolute("O", "ground", "crank", axis="y"))
    if flexible:
        m.add(sr.FlexibleBody("rod", reduced=reduce(beam, interfaces={"a": 0, "b": 8}, modes=0), position=(0.2, 0, 0)))
    else:
        tensor = tuple(np.diag(rigid.inertia))
        m.add(sr.Body("rod", mass=rigid.mass, inertia=tensor, com=tuple(rigid.center), position=(0.2, 0, 0)))
    a, b = ("rod:a", "rod:b") if flexible else ("rod", "rod")
    m.add(sr.Revolute("A", "crank", a, at=(0.2, 0, 0), axis="y"))
    m.add(sr.Body("slider", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.3, 0, 0)))
    m.add(sr.Ball("C", b, "slider", at=(0.3, 0, 0)), sr.Prismatic("S", "ground", "slider", axis="x"))
    m.add(sr.Spring("s", "ground", "crank", at_a=(0.2, 0, 0.5), at_b=(0.2, 0, 0), stiffness=200.0, length=0.4))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_stiff_rod_is_as_good_as_a_rigid_one(formulation):
    exact = slider_crank(0.005, False).modes(formulation=formulation).frequencies[0]
    assert slider_crank(0.005, True).modes(formulation=formulation).frequencies[0] == pytest.approx(exact, rel=1e-4)
