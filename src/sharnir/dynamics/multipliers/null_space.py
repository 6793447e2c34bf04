"""Motions in the null space of the constraints, by partitioning of speeds: C x = b splits speeds into dependent and free ones.

Gauss–Jordan elimination of C gives x_d = s - R x_f; what is left is M x = f + Cᵀ λ over the free ones,
(NᵀM N) x_f = Nᵀ (f - M p), with N = (-R, 1) and p = (s, 0): without f the least kinetic energy. M itself is not inverted, so that
bodies may lack mass or inertia as long as every motion that the constraints allow moves some. The choice of dependent speeds is
kept while its pivots are good and made anew, with full pivoting, when they are not. λ of least norm follows from
C Cᵀ λ = C (M x - f).
Memory at W_SOLVER, n speeds, m equations: composites 21 N, M n², C m n, G m n (eliminated), transformation m², reduced matrix n²,
vectors; integers that are kept (columns, rank) as numbers; f.
"""

import math
from typing import NamedTuple

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.composite_body import update_composites, update_mass_matrix
from sharnir.dynamics.methods.direct_method import update_mass_matrix_directly, update_tangent_basis
from sharnir.dynamics.methods.flexible_composite_body import (
    start_flexible_bodies,
    update_elastic_composites,
    update_elastic_mass_matrix,
)
from sharnir.dynamics.methods.ltl_factorization import mirror
from sharnir.dynamics.multipliers.jacobian_rows import update_jacobian
from sharnir.dynamics.multipliers.pivoted_cholesky import factorize_dense, solve_dense
from sharnir.kernel import jit, shift

GOOD_PIVOT = 1e-3  # of the largest entry in its row, below which the partition is chosen again


class NullSpacePlaces(NamedTuple):
    """Places in `work` of the solver: n speeds, m equations."""

    n: int
    m: int
    composites: int  # composite inertias of bodies, 21 each
    M: int  # mass matrix, n × n
    C: int  # Jacobian, m × n
    G: int  # C after Gauss–Jordan: dependent speeds by the free ones, m × n
    T: int  # what it did to the rows, m × m
    K: int  # Cholesky factor of NᵀM N, n × n
    x: int  # n
    y: int  # n
    columns: int  # dependent speeds
    rank: int  # how many; then how often they were chosen again
    load: int  # f, n; zero again after every solution


@jit
def null_space_places(tab):
    """Places of the solver in W_SOLVER."""
    n, m, at = tab[L.N_V], tab[L.N_ROW], tab[L.W_SOLVER]
    M = at + 21 * tab[L.N_BODY]
    C = M + n * n
    G = C + m * n
    T = G + m * n
    K = T + m * m
    x = K + n * n
    return NullSpacePlaces(n, m, at, M, C, G, T, K, x, x + n, x + 2 * n, x + 3 * n + m, x + 3 * n + m + 2)


@jit
def eliminate(w, s, k, row, column):
    """One Gauss–Jordan step with the pivot in (row, column), row moved to place k."""
    if row != k:
        for j in range(s.n):
            w[s.G + row * s.n + j], w[s.G + k * s.n + j] = w[s.G + k * s.n + j], w[s.G + row * s.n + j]
        for j in range(s.m):
            w[s.T + row * s.m + j], w[s.T + k * s.m + j] = w[s.T + k * s.m + j], w[s.T + row * s.m + j]
    d = 1.0 / w[s.G + k * s.n + column]
    for j in range(s.n):
        w[s.G + k * s.n + j] *= d
    for j in range(s.m):
        w[s.T + k * s.m + j] *= d
    for i in range(s.m):
        c = w[s.G + i * s.n + column]
        if i != k and c != 0.0:
            for j in range(s.n):
                w[s.G + i * s.n + j] -= c * w[s.G + k * s.n + j]
            for j in range(s.m):
                w[s.T + i * s.m + j] -= c * w[s.T + k * s.m + j]


@jit
def start_elimination(tab, w, s, tolerance):
    """G ← C with rows scaled to length one (T holds the scales), rows that move nothing but for rounding left out as zeros."""
    for i in range(s.m):
        size = 0.0
        for j in range(s.n):
            size += w[s.C + i * s.n + j] * w[s.C + i * s.n + j]
        d = 1.0 / math.sqrt(size) if size > tolerance * w[tab[L.W_ROW_SIZE] + i] else 0.0
        for j in range(s.n):
            w[s.G + i * s.n + j] = d * w[s.C + i * s.n + j]
        for j in range(s.m):
            w[s.T + i * s.m + j] = 0.0
        w[s.T + i * s.m + i] = d


@jit
def largest_in_column(w, s, k, column):
    """Row from k on with the largest entry of a column."""
    row = k
    for i in range(k + 1, s.m):
        if abs(w[s.G + i * s.n + column]) > abs(w[s.G + row * s.n + column]):
            row = i
    return row


@jit
def keep_partition(w, s, rank):
    """Eliminate the dependent speeds of last time; False if a pivot is poor or further equations are independent."""
    for k in range(rank):
        column = int(w[s.columns + k])
        row = largest_in_column(w, s, k, column)
        if not abs(w[s.G + row * s.n + column]) > GOOD_PIVOT:
            return False
        eliminate(w, s, k, row, column)
    for i in range(rank, s.m):
        for j in range(s.n):
            if abs(w[s.G + i * s.n + j]) > GOOD_PIVOT:
                return False
    return True


@jit
def make_partition(w, s, tolerance):
    """Gauss–Jordan with full pivoting; returns the rank."""
    rank = 0
    for k in range(min(s.n, s.m)):
        row, column, best = k, 0, 0.0
        for i in range(k, s.m):
            for j in range(s.n):
                if abs(w[s.G + i * s.n + j]) > best:
                    row, column, best = i, j, abs(w[s.G + i * s.n + j])
        if not best > tolerance:
            break
        eliminate(w, s, k, row, column)
        w[s.columns + k] = column
        rank += 1
    return rank


@jit
def factorize_null_space(tab, par, w, tolerance):
    """Partition of speeds and the reduced matrix NᵀM N; needs update_constraints."""
    s = null_space_places(tab)
    update_composites(tab, par, w, s.composites)
    update_mass_matrix(tab, par, w, s.composites, shift(w, s.M), s.n)
    factorize_reduced(tab, w, tolerance)


@jit
def factorize_direct_null_space(tab, par, w, tolerance):
    """The same with M = Bᵀ M B; the tangent basis stands in the memory of the method."""
    s, B = null_space_places(tab), shift(w, tab[L.W_METHOD])
    update_tangent_basis(tab, w, B, s.n)
    update_mass_matrix_directly(tab, par, B, shift(w, s.M), s.n)
    factorize_reduced(tab, w, tolerance)


@jit
def factorize_elastic_null_space(tab, par, w, tolerance):
    """The same with flexible bodies; what their elimination left in memory is lost."""
    s = null_space_places(tab)
    start_flexible_bodies(tab, par, w)
    update_elastic_composites(tab, par, w, s.composites)
    update_elastic_mass_matrix(tab, par, w, s.composites, shift(w, s.M), s.n, -1)
    factorize_reduced(tab, w, tolerance)


@jit
def factorize_reduced(tab, w, tolerance):
    """C, its partition and the reduced matrix; needs the lower triangle of M."""
    s = null_space_places(tab)
    mirror(shift(w, s.M), s.n)
    update_jacobian(tab, w, s.C)
    start_elimination(tab, w, s, tolerance)
    rank = int(w[s.rank])
    if rank == 0 or not keep_partition(w, s, rank):
        start_elimination(tab, w, s, tolerance)
        rank = make_partition(w, s, math.sqrt(tolerance))
        w[s.rank], w[s.rank + 1] = rank, w[s.rank + 1] + 1.0
    update_reduced_matrix(w, s, rank)
    A = tab[L.W_MATRIX]  # C Cᵀ for λ of least norm
    for i in range(s.m):
        for j in range(i + 1):
            a = 0.0
            for k in range(s.n):
                a += w[s.C + i * s.n + k] * w[s.C + j * s.n + k]
            w[A + i * s.m + j] = a
    factorize_dense(tab, w, tolerance)


@jit
def is_dependent(w, s, rank, j):
    """Place of a speed among the dependent ones, or -1."""
    for k in range(rank):
        if int(w[s.columns + k]) == j:
            return k
    return -1


@jit
def update_reduced_matrix(w, s, rank):
    """Cholesky factor of NᵀM N over the free speeds (rows and columns of dependent ones are not used)."""
    for f in range(s.n):
        if is_dependent(w, s, rank, f) >= 0:
            continue
        for g in range(f + 1):
            if is_dependent(w, s, rank, g) >= 0:
                continue
            a = w[s.M + f * s.n + g]
            for k in range(rank):
                i = int(w[s.columns + k])
                a -= w[s.G + k * s.n + f] * w[s.M + i * s.n + g] + w[s.M + f * s.n + i] * w[s.G + k * s.n + g]
                for c in range(rank):
                    a += w[s.G + k * s.n + f] * w[s.M + i * s.n + int(w[s.columns + c])] * w[s.G + c * s.n + g]
            for j in range(g):
                if is_dependent(w, s, rank, j) < 0:
                    a -= w[s.K + f * s.n + j] * w[s.K + g * s.n + j]
            w[s.K + f * s.n + g] = math.sqrt(a) if f == g else a / w[s.K + g * s.n + g]


@jit
def solve_null_space(tab, w, right):
    """W_RESPONSE and W_LAMBDA: the motion x with C x = right and M x = f + Cᵀ λ; without f it is the least in the metric of M."""
    s = null_space_places(tab)
    rank, out = int(w[s.rank]), tab[L.W_RESPONSE]
    for j in range(s.n):
        w[s.x + j] = 0.0
    for k in range(rank):
        a = 0.0
        for j in range(s.m):
            a += w[s.T + k * s.m + j] * w[right + j]
        w[s.x + int(w[s.columns + k])] = a  # p
    multiply_by_mass(w, s, s.x, s.y)
    project(w, s, rank, s.y)  # y ← free speeds of (NᵀM N)⁻¹ Nᵀ (f - M p)
    for j in range(s.n):
        if is_dependent(w, s, rank, j) < 0:
            w[s.x + j] = w[s.y + j]
    for k in range(rank):
        i = int(w[s.columns + k])
        for j in range(s.n):
            if is_dependent(w, s, rank, j) < 0:
                w[s.x + i] -= w[s.G + k * s.n + j] * w[s.x + j]
    multiply_by_mass(w, s, s.x, s.y)
    for j in range(s.n):
        w[out + j] = w[s.x + j]
    rest = tab[L.W_ROW_REST]
    for i in range(s.m):
        a = 0.0
        for j in range(s.n):
            a += w[s.C + i * s.n + j] * w[s.y + j]
        w[rest + i] = a
    solve_dense(tab, w, rest, tab[L.W_LAMBDA])
    for j in range(s.n):
        w[s.load + j] = 0.0


@jit
def multiply_by_mass(w, s, x, y):
    """y ← M x - f."""
    for i in range(s.n):
        a = -w[s.load + i]
        for j in range(s.n):
            a += w[s.M + i * s.n + j] * w[x + j]
        w[y + i] = a


@jit
def project(w, s, rank, y):
    """y ← -(NᵀM N)⁻¹ Nᵀ y at the free speeds."""
    for j in range(s.n):
        if is_dependent(w, s, rank, j) < 0:
            a = w[y + j]
            for k in range(rank):
                a -= w[s.G + k * s.n + j] * w[y + int(w[s.columns + k])]
            for i in range(j):
                if is_dependent(w, s, rank, i) < 0:
                    a += w[s.K + j * s.n + i] * w[y + i]
            w[y + j] = -a / w[s.K + j * s.n + j]
    for r in range(s.n):
        j = s.n - 1 - r
        if is_dependent(w, s, rank, j) < 0:
            a = w[y + j] / w[s.K + j * s.n + j]
            w[y + j] = a
            for i in range(j):
                if is_dependent(w, s, rank, i) < 0:
                    w[y + i] -= w[s.K + j * s.n + i] * a
