"""Stiff and mechanical problems with known or published solutions: functions f(t, y, yd), rates, tangents, projections."""

from __future__ import annotations

import math

import numpy as np

from sharnir.kernel import jit


def prothero_robinson(t, y, yd):
    """y = cos t, however stiff (A. Prothero, A. Robinson, Math. Comp. 28 (1974) 145)."""
    yd[0] = -1e6 * (y[0] - math.cos(t)) - math.sin(t)


def beam(t, y, yd):
    """Clamped inextensible elastic chain of 40 links, angles and their rates: Hairer, Wanner II, IV.1, "beam" of the Test Set.

    yd holds v and w of the source on the way; the pivots of the tridiagonal matrix for w are found again from the last one.
    """
    n = 40
    load = 1.5 * math.sin(t) ** 2 if t <= math.pi else 0.0
    for k in range(n):
        bend = -3.0 * y[0] + y[1] if k == 0 else y[k - 1] - y[k] if k == n - 1 else y[k - 1] - 2.0 * y[k] + y[k + 1]
        yd[k] = n**4 * bend + n**2 * load * (math.cos(y[k]) + math.sin(y[k]))
    for k in range(n):
        before = math.sin(y[k] - y[k - 1]) * yd[k - 1] if k > 0 else 0.0
        after = math.sin(y[k + 1] - y[k]) * yd[k + 1] if k < n - 1 else 0.0
        yd[n + k] = y[n + k] * y[n + k] - before + after
    pivot = 1.0
    for k in range(1, n):
        c = math.cos(y[k] - y[k - 1])
        yd[n + k] += c / pivot * yd[n + k - 1]
        pivot = (3.0 if k == n - 1 else 2.0) - c * c / pivot
    yd[2 * n - 1] /= pivot
    for k in range(n - 2, -1, -1):
        c = math.cos(y[k + 1] - y[k])
        pivot = c * c / ((3.0 if k == n - 2 else 2.0) - pivot)  # the recursion above, backwards
        yd[n + k] = (yd[n + k] + c * yd[n + k + 1]) / pivot
    v_before, w_before = 0.0, 0.0
    for k in range(n):
        v, w = yd[k], yd[n + k]
        u = (1.0 if k == 0 else 3.0 if k == n - 1 else 2.0) * v
        if k > 0:
            u -= math.cos(y[k] - y[k - 1]) * v_before + math.sin(y[k] - y[k - 1]) * w_before
        if k < n - 1:
            u -= math.cos(y[k + 1] - y[k]) * yd[k + 1] - math.sin(y[k + 1] - y[k]) * yd[n + k + 1]
        yd[k], yd[n + k] = y[n + k], u
        v_before, w_before = v, w


BEAM_TIP = (-0.1767201761075488, 1.186724615113034)  # angle and rate of the last link at t = 5; Test Set

INERTIA = (1.0, 2.0, 2.5)


def top_rates(t, y, out):
    """q̇ = ½ q ∘ (0, ω) for a unit quaternion q = y[0:4] and the angular velocity ω = y[4:7] in body axes."""
    out[0] = 0.5 * (-y[1] * y[4] - y[2] * y[5] - y[3] * y[6])
    out[1] = 0.5 * (y[0] * y[4] + y[2] * y[6] - y[3] * y[5])
    out[2] = 0.5 * (y[0] * y[5] + y[3] * y[4] - y[1] * y[6])
    out[3] = 0.5 * (y[0] * y[6] + y[1] * y[5] - y[2] * y[4])


def top_tangents(t, y, out):
    """ω with ½ q ∘ (0, ω) ≈ δq: the columns of that matrix are orthogonal, of length |q|/2."""
    scale = 2.0 / (y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3])
    out[4] = scale * (-y[1] * out[0] + y[0] * out[1] + y[3] * out[2] - y[2] * out[3])
    out[5] = scale * (-y[2] * out[0] - y[3] * out[1] + y[0] * out[2] + y[1] * out[3])
    out[6] = scale * (-y[3] * out[0] + y[2] * out[1] - y[1] * out[2] + y[0] * out[3])


_rates = jit(top_rates)


def top(t, y, yd):
    """Torque-free unsymmetrical top; y[7] is the angle that its first axis has turned, ∫ ω_1."""
    _rates(t, y, yd)
    a, b, c = INERTIA
    yd[4] = (b - c) / a * y[5] * y[6]
    yd[5] = (c - a) / b * y[6] * y[4]
    yd[6] = (a - b) / c * y[4] * y[5]
    yd[7] = y[4]


TOP_START = np.array([1.0, 0.0, 0.0, 0.0, 0.9, 1.1, -0.6, 0.0])


_top = jit(top)


def spring_top(t, y, yd):
    """The top, held by a torsion spring of 1e6 and its damper about the first axis."""
    _top(t, y, yd)
    angle = 2.0 * math.atan2(y[1], y[0])
    yd[4] -= 1e6 * math.sin(angle) + 2e2 * y[4]
    yd[5] += -2.0 * y[2] * y[0]
    yd[6] += -2.0 * y[3] * y[0]


STIFFNESS = 1e7


def spring_pendulum(t, y, yd):
    """Mass 1 kg on a spring of 1e7 N/m and 1 m with a damper: r, φ and their rates; the spring is a thousand times faster."""
    r, w = y[0], y[3]
    yd[0] = y[2]
    yd[1] = w
    yd[2] = r * w * w + 9.81 * math.cos(y[1]) - STIFFNESS * (r - 1.0) - 100.0 * y[2]
    yd[3] = (-9.81 * math.sin(y[1]) - 2.0 * y[2] * w) / r


def bouncing(t, y, yd):
    """Mass falling onto a stiff damped ground: height, speed."""
    yd[0] = y[1]
    yd[1] = -9.81
    if y[0] < 0.0:
        yd[1] += max(0.0, -1e6 * y[0] * (1.0 - 0.2 * y[1]))
