"""Forward recursion: relative position, velocities and the accelerations at q̈ = 0 (Ivanov et al. 2012, §2)."""

from sharnir.dynamics.bodies.joint_motion import ball_motion, general_motion, prismatic_motion, relative_motion, revolute_motion
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.layout import BALL, FREE, NODE, PRISMATIC, REVOLUTE
from sharnir.dynamics.memory.records import (
    body_params,
    body_record,
    body_work,
    first_freedom,
    freedom_params,
    motion_record,
    motion_work,
    parent_of,
    pose_work,
)
from sharnir.kernel import address_of, call_given, call_scalar, jit
from sharnir.spatial.rotation import quaternion_rate, quaternion_rotation
from sharnir.spatial.vector import add, lifted, load3, load9, multiply, rotate, rotate_back, store3, store9, transposed


@jit
def prescribed(tab, w, f, t):
    """A function of time by its address; below zero it is that of f(t, 0, 0, memory), negated: input_course.py."""
    if f > 0:
        return call_scalar(f, t, 0.0, 0.0)
    return call_given(-f, t, 0.0, 0.0, address_of(w, tab[L.W_MOTION]))


@jit
def update_motions(t, tab, w, zero):
    """Prescribed values of elementary freedoms and their first two derivatives at time t; constant ones stand there already."""
    for k in range(tab[L.N_MOTION]):
        i = motion_record(tab, k)
        j = motion_work(tab, k)
        if tab[i] != 0:
            w[j] = zero + prescribed(tab, w, tab[i], t)
            w[j + 1] = zero + prescribed(tab, w, tab[i + 1], t)
            w[j + 2] = zero + prescribed(tab, w, tab[i + 2], t)


@jit
def update_kinematics(tab, par, w, q, v, zero):
    """G, ρ, velocity and w* of every body from q and v; needs update_motions. Equations (2.7), (2.12), (2.14)."""
    z3 = (zero, zero, zero)
    vl, om = z3, z3
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        p = body_params(tab, i)
        wb = body_work(tab, i)
        parent = tab[b + L.PARENT]
        if parent < 0:
            vl, om = z3, z3
        elif parent != i - 1:  # else they are still in registers
            wp = body_work(tab, parent)
            vl, om = load3(w, wp + L.VEL), load3(w, wp + L.VEL + 3)
        T = load9(par, p + L.TREE_ROTATION)
        rho = lifted(load3(par, p + L.TREE_POSITION), zero)
        kind = tab[b + L.KIND]
        if kind == REVOLUTE:
            x, xd = q[tab[b + L.FIRST_Q]], v[tab[b + L.FIRST_V]]
            R, rho, vl, om, cl, ca = revolute_motion(T, rho, x, xd, vl, om, zero)
        elif kind == PRISMATIC:
            x, xd = q[tab[b + L.FIRST_Q]], v[tab[b + L.FIRST_V]]
            R, rho, vl, om, cl, ca = prismatic_motion(T, rho, x, xd, vl, om, zero)
        elif kind == BALL:
            iq = tab[b + L.FIRST_Q]
            e = (q[iq], q[iq + 1], q[iq + 2], q[iq + 3])
            R, rho, vl, om, cl, ca = ball_motion(T, rho, e, load3(v, tab[b + L.FIRST_V]), vl, om)
        else:
            R, rho, vl, om, cl, ca = general_motion(relative_motion(tab, par, w, q, v, b, zero), T, rho, vl, om)
        store9(w, wb + L.G, R)
        store3(w, wb + L.RHO, rho)
        store3(w, wb + L.VEL, vl)
        store3(w, wb + L.VEL + 3, om)
        store3(w, wb + L.BIAS, cl)
        store3(w, wb + L.BIAS + 3, ca)
        if kind != NODE:  # the elimination finds elastic coordinates and speeds in work
            h, at = tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_W]
            for k in range(h):
                w[at + k] = q[tab[b + L.ELASTIC_Q] + k]
                w[at + h + k] = v[tab[b + L.ELASTIC_V] + k]


@jit
def update_rates(tab, par, q, v, qdot):
    """q̇ from v: equal for angles and displacements, through the quaternion for ball and free joints."""
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        iq, iv = tab[b + L.FIRST_Q], tab[b + L.FIRST_V]
        kind = tab[b + L.KIND]
        if kind == FREE:
            E = quaternion_rotation((q[iq + 3], q[iq + 4], q[iq + 5], q[iq + 6]))
            D = load9(par, freedom_params(tab, first_freedom(tab, b)))
            store3(qdot, iq, rotate_back(D, rotate(E, load3(v, iv))))
            iq += 3
            iv += 3
        if kind in (BALL, FREE):
            r = quaternion_rate((q[iq], q[iq + 1], q[iq + 2], q[iq + 3]), load3(v, iv))
            qdot[iq] = r[0]
            store3(qdot, iq + 1, (r[1], r[2], r[3]))
        else:
            for k in range(tab[b + L.COUNT_V]):
                qdot[iq + k] = v[iv + k]
        if kind != NODE:
            for k in range(tab[b + L.COUNT_ELASTIC]):
                qdot[tab[b + L.ELASTIC_Q] + k] = v[tab[b + L.ELASTIC_V] + k]


@jit
def pose_of(tab, w, i, zero):
    """Rotation body → world, origin, velocity of the origin, angular velocity (world axes) of body i, or of the base."""
    if i < 0:
        one = zero + 1.0
        z3 = (zero, zero, zero)
        return (one, zero, zero, zero, one, zero, zero, zero, one), z3, z3, z3
    p = pose_work(tab, i)
    return load9(w, p), load3(w, p + 9), load3(w, p + 12), load3(w, p + 15)


@jit
def update_poses(tab, w, zero):
    """World poses and velocities; needs update_kinematics. r_i = r_parent + Rᵀ ρ (Ivanov et al. 2012 print it otherwise)."""
    for i in range(tab[L.N_BODY]):
        wb = body_work(tab, i)
        P, r, _, _ = pose_of(tab, w, parent_of(tab, i), zero)
        r = add(r, rotate(P, load3(w, wb + L.RHO)))
        P = multiply(P, transposed(load9(w, wb + L.G)))
        p = pose_work(tab, i)
        store9(w, p, P)
        store3(w, p + 9, r)
        store3(w, p + 12, rotate(P, load3(w, wb + L.VEL)))
        store3(w, p + 15, rotate(P, load3(w, wb + L.VEL + 3)))
