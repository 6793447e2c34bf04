"""Dense symmetric positive definite systems whose sparsity follows the tree: M = Lᵀ L without fill (Featherstone).

Only the lower triangle is used; row k holds speed k against its ancestors. `lam[k]` is the ancestor of k, `run[k]` the first
of the consecutive numbers that end at k and are all ancestors of each other, so that inner loops run over memory in order.
"""

from sharnir.kernel import jit, sqrt


@jit
def factorize(M, lam, run, n):
    """M ← L with M = Lᵀ L, rows from the leaves down."""
    for m in range(n):
        k = n - 1 - m
        row = k * n
        d = sqrt(M[row + k])
        M[row + k] = d
        d = 1.0 / d
        i = lam[k]
        while i >= 0:
            lo = run[i]
            for j in range(lo, i + 1):
                M[row + j] *= d
            i = lam[lo]
        i = lam[k]
        while i >= 0:
            x = M[row + i]
            j = i
            while j >= 0:
                lo = run[j]
                subtract_multiple(M, i * n, row, x, lo, j + 1)
                j = lam[lo]
            i = lam[i]


@jit
def subtract_multiple(M, a, b, x, lo, hi):
    """M[a + j] -= x M[b + j] for lo ≤ j < hi; rows a and b differ, so LLVM may use vector registers."""
    for j in range(lo, hi):
        M[a + j] -= x * M[b + j]


@jit
def solve(M, lam, run, n, x):
    """x ← (Lᵀ L)⁻¹ x."""
    for m in range(n):
        k = n - 1 - m
        row = k * n
        y = x[k] / M[row + k]
        x[k] = y
        i = lam[k]
        while i >= 0:
            lo = run[i]
            for j in range(lo, i + 1):
                x[j] -= M[row + j] * y
            i = lam[lo]
    substitute(M, lam, run, n, x)


@jit
def substitute(M, lam, run, n, x):
    """x ← L⁻¹ x."""
    for k in range(n):
        row = k * n
        y = x[k]
        i = lam[k]
        while i >= 0:
            lo = run[i]
            for j in range(lo, i + 1):
                y -= M[row + j] * x[j]
            i = lam[lo]
        x[k] = y / M[row + k]


@jit
def mirror(M, n):
    """Copy the lower triangle onto the upper one."""
    for i in range(n):
        for j in range(i):
            M[j * n + i] = M[i * n + j]


@jit
def dot_rows(A, a, x, n):
    """Σ A[a + j] x[j] in four sums, so that the additions need not wait for each other."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    m = n - n % 4
    for j in range(0, m, 4):
        s0 += A[a + j] * x[j]
        s1 += A[a + j + 1] * x[j + 1]
        s2 += A[a + j + 2] * x[j + 2]
        s3 += A[a + j + 3] * x[j + 3]
    for j in range(m, n):
        s0 += A[a + j] * x[j]
    return (s0 + s1) + (s2 + s3)


@jit
def multiply_symmetric(A, x, y, n):
    """y ← A x with a full symmetric A."""
    for i in range(n):
        y[i] = dot_rows(A, i * n, x, n)
