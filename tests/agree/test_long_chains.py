"""Long chains: every method keeps seven digits on cables of 200 links, straight and folded."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import zoo
from sharnir.dynamics.methods.all_methods import ALL_METHODS

LINKS = 200


@cache
def cable(link):
    return zoo.chain(link, LINKS)


def shapes(s, link):
    """Straight, a little bent, and folded at random."""
    rng = np.random.default_rng(1)
    for spread in (0.0, 0.05, 1.0):
        q, v = spread * rng.normal(size=s.n_q), rng.normal(size=s.n_v)
        for k in s.assembly.coordinates.quaternions:
            turn = spread * rng.normal(size=3)
            angle = np.linalg.norm(turn)
            q[k : k + 4] = np.cos(angle / 2), *(np.sinc(angle / 2 / np.pi) * turn / 2)
        yield q, v


@pytest.mark.parametrize("link", zoo.LINKS)
@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.sample(3)
def test_residual(link, method):
    """What forward dynamics found, put into inverse dynamics: the generalized forces that should not be there."""
    s = cable(link).compile(method=method)
    for q, v in shapes(s, link):
        vdot = s.accelerations(q, v)
        left = s.inverse_dynamics(q, v, vdot)
        assert np.linalg.norm(left) <= 1e-7 * np.linalg.norm(s.bias(q, v))


@pytest.mark.parametrize("link", zoo.LINKS)
def test_lanes_on_cables(link):
    s = cable(link).compile(method="articulated")
    q, v = (np.array(x) for x in zip(*shapes(s, link), strict=True))
    many = s.accelerations(q, v)
    for k in range(3):
        left = s.inverse_dynamics(q[k], v[k], many[k])
        assert np.linalg.norm(left) <= 1e-7 * np.linalg.norm(s.bias(q[k], v[k]))


@pytest.mark.parametrize("link", zoo.LINKS)
def test_articulated_and_lagrange_agree(link):
    """The two O(N) methods have nothing in common but the kinematics; with driven ends, as a cable in service."""
    one, other = (cable(link).compile(method=method) for method in ("articulated", "lagrange1"))
    q, v = list(shapes(one, link))[1]
    tau = np.zeros(one.n_v)
    tau[:2], tau[-1] = 3.0, 0.01
    a, b = one.accelerations(q, v, tau=tau), other.accelerations(q, v, tau=tau)
    assert np.linalg.norm(a - b) <= 1e-9 * np.linalg.norm(a)
