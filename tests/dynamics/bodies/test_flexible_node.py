"""Nodes of flexible bodies carry bodies: their place by hand, and speeds and accelerations as derivatives of it."""

from __future__ import annotations

import numpy as np
import pytest

import sharnir as sr
from dynamics.bodies.test_flexible_body import arm, reduced, shaken


def rodrigues(half: np.ndarray) -> np.ndarray:
    """The rotation matrix of Rodrigues' vector: axis times the tangent of half the angle."""
    skew = np.array([[0, -half[2], half[1]], [half[2], 0, -half[0]], [-half[1], half[0], 0]])
    return np.linalg.solve(np.eye(3) - skew, np.eye(3) + skew)


def matrix(q: np.ndarray) -> np.ndarray:
    w, u = q[0], q[1:]
    skew = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def test_place_of_a_body_at_a_node():
    """r + H w, and the rotation whose Rodrigues' vector is half of H^φ w; the frame is held by the root."""
    body = reduced(modes=2)
    m = sr.Model("rod")
    m.add(sr.FlexibleBody("rod", reduced=body, frame_at="root"), sr.Fixed("wall", "ground", "rod:root"))
    m.add(sr.Body("hand", mass=0.6, inertia=(1, 1, 1), position=(1, 0, 0)), sr.Fixed("grip", "rod:tip", "hand", at=(1, 0, 0)))
    s = m.compile()
    q, v = shaken(s, 0.02)
    first, _, h = s.assembly.coordinates.elastic["rod"]
    bent = m.bodies["rod"].reduced.interface("tip").shape @ q[first : first + h]
    found = s.bodies(q, v)["hand"]
    assert np.abs(bent[3:]).max() > 0.01
    assert found.position == pytest.approx(np.array([1.0, 0, 0]) + bent[:3], abs=1e-14)
    assert matrix(found.rotation) == pytest.approx(rodrigues(0.5 * bent[3:]), abs=1e-14)


@pytest.mark.parametrize("stiffening", [False, True])
def test_speeds_and_accelerations_are_derivatives_of_places(stiffening):
    """Along the motion through a state with bent links, by differences of the places and speeds of every body."""
    s, h = arm(stiffening=stiffening).compile(), 1e-7
    q, v = shaken(s, 5e-3)
    y = np.concatenate([q, v])
    rates = s.observe_rates(np.zeros(1), y[None])[0]
    before, after = (s.bodies(x[: s.n_q], x[s.n_q :]) for x in (y - h * rates, y + h * rates))
    for name, now in s.bodies(q, v).items():
        a, b = before[name], after[name]
        assert (b.position - a.position) / (2 * h) == pytest.approx(now.velocity, abs=1e-6)
        assert (b.velocity - a.velocity) / (2 * h) == pytest.approx(now.acceleration, rel=1e-5, abs=1e-3)
        turn = (matrix(b.rotation) - matrix(a.rotation)) / (2 * h) @ matrix(now.rotation).T
        assert [turn[2, 1], turn[0, 2], turn[1, 0]] == pytest.approx(now.angular_velocity, abs=1e-5)
        change = (b.angular_velocity - a.angular_velocity) / (2 * h)
        assert change == pytest.approx(now.angular_acceleration, rel=1e-5, abs=1e-2)
