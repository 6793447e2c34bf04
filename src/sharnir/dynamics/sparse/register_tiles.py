"""C -= A Bᵀ in tiles that stay in vector registers: three, two or one vectors of lanes by four columns.

Matrices stand in `w` by columns; A and C begin at a multiple of LANES and have a distance of columns that is one.
"""

from sharnir.dynamics.sparse.plan_layout import LANES
from sharnir.kernel import PLAIN, address_of, inline, jit, quads

if PLAIN:

    def vectors(w, at):
        """Memory from item `at` on as vectors of lanes."""
        rest = w[at:]
        return quads(rest[: len(rest) // LANES * LANES])
else:

    @inline
    def vectors(w, at):  # type: ignore[misc]
        """Memory from item `at` on as vectors of lanes."""
        return quads(address_of(w, at))


@jit
def subtract_product(w, c, ldc, a, lda, b, ldb, rows, columns, depth):
    """C (rows × columns) -= A (rows × depth) Bᵀ (columns × depth); rows in LANES, columns in TILE."""
    r = 0
    while r < rows:
        m = min(rows - r, 3 * LANES)
        subtract_rows(w, c + r, ldc, c + r, ldc, a + r, lda, b, ldb, m, columns, depth)
        r += m


@jit
def subtract_square(w, c, ldc, a, lda, n, columns, depth):
    """Lower triangle of C (n × n) -= A Aᵀ; of the upper one, what lies in the same tiles becomes any finite number."""
    subtract_square_from(w, c, ldc, c, 1, a, lda, n, columns, depth)


@jit
def subtract_square_from(w, c, ldc, s, step, a, lda, n, columns, depth):
    """As subtract_square, C ← S - A Aᵀ: S is C with step 1, or three vectors of zeros with step 0."""
    r = 0
    while r < n:
        m = min(n - r, 3 * LANES)
        subtract_rows(w, c + r, ldc, s + step * r, step * ldc, a + r, lda, a, lda, m, min(columns, r + m), depth)
        r += m


@jit
def subtract_rows(w, c, ldc, s, lds, a, lda, b, ldb, rows, columns, depth):
    """One to three vectors of rows against all columns, C ← S - A Bᵀ: A's rows stay in the first cache."""
    if rows == 3 * LANES:
        for j in range(0, columns, 4):
            subtract_three(w, c + j * ldc, ldc, s + j * lds, lds, a, lda, b + j, ldb, depth)
    elif rows == 2 * LANES:
        for j in range(0, columns, 4):
            subtract_two(w, c + j * ldc, ldc, s + j * lds, lds, a, lda, b + j, ldb, depth)
    else:
        for j in range(0, columns, 4):
            subtract_one(w, c + j * ldc, ldc, s + j * lds, lds, a, lda, b + j, ldb, depth)


@inline
def subtract_three(w, c, ldc, s, lds, a, lda, b, ldb, depth):
    A, stride = vectors(w, a), lda // LANES
    C0, C1, C2, C3 = vectors(w, c), vectors(w, c + ldc), vectors(w, c + 2 * ldc), vectors(w, c + 3 * ldc)
    S0, S1, S2, S3 = vectors(w, s), vectors(w, s + lds), vectors(w, s + 2 * lds), vectors(w, s + 3 * lds)
    p0, p1, p2, p3 = S0[0], S1[0], S2[0], S3[0]
    q0, q1, q2, q3 = S0[1], S1[1], S2[1], S3[1]
    r0, r1, r2, r3 = S0[2], S1[2], S2[2], S3[2]
    for k in range(depth):
        x, y, z = A[k * stride], A[k * stride + 1], A[k * stride + 2]
        o = b + k * ldb
        f0, f1, f2, f3 = w[o], w[o + 1], w[o + 2], w[o + 3]
        p0, q0, r0 = p0 - x * f0, q0 - y * f0, r0 - z * f0
        p1, q1, r1 = p1 - x * f1, q1 - y * f1, r1 - z * f1
        p2, q2, r2 = p2 - x * f2, q2 - y * f2, r2 - z * f2
        p3, q3, r3 = p3 - x * f3, q3 - y * f3, r3 - z * f3
    C0[0], C1[0], C2[0], C3[0] = p0, p1, p2, p3
    C0[1], C1[1], C2[1], C3[1] = q0, q1, q2, q3
    C0[2], C1[2], C2[2], C3[2] = r0, r1, r2, r3


@inline
def subtract_two(w, c, ldc, s, lds, a, lda, b, ldb, depth):
    A, stride = vectors(w, a), lda // LANES
    C0, C1, C2, C3 = vectors(w, c), vectors(w, c + ldc), vectors(w, c + 2 * ldc), vectors(w, c + 3 * ldc)
    S0, S1, S2, S3 = vectors(w, s), vectors(w, s + lds), vectors(w, s + 2 * lds), vectors(w, s + 3 * lds)
    p0, p1, p2, p3 = S0[0], S1[0], S2[0], S3[0]
    q0, q1, q2, q3 = S0[1], S1[1], S2[1], S3[1]
    for k in range(depth):
        x, y = A[k * stride], A[k * stride + 1]
        o = b + k * ldb
        f0, f1, f2, f3 = w[o], w[o + 1], w[o + 2], w[o + 3]
        p0, q0 = p0 - x * f0, q0 - y * f0
        p1, q1 = p1 - x * f1, q1 - y * f1
        p2, q2 = p2 - x * f2, q2 - y * f2
        p3, q3 = p3 - x * f3, q3 - y * f3
    C0[0], C1[0], C2[0], C3[0] = p0, p1, p2, p3
    C0[1], C1[1], C2[1], C3[1] = q0, q1, q2, q3


@inline
def subtract_one(w, c, ldc, s, lds, a, lda, b, ldb, depth):
    A, stride = vectors(w, a), lda // LANES
    C0, C1, C2, C3 = vectors(w, c), vectors(w, c + ldc), vectors(w, c + 2 * ldc), vectors(w, c + 3 * ldc)
    S0, S1, S2, S3 = vectors(w, s), vectors(w, s + lds), vectors(w, s + 2 * lds), vectors(w, s + 3 * lds)
    p0, p1, p2, p3 = S0[0], S1[0], S2[0], S3[0]
    for k in range(depth):
        x = A[k * stride]
        o = b + k * ldb
        p0, p1, p2, p3 = p0 - x * w[o], p1 - x * w[o + 1], p2 - x * w[o + 2], p3 - x * w[o + 3]
    C0[0], C1[0], C2[0], C3[0] = p0, p1, p2, p3
