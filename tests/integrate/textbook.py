"""Textbook problems with known or published solutions: functions f(t, y, yd), initial states, end states."""

from __future__ import annotations

import math

import numpy as np


def growth(t, y, yd):
    """y' = y cos t, y = exp(sin t): nonautonomous."""
    yd[0] = y[0] * math.cos(t)


def pursuit(t, y, yd):
    """(y0, y1) = (sin 3t, cos 3t): driven and nonlinear, but hardly limited by stability, so that high orders show."""
    s = math.sin(3.0 * t)
    c = math.cos(3.0 * t)
    yd[0] = 3.0 * c - 0.3 * math.sin(y[0] - s)
    yd[1] = -3.0 * s - 0.3 * math.sin(y[1] - c)


def oscillator(t, y, yd):
    yd[0] = y[1]
    yd[1] = -y[0]


def blow_up(t, y, yd):
    """y' = y², y = 1/(1 - t) from y(0) = 1."""
    yd[0] = y[0] * y[0]


def double_pendulum(t, y, yd):
    """Two equal point masses on rods of 1 m; absolute angles, speeds."""
    s = math.sin(y[0] - y[1])
    c = math.cos(y[0] - y[1])
    upper = -y[3] * y[3] * s - 2.0 * 9.81 * math.sin(y[0])
    lower = y[2] * y[2] * s - 9.81 * math.sin(y[1])
    yd[0] = y[2]
    yd[1] = y[3]
    yd[2] = (upper - c * lower) / (2.0 - c * c)
    yd[3] = (2.0 * lower - c * upper) / (2.0 - c * c)


def arenstorf(t, y, yd):
    """Restricted three-body problem: Hairer, Nørsett, Wanner I, II.0."""
    mu = 0.012277471
    d1 = ((y[0] + mu) ** 2 + y[1] ** 2) ** 1.5
    d2 = ((y[0] - 1.0 + mu) ** 2 + y[1] ** 2) ** 1.5
    yd[0] = y[2]
    yd[1] = y[3]
    yd[2] = y[0] + 2.0 * y[3] - (1.0 - mu) * (y[0] + mu) / d1 - mu * (y[0] - 1.0 + mu) / d2
    yd[3] = y[1] - 2.0 * y[2] - (1.0 - mu) * y[1] / d1 - mu * y[1] / d2


ARENSTORF_START = np.array([0.994, 0.0, 0.0, -2.00158510637908252240537862224])
ARENSTORF_PERIOD = 17.0652165601579625588917206249


def pleiades(t, y, yd):
    """Seven stars in a plane, star i has mass i + 1: Hairer, Nørsett, Wanner I, II.10."""
    for i in range(7):
        ax = 0.0
        ay = 0.0
        for j in range(7):
            if j != i:
                dx = y[j] - y[i]
                dy = y[7 + j] - y[7 + i]
                r2 = dx * dx + dy * dy
                pull = (j + 1) / (r2 * math.sqrt(r2))
                ax += pull * dx
                ay += pull * dy
        yd[i] = y[14 + i]
        yd[7 + i] = y[21 + i]
        yd[14 + i] = ax
        yd[21 + i] = ay


PLEIADES_START = np.array([3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0])
# at t = 3: Mazzia, Magherini, Test Set for Initial Value Problem Solvers, problem "plei"
PLEIADES_END = np.array(
    [
        *(0.3706139143970502, 3.237284092057233, -3.222559032418324, 0.6597091455775310),
        *(0.3425581707156584, 1.562172101400631, -0.7003092922212495, -3.943437585517392),
        *(-3.271380973972550, 5.225081843456543, -2.590612434977470, 1.198213693392275),
        *(-0.2429682344935824, 1.091449240428980, 3.417003806314313, 1.354584501625501),
        *(-2.590065597810775, 2.025053734714242, -1.155815100160448, -0.8072988170223021),
        *(0.5952396354208710, -3.741244961234010, 0.3773459685750630, 0.9386858869551073),
        *(0.3667922227200571, -0.3474046353808490, 2.344915448180937, -1.947020434263292),
    ]
)


SPIN = (0.7, -1.1, 1.9)


def spinning(t, y, yd):
    """Unit quaternion (w, x, y, z) = y[1:5] of a body that turns with the constant angular velocity SPIN; y[0] is the time."""
    p, q, r = SPIN
    yd[0] = 1.0
    yd[1] = 0.5 * (-y[2] * p - y[3] * q - y[4] * r)
    yd[2] = 0.5 * (y[1] * p + y[3] * r - y[4] * q)
    yd[3] = 0.5 * (y[1] * q + y[4] * p - y[2] * r)
    yd[4] = 0.5 * (y[1] * r + y[2] * q - y[3] * p)


def spinning_quaternion(t):
    """Exact solution of `spinning` from (1, 0, 0, 0)."""
    rate = math.sqrt(sum(w * w for w in SPIN))
    half = 0.5 * rate * np.asarray(t, dtype=float)
    return np.stack([np.cos(half), *(np.sin(half) * w / rate for w in SPIN)], axis=-1)
