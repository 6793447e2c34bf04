"""Runs that begin where the constraints allow a motion to first order only, and forces push the mechanism there, are refused."""

import numpy as np
import pytest

import sharnir as sr


def stretched(gravity, beside=0.0):
    """Two rods in line between fixed points; `beside` : how much longer they are."""
    m = sr.Model("stretched", gravity=gravity)
    half = 1.0 + beside
    drop = np.sqrt(half**2 - 1.0)
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, -drop / 2)))
    m.add(sr.Body("b", mass=1, inertia=(0.1, 0.1, 0.1), position=(1.5, 0, -drop / 2)))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y"), sr.Revolute("B", "a", "b", at=(1, 0, -drop), axis="y"))
    m.add(sr.Revolute("C", "b", "ground", at=(2, 0, 0), axis="y"))
    return m


def touching(k, torque=1.0):
    """A rack and a cam that touch at the start: along the one, the other is left with the square of the angle."""
    m = sr.Model("touching", gravity=(0, 0, 0))
    m.add(sr.Body("wheel", mass=1, inertia=(1, 1, 1)), sr.Body("slide", mass=2, inertia=(1, 1, 1), position=(1, 0, 0)))
    m.add(sr.Revolute("A", "ground", "wheel", axis="z", torque=torque), sr.Prismatic("P", "ground", "slide", axis="x"))
    m.add(sr.Rack("x", "A", "P", 0.3), sr.Cam("z", "A", "P", f"0.1*sin(3*q) + 0.45*q^3 + {k}*q^2"))
    return m


def parallelogram():
    m = sr.Model("parallelogram")
    for name, x in (("a", 0.5), ("b", 2.0), ("c", 2.5)):
        m.add(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), position=(x, 0, 0)))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y"), sr.Revolute("B", "a", "b", at=(1, 0, 0), axis="y"))
    m.add(sr.Revolute("C", "b", "c", at=(3, 0, 0), axis="y"), sr.Revolute("D", "c", "ground", at=(2, 0, 0), axis="y"))
    return m


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_rods_under_a_load_across_are_refused(formulation):
    with pytest.raises(sr.ModelError, match=r"singular position of .*'B'.* for an instant and no further"):
        stretched((0, 0, -9.81)).simulate(1.0, formulation=formulation)


@pytest.mark.parametrize("method", ["auto", "symbolic"])
def test_constraints_that_touch_are_refused_by_name(method):
    with pytest.raises(sr.ModelError, match=r"singular position of 'x', 'z': they let .*A\.v.* reactions would be infinite"):
        touching(1.0).simulate(1.0, method=method)


def test_where_no_force_pushes_the_run_goes_on():
    """The wheel and the rack stay, and something else moves."""
    m = touching(1.0, torque=0.0)
    m.add(sr.Body("stone", mass=1, inertia=(1, 1, 1)), sr.Prismatic("fall", "ground", "stone", axis="y", torque=3.0))
    r = m.simulate(1.0, output=0.1)
    assert np.abs(r["A.q"]).max() < 1e-9 and r["fall.q"][-1] == pytest.approx(1.5, abs=1e-9)


def test_beside_the_position_the_rods_swing():
    r = stretched((0, 0, -9.81), beside=0.05).simulate(0.5, output=0.1)
    assert np.ptp(r["A.q"]) < 1e-12  # it is a stiff triangle, and stands
    assert r.trust.good


def test_a_branching_point_is_no_blocked_one():
    """A parallelogram in line may leave it in two directions."""
    r = parallelogram().simulate(0.5, output=0.1)
    assert r.trust.good and abs(r["A.q"][-1]) > 0.5
