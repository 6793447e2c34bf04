"""Symmetric 6×6 inertia as three blocks [[A, B], [Bᵀ, C]] in the order (linear, angular): 6 + 9 + 6 numbers.

A and C are stored as (xx, xy, xz, yy, yz, zz). Because only one triangle exists, an articulated inertia stays exactly
symmetric, however long the chain; and a third of the operations are saved.

Functions of an inertia take anything with the fields A, B, C. The compiler takes named tuples apart: they live in registers.
"""

from typing import Any, NamedTuple

from sharnir.kernel import inline
from sharnir.spatial.vector import add, load3, load6, load9, multiply, multiply_back, store3, store6, store9


class Inertia(NamedTuple):
    """I = [[A, B], [Bᵀ, C]] of a body or of several that move as one."""

    A: Any
    B: Any
    C: Any


class Articulated(NamedTuple):
    """An articulated inertia I and the force p: what a body with all that hangs on it needs from its joint is I a + p.

    p = (f, m) is what it needs without acceleration, less the forces that act on it.
    """

    A: Any
    B: Any
    C: Any
    f: Any
    m: Any


@inline
def articulated(I, f, m):
    """An inertia with its force (f, m)."""
    return Articulated(I.A, I.B, I.C, f, m)


@inline
def inertia_of(I):
    """The inertia alone, without its force."""
    return Inertia(I.A, I.B, I.C)


@inline
def load_inertia(w, k):
    """21 numbers of memory."""
    return Inertia(load6(w, k), load9(w, k + 6), load6(w, k + 15))


@inline
def store_inertia(w, k, I):
    store6(w, k, I.A)
    store9(w, k + 6, I.B)
    store6(w, k + 15, I.C)


@inline
def load_articulated(w, k):
    """27 numbers of memory."""
    return Articulated(load6(w, k), load9(w, k + 6), load6(w, k + 15), load3(w, k + 21), load3(w, k + 24))


@inline
def store_articulated(w, k, I):
    store_inertia(w, k, I)
    store3(w, k + 21, I.f)
    store3(w, k + 24, I.m)


@inline
def inertia_sum(I, J):
    return Inertia(symmetric_sum(I.A, J.A), full_sum(I.B, J.B), symmetric_sum(I.C, J.C))


@inline
def articulated_sum(I, J):
    return articulated(inertia_sum(I, J), add(I.f, J.f), add(I.m, J.m))


@inline
def symmetric_times(S, a):
    return (
        S[0] * a[0] + S[1] * a[1] + S[2] * a[2],
        S[1] * a[0] + S[3] * a[1] + S[4] * a[2],
        S[2] * a[0] + S[4] * a[1] + S[5] * a[2],
    )


@inline
def symmetric_sum(S, T):
    return S[0] + T[0], S[1] + T[1], S[2] + T[2], S[3] + T[3], S[4] + T[4], S[5] + T[5]


@inline
def symmetric_full(S):
    """Nine numbers by rows."""
    return S[0], S[1], S[2], S[1], S[3], S[4], S[2], S[4], S[5]


@inline
def full_sum(S, T):
    return S[0] + T[0], S[1] + T[1], S[2] + T[2], S[3] + T[3], S[4] + T[4], S[5] + T[5], S[6] + T[6], S[7] + T[7], S[8] + T[8]


@inline
def congruent(G, S):
    """Gᵀ S G of a symmetric S."""
    t0 = S[0] * G[0] + S[1] * G[3] + S[2] * G[6]
    t1 = S[0] * G[1] + S[1] * G[4] + S[2] * G[7]
    t2 = S[0] * G[2] + S[1] * G[5] + S[2] * G[8]
    t3 = S[1] * G[0] + S[3] * G[3] + S[4] * G[6]
    t4 = S[1] * G[1] + S[3] * G[4] + S[4] * G[7]
    t5 = S[1] * G[2] + S[3] * G[5] + S[4] * G[8]
    t6 = S[2] * G[0] + S[4] * G[3] + S[5] * G[6]
    t7 = S[2] * G[1] + S[4] * G[4] + S[5] * G[7]
    t8 = S[2] * G[2] + S[4] * G[5] + S[5] * G[8]
    return (
        G[0] * t0 + G[3] * t3 + G[6] * t6,
        G[0] * t1 + G[3] * t4 + G[6] * t7,
        G[0] * t2 + G[3] * t5 + G[6] * t8,
        G[1] * t1 + G[4] * t4 + G[7] * t7,
        G[1] * t2 + G[4] * t5 + G[7] * t8,
        G[2] * t2 + G[5] * t5 + G[8] * t8,
    )


@inline
def shifted(I, r):
    """Pᵀ I P with P = [[1, -r~], [0, 1]]: the same inertia about an origin from which the old one stands at r."""
    A, B, C = I.A, I.B, I.C
    x, y, z = r
    # B' = B - A r~
    b0 = B[0] - A[1] * z + A[2] * y
    b1 = B[1] + A[0] * z - A[2] * x
    b2 = B[2] - A[0] * y + A[1] * x
    b3 = B[3] - A[3] * z + A[4] * y
    b4 = B[4] + A[1] * z - A[4] * x
    b5 = B[5] - A[1] * y + A[3] * x
    b6 = B[6] - A[4] * z + A[5] * y
    b7 = B[7] + A[2] * z - A[5] * x
    b8 = B[8] - A[2] * y + A[4] * x
    # C' = C + r~ B' + (r~ B)ᵀ
    c0 = C[0] - z * (b3 + B[3]) + y * (b6 + B[6])
    c1 = C[1] - z * b4 + y * b7 + z * B[0] - x * B[6]
    c2 = C[2] - z * b5 + y * b8 - y * B[0] + x * B[3]
    c3 = C[3] + z * (b1 + B[1]) - x * (b7 + B[7])
    c4 = C[4] + z * b2 - x * b8 - y * B[1] + x * B[4]
    c5 = C[5] - y * (b2 + B[2]) + x * (b5 + B[5])
    return Inertia(A, (b0, b1, b2, b3, b4, b5, b6, b7, b8), (c0, c1, c2, c3, c4, c5))


@inline
def transformed(I, R, r):
    """Xᵀ I X: the inertia in the axes and about the origin of the parent, R parent -> body axes, r the body's origin."""
    return shifted(Inertia(congruent(R, I.A), multiply_back(R, multiply(I.B, R)), congruent(R, I.C)), r)


@inline
def shifted_mass(A, r):
    """An inertia that has only a mass block, seen from where it stands at r: B' = -A r~, C' = r~ B'."""
    x, y, z = r
    b0, b1, b2 = A[2] * y - A[1] * z, A[0] * z - A[2] * x, A[1] * x - A[0] * y
    b3, b4, b5 = A[4] * y - A[3] * z, A[1] * z - A[4] * x, A[3] * x - A[1] * y
    b6, b7, b8 = A[5] * y - A[4] * z, A[2] * z - A[5] * x, A[4] * x - A[2] * y
    C = (y * b6 - z * b3, y * b7 - z * b4, y * b8 - z * b5, z * b1 - x * b7, z * b2 - x * b8, x * b5 - y * b2)
    return Inertia(A, (b0, b1, b2, b3, b4, b5, b6, b7, b8), C)


@inline
def inertia_times(I, a, b):
    """[[A, B], [Bᵀ, C]] (a, b) as two 3-vectors."""
    A, B, C = I.A, I.B, I.C
    p = symmetric_times(A, a)
    q = symmetric_times(C, b)
    return (
        (
            p[0] + B[0] * b[0] + B[1] * b[1] + B[2] * b[2],
            p[1] + B[3] * b[0] + B[4] * b[1] + B[5] * b[2],
            p[2] + B[6] * b[0] + B[7] * b[1] + B[8] * b[2],
        ),
        (
            q[0] + B[0] * a[0] + B[3] * a[1] + B[6] * a[2],
            q[1] + B[1] * a[0] + B[4] * a[1] + B[7] * a[2],
            q[2] + B[2] * a[0] + B[5] * a[1] + B[8] * a[2],
        ),
    )


@inline
def without_direction(I, U, d):
    """I - U Uᵀ d: the inertia that is left when one scalar freedom with U = I s, d = 1/(sᵀ I s) can move."""
    A, B, C = I.A, I.B, I.C
    x0 = U[0] * d
    x1 = U[1] * d
    x2 = U[2] * d
    x3 = U[3] * d
    x4 = U[4] * d
    return Inertia(
        (A[0] - x0 * U[0], A[1] - x0 * U[1], A[2] - x0 * U[2], A[3] - x1 * U[1], A[4] - x1 * U[2], A[5] - x2 * U[2]),
        (
            B[0] - x0 * U[3],
            B[1] - x0 * U[4],
            B[2] - x0 * U[5],
            B[3] - x1 * U[3],
            B[4] - x1 * U[4],
            B[5] - x1 * U[5],
            B[6] - x2 * U[3],
            B[7] - x2 * U[4],
            B[8] - x2 * U[5],
        ),
        (C[0] - x3 * U[3], C[1] - x3 * U[4], C[2] - x3 * U[5], C[3] - x4 * U[4], C[4] - x4 * U[5], C[5] - U[5] * d * U[5]),
    )


@inline
def rigid(m, h, J, zero):
    """Inertia of a rigid body: m E, -m r_c~ with h = m r_c, and J about the frame's origin."""
    k = m + zero
    return Inertia(
        (k, zero, zero, k, zero, k),
        (zero, h[2] + zero, zero - h[1], zero - h[2], zero, h[0] + zero, h[1] + zero, zero - h[0], zero),
        (J[0] + zero, J[1] + zero, J[2] + zero, J[3] + zero, J[4] + zero, J[5] + zero),
    )
