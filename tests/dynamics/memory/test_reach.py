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
