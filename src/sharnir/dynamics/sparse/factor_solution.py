"""x with A x = b from the factor: substitution, and conjugate gradients where the factor belongs to A + ε."""

from sharnir.dynamics.sparse import plan_layout as S
from sharnir.dynamics.sparse.multifrontal_cholesky import EPSILON, update_scaling
from sharnir.dynamics.sparse.substitution import forward_all
from sharnir.dynamics.sparse.threaded_cholesky import factorize_scaled, substitute_back
from sharnir.kernel import jit, sqrt

ITERATIONS = 12  # at most
SMALL_RESIDUAL = 1e-14  # relative to right side and solution, all scaled; 1e-14/ε of x may be outside the range then
ROUNDING = 1e-15  # of a product A d, relative to d
LONGEST_STEP = 100.0  # of conjugate gradients; it belongs to an eigenvalue ε/100, which counts as zero


@jit
def factorize_matrix(tab, t, w, at, singular):
    """Factor of S A S, or, if a pivot is small or A is known to be singular, of S A S + ε."""
    update_scaling(tab, t, w, at)
    epsilon = 0.0
    if singular or not factorize_scaled(tab, t, w, at, 0.0, -1):
        epsilon = EPSILON
        factorize_scaled(tab, t, w, at, epsilon, -1)
    w[at + tab[t + S.W_EPSILON]] = epsilon


@jit
def substitute(tab, t, w, at, x):
    """x ← (L Lᵀ)⁻¹ x for the vector at `x` in the work, in the order of elimination."""
    forward_all(tab, t, w, at, x)
    substitute_back(tab, t, w, at, x)


@jit
def solve_matrix(tab, t, w, at, b, x):
    """x ← solution of A x = b with the factor that is there."""
    if w[at + tab[t + S.W_EPSILON]] == 0.0:
        load_scaled(tab, t, w, at, b, at + tab[t + S.W_X])
        substitute(tab, t, w, at, at + tab[t + S.W_X])
    else:
        load_scaled(tab, t, w, at, b, at + tab[t + S.W_R])
        solve_singular(tab, t, w, at)
    store_scaled(tab, t, w, at, x)


@jit
def factorize_and_solve_matrix(tab, t, w, at, b, x):
    """As factorization and solution one after the other, but forward substitution meets the factor while it is in the cache."""
    if tab[t + S.REDUNDANT] == 0:
        update_scaling(tab, t, w, at)
        y = at + tab[t + S.W_X]
        load_scaled(tab, t, w, at, b, y)
        if factorize_scaled(tab, t, w, at, 0.0, y):
            w[at + tab[t + S.W_EPSILON]] = 0.0
            substitute_back(tab, t, w, at, y)
            store_scaled(tab, t, w, at, x)
            return
    factorize_matrix(tab, t, w, at, True)
    solve_matrix(tab, t, w, at, b, x)


@jit
def load_scaled(tab, t, w, at, b, r):
    """Right side S b in the order of elimination, to `r` in the work."""
    places, scale = t + tab[t + S.T_PLACE], at + tab[t + S.W_SCALE]
    for i in range(tab[t + S.N_EQUATION]):
        p = tab[places + i]
        w[r + p] = b[i] * w[scale + p]


@jit
def store_scaled(tab, t, w, at, x):
    """Solution from W_X in the caller's order."""
    places, scale, y = t + tab[t + S.T_PLACE], at + tab[t + S.W_SCALE], at + tab[t + S.W_X]
    for i in range(tab[t + S.N_EQUATION]):
        p = tab[places + i]
        x[i] = w[y + p] * w[scale + p]


@jit
def multiply_scaled(tab, t, w, at, p, q, u):
    """q ← S A S p; u is scratch."""
    n, scale = tab[t + S.N_EQUATION], at + tab[t + S.W_SCALE]
    for i in range(n):
        w[u + i] = w[p + i] * w[scale + i]
        w[q + i] = 0.0
    a = at + tab[t + S.W_VALUE]
    for k in range(tab[t + S.N_BLOCK]):
        b = t + tab[t + S.T_BLOCK] + k * S.BLOCK_SIZE
        e, f = tab[b + S.PLACE_E], tab[b + S.PLACE_F]
        rows, columns = tab[b + S.SHAPE] // S.SHAPE_UNIT, tab[b + S.SHAPE] % S.SHAPE_UNIT
        for i in range(rows):
            s, v = 0.0, w[u + e + i]
            for j in range(i if e == f else columns):
                m = w[a + i * columns + j]
                s += m * w[u + f + j]
                w[q + f + j] += m * v
            if e == f:
                s += w[a + i * columns + i] * v
            w[q + e + i] += s
        a += rows * columns
    for i in range(n):
        w[q + i] *= w[scale + i]


@jit
def dot(w, a, b, n):
    """Scalar product in four sums."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    m = n - n % 4
    for i in range(0, m, 4):
        s0 += w[a + i] * w[b + i]
        s1 += w[a + i + 1] * w[b + i + 1]
        s2 += w[a + i + 2] * w[b + i + 2]
        s3 += w[a + i + 3] * w[b + i + 3]
    for i in range(m, n):
        s0 += w[a + i] * w[b + i]
    return (s0 + s1) + (s2 + s3)


@jit
def solve_singular(tab, t, w, at):
    """Preconditioned conjugate gradients from zero for the residual in W_R; the solution into W_X.

    A right side that is not quite consistent asks for steps into the null space, far longer than one. From there on the steps
    are those of iterative refinement, of length one, which the null space hardly notices.
    """
    n = tab[t + S.N_EQUATION]
    x, r, p, q, z = at + tab[t + S.W_X], at + tab[t + S.W_R], at + tab[t + S.W_P], at + tab[t + S.W_Q], at + tab[t + S.W_Z]
    for i in range(n):
        w[x + i] = w[p + i] = 0.0
    size = sqrt(dot(w, r, r, n))
    before, small, old, slow, refining = size, 0.0, 0.0, 0, False
    for k in range(ITERATIONS):
        if not before > small or slow > 1:
            break
        for i in range(n):
            w[z + i] = w[r + i]
        substitute(tab, t, w, at, z)
        rho = dot(w, r, z, n)
        beta = rho / old if k > 0 and not refining else 0.0
        for i in range(n):
            w[p + i] = w[z + i] + beta * w[p + i]
        multiply_scaled(tab, t, w, at, p, q, z)
        curvature = dot(w, p, q, n)
        if not refining and not rho <= LONGEST_STEP * curvature:
            refining = True
            if k > 0:
                continue
        step, old = 1.0 if refining else rho / curvature, rho
        for i in range(n):
            w[x + i] += step * w[p + i]
            w[r + i] -= step * w[q + i]
        now = sqrt(dot(w, r, r, n))
        slow = 0 if now < 0.5 * before else slow + (2 if refining else 1)
        before, small = now, SMALL_RESIDUAL * (size + sqrt(dot(w, x, x, n)))
    if before > small:
        remove_null_part(tab, t, w, at, small)


@jit
def remove_null_part(tab, t, w, at, small):
    """x ← x - d, where d = (1 - (A + ε)⁻¹ A)ᵏ x has kept all of the null space and, by k, so little else that |A d| is small.

    An inconsistent part of the right side, divided by ε, may be larger than the solution.
    """
    n = tab[t + S.N_EQUATION]
    x, d, q, z = at + tab[t + S.W_X], at + tab[t + S.W_P], at + tab[t + S.W_Q], at + tab[t + S.W_Z]
    for i in range(n):
        w[d + i] = w[x + i]
    for _ in range(ITERATIONS):
        multiply_scaled(tab, t, w, at, d, q, z)
        if sqrt(dot(w, q, q, n)) <= small + ROUNDING * sqrt(dot(w, d, d, n)):
            for i in range(n):
                w[x + i] -= w[d + i]
            break
        substitute(tab, t, w, at, q)
        for i in range(n):
            w[d + i] -= w[q + i]
