"""The wheelset of the test set for IVP solvers: conical wheels on round rails, creep forces by Kalker's linear theory, limited.

x is lateral, y up, z along the track in axes that travel with 30 m/s; the wheelset yaws by θ about y, then rolls by φ about z and
spins about its axle. A wheel touches its rail where ψ (angle about the axle) and ξ (along it) make both surfaces parallel. The
normal forces follow from accelerations that keep the wheels on the rails; creep forces depend on them.
Letters and numbers as in the test set, also its π.
"""

from __future__ import annotations

from math import atan, cos, sin, sqrt, tan, tanh

import numpy as np
from numba import njit

MASS, AXIAL, ACROSS, GRAVITY, SPEED, RADIUS = 16.08, 0.0605, 0.366, 9.81, 30.0, 0.1
SPRING, ARM, FRICTION = 6400.0, 0.19, 0.12
CONE, HALF_GAUGE, RAIL = 0.0262, 0.1506, 0.06
E, GG, SIGMA, SHEAR, C11, C22, C23, PI = 1.3537956, 0.7115218, 0.28, 7.92e10, 4.72772197, 4.27526987, 1.97203505, 3.1415926
SPIN = SPEED / RADIUS


@njit(cache=True)
def wheel(xi):
    """Radius and its slope at a place along the axle."""
    sign = 1.0 if xi >= 0.0 else -1.0
    return RADIUS + tan(CONE) * (HALF_GAUGE - abs(xi)), -sign * tan(CONE)


@njit(cache=True)
def rail(x):
    """Height of the rails, slope and curvature."""
    sign, across = (1.0 if x >= 0.0 else -1.0), abs(x) - HALF_GAUGE - sin(CONE) * RAIL
    t = sqrt(RAIL * RAIL - across * across)
    return t - RADIUS - cos(CONE) * RAIL, -sign * across / t, -RAIL * RAIL / t**3


@njit(cache=True)
def touching(x, te, ph, psi, xi):
    """Two residuals: tangents of wheel and rail are parallel."""
    r, dr = wheel(xi)
    st, ct, sp, cp, ss, cs = sin(te), cos(te), sin(ph), cos(ph), sin(psi), cos(psi)
    _, dg, _ = rail(x + xi * ct * cp + r * (ct * sp * cs - st * ss))
    return dg * (dr * sp + cp * cs) + dr * ct * cp - ct * sp * cs + st * ss, dr * st * cp - st * sp * cs - ct * ss


@njit(cache=True)
def contact(x, te, ph, side):
    """ψ and ξ, by Newton's method."""
    psi, xi, h = 0.0, side * HALF_GAUGE, 1e-6
    for _ in range(12):
        f, g = touching(x, te, ph, psi, xi)
        a, b = touching(x, te, ph, psi + h, xi)
        c, d = touching(x, te, ph, psi - h, xi)
        f_psi, g_psi = (a - c) / (2 * h), (b - d) / (2 * h)
        a, b = touching(x, te, ph, psi, xi + h)
        c, d = touching(x, te, ph, psi, xi - h)
        f_xi, g_xi = (a - c) / (2 * h), (b - d) / (2 * h)
        det = f_psi * g_xi - f_xi * g_psi
        step_psi, step_xi = (f * g_xi - g * f_xi) / det, (g * f_psi - f * g_psi) / det
        psi, xi = psi - step_psi, xi - step_xi
        if abs(step_psi) + abs(step_xi) < 1e-15:
            break
    return psi, xi


@njit(cache=True)
def row(x, te, ph, side):
    """Derivatives of the gap of one wheel by x, θ and φ (by y it is -1, by z 0)."""
    psi, xi = contact(x, te, ph, side)
    r, _ = wheel(xi)
    st, ct, sp, cp, ss, cs = sin(te), cos(te), sin(ph), cos(ph), sin(psi), cos(psi)
    _, dg, _ = rail(x + xi * ct * cp + r * (ct * sp * cs - st * ss))
    by_yaw = dg * (r * (-ct * ss - cs * sp * st) - cp * st * xi)
    return dg, by_yaw, -cs * r * sp - cp * xi + dg * (cp * cs * ct * r - ct * sp * xi)


@njit(cache=True)
def creep(x, te, ph, vx, vy, vz, vte, vph, beta, normal, side):
    """Creep force of one wheel along x, y, z, and its moments about the axes of yaw, roll and spin of the wheelset."""
    psi, xi = contact(x, te, ph, side)
    r, dr = wheel(xi)
    st, ct, sp, cp, ss, cs = sin(te), cos(te), sin(ph), cos(ph), sin(psi), cos(psi)
    _, dg, d2g = rail(x + xi * ct * cp + r * (ct * sp * cs - st * ss))
    d = atan(((dr * cp - sp * cs) * ct + ss * st) / (-side * (dr * sp + cs * cp)))
    sd, cd = sin(d), cos(d)
    s1, c1 = sin(te / cd), cos(te / cd)
    curvature = 0.5 / (r * sqrt(1 + dr * dr)) - 0.5 * d2g / (1 + dg * dg) ** 1.5
    c = ((abs(normal) * 3 * (1 - SIGMA) * E) / (2 * PI * curvature * SHEAR * sqrt(GG))) ** (1 / 3)
    w = SPIN + beta
    k1 = -w * r * (s1 * cs + c1 * sp * ss) + vx - vte * (r * (s1 * sp * cs + c1 * ss) + xi * s1 * cp)
    k1 -= vph * c1 * (xi * sp - r * cp * cs)
    k2 = w * r * cp * ss + vy + vph * (xi * cp + r * sp * cs)
    k3 = -w * r * (c1 * cs - s1 * sp * ss) + SPEED + vz - vte * (xi * c1 * cp + r * (c1 * sp * cs - s1 * ss))
    k3 += vph * s1 * (xi * sp - r * cp * cs)
    rolling = 0.5 * sqrt((k1 - 2 * vx) ** 2 + (k2 - 2 * vy) ** 2 + (k3 - 2 * vz - 2 * SPEED) ** 2)
    along, across = (s1 * k1 + c1 * k3) / rolling, (c1 * cd * k1 + side * sd * k2 - s1 * cd * k3) / rolling
    drill, limit = (-side * sd * w + cd * vte) / rolling, FRICTION * normal
    tx = -limit * tanh(SHEAR * c * c * C11 * along / limit)
    ty = -limit * tanh(SHEAR * c * c * C22 * across / limit + SHEAR * c**3 * C23 * drill / limit)
    size = sqrt(tx * tx + ty * ty)
    if size > abs(limit):
        tx, ty = tx * abs(limit) / size, ty * abs(limit) / size
    fx, fy, fz = s1 * tx + c1 * cd * ty, side * sd * ty, c1 * tx - s1 * cd * ty
    yaw = -(xi * st + r * ss * ct * cp) * fx - r * ss * sp * fy + (-xi * ct + r * ss * st * cp) * fz
    roll = -(xi * ct * sp - r * cs * ct * cp) * fx + (xi * cp + r * cs * sp) * fy + (xi * st * sp - r * cs * st * cp) * fz
    spin = -r * (cs * st + ss * ct * sp) * fx + r * ss * cp * fy - r * (cs * ct - ss * st * sp) * fz
    return fx, fy, fz, yaw, roll, spin, sd, cd


@njit(cache=True)
def loads(x, z, te, ph, vx, vy, vz, vte, vph, beta, l1, l2):
    """Force along x, y, z without weight, and moments about the axes of yaw, roll and spin, for multipliers of both contacts."""
    sp, cp = sin(ph), cos(ph)
    lx, lte, lph = row(x, te, ph, 1.0)
    rx, rte, rph = row(x, te, ph, -1.0)
    # normal forces: what the multipliers push across and up is shared by the two normals
    a = creep(x, te, ph, vx, vy, vz, vte, vph, beta, 1.0, 1.0)
    b = creep(x, te, ph, vx, vy, vz, vte, vph, beta, 1.0, -1.0)
    sdl, cdl, sdr, cdr = a[6], a[7], b[6], b[7]
    push, lift, det = lx * l1 + rx * l2, -l1 - l2, -sdl * cdr - sdr * cdl
    a = creep(x, te, ph, vx, vy, vz, vte, vph, beta, (cdr * push - sdr * lift) / det, 1.0)
    b = creep(x, te, ph, vx, vy, vz, vte, vph, beta, (-cdl * push - sdl * lift) / det, -1.0)
    back = -2 * ARM**2 * SPRING * te
    fx, fy, fz = a[0] + b[0] + push - 2 * SPRING * x, a[1] + b[1] + lift, a[2] + b[2] - 2 * SPRING * z
    yaw, roll = a[3] + b[3] + cp * back + lte * l1 + rte * l2, a[4] + b[4] + lph * l1 + rph * l2
    return fx, fy, fz, yaw, roll, a[5] + b[5] + sp * back


@njit(cache=True)
def lifts(x, z, te, ph, vx, vy, vz, vte, vph, beta, l1, l2):
    """Accelerations of the gaps of both wheels."""
    fx, fy, _, yaw, roll, _ = loads(x, z, te, ph, vx, vy, vz, vte, vph, beta, l1, l2)
    sp, cp, w = sin(ph), cos(ph), SPIN + beta
    ax, ay = fx / MASS, fy / MASS - GRAVITY
    ate = (yaw + ACROSS * vte * vph * sp - AXIAL * w * vph - (AXIAL - ACROSS) * vte * sp * vph) / (ACROSS * cp)
    aph = (roll + AXIAL * w * vte * cp + (AXIAL - ACROSS) * vte * sp * vte * cp) / ACROSS
    h = 1e-5
    gx, gte, gph = row(x, te, ph, 1.0)
    a, b, c = row(x + h * vx, te + h * vte, ph + h * vph, 1.0)
    d, e, f = row(x - h * vx, te - h * vte, ph - h * vph, 1.0)
    left = gx * ax - ay + gte * ate + gph * aph + ((a - d) * vx + (b - e) * vte + (c - f) * vph) / (2 * h)
    gx, gte, gph = row(x, te, ph, -1.0)
    a, b, c = row(x + h * vx, te + h * vte, ph + h * vph, -1.0)
    d, e, f = row(x - h * vx, te - h * vte, ph - h * vph, -1.0)
    right = gx * ax - ay + gte * ate + gph * aph + ((a - d) * vx + (b - e) * vte + (c - f) * vph) / (2 * h)
    return left, right


@njit(cache=True)
def multipliers(x, z, te, ph, vx, vy, vz, vte, vph, beta):
    """Those with which both wheels stay on the rails, by Newton's method."""
    l1, l2, h = -79.0, -79.0, 1e-3
    for _ in range(20):
        f, g = lifts(x, z, te, ph, vx, vy, vz, vte, vph, beta, l1, l2)
        a, b = lifts(x, z, te, ph, vx, vy, vz, vte, vph, beta, l1 + h, l2)
        c, d = lifts(x, z, te, ph, vx, vy, vz, vte, vph, beta, l1, l2 + h)
        f1, g1, f2, g2 = (a - f) / h, (b - g) / h, (c - f) / h, (d - g) / h
        det = f1 * g2 - f2 * g1
        s1, s2 = (f * g2 - g * f2) / det, (g * f1 - f * g1) / det
        l1, l2 = l1 - s1, l2 - s2
        if abs(s1) + abs(s2) < 1e-11 * (abs(l1) + abs(l2)):
            break
    return l1, l2


def on_rails(t, r, R, v, w, force, torque):
    """All but weight and inertia, as a UserForce on the wheelset."""
    ax, ay, az = R[0, 0, 0], R[0, 1, 0], R[0, 2, 0]
    te, ph = atan(-az / ax), atan(ay / sqrt(ax * ax + az * az))
    st, ct, sp, cp = sin(te), cos(te), sin(ph), cos(ph)
    wx, wy, wz = w[0, 0], w[0, 1], w[0, 2]
    up = (-ct * sp, cp, st * sp)  # axis of yaw, rolled
    vph, vte = st * wx + ct * wz, (up[0] * wx + up[1] * wy + up[2] * wz) / cp
    beta = ax * wx + ay * wy + az * wz - vte * sp - SPIN
    x, z, vx, vy, vz = r[0, 0], r[0, 2], v[0, 0], v[0, 1], v[0, 2]
    l1, l2 = multipliers(x, z, te, ph, vx, vy, vz, vte, vph, beta)
    fx, fy, fz, yaw, roll, spin = loads(x, z, te, ph, vx, vy, vz, vte, vph, beta, l1, l2)
    force[0, 0], force[0, 1], force[0, 2] = fx, fy, fz
    torque[0, 0] = yaw * up[0] + roll * st + spin * ax
    torque[0, 1] = yaw * up[1] + spin * ay
    torque[0, 2] = yaw * up[2] + roll * ct + spin * az


def attitude(te, ph):
    """Rotation without spin."""
    st, ct, sp, cp = sin(te), cos(te), sin(ph), cos(ph)
    return np.array([[ct * cp, -ct * sp, st], [sp, cp, 0.0], [-st * cp, st * sp, ct]])
