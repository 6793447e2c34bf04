"""Distances of points that coincide: the sensor has a value and a rate, a constraint along nothing is refused in words."""

import numpy as np
import pytest

import sharnir as sr

BOTH = ("joint", "absolute")


def pair(*elements, velocity=(0, 0, 0)):
    m = sr.Model("pair", gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=1, inertia=(1, 1, 1), velocity=velocity))
    m.add(*elements)
    return m


@pytest.mark.parametrize("formulation", BOTH)
def test_points_that_part(formulation):
    """|v t| has the rate |v| from the first moment on."""
    far = {"d": sr.PointDistance("a", "b")}
    m = pair(sr.Signal("far", "d", far), sr.Signal("rate", "d_dot", far), velocity=(0, 3, 4))
    r = m.simulate(0.2, output=0.1, formulation=formulation)
    assert r["far"] == pytest.approx([0, 0.5, 1]) and r["rate"] == pytest.approx([5, 5, 5])


@pytest.mark.parametrize("formulation", BOTH)
def test_points_that_stay_together(formulation):
    far = {"d": sr.PointDistance("a", "b")}
    m = pair(sr.Signal("far", "d + d_dot", far), sr.Force("pull", "b", ("-far", 0, 0)))
    r = m.simulate(0.2, output=0.1, formulation=formulation)
    assert (r["far"] == 0.0).all() and np.isfinite(r["b.position"]).all()


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("text", ["d", "d_dot", "d^2 + d"])
def test_a_constraint_along_nothing_is_refused(text, formulation):
    m = pair(sr.Constraint("c", text, {"d": sr.PointDistance("a", "b")}))
    with pytest.raises(sr.ModelError, match=r"'c'.*distance 'd' coincide.*Ball"):
        m.compile(formulation)


@pytest.mark.parametrize("formulation", BOTH)
def test_a_rod_is_assembled_from_coincident_points(formulation):
    s = pair(sr.Constraint("c", "d - 1", {"d": sr.PointDistance("a", "b")})).compile(formulation)
    bodies = s.bodies(s.q0, s.v0)
    assert np.linalg.norm(bodies["a"].position - bodies["b"].position) == pytest.approx(1)
