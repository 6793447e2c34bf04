"""A λ = b with a positive semidefinite matrix: Cholesky with pivoting finds the rank, and λ is the solution of least norm.

A is scaled to unit diagonal first, so that metres, radians and masses do not decide what counts as redundant; an equation
whose diagonal is nothing but rounding, compared with the size of its forces and the mass of the mechanism, is redundant
by itself. With rank r, A = L Lᵀ, L is m × r, and the solution of least norm is L (LᵀL)⁻² Lᵀ b (full-rank factorization).
Memory at W_MATRIX, m = number of equations: A m², L m², LᵀL m², scale m, order m, three vectors m, the rank, and the
smallest pivot that was kept: how far the position is from one where further equations become redundant.
"""

import math
from typing import NamedTuple

from sharnir.dynamics.memory import layout as L
from sharnir.kernel import inline, jit


class CholeskyPlaces(NamedTuple):
    """Places in `work` of the factorization of m equations; the memory of the docstring above."""

    m: int
    A: int
    F: int  # L
    W: int  # LᵀL
    scale: int
    order: int
    x: int
    y: int
    rank: int
    smallest: int  # pivot that was kept


@inline
def cholesky_places(tab):
    """From the number of equations."""
    m, A = tab[L.N_ROW], tab[L.W_MATRIX]
    v = A + 3 * m * m
    return CholeskyPlaces(m, A, A + m * m, A + 2 * m * m, v, v + m, v + 2 * m, v + 3 * m, v + 5 * m, v + 5 * m + 1)


@jit
def factorize_dense(tab, w, tolerance):
    """Scale A, factorize with diagonal pivoting, note the rank."""
    s = cholesky_places(tab)
    m, A, F, order, x = s.m, s.A, s.F, s.order, s.x
    for i in range(m):
        d = w[A + i * m + i]
        share = d / w[tab[L.W_ROW_SIZE] + i]
        alive = share > tolerance
        w[s.scale + i] = 1.0 / math.sqrt(d) if alive else 0.0
        w[order + i] = i
        w[x + i] = 1.0 if alive else 0.0  # what is left of the diagonal
    rank = 0
    w[s.smallest] = 1.0
    for k in range(m):
        best = k
        for i in range(k + 1, m):
            if w[x + i] > w[x + best]:
                best = i
        if not w[x + best] > tolerance:
            break
        if best != k:
            w[order + k], w[order + best] = w[order + best], w[order + k]
            w[x + k], w[x + best] = w[x + best], w[x + k]
            for j in range(k):
                w[F + k * m + j], w[F + best * m + j] = w[F + best * m + j], w[F + k * m + j]
        c = int(w[order + k])
        w[s.smallest] = min(w[s.smallest], w[x + k] * min(1.0, w[A + c * m + c] / w[tab[L.W_ROW_SIZE] + c]))
        pivot = math.sqrt(w[x + k])
        w[F + k * m + k] = pivot
        for i in range(k + 1, m):
            r = int(w[order + i])
            a = w[A + r * m + c] if r > c else w[A + c * m + r]
            a *= w[s.scale + r] * w[s.scale + c]
            for j in range(k):
                a -= w[F + i * m + j] * w[F + k * m + j]
            a /= pivot
            w[F + i * m + k] = a
            w[x + i] -= a * a
        rank += 1
    w[s.rank] = rank
    if rank < m:
        update_normal_factor(w, F, s.W, m, rank)
    return rank


@jit
def update_normal_factor(w, F, W, m, n):
    """Cholesky factor of LᵀL, n × n."""
    for i in range(n):
        for j in range(i + 1):
            a = 0.0
            for k in range(i, m):
                a += w[F + k * m + i] * w[F + k * m + j]
            for k in range(j):
                a -= w[W + i * m + k] * w[W + j * m + k]
            w[W + i * m + j] = math.sqrt(a) if i == j else a / w[W + j * m + j]


@jit
def forward(w, F, m, n, x):
    """x ← F⁻¹ x, F lower triangular n × n with rows of m numbers."""
    for i in range(n):
        a = w[x + i]
        for j in range(i):
            a -= w[F + i * m + j] * w[x + j]
        w[x + i] = a / w[F + i * m + i]


@jit
def backward(w, F, m, n, x):
    """x ← F⁻ᵀ x."""
    for k in range(n):
        i = n - 1 - k
        a = w[x + i] / w[F + i * m + i]
        w[x + i] = a
        for j in range(i):
            w[x + j] -= w[F + i * m + j] * a


@jit
def solve_dense(tab, w, b, lam):
    """λ of least norm (in the scaled equations); needs factorize_dense. b and lam are offsets in work, may be equal."""
    s = cholesky_places(tab)
    m, F, x, y = s.m, s.F, s.x, s.y
    n = int(w[s.rank])
    for i in range(m):
        r = int(w[s.order + i])
        w[x + i] = w[s.scale + r] * w[b + r]
    if n == m:
        forward(w, F, m, n, x)
        backward(w, F, m, n, x)
    else:
        for j in range(n):
            a = 0.0
            for k in range(j, m):
                a += w[F + k * m + j] * w[x + k]
            w[y + j] = a
        for _ in range(2):
            forward(w, s.W, m, n, y)
            backward(w, s.W, m, n, y)
        for i in range(m):
            a = 0.0
            for j in range(min(i + 1, n)):
                a += w[F + i * m + j] * w[y + j]
            w[x + i] = a
    for i in range(m):
        r = int(w[s.order + i])
        w[lam + r] = w[s.scale + r] * w[x + i]


@jit
def update_null_space(w, F, N, m, n, x):
    """N, m × (m - n): what the scaled multipliers may be without any effect, Lᵀ N = 0; rows in the order of pivots."""
    k = m - n
    for c in range(k):
        for i in range(n):
            w[x + i] = -w[F + (n + c) * m + i]
        backward(w, F, m, n, x)
        for i in range(n):
            w[N + i * k + c] = w[x + i]
        for i in range(k):
            w[N + (n + i) * k + c] = 1.0 if i == c else 0.0


@jit
def update_least_norm(tab, w, lam, weight):
    """λ ← the one with the least Σ (weight λ)² that does the same; needs factorize_dense, and is its end: A and LᵀL are lost."""
    s = cholesky_places(tab)
    m, x, y, N, K = s.m, s.x, s.y, s.A, s.W  # N and the matrix of its normal equations stand where A and LᵀL stood
    n = int(w[s.rank])
    k = m - n
    update_null_space(w, s.F, N, m, n, x)
    for i in range(m):
        r = int(w[s.order + i])
        for c in range(k):
            w[N + i * k + c] *= w[s.scale + r] * w[weight + r]
        w[x + i] = w[lam + r] * w[weight + r]
    for c in range(k):  # normal equations of N μ = weighted λ, and their Cholesky factor
        a = 0.0
        for i in range(m):
            a += w[N + i * k + c] * w[x + i]
        w[y + c] = a
        for j in range(c + 1):
            a = 0.0
            for i in range(m):
                a += w[N + i * k + c] * w[N + i * k + j]
            for i in range(j):
                a -= w[K + c * m + i] * w[K + j * m + i]
            if c == j:
                w[K + c * m + c] = math.sqrt(a) if a > 0.0 else 1.0  # an equation that moves nothing has no λ
            else:
                w[K + c * m + j] = a / w[K + j * m + j]
    forward(w, K, m, k, y)
    backward(w, K, m, k, y)
    for i in range(m):
        r, a = int(w[s.order + i]), 0.0
        for c in range(k):
            a += w[N + i * k + c] * w[y + c]
        w[lam + r] -= a / w[weight + r]


@jit
def smallest_pivot(tab, w):
    """The smallest pivot that was kept, of a matrix with unit diagonal."""
    return w[cholesky_places(tab).smallest]
