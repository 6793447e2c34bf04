"""A free body that spins and vibrates keeps energy, momentum and angular momentum, whatever its inertia method."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sharnir.flexible.finite_elements.beams import straight_beam
from sharnir.flexible.finite_elements.section import Section
from sharnir.flexible.reduction import reduce


def turned(e, a):
    """R(e) a for a unit quaternion."""
    return a + 2.0 * np.cross(e[1:], np.cross(e[1:], a) + e[0] * a)


def derivative(body):
    """(r, e, v, ω, w, ξ) → its rate."""
    h = body.count

    def rate(t, y):
        e, v, om, w, xi = y[3:7], y[7:10], y[10:13], y[13 : 13 + h], y[13 + h :]
        right = body.inertia.force(w, v, om, xi)
        right[6:] -= body.stiffness @ w
        a = np.linalg.solve(body.inertia.matrix(w), right)
        e_rate = 0.5 * np.concatenate([[-e[1:] @ om], e[0] * om + np.cross(e[1:], om)])
        return np.concatenate([turned(e, v), e_rate, a[:3] - np.cross(om, v), a[3:6], xi, a[6:]])

    return rate


def kept(body, y):
    """Energy, momentum and angular momentum about the world's origin."""
    h = body.count
    r, e, v, om, w, xi = y[:3], y[3:7] / np.linalg.norm(y[3:7]), y[7:10], y[10:13], y[13 : 13 + h], y[13 + h :]
    p = body.inertia.momentum(w, v, om, xi)
    P = turned(e, p[:3])
    energy = body.inertia.kinetic(w, v, om, xi) + 0.5 * w @ body.stiffness @ w
    return np.concatenate([[energy], P, turned(e, p[3:]) + np.cross(r, P)])


@pytest.mark.parametrize("inertia", ["general", "shifted", "unshifted"])
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.sample(2)
def test_energy_momentum_and_angular_momentum(inertia, held):
    beam = straight_beam((0.2, -0.1, 0.3), (1.0, 0.4, 0.5), Section.rectangle(0.02, 0.01), elements=4)
    body = reduce(beam, interfaces={"root": 0, "tip": 4}, modes=1, inertia=inertia)
    body = body.fixed_at("root") if held else body
    rng = np.random.default_rng(3)
    w = np.zeros(body.count)
    w[:3] = 0.02 * rng.normal(size=3)
    start = np.concatenate(
        [[0.1, 0.2, 0.3], [1, 0, 0, 0], [0.5, -0.2, 0.1], [20.0, 30.0, -25.0], w, 2.0 * rng.normal(size=body.count)]
    )
    done = solve_ivp(derivative(body), (0.0, 0.002), start, method="DOP853", rtol=1e-12, atol=1e-14)
    first, last = kept(body, start), kept(body, done.y[:, -1])
    scale = np.concatenate([[first[0]], np.full(3, np.abs(first[1:4]).max()), np.full(3, np.abs(first[4:]).max())])
    moved = np.abs(done.y[13 : 13 + body.count, -1] - w).max()
    assert moved > 1e-3  # it does vibrate
    assert (np.abs(last - first) < 1e-10 * scale).all()
