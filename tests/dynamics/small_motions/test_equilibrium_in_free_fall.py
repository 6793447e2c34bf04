"""Statics of mechanisms that nothing holds, and of stiff ones: the answer comes at once."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from flexible_mechanisms import rod
from sharnir.errors import SimulationError
from sharnir.flexible import Section, reduce, straight_beam


def stone(name="stone", **options):
    return sr.Body(name, mass=1.0, inertia=(1, 1, 1), **options)


def falling():
    m = sr.Model("fall")
    m.add(sr.FlexibleBody("rod", reduced=rod()), stone(position=(1, 0, 0)), sr.Ball("ball", "rod:tip", "stone", at=(1, 0, 0)))
    m.add(sr.Spring("inner", "rod:root", "stone", stiffness=10.0), sr.Free("flight", "ground", "rod:root"))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_what_falls_for_ever_is_said_at_once(formulation):
    for ask in (falling().statics, falling().modes):
        with pytest.raises(SimulationError, match=r"nothing holds 'rod', 'stone' against gravity.*modes\(equilibrium=False\)"):
            ask(formulation=formulation)


def test_what_may_hold():
    """A spring to the ground, a force of the position, and no gravity."""
    m = sr.Model("spring")
    m.add(stone(), sr.Spring("wire", "ground", "stone", at_a=(0, 0, 1), stiffness=100.0, length=1.0))
    assert m.statics().stable
    m = sr.Model("magnet")
    m.add(stone(), sr.Free("flight", "ground", "stone"))
    height = {"z": sr.PointCoordinate("stone", axis="z")}
    m.add(sr.Signal("lift", "9.81 - 20*z", height, unit="N"), sr.Force("hold", "stone", (0, 0, "lift")))
    assert m.statics().q[2] == pytest.approx(0.0, abs=1e-9)
    m = falling()
    m.gravity = (0, 0, 0)
    assert m.statics().residual < 1e-6


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_loop_with_a_rod_of_89_kilohertz(formulation):
    """A steel rod of 20 × 20 × 100 mm in a slider-crank on a spring: it stands where its rigid twin does."""
    beam = straight_beam((0, 0, 0), (0.1, 0, 0), Section.rectangle(0.02, 0.02), elements=8)
    body, own = reduce(beam, interfaces={"a": 0, "b": 8}, modes=4), beam.rigid_inertia()
    assert body.frequencies[-1] > 8e4
    angles = []
    for flexible in (False, True):
        m = sr.Model("slider-crank")
        m.add(
            sr.Body("crank", mass=0.5, inertia=(0.01, 0.01, 0.01), com=(0.1, 0, 0)), sr.Revolute("O", "ground", "crank", axis="y")
        )
        if flexible:
            m.add(sr.FlexibleBody("rod", reduced=body, position=(0.2, 0, 0)))
        else:
            m.add(sr.Body("rod", mass=own.mass, inertia=np.diag(own.inertia), com=own.center, position=(0.2, 0, 0)))
        a, b = ("rod:a", "rod:b") if flexible else ("rod", "rod")
        m.add(sr.Revolute("A", "crank", a, at=(0.2, 0, 0), axis="y"), stone("slider", position=(0.3, 0, 0)))
        m.add(sr.Ball("B", b, "slider", at=(0.3, 0, 0)), sr.Prismatic("S", "ground", "slider", axis="x"))
        m.add(sr.Spring("spring", "ground", "crank", at_a=(0.2, 0, 0.5), at_b=(0.2, 0, 0), stiffness=200.0, length=0.4))
        rest = m.statics(formulation=formulation)
        assert rest.stable and rest.residual < 1e-6
        angles.append(rest["O.q"])
    assert angles[0] == pytest.approx(angles[1], rel=1e-7)
