"""Joints that take hold although their sides are apart: the same positions in both formulations, and momentum is kept."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from sharnir.model.frames import rotation_matrix


def broken(gap_time, **settings):
    """A four-bar linkage whose coupler lets go and is caught again."""
    m = sr.Model()
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.4)))
    m.add(sr.Body("b", mass=2, inertia=(0.1, 0.3, 0.2), position=(1, 0, 1)))
    m.add(sr.Body("c", mass=1, inertia=(0.1, 0.1, 0.1), position=(2.2, 0, 0.6)))
    m.add(sr.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y", v=1.0), sr.Revolute("B", "a", "b", at=(0, 0, 0.8), axis="y"))
    m.add(sr.Revolute("C", "b", "c", at=(2, 0, 1.3), axis="y"), sr.Revolute("D", "ground", "c", at=(2.4, 0, 0), axis="y"))
    m.add(sr.Event("off", at=0.1, actions=sr.Release("C")), sr.Event("on", at=gap_time, actions=sr.Join("C", gap=1.0)))
    return m.simulate(gap_time + 0.2, output=0.05, tolerance=1e-11, **settings)


def test_both_formulations_draw_the_sides_to_the_same_place():
    one, two = (broken(0.25, formulation=x) for x in ("joint", "absolute"))
    behind = one.t > 0.251
    for name in ("a.position", "b.position", "c.position", "b.velocity", "C.q", "A.v"):
        np.testing.assert_allclose(one[name][behind], two[name][behind], atol=2e-9, err_msg=name)
    assert one.events[1]["energy_after"] == pytest.approx(two.events[1]["energy_after"], abs=1e-9)


@pytest.mark.parametrize("formulation", ["joint", "absolute"])
def test_momentum_is_kept_where_nothing_holds_the_bodies(formulation):
    """Three bodies in space, two of them on a hinge: a ball joint catches the third one 6 cm away and turned."""
    m = sr.Model(gravity=(0, 0, 0))
    spin = {"velocity": (1, 0.2, 0), "angular_velocity": (0.3, 0.2, 1)}
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.2, 0.3), com=(0.1, 0, 0.05), **spin))
    m.add(
        sr.Body("b", mass=2, inertia=(0.1, 0.3, 0.2), position=(1, 0, 0)),
        sr.Revolute("A", "a", "b", at=(0.5, 0, 0), axis="z", v=2),
    )
    m.add(sr.Body("c", mass=3, inertia=(0.4, 0.3, 0.2), position=(2.06, 0, 0), velocity=(-1, 0, 0.3), com=(0, 0.1, 0)))
    m.add(sr.Event("caught", at=0.1, actions=sr.Join(sr.Ball("B", "b", "c", at=(1.5, 0, 0)), gap=1.0)))
    r = m.simulate(0.2, output=[0.0999, 0.1001, 0.2], tolerance=1e-11, formulation=formulation)
    momentum = r["system.momentum"]
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(r.t), 1)), atol=1e-11)
    sides = {"b": (0.5, 0, 0), "c": (-0.56, 0, 0)}
    on_b, on_c = (r[f"{x}.position"][-1] + rotation_matrix(r[f"{x}.rotation"][-1]) @ np.array(p) for x, p in sides.items())
    np.testing.assert_allclose(on_b, on_c, atol=1e-9)


def test_bodies_without_inertia_are_drawn_in_joint_coordinates():
    """Absolute coordinates cannot hold them; the joint takes hold nevertheless."""
    m = sr.Model()
    m.add(sr.Body("cross", mass=0), sr.Body("arm", mass=1, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0)))
    m.add(sr.Revolute("O", "ground", "cross", at=(0, 0, 0), axis="z"), sr.Revolute("P", "cross", "arm", at=(0, 0, 0), axis="y"))
    m.add(sr.Event("hook", at=0.2, actions=sr.Join(sr.Ball("H", "ground", "arm", at=(2, 0, 0)), gap=1.0)))
    r = m.simulate(0.3, output=0.1)
    np.testing.assert_allclose(r["arm.position"][-1], (1, 0, 0), atol=1e-9)
