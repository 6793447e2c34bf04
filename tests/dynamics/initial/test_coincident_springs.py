"""Springs whose ends coincide: a force without a direction is refused at the start, rounding never gives one."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.errors import ModelError

FAR = (0.1, 0.2, 0.7)


def two(spring, at=FAR, turn=0.0, **joint):
    """A body on a ball joint; the spring's ends are drawn at the same point of it and of the ground."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1), position=at, rotation=sr.rotation_about((1, 2, 3), turn)))
    m.add(sr.Free("fly", "ground", "bob", **joint), spring)
    return m


def spring(**given):
    return sr.Spring("s", "ground", "bob", at_a=FAR, at_b=FAR, **given)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
@pytest.mark.parametrize("turn", [0.0, 0.3, 2.0])
def test_a_force_without_a_direction_is_refused(formulation, turn):
    with pytest.raises(ModelError, match="Spring 's': its ends coincide at the start, so its force of 50 N has no direction"):
        two(spring(stiffness=100, length=0.5), turn=turn).compile(formulation)
    for force in ("3 + x", sr.Table((-1, 1), (-3, 3), outside="extend"), lambda x, v, t: -3.0):
        with pytest.raises(ModelError, match="has no direction"):
            two(spring(force=force, length=1.0 if isinstance(force, sr.Table) else 0.0), turn=turn).compile(formulation)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_springs_without_a_force_there_are_welcome(formulation):
    rng = np.random.default_rng(0)
    for given in ({"stiffness": 100.0}, {"stiffness": 100.0, "length": 0.0}, {"damping": 5.0}, {"force": "-20*x"}):
        for _ in range(3):
            m = two(spring(**given), at=tuple(rng.normal(size=3)), turn=rng.uniform(0, 3))
            s = m.compile(formulation)
            np.testing.assert_allclose(s.accelerations(s.q0, s.v0), 0.0, atol=1e-10)


def test_rounding_gives_no_direction():
    """Both ends at the same place far from the origin, on bodies with turned axes: the difference is rounding."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        far = [100.0, 1.0] if rng.random() < 0.5 else [1e-3, 100.0]
        at = rng.normal(size=3) * far[0]
        m = sr.Model(gravity=(0, 0, 0))
        for name in "ab":
            turn = sr.rotation_about(tuple(rng.normal(size=3)), rng.uniform(0, 3))
            m.add(sr.Body(name, mass=1, inertia=(1, 1, 1), position=tuple(rng.normal(size=3) * far[1]), rotation=turn))
        m.add(sr.Spring("s", "a", "b", at_a=tuple(at), at_b=tuple(at), force="1000*(t > 0.5)"))
        s = m.compile()
        np.testing.assert_array_equal(s.accelerations(s.q0, s.v0, t=1.0), 0.0)


def test_ends_that_coincide_only_where_the_joint_is():
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("cart", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "cart", axis="x", q=0.5))
    m.add(sr.Spring("s", "ground", "cart", at_a=(0.5, 0, 0), at_b=(0, 0, 0), stiffness=10))
    with pytest.raises(ModelError, match="coincide at the start"):
        m.compile()
    with pytest.raises(ModelError, match="coincide at the start"):
        m.compile("absolute")


def test_through_the_point_where_both_ends_meet():
    """A spring of no free length is k d in all directions: a harmonic motion straight through the anchor."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("cart", mass=1, inertia=(1, 1, 1)), sr.Prismatic("rail", "ground", "cart", axis="x", q=1.0))
    m.add(sr.Spring("s", "ground", "cart", at_a=(0, 0, 0), at_b=(0, 0, 0), stiffness=4, length=0))
    r = m.simulate(10.0, tolerance=1e-10)
    np.testing.assert_allclose(r["rail.q"], np.cos(2 * r.t), atol=1e-7)
