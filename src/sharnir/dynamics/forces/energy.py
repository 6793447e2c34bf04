"""Kinetic and potential energy, momentum and centre of mass at one state."""

import math

from sharnir.dynamics.bodies.flexible_body import elastic_moment, elastic_momentum, elastic_potential
from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.bodies.rigid_body import body_inertia
from sharnir.dynamics.forces.force_elements import ADDRESS, CONSTANT, COORDINATE, REST, SPEED, STIFFNESS, call_element
from sharnir.dynamics.forces.potential import potential_of
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    armature_of,
    ball_spring_record,
    body_params,
    body_record,
    body_work,
    coordinate_params,
    held_spring_params,
    held_spring_record,
    joint_force_record,
    motion_work,
    potential_record,
)
from sharnir.kernel import jit
from sharnir.spatial.inertia import inertia_times
from sharnir.spatial.rotation import rotation_vector
from sharnir.spatial.vector import add, cross, dot, load3, rotate, store3


@jit
def rotor_energy(tab, par, w, v):
    """½ Σ J q̇² over speeds and prescribed freedoms."""
    total = 0.0
    if tab[L.ARMATURED] != 0:
        for k in range(tab[L.N_V]):
            total += 0.5 * armature_of(tab, par, k) * v[k] * v[k]
        for k in range(tab[L.N_MOTION]):
            x = w[motion_work(tab, k) + 1]
            total += 0.5 * armature_of(tab, par, tab[L.N_V] + k) * x * x
    return total


@jit
def kinetic_energy(tab, par, w, v):
    """½ Σ v_iᵀ M_i v_i of bodies, ½ J q̇² of rotors; needs update_kinematics."""
    total = rotor_energy(tab, par, w, v)
    for i in range(tab[L.N_BODY]):
        wb = body_work(tab, i)
        vel, om = load3(w, wb + L.VEL), load3(w, wb + L.VEL + 3)
        x, y = inertia_times(body_inertia(tab, par, i, 0.0), vel, om)
        b = body_record(tab, i)
        if tab[b + L.COUNT_ELASTIC] > 0 and tab[b + L.KIND] != L.NODE:
            x, y, extra = elastic_momentum(tab, par, w, b, vel, om)
            total += 0.5 * extra
        total += 0.5 * (dot(vel, x) + dot(om, y))
    return total


@jit
def potential_of_bodies(tab, par, w):
    """Gravity, and the elasticity of flexible bodies; needs poses."""
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
    return total


@jit
def held_potential(t, tab, par, w):
    """Springs and drives in freedoms that events have locked; needs update_motions."""
    total = 0.0
    for k in range(tab[L.N_HELD_SPRING]):
        f, p = held_spring_record(tab, k), held_spring_params(tab, k)
        motion = tab[f + L.HELD_MOTION]
        x = par[p + L.HELD_VALUE] if motion < 0 else w[motion_work(tab, motion)]
        total += 0.5 * par[p + L.HELD_STIFFNESS] * (x - par[p + L.HELD_REST]) ** 2 - par[p + L.HELD_CONSTANT] * x
        if tab[f + L.HELD_ADDRESS] != 0:
            total -= potential_of(tab, par, f + L.HELD_ADDRESS, x, t)
    return total


@jit
def potential_energy(t, tab, par, w, q):
    """Gravity, springs in joints, and what force elements store (functions at zero speed); needs poses and forces."""
    total = potential_of_bodies(tab, par, w)
    for k in range(tab[L.N_V]):
        c = tab[tab[L.T_COORDINATE] + k]
        p = coordinate_params(tab, k)
        if c >= 0:
            total += 0.5 * par[p + STIFFNESS] * (q[c] - par[p + REST]) ** 2 - par[p + CONSTANT] * q[c]
    for k in range(tab[L.N_JOINT_FORCE]):
        f = joint_force_record(tab, k)
        if tab[tab[L.T_COORDINATE] + tab[f + SPEED]] >= 0:
            total -= potential_of(tab, par, f + ADDRESS, q[tab[f + COORDINATE]], t)
    for k in range(tab[L.N_BALL_SPRING]):
        f = ball_spring_record(tab, k)
        i, c = tab[f + SPEED], tab[f + COORDINATE]
        phi = rotation_vector((q[c], q[c + 1], q[c + 2], q[c + 3]))
        total += 0.5 * par[coordinate_params(tab, i) + STIFFNESS] * dot(phi, phi)
    total += held_potential(t, tab, par, w)
    for k in range(tab[L.N_POTENTIAL]):
        e = potential_record(tab, k)
        function, record, place = tab[e], tab[e + 1], tab[e + 2]
        if function != 0:  # others leave theirs among their outputs
            call_element(function, t, record, place, tab, par, w)
        total += w[place]
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
