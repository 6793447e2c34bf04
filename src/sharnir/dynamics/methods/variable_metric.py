"""Iterative methods of variable metric: M changes little in a step, so last step's inverse or factors are corrected.

Source: Ivanov et al. 2012, §4.2.

Both use the symmetric rank-one correction. With r the residual after the step s: the inverse gains d dᵀ/(dᵀ(r_old - r)),
d = H r; the matrix itself loses r rᵀ/(rᵀ s). Either is exact after n + 1 corrections; in a step loop two or three suffice.
The first evaluation, and any that does not converge, starts from a Cholesky factorization of the present matrix.
"""

from sharnir.dynamics.methods.ltl_factorization import dot_rows, factorize, multiply_symmetric, solve
from sharnir.kernel import jit, sqrt

LIMIT = 40  # corrections before starting afresh is cheaper
ACCURACY = 1e-13  # of the residual against the right side
STALL = 1e3  # times that, where a residual that no longer falls is rounding: long chains are badly conditioned
ROUNDING = 1e-15  # of the trace of the matrix times the length of the solution


@jit
def norm(x, n):
    return sqrt(dot_rows(x, 0, x, n))


@jit
def rounding_of(A, n):
    """What rounding leaves of a residual b - A x, per length of x: a residual above it has stopped falling for another reason."""
    trace = 0.0
    for j in range(n):
        trace += A[j * n + j]
    return ROUNDING * trace


@jit
def invert(A, lam, run, n, F, H, x):
    """H ← A⁻¹ through Cholesky factors in F."""
    for j in range(n * n):
        F[j] = A[j]
    factorize(F, lam, run, n)
    for c in range(n):
        for j in range(n):
            x[j] = 0.0
        x[c] = 1.0
        solve(F, lam, run, n, x)
        for j in range(n):
            H[c * n + j] = x[j]
    for i in range(n):
        for j in range(i):
            y = 0.5 * (H[i * n + j] + H[j * n + i])
            H[i * n + j] = y
            H[j * n + i] = y


@jit
def residual(A, b, x, r, n):
    multiply_symmetric(A, x, r, n)
    for j in range(n):
        r[j] = b[j] - r[j]


@jit
def solve_inverse_iterative(A, b, n, H, x, r, s, d):
    """Algorithm (4.2): x = A⁻¹ b from H ≈ A⁻¹, which is corrected on the way. Returns the corrections made, or -1."""
    goal = ACCURACY * norm(b, n) + 1e-300
    unit = rounding_of(A, n)
    multiply_symmetric(H, b, x, n)
    residual(A, b, x, r, n)
    last = norm(r, n)
    if last <= goal:
        return 0
    multiply_symmetric(H, r, s, n)
    floor = last
    for k in range(LIMIT):
        for j in range(n):
            x[j] += s[j]
            s[j] = r[j]  # the residual before the step
        residual(A, b, x, r, n)
        now = norm(r, n)
        if now <= goal or (now >= 0.5 * last and now <= min(STALL * goal, unit * norm(x, n))):
            return k + 1  # rounding is all that is left; corrected with it, H would become worse
        multiply_symmetric(H, r, d, n)
        c, e = 0.0, dot_rows(d, 0, r, n)
        for j in range(n):
            c += d[j] * (s[j] - r[j])
        if c == 0.0 or not now < 1e3 * floor:
            return -1
        for j in range(n):
            s[j] = (1.0 + e / c) * d[j]
        for i in range(n):
            y = d[i] / c
            for j in range(n):
                H[i * n + j] += y * d[j]
        last = now
        floor = min(floor, now)
    return -1


@jit
def factorize_ldl(A, n, F):
    """F ← unit L below the diagonal and D on it, A = L D Lᵀ."""
    for i in range(n):
        for j in range(i + 1):
            y = A[i * n + j]
            for k in range(j):
                y -= F[i * n + k] * F[j * n + k] * F[k * n + k]
            F[i * n + j] = y if i == j else y / F[j * n + j]


@jit
def solve_ldl(F, n, x):
    for i in range(n):
        y = x[i]
        for j in range(i):
            y -= F[i * n + j] * x[j]
        x[i] = y
    for i in range(n):
        x[i] /= F[i * n + i]
    for m in range(n):
        i = n - 1 - m
        y = x[i]
        for j in range(i):
            x[j] -= F[i * n + j] * y


@jit
def correct_ldl(F, n, z, sigma):
    """L D Lᵀ ← L D Lᵀ + σ z zᵀ in O(n²) (Bennett); z is used up. False if a pivot loses its sign."""
    for j in range(n):
        p = z[j]
        d = F[j * n + j]
        new = d + sigma * p * p
        if not new > 0.0:
            return False
        beta = sigma * p / new
        sigma *= d / new
        F[j * n + j] = new
        for i in range(j + 1, n):
            z[i] -= p * F[i * n + j]
            F[i * n + j] += beta * z[i]
    return True


@jit
def solve_direct_iterative(A, b, n, F, x, r, s, z):
    """The same correction on the factors of A itself: A₀ ← A₀ - r rᵀ/(rᵀ s). Returns the corrections made, or -1."""
    goal = ACCURACY * norm(b, n) + 1e-300
    unit = rounding_of(A, n)
    for j in range(n):
        x[j] = b[j]
    solve_ldl(F, n, x)
    residual(A, b, x, r, n)
    last = norm(r, n)
    floor = last
    for k in range(LIMIT):
        if last <= goal:
            return k
        for j in range(n):
            s[j] = r[j]
        solve_ldl(F, n, s)
        for j in range(n):
            x[j] += s[j]
        residual(A, b, x, r, n)
        now = norm(r, n)
        if now <= goal or (now >= 0.5 * last and now <= min(STALL * goal, unit * norm(x, n))):
            return k + 1
        c = dot_rows(r, 0, s, n)
        if c == 0.0 or not now < 1e3 * floor:
            return -1
        for j in range(n):
            z[j] = r[j]
        if not correct_ldl(F, n, z, -1.0 / c):
            return -1
        last = now
        floor = min(floor, now)
    return -1
