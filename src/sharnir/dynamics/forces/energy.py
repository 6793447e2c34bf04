"""Kinetic and potential energy, momentum and centre of mass at one state."""

import math

from sharnir.dynamics.bodies.flexible_body import elastic_moment, elastic_momentum, elastic_potential
from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.bodies.rigid_body import body_inertia
from sharnir.dynamics.forces.force_elements import bushing_state
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    ball_spring_record,
    body_params,
    body_record,
    body_work,
    coordinate_params,
    force_record,
    joint_force_record,
)
from sharnir.kernel import call_scalar, jit
from sharnir.spatial.inertia import inertia_times
from sharnir.spatial.rotation import rotation_vector
from sharnir.spatial.vector import add, cross, dot, load3, rotate, store3

# Gauss–Lobatto, five points on [0, 1]: the ends are among them, so that no kink hides beside an end
X5 = (0.0, 0.5 - 0.5 * math.sqrt(3.0 / 7.0), 0.5, 0.5 + 0.5 * math.sqrt(3.0 / 7.0), 1.0)
W5 = (1.0 / 20.0, 49.0 / 180.0, 16.0 / 45.0, 49.0 / 180.0, 1.0 / 20.0)
ROUNDING, SHORTEST, MOST = 1e-12, 1e-10, 500  # relative error and relative length of a piece, and how many pieces


@jit
def lobatto(f, x, h, t):
    """∫ f(ξ, 0, t) dξ and ∫ |f| |dξ| from x to x + h by five points."""
    total, size = 0.0, 0.0
    for j in range(5):
        y = W5[j] * call_scalar(f, x + h * X5[j], 0.0, t)
        total += y
        size += abs(y)
    return total * h, size * abs(h)


@jit
def potential_of(f, x, t):
    """∫₀ˣ f(ξ, 0, t) dξ: the potential of a force that is a function. Pieces get short where a table or formula has a kink."""
    total, at, h, size = 0.0, 0.0, x, 0.0
    if f < 0:
        return 0.0  # a function of signals has no potential
    for _ in range(MOST):
        last = abs(h) >= abs(x - at)
        if last:
            h = x - at
        whole, _ = lobatto(f, at, h, t)
        left, a = lobatto(f, at, 0.5 * h, t)
        right, b = lobatto(f, at + 0.5 * h, 0.5 * h, t)
        if left + right != left + right:
            return math.nan
        size = max(size, a + b)
        if abs(left + right - whole) <= ROUNDING * size or abs(h) <= SHORTEST * abs(x):
            total += left + right
            if last:
                return total
            at += h
            h = 2.0 * h
        else:
            h = 0.5 * h
    return total + lobatto(f, at, x - at, t)[0]


@jit
def plain_function(tab, f):
    """The function that a potential is the integral of: one that holds no sides; below zero if it depends on signals."""
    if f < 0:
        first = tab[L.T_PLAIN] + 1
        for k in range(tab[tab[L.T_PLAIN]]):
            if tab[first + 2 * k] == f:
                return tab[first + 2 * k + 1]
    return f


@jit
def kinetic_energy(tab, par, w):
    """½ Σ v_iᵀ M_i v_i; needs update_kinematics."""
    total = 0.0
    for i in range(tab[L.N_BODY]):
        wb = body_work(tab, i)
        v, om = load3(w, wb + L.VEL), load3(w, wb + L.VEL + 3)
        x, y = inertia_times(body_inertia(tab, par, i, 0.0), v, om)
        b = body_record(tab, i)
        if tab[b + L.COUNT_ELASTIC] > 0 and tab[b + L.KIND] != L.NODE:
            x, y, extra = elastic_momentum(tab, par, w, b, v, om)
            total += 0.5 * extra
        total += 0.5 * (dot(v, x) + dot(om, y))
    return total


@jit
def potential_energy(t, tab, par, w, q):
    """Gravity, springs (their functions at zero speed), bushings, springs in joints; needs poses and forces."""
    g = load3(par, L.GRAVITY)
    total = 0.0
    for i in range(tab[L.N_BODY]):
        p = body_params(tab, i)
        R, r, _, _ = pose_of(tab, w, i, 0.0)
        h = load3(par, p + L.FIRST_MOMENT)
        b = body_record(tab, i)
        if tab[b + L.COUNT_ELASTIC] > 0 and tab[b + L.KIND] != L.NODE:
            h = elastic_moment(tab, par, w, b, h)
            total += elastic_potential(tab, par, w, b)
        total -= par[p + L.MASS] * dot(g, r) + dot(g, rotate(R, h))
    for k in range(tab[L.N_V]):
        c = tab[tab[L.T_COORDINATE] + k]
        p = coordinate_params(tab, k)
        if c >= 0:
            total += 0.5 * par[p + 2] * (q[c] - par[p + 3]) ** 2 - par[p] * q[c]
    for k in range(tab[L.N_JOINT_FORCE]):
        f = joint_force_record(tab, k)
        if tab[tab[L.T_COORDINATE] + tab[f]] >= 0:
            total -= potential_of(plain_function(tab, tab[f + 2]), q[tab[f + 1]], t)
    for k in range(tab[L.N_BALL_SPRING]):
        f = ball_spring_record(tab, k)
        c = tab[f + 1]
        phi = rotation_vector((q[c], q[c + 1], q[c + 2], q[c + 3]))
        total += 0.5 * par[coordinate_params(tab, tab[f]) + 2] * dot(phi, phi)
    for k in range(tab[L.N_FORCE]):
        total += element_potential(t, tab, par, w, force_record(tab, k))
    for k in range(tab[L.N_POTENTIAL]):
        total += w[tab[tab[L.T_POTENTIAL] + k]]
    return total


@jit
def element_potential(t, tab, par, w, f):
    """Potential of one spring or bushing; others tell theirs themselves, or have none."""
    p, total = tab[f + L.F_PARAMS], 0.0
    if tab[f] == L.SPRING:
        x = w[tab[f + L.W_OUT]] - par[p + 8]
        total = 0.5 * par[p + 6] * x * x
        if tab[f + L.FUNCTION] != 0:
            total += potential_of(plain_function(tab, tab[f + L.FUNCTION]), x, t)
    elif tab[f] == L.BUSHING:
        _, _, x, _, phi, _ = bushing_state(tab, par, w, f)
        for k in range(3):
            total += 0.5 * (par[p + 24 + k] * x[k] * x[k] + par[p + 27 + k] * phi[k] * phi[k]) - par[p + 36 + k] * x[k]
    return total


@jit
def update_momentum(tab, par, w, out):
    """out ← mass, centre of mass (3), momentum (3), angular momentum about the world's origin (3); needs poses."""
    mass, c, P, H = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(tab[L.N_BODY]):
        p = body_params(tab, i)
        wb = body_work(tab, i)
        m, h = par[p + L.MASS], load3(par, p + L.FIRST_MOMENT)
        x, y = inertia_times(body_inertia(tab, par, i, 0.0), load3(w, wb + L.VEL), load3(w, wb + L.VEL + 3))
        b = body_record(tab, i)
        if tab[b + L.COUNT_ELASTIC] > 0 and tab[b + L.KIND] != L.NODE:
            x, y, _ = elastic_momentum(tab, par, w, b, load3(w, wb + L.VEL), load3(w, wb + L.VEL + 3))
            h = elastic_moment(tab, par, w, b, h)
        R, r, _, _ = pose_of(tab, w, i, 0.0)
        x = rotate(R, x)
        mass += m
        c = add(c, add((m * r[0], m * r[1], m * r[2]), rotate(R, h)))
        P = add(P, x)
        H = add(H, add(rotate(R, y), cross(r, x)))
    out[0] = mass
    k = 1.0 / mass if mass > 0.0 else math.nan
    store3(out, 1, (c[0] * k, c[1] * k, c[2] * k))
    store3(out, 4, P)
    store3(out, 7, H)
