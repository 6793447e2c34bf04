"""The size of a mechanism, by which tolerances and norms are scaled."""

import pytest

import sharnir as sr
from sharnir.dynamics.memory import layout as L


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_a_small_bob_on_a_long_string_is_as_large_as_the_string(formulation):
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(1e-9, 1e-9, 1e-9), position=(0, 0, -2)))
    m.add(sr.Ball("B", "ground", "bob", at=(0, 0, 0)), sr.Distance("d", "ground", "bob", at_a=(1, 0, -2), at_b=(0, 0, -2)))
    assert m.compile(formulation).params[L.REACH] == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize("turned", [sr.rotation_rpy(0, 0, 0), sr.rotation_rpy(0.5, -0.4, 1.2)])
@pytest.mark.parametrize("joint", [sr.Ball, sr.Universal])
@pytest.mark.parametrize("other", ["ground", "base"])
def test_joints_count_wherever_they_are(turned, joint, other):
    """In absolute coordinates all of them are cut: at the ground, and in the axes of a body that is turned."""
    m = sr.Model()
    m.add(sr.Body("bob", mass=1, inertia=(1e-9, 1e-9, 1e-9), position=(0, 0, 4), rotation=turned))
    m.add(sr.Body("base", mass=1, inertia=(1e-9, 1e-9, 1e-9), position=(0, 0.1, 4), rotation=turned))
    axes = {} if joint is sr.Ball else {"axis": "x", "axis2": "y"}
    m.add(joint("J", other, "bob", at=(0, 0, 11), **axes))
    assert m.compile("absolute").params[L.REACH] == pytest.approx(7.0, rel=1e-12)
