"""Channels of elements that events take away: not-a-number in the shape that they have while they are there."""

from __future__ import annotations

import math

import numpy as np
import pytest

import sharnir as sr
from sharnir.simulate.channels.joined_channels import absent_value

ELEMENTS = {
    "holds a position": (sr.Distance("x", "ground", "disc", at_a=(0, 0, 3)), ()),
    "holds a speed": (sr.Constraint("x", "disc.x_dot - 1"), ()),
    "stays on a wire": (sr.PointOnCurve("x", "ground", "disc", curve=("s", "0", "0.2")), (2,)),
    "rolls": (sr.RollingDisc("x", "disc", radius=0.2), (3,)),
}


@pytest.mark.parametrize("kind", ELEMENTS)
def test_forces_of_constraints_have_a_component_per_equation(kind):
    """The same shape as in a run of the model without the event."""
    element, shape = ELEMENTS[kind]
    m = sr.Model("disc")
    m.add(sr.Body("disc", mass=1, inertia=(0.1, 0.2, 0.1), position=(0, 0, 0.2), velocity=(1, 0, 0), angular_velocity=(0, 5, 0)))
    m.add(element)
    there = m.simulate(0.01)["x.force"]
    m.add(sr.Event("cut", at=1, actions=sr.Release("x")))
    value = absent_value(m, "x.force")
    assert np.shape(value) == shape == there.shape[1:] and np.isnan(value).all()
    for k in range(len(value) if shape else 0):
        assert math.isnan(absent_value(m, f"x.force.{k + 1}"))
    assert absent_value(m, f"x.force.{math.prod(shape) + 1}") is None
