"""Loops that do not meet in the drawing: where they close, which of several positions is taken, what is left if none is."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

import sharnir as sr
from sharnir.model.frames import rotation_matrix

BOTH = ("joint", "absolute")
HERE = sr.Frame()


def held_twice(kind, axis, angle):
    """A body on a hinge about y and, in the same place, in a second joint whose frame on the ground is turned."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.2, 0.3)))
    m.add(sr.Revolute("O", "ground", "a", axis="y", parent_frame=HERE, child_frame=HERE))
    turned = sr.Frame((0, 0, 0), sr.rotation_about(axis, angle))
    along = {} if kind is sr.Fixed else {"axis": "z"}
    m.add(kind("F", "ground", "a", parent_frame=turned, child_frame=HERE, **along))
    return m


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("kind", [sr.Fixed, sr.Prismatic, sr.Revolute])
@pytest.mark.parametrize("angle", [0.3, -2.0])
def test_frames_that_meet_in_place_are_turned_until_they_meet_in_direction(kind, angle, formulation):
    s = held_twice(kind, "y", angle).compile(formulation)
    R = np.array(rotation_matrix(s.bodies(s.q0, s.v0)["a"].rotation))
    np.testing.assert_allclose(R, Rotation.from_rotvec((0, angle, 0)).as_matrix(), atol=1e-9)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("kind", [sr.Fixed, sr.Prismatic, sr.Revolute])
@pytest.mark.parametrize("axis", ["x", (1, 2, 2), (-2, 3, 1)])
def test_frames_that_meet_in_place_but_not_in_direction(kind, axis, formulation):
    """The error says by which angle they miss each other at best: here the least over all angles of the hinge."""
    n = np.array((1.0, 0, 0) if axis == "x" else axis)
    goal = Rotation.from_rotvec(0.3 * n / np.linalg.norm(n))

    def missed(q):
        there = Rotation.from_rotvec((0, q, 0))
        if kind is sr.Revolute:  # only the axes z of both frames must agree
            return np.arccos(np.clip(there.apply((0, 0, 1)) @ goal.apply((0, 0, 1)), -1, 1))
        return (there.inv() * goal).magnitude()

    least = np.degrees(minimize_scalar(missed, bounds=(-1, 1), method="bounded", options={"xatol": 1e-10}).fun)
    with pytest.raises(sr.ModelError, match=r"joint 'F' cannot be closed: .* 0 m and ") as error:
        held_twice(kind, axis, 0.3).compile(formulation)
    assert float(re.search(r"and ([\d.]+)°", str(error.value))[1]) == pytest.approx(least, rel=5e-3)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize(("arm", "place", "angle"), [(4.0, 0.1, 0.3), (1.0, 0.1, 0.3), (2.0, 0.2, -0.1)])
def test_gaps_of_place_and_of_direction_count_by_the_size_of_the_mechanism(arm, place, angle, formulation):
    """An arm on a hinge reaches its place at one angle and its direction at another: (gap / 4 m)² + angle² is least."""
    m = sr.Model(gravity=(0, 0, 0))
    m.add(sr.Body("a", mass=1, inertia=(0.1, 0.2, 0.3)), sr.Body("far", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 4, 0)))
    m.add(sr.Fixed("X", "ground", "far"), sr.Revolute("O", "ground", "a", axis="y", parent_frame=HERE, child_frame=HERE))
    there = sr.Frame((arm * np.cos(place), 0, -arm * np.sin(place)), sr.rotation_about("y", angle))
    m.add(sr.Fixed("F", "ground", "a", parent_frame=there, child_frame=sr.Frame((arm, 0, 0))))

    def gaps(q):
        return np.array([2 * arm * abs(np.sin((q - place) / 2)), abs(q - angle)])

    best = minimize_scalar(
        lambda q: ((gaps(q) / (4, 1)) ** 2).sum(), bounds=(-1, 1), method="bounded", options={"xatol": 1e-10}
    ).x
    with pytest.raises(sr.ModelError, match="joint 'F' cannot be closed") as error:
        m.compile(formulation)
    gap, turn = re.search(r"a gap of ([\d.]+) m and ([\d.]+)°", str(error.value)).groups()
    assert (float(gap), np.radians(float(turn))) == pytest.approx(tuple(gaps(best)), rel=5e-3)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("slope", [1.0, 0.3, -0.3, -1.0])
def test_of_several_closed_positions_the_nearest_is_taken(slope, formulation):
    """Two links stretched in line, whose end belongs 0.8 m further back: Newton's method cannot leave the line by itself.

    The elbow may go up or down; a cam on the first hinge moves a slide by slope q + q²/2, farther on one side than on the other.
    """
    m = sr.Model(gravity=(0, 0, 0))
    m.add(*(sr.Body(name, mass=1, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0)) for name in "ab"))
    m.add(sr.Revolute("A", "ground", "a", parent_frame=HERE, child_frame=HERE, axis="y"))
    m.add(sr.Revolute("B", "a", "b", parent_frame=sr.Frame((1, 0, 0)), child_frame=HERE, axis="y"))
    m.add(sr.Body("s", mass=1, inertia=(0.1, 0.1, 0.1), position=(0, 5, 0)), sr.Prismatic("S", "ground", "s", axis="y"))
    m.add(sr.Cam("cam", "A", "S", f"{slope}*q + 0.5*q^2"))
    m.add(sr.Ball("C", "ground", "b", parent_frame=sr.Frame((1.2, 0, 0)), child_frame=sr.Frame((1, 0, 0))))
    s = m.compile(formulation)
    bodies = s.bodies(s.q0, s.v0)
    angle = -np.sign(slope) * np.arccos(0.6)  # z of the elbow is -sin q
    np.testing.assert_allclose(bodies["b"].position, (0.6, 0, -np.sin(angle)), atol=1e-8)
    np.testing.assert_allclose(bodies["s"].position, (0, 5 + slope * angle + 0.5 * angle**2, 0), atol=1e-8)
