"""C -= A Bᵀ in tiles that stay in vector registers: three, two or one vectors of lanes by four columns.

Matrices stand in `w` by columns; A and C begin at a multiple of LANES and have a distance of columns that is one.
"""

from typing import NamedTuple

from sharnir.dynamics.sparse.plan_layout import LANES
from sharnir.kernel import address_of, inline, jit, quads


@inline
def vectors(w, at):
    """Memory from item `at` on as vectors of lanes."""
    return quads(address_of(w, at))


class Columns(NamedTuple):
    """A matrix by columns in `w`: where it begins, and the distance of its columns."""

    at: int
    ld: int


@inline
def part(A, row, column):
    """What is left of a matrix from a row and a column on."""
    return Columns(A.at + row + column * A.ld, A.ld)


@inline
def four_columns(w, A):
    """The first four columns of a matrix as vectors of lanes."""
    return vectors(w, A.at), vectors(w, A.at + A.ld), vectors(w, A.at + 2 * A.ld), vectors(w, A.at + 3 * A.ld)


@jit
def subtract_product(w, C, A, B, rows, columns, depth):
    """C (rows × columns) -= A (rows × depth) Bᵀ (columns × depth); rows in LANES, columns in TILE."""
    r = 0
    while r < rows:
        m = min(rows - r, 3 * LANES)
        subtract_rows(w, part(C, r, 0), part(C, r, 0), part(A, r, 0), B, m, columns, depth)
        r += m


@jit
def subtract_square(w, C, S, A, n, columns, depth):
    """Lower triangle of C (n × n) ← S - A Aᵀ; of the upper one, what lies in the same tiles becomes any finite number.

    S is C itself, or three vectors of zeros, whose columns have the distance 0.
    """
    r = 0
    while r < n:
        m = min(n - r, 3 * LANES)
        own = Columns(S.at + (r if S.ld > 0 else 0), S.ld)
        subtract_rows(w, part(C, r, 0), own, part(A, r, 0), A, m, min(columns, r + m), depth)
        r += m


@jit
def subtract_rows(w, C, S, A, B, rows, columns, depth):
    """One to three vectors of rows against all columns, C ← S - A Bᵀ: A's rows stay in the first cache."""
    if rows == 3 * LANES:
        for j in range(0, columns, 4):
            subtract_three(w, part(C, 0, j), part(S, 0, j), A, part(B, j, 0), depth)
    elif rows == 2 * LANES:
        for j in range(0, columns, 4):
            subtract_two(w, part(C, 0, j), part(S, 0, j), A, part(B, j, 0), depth)
    else:
        for j in range(0, columns, 4):
            subtract_one(w, part(C, 0, j), part(S, 0, j), A, part(B, j, 0), depth)


@inline
def subtract_three(w, C, S, A, B, depth):
    X, stride = vectors(w, A.at), A.ld // LANES
    C0, C1, C2, C3 = four_columns(w, C)
    S0, S1, S2, S3 = four_columns(w, S)
    p0, p1, p2, p3 = S0[0], S1[0], S2[0], S3[0]
    q0, q1, q2, q3 = S0[1], S1[1], S2[1], S3[1]
    r0, r1, r2, r3 = S0[2], S1[2], S2[2], S3[2]
    for k in range(depth):
        x, y, z = X[k * stride], X[k * stride + 1], X[k * stride + 2]
        o = B.at + k * B.ld
        f0, f1, f2, f3 = w[o], w[o + 1], w[o + 2], w[o + 3]
        p0, q0, r0 = p0 - x * f0, q0 - y * f0, r0 - z * f0
        p1, q1, r1 = p1 - x * f1, q1 - y * f1, r1 - z * f1
        p2, q2, r2 = p2 - x * f2, q2 - y * f2, r2 - z * f2
        p3, q3, r3 = p3 - x * f3, q3 - y * f3, r3 - z * f3
    C0[0], C1[0], C2[0], C3[0] = p0, p1, p2, p3
    C0[1], C1[1], C2[1], C3[1] = q0, q1, q2, q3
    C0[2], C1[2], C2[2], C3[2] = r0, r1, r2, r3


@inline
def subtract_two(w, C, S, A, B, depth):
    X, stride = vectors(w, A.at), A.ld // LANES
    C0, C1, C2, C3 = four_columns(w, C)
    S0, S1, S2, S3 = four_columns(w, S)
    p0, p1, p2, p3 = S0[0], S1[0], S2[0], S3[0]
    q0, q1, q2, q3 = S0[1], S1[1], S2[1], S3[1]
    for k in range(depth):
        x, y = X[k * stride], X[k * stride + 1]
        o = B.at + k * B.ld
        f0, f1, f2, f3 = w[o], w[o + 1], w[o + 2], w[o + 3]
        p0, q0 = p0 - x * f0, q0 - y * f0
        p1, q1 = p1 - x * f1, q1 - y * f1
        p2, q2 = p2 - x * f2, q2 - y * f2
        p3, q3 = p3 - x * f3, q3 - y * f3
    C0[0], C1[0], C2[0], C3[0] = p0, p1, p2, p3
    C0[1], C1[1], C2[1], C3[1] = q0, q1, q2, q3


@inline
def subtract_one(w, C, S, A, B, depth):
    X, stride = vectors(w, A.at), A.ld // LANES
    C0, C1, C2, C3 = four_columns(w, C)
    S0, S1, S2, S3 = four_columns(w, S)
    p0, p1, p2, p3 = S0[0], S1[0], S2[0], S3[0]
    for k in range(depth):
        x = X[k * stride]
        o = B.at + k * B.ld
        p0, p1, p2, p3 = p0 - x * w[o], p1 - x * w[o + 1], p2 - x * w[o + 2], p3 - x * w[o + 3]
    C0[0], C1[0], C2[0], C3[0] = p0, p1, p2, p3
