"""Textbook problems with known or published solutions: functions f(t, y, yd), initial states, end states."""

from __future__ import annotations

import math

import numpy as np

from sharnir.integrate import ALL_INTEGRATORS


def accumulated(name, tolerance):
    """Size of the error of a run at a tolerance: the errors of its steps add up, and orders 1 and 2 need very many of them."""
    p = ALL_INTEGRATORS[name].order
    return tolerance if p > 2 else tolerance ** (p / (p + 1))


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


GRAVITY = 9.81


def hanging_point(t, y, yd):
    """Pendulum of length 1 as a point (x, y, vx, vy) with x² + y² = 1, differentiated twice: the force along the rod is known."""
    pull = (GRAVITY * y[1] - y[2] * y[2] - y[3] * y[3]) / (y[0] * y[0] + y[1] * y[1])
    yd[0] = y[2]
    yd[1] = y[3]
    yd[2] = pull * y[0]
    yd[3] = pull * y[1] - GRAVITY


def on_circle(t, y, report):
    """Projection of `hanging_point`: the nearest point of the circle, and the speed along it."""
    r = math.sqrt(y[0] * y[0] + y[1] * y[1])
    y[0] /= r
    y[1] /= r
    across = y[0] * y[2] + y[1] * y[3]
    y[2] -= across * y[0]
    y[3] -= across * y[1]
    report[0] = abs(r - 1.0)
    report[1] = abs(across)
    report[2] = 1.0 if max(report[0], report[1]) > 0.0 else 0.0
    report[3] = 0.0


def plane_pendulum(t, y, yd):
    """The same with its angle from below."""
    yd[0] = y[1]
    yd[1] = -GRAVITY * math.sin(y[0])


def pendulum_points(angles):
    """(x, y, vx, vy) for rows of (angle, speed)."""
    s, c = np.sin(angles[..., 0]), np.cos(angles[..., 0])
    return np.stack([s, -c, angles[..., 1] * c, angles[..., 1] * s], axis=-1)


STIFFNESS = 1e6


def van_der_pol(t, y, yd):
    """ε y'' = (1 - y²) y' - y with ε = 1e-6, from (2, 0): Hairer, Wanner II, IV.10, "VDPOL"."""
    yd[0] = y[1]
    yd[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) * STIFFNESS


# at t = 2: Mazzia, Magherini, Test Set for Initial Value Problem Solvers, problem "vdpol"
VAN_DER_POL_START = np.array([2.0, 0.0])
VAN_DER_POL_END = np.array([1.706167732170483, -0.8928097010247975])


def robertson(t, y, yd):
    """Three reactions with rates 0.04, 1e4 and 3e7, from (1, 0, 0): Hairer, Wanner II, IV.10, "ROBER"."""
    slow, fast, back = 0.04 * y[0], 3e7 * y[1] * y[1], 1e4 * y[1] * y[2]
    yd[0] = back - slow
    yd[1] = slow - back - fast
    yd[2] = fast


# at t = 1e11: Mazzia, Magherini, Test Set, problem "rober"
ROBERTSON_START = np.array([1.0, 0.0, 0.0])
ROBERTSON_END = np.array([0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050])
