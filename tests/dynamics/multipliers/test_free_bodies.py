"""Bodies of the absolute formulation: constant inverse inertias, and the flag that says every body flies by itself."""

import numpy as np
import pytest

import sharnir as sr
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.multipliers.free_bodies import INVERSE_SIZE


def inertia_of(system, i):
    """6 × 6 inertia of a body about the engine's origin, from its parameters."""
    p = system.params[system.table[L.P_BODY] + i * L.P_BODY_SIZE :]
    m, (x, y, z), J = p[L.MASS], p[L.FIRST_MOMENT : L.FIRST_MOMENT + 3], p[L.INERTIA : L.INERTIA + 6]
    h = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.block([[m * np.eye(3), -h], [h, J[[0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(3, 3)]])


def inverse_of(system, i):
    """6 × 6 inverse inertia as the kernels read it."""
    p = system.params[system.table[L.P_INVERSE] + i * INVERSE_SIZE :][:INVERSE_SIZE]
    A, B, C = p[[0, 1, 2, 1, 3, 4, 2, 4, 5]], p[6:15], p[15 + np.array([0, 1, 2, 1, 3, 4, 2, 4, 5])]
    A, B, C = A.reshape(3, 3), B.reshape(3, 3), C.reshape(3, 3)
    return np.block([[A, B], [B.T, C]])


def test_inverse_inertia_of_a_body_with_offset_and_turned_axes():
    m = sr.Model()
    turn = sr.rotation_about((1, 2, 3), 0.7)
    m.add(sr.Body("a", mass=3, com=(0.3, -0.2, 0.5), inertia=(1, 2, 2.5, 0.1, -0.2, 0.3), position=(1, 2, 3), rotation=turn))
    m.add(sr.Ball("B", "ground", "a", at=(0, 0, 0)))
    s = m.compile("absolute")
    assert s.table[L.LONE] == 1
    assert inverse_of(s, 0) @ inertia_of(s, 0) == pytest.approx(np.eye(6), abs=1e-13)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_inverse_inertia_in_small_and_large_units(scale):
    m = sr.Model()
    m.add(sr.Body("a", mass=scale**3, com=(scale, 0, 0), inertia=(scale**5, 2 * scale**5, 2 * scale**5)))
    m.add(sr.Ball("B", "ground", "a"))
    s = m.compile("absolute")
    units = np.repeat([1.0, 1.0 / scale], 3)  # rows in units of force
    assert units[:, None] * (inertia_of(s, 0) @ inverse_of(s, 0)) / units == pytest.approx(np.eye(6), abs=1e-12)


def test_a_moving_ground_or_a_tree_has_no_lone_bodies():
    m = sr.Model(base_motion={"x": "sin(t)"})
    m.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Ball("B", "ground", "a"))
    assert m.compile("absolute").table[L.LONE] == 0
    n = sr.Model()
    n.add(sr.Body("a", mass=1, inertia=(1, 1, 1)), sr.Body("b", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)))
    n.add(sr.Ball("B", "ground", "a"), sr.Ball("C", "a", "b"), sr.Distance("d", "ground", "b", at_a=(2, 0, 0)))
    assert n.compile().table[L.LONE] == 0
    assert n.compile("absolute").table[L.LONE] == 1
