"""The part of each kind of joint in the recursion of separate bodies: its freedoms are eliminated and recovered as q̈.

Freedoms are eliminated one at a time, I ← I - U Uᵀ/(sᵀU), which equals the block formula and keeps every intermediate
inertia exactly symmetric. Any joint works through its motion axes; revolute, prismatic, ball and free joints have unit
vectors for axes, so U is a column of the inertia and what remains has rows of zeros that need no work.
"""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.layout import BALL, FREE, PRISMATIC, REVOLUTE
from sharnir.dynamics.memory.records import (
    armature_of,
    axis_of,
    drive_work,
    elimination_work,
    end_freedom,
    first_freedom,
    motion_of,
    rotor_load,
    speed_of,
)
from sharnir.kernel import inline
from sharnir.spatial.inertia import (
    Articulated,
    Inertia,
    articulated,
    congruent,
    inertia_times,
    shifted,
    shifted_mass,
    symmetric_times,
    transformed,
    without_direction,
)
from sharnir.spatial.vector import add, cross, dot, load3, load6, load9, multiply_back, rotate_back, store3, store6


@inline
def eliminate(I, U, d, u, e, w):
    """Take one scalar freedom out of inertia and force, and remember U, d = 1/D, u at e for the way back.

    I ← I - U Uᵀ/D, p ← p + U u/D.
    """
    store6(w, e, U)
    w[e + L.INVERSE_D] = d
    w[e + L.LITTLE_U] = u
    k, f, m = u * d, I.f, I.m
    return articulated(
        without_direction(I, U, d),
        (f[0] + U[0] * k, f[1] + U[1] * k, f[2] + U[2] * k),
        (m[0] + U[3] * k, m[1] + U[4] * k, m[2] + U[5] * k),
    )


@inline
def eliminate_axis(I, sl, sa, tau, e, w, rotor):
    """The freedom with the motion axis s: U = I s, D = sᵀU + inertia of its rotor, u = τ - sᵀp."""
    x, y = inertia_times(I, sl, sa)
    U, u = (x[0], x[1], x[2], y[0], y[1], y[2]), tau - dot(sl, I.f) - dot(sa, I.m)
    return eliminate(I, U, 1.0 / (dot(sl, x) + dot(sa, y) + rotor), u, e, w)


@inline
def mass_block(A, f, m, zero):
    """An inertia of which only the mass block is left."""
    return Articulated(A, (zero, zero, zero, zero, zero, zero, zero, zero, zero), (zero, zero, zero, zero, zero, zero), f, m)


@inline
def eliminate_revolute(I, tau, e, w, zero):
    """The turn about z: U is the last column of I."""
    B, C = I.B, I.C
    I = eliminate(I, (B[2], B[5], B[8], C[2], C[4], C[5]), 1.0 / C[5], tau - I.m[2], e, w)
    B, C = I.B, I.C  # zero by construction in the column eliminated; rounding would put noise there
    return Articulated(
        I.A, (B[0], B[1], zero, B[3], B[4], zero, B[6], B[7], zero), (C[0], C[1], zero, C[3], zero, zero), I.f, I.m
    )


@inline
def eliminate_prismatic(I, tau, e, w, zero):
    """The shift along z: U is the third column of I."""
    A, B = I.A, I.B
    I = eliminate(I, (A[2], A[4], A[5], B[6], B[7], B[8]), 1.0 / A[5], tau - I.f[2], e, w)
    A, B = I.A, I.B
    return Articulated(
        (A[0], A[1], zero, A[3], zero, zero), (B[0], B[1], B[2], B[3], B[4], B[5], zero, zero, zero), I.C, I.f, I.m
    )


@inline
def eliminate_turns(I, tau, iv, e, w, zero):
    """The three turning freedoms of a ball or free joint, about x, y and z of the body; only a mass block is left."""
    B, C = I.B, I.C
    I = eliminate(I, (B[0], B[3], B[6], C[0], C[1], C[2]), 1.0 / C[0], tau[iv] - I.m[0], e, w)
    B, C = I.B, I.C
    I = eliminate(I, (B[1], B[4], B[7], zero, C[3], C[4]), 1.0 / C[3], tau[iv + 1] - I.m[1], e + 8, w)
    B, C = I.B, I.C
    I = eliminate(I, (B[2], B[5], B[8], zero, zero, C[5]), 1.0 / C[5], tau[iv + 2] - I.m[2], e + 16, w)
    return mass_block(I.A, I.f, load3(tau, iv), zero)  # p ← p + U u/D turns sᵀp into τ


@inline
def eliminate_shifts(I, tau, iv, e, w, zero):
    """The three shifting freedoms of a free joint, after its turning ones have been taken out; nothing is left but a force."""
    A, m = I.A, I.m
    I = eliminate(I, (A[0], A[1], A[2], zero, zero, zero), 1.0 / A[0], tau[iv] - I.f[0], e, w)
    A = I.A
    I = eliminate(I, (zero, A[3], A[4], zero, zero, zero), 1.0 / A[3], tau[iv + 1] - I.f[1], e + 8, w)
    A = I.A
    I = eliminate(I, (zero, zero, A[5], zero, zero, zero), 1.0 / A[5], tau[iv + 2] - I.f[2], e + 16, w)
    return mass_block((zero, zero, zero, zero, zero, zero), I.f, m, zero)


@inline
def eliminate_joint(tab, par, w, tau, b, I, zero):
    """All freedoms of one joint. Revolute and prismatic axes are unit vectors, so U is a column of the inertia."""
    kind = tab[b + L.ELIMINATED_AS]
    iv = tab[b + L.FIRST_V]
    e = elimination_work(tab, iv)
    if kind == REVOLUTE:
        I = eliminate_revolute(I, tau[iv], e, w, zero)
    elif kind == PRISMATIC:
        I = eliminate_prismatic(I, tau[iv], e, w, zero)
    elif kind in (BALL, FREE):
        k = 0
        if kind == FREE:
            k = 3
        I = eliminate_turns(I, tau, iv + k, e + 8 * k, w, zero)
        if kind == FREE:
            I = eliminate_shifts(I, tau, iv, e, w, zero)
    else:
        for j in range(first_freedom(tab, b), end_freedom(tab, b)):
            if motion_of(tab, j) >= 0:
                keep_drive(tab, par, w, j, I)
        for j in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, j)
            if k >= 0:
                sl, sa = axis_of(tab, w, j)
                I = eliminate_axis(I, sl, sa, tau[k], elimination_work(tab, k), w, armature_of(tab, par, k))
    return I


@inline
def keep_drive(tab, par, w, j, I):
    """Of a prescribed freedom: U = I s and sᵀp, so that its drive needs U·a + sᵀp once the body's acceleration is known."""
    sl, sa = axis_of(tab, w, j)
    x, y = inertia_times(I, sl, sa)
    k = motion_of(tab, j)
    e = drive_work(tab, k)
    store3(w, e, x)
    store3(w, e + 3, y)
    w[e + L.DRIVE_FORCE] = dot(sl, I.f) + dot(sa, I.m) + rotor_load(tab, par, w, k)


@inline
def to_parent(w, wb, I):
    """Xᵀ I X and Xᵀ (p + I w*): inertia and force of a joint's free part, seen from the parent."""
    x, y = inertia_times(I, load3(w, wb + L.BIAS), load3(w, wb + L.BIAS + 3))
    R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
    f = rotate_back(R, add(I.f, x))
    m = add(rotate_back(R, add(I.m, y)), cross(rho, f))
    return articulated(transformed(I, R, rho), f, m)


@inline
def revolute_to_parent(w, wb, I):
    """The same where nothing is left about z: B has no third column, C no third row (a third of the operations less)."""
    A, B, C, f, m = I
    c, d = load3(w, wb + L.BIAS), load3(w, wb + L.BIAS + 3)
    x, R, rho = symmetric_times(A, c), load9(w, wb + L.G), load3(w, wb + L.RHO)
    x = (x[0] + B[0] * d[0] + B[1] * d[1], x[1] + B[3] * d[0] + B[4] * d[1], x[2] + B[6] * d[0] + B[7] * d[1])
    y0 = m[0] + B[0] * c[0] + B[3] * c[1] + B[6] * c[2] + C[0] * d[0] + C[1] * d[1]
    y1 = m[1] + B[1] * c[0] + B[4] * c[1] + B[7] * c[2] + C[1] * d[0] + C[3] * d[1]
    f = rotate_back(R, add(f, x))
    m = add(rotate_back(R, (y0, y1, m[2])), cross(rho, f))
    # B R and C R from the first two rows of R
    P = (
        B[0] * R[0] + B[1] * R[3],
        B[0] * R[1] + B[1] * R[4],
        B[0] * R[2] + B[1] * R[5],
        B[3] * R[0] + B[4] * R[3],
        B[3] * R[1] + B[4] * R[4],
        B[3] * R[2] + B[4] * R[5],
        B[6] * R[0] + B[7] * R[3],
        B[6] * R[1] + B[7] * R[4],
        B[6] * R[2] + B[7] * R[5],
    )
    p0, p1, p2 = C[0] * R[0] + C[1] * R[3], C[0] * R[1] + C[1] * R[4], C[0] * R[2] + C[1] * R[5]
    q0, q1, q2 = C[1] * R[0] + C[3] * R[3], C[1] * R[1] + C[3] * R[4], C[1] * R[2] + C[3] * R[5]
    C = (
        R[0] * p0 + R[3] * q0,
        R[0] * p1 + R[3] * q1,
        R[0] * p2 + R[3] * q2,
        R[1] * p1 + R[4] * q1,
        R[1] * p2 + R[4] * q2,
        R[2] * p2 + R[5] * q2,
    )
    return articulated(shifted(Inertia(congruent(R, A), multiply_back(R, P), C), rho), f, m)


@inline
def ball_to_parent(w, wb, I):
    """The same where only the mass block is left: B = -A ρ~, C = -ρ~ A ρ~ about the parent's origin."""
    R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
    f = rotate_back(R, add(I.f, symmetric_times(I.A, load3(w, wb + L.BIAS))))
    m = add(rotate_back(R, I.m), cross(rho, f))
    return articulated(shifted_mass(congruent(R, I.A), rho), f, m)


@inline
def pass_on(w, wb, kind, I):
    """What a joint hands to its parent, by the cheapest formula of its kind."""
    if kind == REVOLUTE:
        I = revolute_to_parent(w, wb, I)
    elif kind == BALL:
        I = ball_to_parent(w, wb, I)
    else:
        I = to_parent(w, wb, I)
    return I


@inline
def back_substitute(w, e, al, aa, k):
    """q̈ = (u - U·a)/D of the freedom whose record is e + 8k."""
    U = load6(w, e + 8 * k)
    return (w[e + 8 * k + 7] - (U[0] * al[0] + U[1] * al[1] + U[2] * al[2]) - (U[3] * aa[0] + U[4] * aa[1] + U[5] * aa[2])) * w[
        e + 8 * k + 6
    ]


@inline
def back_substitute_turns(w, e, al, aa):
    """q̈ about z, y and x of a ball or free joint; U has zeros about the axes that were eliminated before."""
    i, j, k = e, e + 8, e + 16
    z = (w[k + L.LITTLE_U] - dot(load3(w, k), al) - w[k + 5] * aa[2]) * w[k + L.INVERSE_D]
    az = aa[2] + z
    y = (w[j + L.LITTLE_U] - dot(load3(w, j), al) - (w[j + 4] * aa[1] + w[j + 5] * az)) * w[j + L.INVERSE_D]
    ay = aa[1] + y
    x = (w[i + L.LITTLE_U] - dot(load3(w, i), al) - (w[i + 3] * aa[0] + w[i + 4] * ay + w[i + 5] * az)) * w[i + L.INVERSE_D]
    return x, y, z


@inline
def joint_acceleration(tab, w, vdot, b, al, aa):
    """Forward through one joint, last eliminated freedom first: q̈ and the body's acceleration."""
    kind = tab[b + L.ELIMINATED_AS]
    iv = tab[b + L.FIRST_V]
    e = elimination_work(tab, iv)
    if kind == REVOLUTE:
        x = back_substitute(w, e, al, aa, 0)
        vdot[iv] = x
        aa = (aa[0], aa[1], aa[2] + x)
    elif kind == PRISMATIC:
        x = back_substitute(w, e, al, aa, 0)
        vdot[iv] = x
        al = (al[0], al[1], al[2] + x)
    elif kind in (BALL, FREE):
        k = 0
        if kind == FREE:
            z = back_substitute(w, e, al, aa, 2)
            al = (al[0], al[1], al[2] + z)
            y = back_substitute(w, e, al, aa, 1)
            al = (al[0], al[1] + y, al[2])
            x = back_substitute(w, e, al, aa, 0)
            al = (al[0] + x, al[1], al[2])
            store3(vdot, iv, (x, y, z))
            k = 3
        turn = back_substitute_turns(w, e + 8 * k, al, aa)
        aa = add(aa, turn)
        store3(vdot, iv + k, turn)
    else:
        for f in range(end_freedom(tab, b) - 1, first_freedom(tab, b) - 1, -1):
            k = speed_of(tab, f)
            if k >= 0:
                sl, sa = axis_of(tab, w, f)
                x = back_substitute(w, e, al, aa, k - iv)
                vdot[k] = x
                al = (al[0] + sl[0] * x, al[1] + sl[1] * x, al[2] + sl[2] * x)
                aa = (aa[0] + sa[0] * x, aa[1] + sa[1] * x, aa[2] + sa[2] * x)
    return al, aa
