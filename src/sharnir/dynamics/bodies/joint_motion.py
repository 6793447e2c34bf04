"""Motion in one joint: each kind turns coordinates into a relative position, velocity and acceleration.

All functions take the parent's velocity (vl, om, parent axes) and return the same six things in body axes:
rotation G, offset ρ, velocity, angular velocity, and the acceleration w* = ψ^r + w^c that is there without q̈ (linear, angular).
"""

from typing import Any, NamedTuple

from sharnir.dynamics.bodies.flexible_node import node_motion
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.layout import FREE, NODE, SCREW, TRANSLATION
from sharnir.dynamics.memory.records import axis_work, end_freedom, first_freedom, freedom_params, freedom_record, motion_work
from sharnir.kernel import address_of, call_vector, inline, sincos
from sharnir.spatial.rotation import axis_rotation, quaternion_rotation
from sharnir.spatial.vector import (
    add,
    cross,
    lifted,
    load3,
    load9,
    multiply,
    multiply_back,
    rotate,
    rotate_back,
    scale,
    store3,
    transposed,
)


@inline
def turned_about_z(T, s, c, zero):
    """Rz(q)ᵀ T: the rotation of a revolute joint whose axis is z of the body."""
    return (
        c * T[0] + s * T[3],
        c * T[1] + s * T[4],
        c * T[2] + s * T[5],
        c * T[3] - s * T[0],
        c * T[4] - s * T[1],
        c * T[5] - s * T[2],
        T[6] + zero,
        T[7] + zero,
        T[8] + zero,
    )


@inline
def freedom_values(tab, w, q, v, f, zero):
    """Coordinate, speed and given acceleration of an elementary freedom, whether free or prescribed."""
    if tab[f + L.MOTION] >= 0:
        j = motion_work(tab, tab[f + L.MOTION])
        return w[j], w[j + 1], w[j + 2]
    return q[tab[f + L.COORDINATE]], v[tab[f + L.SPEED]], zero


@inline
def sequence_motion(tab, par, w, q, v, b, zero):
    """Relative motion of a joint that is a sequence of elementary freedoms, one after the other.

    Returns turn H (joint axes at zero -> body axes), offset r in joint axes, v^r, ω^r and the acceleration ψ^r (linear,
    angular) in body axes; the motion axes s go to `work`. Each freedom is a step of the recursion itself, v ← X v + s q̇.
    """
    one = zero + 1.0
    H = (one, zero, zero, zero, one, zero, zero, zero, one)
    z3 = (zero, zero, zero)
    r, vl, om, al, aa = z3, z3, z3, z3, z3
    first = first_freedom(tab, b)
    for k in range(first, end_freedom(tab, b)):
        f = freedom_record(tab, k)
        p = freedom_params(tab, k)
        s0 = axis_work(tab, first)
        sk = axis_work(tab, k)
        a = lifted(load3(par, p), zero)
        x, xd, xdd = freedom_values(tab, w, q, v, f, zero)
        lin = zero
        if tab[f] == TRANSLATION:
            lin = one
        if tab[f] == SCREW:
            lin = zero + par[p + 3]
        if tab[f] != L.ROTATION:
            # a shift by a·lin·x: the origin moves, the axes stay
            d = scale(a, lin * x)
            dv = scale(a, lin * xd)
            al = add(al, add(cross(aa, d), add(cross(om, cross(om, d)), add(scale(cross(om, dv), 2.0), scale(a, lin * xdd)))))
            vl = add(vl, add(cross(om, d), dv))
            r = add(r, rotate_back(H, d))
            for j in range(s0, sk, L.W_AXES_SIZE):
                store3(w, j, add(load3(w, j), cross(load3(w, j + 3), d)))
        if tab[f] != TRANSLATION:
            # a turn by x about a: the axes turn, the origin stays
            D = transposed(axis_rotation(a, x))
            vl, om, al, aa = rotate(D, vl), rotate(D, om), rotate(D, al), rotate(D, aa)
            w_axis = scale(a, xd)
            aa = add(aa, add(cross(om, w_axis), scale(a, xdd)))
            om = add(om, w_axis)
            H = multiply(D, H)
            for j in range(s0, sk, L.W_AXES_SIZE):
                store3(w, j, rotate(D, load3(w, j)))
                store3(w, j + 3, rotate(D, load3(w, j + 3)))
        turn = one
        if tab[f] == TRANSLATION:
            turn = zero
        store3(w, sk, scale(a, lin))
        store3(w, sk + 3, scale(a, turn))
    return H, r, vl, om, al, aa


@inline
def revolute_motion(T, rho, x, xd, vl, om, zero):
    """A turn about z of the body."""
    s, c = sincos(x)
    R = turned_about_z(T, s, c, zero)
    cl = rotate(R, cross(om, cross(om, rho)))
    vl = rotate(R, add(vl, cross(om, rho)))
    om = rotate(R, om)
    ca = (om[1] * xd, zero - om[0] * xd, zero)
    return R, rho, vl, (om[0], om[1], om[2] + xd), cl, ca


@inline
def prismatic_motion(T, rho, x, xd, vl, om, zero):
    """A shift along z of the body."""
    R = (T[0] + zero, T[1] + zero, T[2] + zero, T[3] + zero, T[4] + zero, T[5] + zero, T[6] + zero, T[7] + zero, T[8] + zero)
    rho = add(rho, scale((R[6], R[7], R[8]), x))
    cl = rotate(R, cross(om, cross(om, rho)))
    vl = rotate(R, add(vl, cross(om, rho)))
    om = rotate(R, om)
    cl = (cl[0] + 2.0 * om[1] * xd, cl[1] - 2.0 * om[0] * xd, cl[2])
    return R, rho, (vl[0], vl[1], vl[2] + xd), om, cl, (zero, zero, zero)


@inline
def ball_motion(T, rho, e, turn, vl, om):
    """A turn by the quaternion e about the origin of the body, with the angular velocity `turn` in body axes."""
    R = multiply_back(quaternion_rotation(e), T)
    cl = rotate(R, cross(om, cross(om, rho)))
    vl = rotate(R, add(vl, cross(om, rho)))
    om = rotate(R, om)
    return R, rho, vl, add(om, turn), cl, cross(om, turn)


@inline
def formula_motion(tab, w, q, v, b, zero):
    """The same of a joint by formulas, from its function; it also gives the motion axes."""
    first, n = first_freedom(tab, b), end_freedom(tab, b) - first_freedom(tab, b)
    f = freedom_record(tab, first)
    at = tab[f + L.JOINT_MEMORY]
    for k in range(n):
        x, xd, xdd = freedom_values(tab, w, q, v, freedom_record(tab, first + k), zero)
        w[at + 3 * k], w[at + 3 * k + 1], w[at + 3 * k + 2] = x, xd, xdd
    out = at + 3 * n
    call_vector(tab[f + L.JOINT_FUNCTION], address_of(w, at), address_of(w, out))
    s = axis_work(tab, first)
    for k in range(6 * n):
        w[s + k] = w[out + L.FORMULA_OUT + k]
    return load9(w, out), load3(w, out + 9), load3(w, out + 12), load3(w, out + 15), load3(w, out + 18), load3(w, out + 21)


@inline
def freedoms_motion(tab, par, w, q, v, b, zero):
    """Relative motion by elementary freedoms, one after the other, or by formulas."""
    by_formulas = False
    if end_freedom(tab, b) > first_freedom(tab, b):
        by_formulas = tab[freedom_record(tab, first_freedom(tab, b))] == L.OF_FORMULA
    if by_formulas:
        H, r, vr, wr, al, aa = formula_motion(tab, w, q, v, b, zero)
    else:
        H, r, vr, wr, al, aa = sequence_motion(tab, par, w, q, v, b, zero)
    return H, r, vr, wr, al, aa


class RelativeMotion(NamedTuple):
    """Motion of a body in its joint: turn H (axes before -> after), offset r, v^r, ω^r, and accelerations without q̈."""

    H: Any
    r: Any
    v: Any
    om: Any
    al: Any
    aa: Any


@inline
def relative_motion(tab, par, w, q, v, b, zero):
    """Of free and sequence joints, and of nodes."""
    kind = tab[b + L.KIND]
    iq, iv = tab[b + L.FIRST_Q], tab[b + L.FIRST_V]
    if kind == FREE:
        E = quaternion_rotation((q[iq + 3], q[iq + 4], q[iq + 5], q[iq + 6]))
        H, vr, wr, aa = transposed(E), load3(v, iv), load3(v, iv + 3), (zero, zero, zero)
        D = load9(par, freedom_params(tab, first_freedom(tab, b)))  # axes of the drawing -> joint axes
        r = rotate(D, load3(q, iq))
        al = cross(wr, vr)  # v^r is measured in turning axes
    elif kind == NODE:
        H, r, vr, wr, al, aa = node_motion(tab, par, w, q, v, b, zero)
    else:
        H, r, vr, wr, al, aa = freedoms_motion(tab, par, w, q, v, b, zero)
    return RelativeMotion(H, r, vr, wr, al, aa)


@inline
def general_motion(x, T, rho, vl, om):
    """A relative motion x on that of the parent: w* = [G ω~² ρ + 2 (G ω) × v^r ; (G ω) × ω^r] + ψ^r."""
    R = multiply(x.H, T)
    rho = add(rho, rotate_back(T, x.r))
    cl = rotate(R, cross(om, cross(om, rho)))
    vl = add(rotate(R, add(vl, cross(om, rho))), x.v)
    om = rotate(R, om)
    cl = add(add(cl, x.al), scale(cross(om, x.v), 2.0))
    return R, rho, vl, add(om, x.om), cl, add(x.aa, cross(om, x.om))
