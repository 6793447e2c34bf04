"""What each kind of joint does in the recursion of separate bodies: its freedoms leave the inertia, and come back as q̈.

Freedoms are eliminated one at a time, I ← I - U Uᵀ/(sᵀU), which equals the block formula and keeps every intermediate
inertia exactly symmetric. Any joint works through its motion axes; revolute, prismatic, ball and free joints have unit
vectors for axes, so U is a column of the inertia and what remains has rows of zeros that need no work.
"""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.layout import BALL, FREE, PRISMATIC, REVOLUTE
from sharnir.dynamics.memory.records import axis_work, elimination_work, end_freedom, first_freedom, speed_of
from sharnir.kernel import inline
from sharnir.spatial.inertia import congruent, inertia_times, shifted, shifted_mass, symmetric_times, without_direction
from sharnir.spatial.vector import add, cross, dot, load3, load6, load9, multiply, multiply_back, rotate_back, store3, store6


@inline
def eliminate(A, B, C, fl, fa, U, d, u, e, w):
    """Take one scalar freedom out of inertia and force, and remember U, 1/D, u for the way back."""
    store6(w, e, U)
    w[e + 6] = d
    w[e + 7] = u
    A, B, C = without_direction(A, B, C, U, d)
    k = u * d
    return A, B, C, (fl[0] + U[0] * k, fl[1] + U[1] * k, fl[2] + U[2] * k), (fa[0] + U[3] * k, fa[1] + U[4] * k, fa[2] + U[5] * k)


@inline
def eliminate_angular(A, B, C, fl, fa, tau, iv, e, w, zero):
    """The three turning freedoms of a ball or free joint, about x, y and z of the body."""
    U = (B[0], B[3], B[6], C[0], C[1], C[2])
    A, B, C, fl, fa = eliminate(A, B, C, fl, fa, U, 1.0 / U[3], tau[iv] - fa[0], e, w)
    U = (B[1], B[4], B[7], zero, C[3], C[4])
    A, B, C, fl, fa = eliminate(A, B, C, fl, fa, U, 1.0 / U[4], tau[iv + 1] - fa[1], e + 8, w)
    U = (B[2], B[5], B[8], zero, zero, C[5])
    A, B, C, fl, fa = eliminate(A, B, C, fl, fa, U, 1.0 / U[5], tau[iv + 2] - fa[2], e + 16, w)
    return A, fl, fa


@inline
def eliminate_linear(A, fl, tau, iv, e, w, zero):
    """The three shifting freedoms of a free joint, after its turning ones have been taken out."""
    z9 = (zero, zero, zero, zero, zero, zero, zero, zero, zero)
    z6 = (zero, zero, zero, zero, zero, zero)
    z3 = (zero, zero, zero)
    U = (A[0], A[1], A[2], zero, zero, zero)
    A, _, _, fl, _ = eliminate(A, z9, z6, fl, z3, U, 1.0 / U[0], tau[iv] - fl[0], e, w)
    U = (zero, A[3], A[4], zero, zero, zero)
    A, _, _, fl, _ = eliminate(A, z9, z6, fl, z3, U, 1.0 / U[1], tau[iv + 1] - fl[1], e + 8, w)
    U = (zero, zero, A[5], zero, zero, zero)
    A, _, _, fl, _ = eliminate(A, z9, z6, fl, z3, U, 1.0 / U[2], tau[iv + 2] - fl[2], e + 16, w)
    return fl


@inline
def eliminate_joint(tab, w, tau, b, A, B, C, fl, fa, zero):
    """All freedoms of one joint. Revolute and prismatic axes are unit vectors, so U is a column of the inertia."""
    kind = tab[b + L.KIND]
    iv = tab[b + L.FIRST_V]
    e = elimination_work(tab, iv)
    if kind == REVOLUTE:
        U = (B[2], B[5], B[8], C[2], C[4], C[5])
        A, B, C, fl, fa = eliminate(A, B, C, fl, fa, U, 1.0 / U[5], tau[iv] - fa[2], e, w)
        # zero by construction; rounding would put noise there
        B = (B[0], B[1], zero, B[3], B[4], zero, B[6], B[7], zero)
        C = (C[0], C[1], zero, C[3], zero, zero)
    elif kind == PRISMATIC:
        U = (A[2], A[4], A[5], B[6], B[7], B[8])
        A, B, C, fl, fa = eliminate(A, B, C, fl, fa, U, 1.0 / U[2], tau[iv] - fl[2], e, w)
        A = (A[0], A[1], zero, A[3], zero, zero)
        B = (B[0], B[1], B[2], B[3], B[4], B[5], zero, zero, zero)
    elif kind in (BALL, FREE):
        z6 = (zero, zero, zero, zero, zero, zero)
        k = 0
        if kind == FREE:
            k = 3
        A, fl, fa = eliminate_angular(A, B, C, fl, fa, tau, iv + k, e + 8 * k, w, zero)
        B, C = (zero, zero, zero, zero, zero, zero, zero, zero, zero), z6
        if kind == FREE:
            fl = eliminate_linear(A, fl, tau, iv, e, w, zero)
            A = z6
    else:
        for j in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, j)
            if k >= 0:
                s = axis_work(tab, j)
                sl, sa = load3(w, s), load3(w, s + 3)
                x, y = inertia_times(A, B, C, sl, sa)
                U = (x[0], x[1], x[2], y[0], y[1], y[2])
                u = tau[k] - dot(sl, fl) - dot(sa, fa)
                e = elimination_work(tab, k)
                A, B, C, fl, fa = eliminate(A, B, C, fl, fa, U, 1.0 / (dot(sl, x) + dot(sa, y)), u, e, w)
    return A, B, C, fl, fa


@inline
def to_parent(w, wb, A, B, C, fl, fa):
    """Xᵀ I X and Xᵀ (f + I w*): inertia and force of a joint's free part, seen from the parent."""
    x, y = inertia_times(A, B, C, load3(w, wb + L.BIAS), load3(w, wb + L.BIAS + 3))
    R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
    fl = rotate_back(R, add(fl, x))
    fa = add(rotate_back(R, add(fa, y)), cross(rho, fl))
    A, C, B = congruent(R, A), congruent(R, C), multiply_back(R, multiply(B, R))
    B, C = shifted(A, B, C, rho)
    return A, B, C, fl, fa


@inline
def revolute_to_parent(w, wb, A, B, C, fl, fa):
    """The same where nothing is left about z: B has no third column, C no third row (a third of the operations less)."""
    c, d = load3(w, wb + L.BIAS), load3(w, wb + L.BIAS + 3)
    x, R, rho = symmetric_times(A, c), load9(w, wb + L.G), load3(w, wb + L.RHO)
    x = (x[0] + B[0] * d[0] + B[1] * d[1], x[1] + B[3] * d[0] + B[4] * d[1], x[2] + B[6] * d[0] + B[7] * d[1])
    y0 = fa[0] + B[0] * c[0] + B[3] * c[1] + B[6] * c[2] + C[0] * d[0] + C[1] * d[1]
    y1 = fa[1] + B[1] * c[0] + B[4] * c[1] + B[7] * c[2] + C[1] * d[0] + C[3] * d[1]
    fl = rotate_back(R, add(fl, x))
    fa = add(rotate_back(R, (y0, y1, fa[2])), cross(rho, fl))
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
    A = congruent(R, A)
    B, C = shifted(A, multiply_back(R, P), C, rho)
    return A, B, C, fl, fa


@inline
def ball_to_parent(w, wb, A, fl, fa, zero):
    """The same where only the mass block is left: B = -A ρ~, C = -ρ~ A ρ~ about the parent's origin."""
    R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
    fl = rotate_back(R, add(fl, symmetric_times(A, load3(w, wb + L.BIAS))))
    fa = add(rotate_back(R, fa), cross(rho, fl))
    A = congruent(R, A)
    B, C = shifted_mass(A, rho)
    return A, B, C, fl, fa


@inline
def pass_on(tab, w, wb, kind, A, B, C, fl, fa, zero):
    """What a joint hands to its parent, by the cheapest formula of its kind."""
    if kind == REVOLUTE:
        A, B, C, fl, fa = revolute_to_parent(w, wb, A, B, C, fl, fa)
    elif kind == BALL:
        A, B, C, fl, fa = ball_to_parent(w, wb, A, fl, fa, zero)
    else:
        A, B, C, fl, fa = to_parent(w, wb, A, B, C, fl, fa)
    return A, B, C, fl, fa


@inline
def back_substitute(w, e, al, aa, k):
    """q̈ = (u - U·a)/D of the freedom whose record is e + 8k."""
    U = load6(w, e + 8 * k)
    return (w[e + 8 * k + 7] - (U[0] * al[0] + U[1] * al[1] + U[2] * al[2]) - (U[3] * aa[0] + U[4] * aa[1] + U[5] * aa[2])) * w[
        e + 8 * k + 6
    ]


@inline
def joint_acceleration(tab, w, vdot, b, al, aa):
    """Forward through one joint, last eliminated freedom first: q̈ and the body's acceleration."""
    kind = tab[b + L.KIND]
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
        z = back_substitute(w, e, al, aa, k + 2)
        aa = (aa[0], aa[1], aa[2] + z)
        y = back_substitute(w, e, al, aa, k + 1)
        aa = (aa[0], aa[1] + y, aa[2])
        x = back_substitute(w, e, al, aa, k)
        aa = (aa[0] + x, aa[1], aa[2])
        store3(vdot, iv + k, (x, y, z))
    else:
        first, count = tab[b + L.FIRST_FREEDOM], tab[b + L.COUNT_FREEDOM]
        for j in range(count):
            f = first + count - 1 - j
            k = speed_of(tab, f)
            if k >= 0:
                s = axis_work(tab, f)
                sl, sa = load3(w, s), load3(w, s + 3)
                x = back_substitute(w, e, al, aa, k - iv)
                vdot[k] = x
                al = (al[0] + sl[0] * x, al[1] + sl[1] * x, al[2] + sl[2] * x)
                aa = (aa[0] + sa[0] * x, aa[1] + sa[1] * x, aa[2] + sa[2] * x)
    return al, aa
