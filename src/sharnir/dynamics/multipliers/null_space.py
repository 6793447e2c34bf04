"""Motions in the null space of the constraints, by partitioning of speeds: C x = b splits speeds into dependent and free ones.

Gauss–Jordan elimination of C gives x_d = s - R x_f; what is left is the least kinetic energy over the free ones,
(NᵀM N) x_f = -Nᵀ M p, with N = (-R, 1) and p = (s, 0). The choice of dependent speeds is kept while its pivots are good and made
anew, with full pivoting, when they are not. λ of least norm follows from C Cᵀ λ = C M x.
Memory at W_SOLVER, n speeds, m equations: composites 21 N, M n², C m n, G m n (eliminated), transformation m², reduced matrix n²,
vectors; integers that are kept (columns, rank) as numbers.
"""

import math

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_work,
    body_record,
    body_work,
    element_record,
    end_freedom,
    first_freedom,
    speed_of,
)
from sharnir.dynamics.methods.composite_body import update_composites, update_mass_matrix
from sharnir.dynamics.methods.flexible_composite_body import (
    start_flexible_bodies,
    update_elastic_composites,
    update_elastic_mass_matrix,
)
from sharnir.dynamics.methods.ltl_factorization import mirror
from sharnir.dynamics.multipliers.pivoted_cholesky import factorize_dense, solve_dense
from sharnir.kernel import jit, shift
from sharnir.spatial.vector import add, cross, dot, load3, load9, rotate_back

GOOD_PIVOT = 1e-3  # of the largest entry in its row, below which the partition is made anew


@jit
def places(tab):
    """Offsets of composites, M, C, G, transformation, reduced matrix, two vectors of n, columns, rank and count of partitions."""
    n, m, at = tab[L.N_V], tab[L.N_ROW], tab[L.W_SOLVER]
    M = at + 21 * tab[L.N_BODY]
    C = M + n * n
    G = C + m * n
    T = G + m * n
    K = T + m * m
    x = K + n * n
    return at, M, C, G, T, K, x, x + n, x + 2 * n, x + 3 * n + m


@jit
def update_jacobian_row(tab, w, e, r, out):
    """One row of C: the forces of an equation, carried down the tree and taken along every freedom."""
    n_terms, terms = tab[e + L.E_TERMS], tab[e + L.E_TERM]
    for k in range(tab[L.N_V]):
        w[out + k] = 0.0
    for k in range(n_terms):
        i, j = tab[terms + 2 * k], tab[e + L.E_JACOBIAN] + (r * n_terms + k) * 6
        if i < -1:
            w[out - 2 - i] += w[j]
        fl, fa = load3(w, j), load3(w, j + 3)
        while i >= 0:
            b, wb = body_record(tab, i), body_work(tab, i)
            for f in range(first_freedom(tab, b), end_freedom(tab, b)):
                c = speed_of(tab, f)
                if c >= 0:
                    s = axis_work(tab, f)
                    w[out + c] += dot(load3(w, s), fl) + dot(load3(w, s + 3), fa)
            if tab[b + L.KIND] == L.NODE:
                S = tab[b + L.ELASTIC_W]
                for c in range(tab[b + L.COUNT_ELASTIC]):
                    w[out + tab[b + L.ELASTIC_V] + c] += dot(load3(w, S + 6 * c), fl) + dot(load3(w, S + 6 * c + 3), fa)
            R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
            fl = rotate_back(R, fl)
            fa = add(rotate_back(R, fa), cross(rho, fl))
            i = tab[b + L.PARENT]


@jit
def update_jacobian(tab, w, C):
    """C, m × n by rows; needs update_constraints."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        for r in range(tab[e + L.E_COUNT]):
            update_jacobian_row(tab, w, e, r, C + (tab[e + L.E_ROW] + r) * tab[L.N_V])


@jit
def eliminate(w, G, T, n, m, k, row, column):
    """One Gauss–Jordan step with the pivot in (row, column), row moved to place k."""
    if row != k:
        for j in range(n):
            w[G + row * n + j], w[G + k * n + j] = w[G + k * n + j], w[G + row * n + j]
        for j in range(m):
            w[T + row * m + j], w[T + k * m + j] = w[T + k * m + j], w[T + row * m + j]
    d = 1.0 / w[G + k * n + column]
    for j in range(n):
        w[G + k * n + j] *= d
    for j in range(m):
        w[T + k * m + j] *= d
    for i in range(m):
        c = w[G + i * n + column]
        if i != k and c != 0.0:
            for j in range(n):
                w[G + i * n + j] -= c * w[G + k * n + j]
            for j in range(m):
                w[T + i * m + j] -= c * w[T + k * m + j]


@jit
def start_elimination(tab, w, C, G, T, n, m):
    """G ← C with rows scaled to length one (T holds the scales), rows that move nothing left out as zeros."""
    for i in range(m):
        size = 0.0
        for j in range(n):
            size += w[C + i * n + j] * w[C + i * n + j]
        d = 1.0 / math.sqrt(size) if size > 0.0 else 0.0
        for j in range(n):
            w[G + i * n + j] = d * w[C + i * n + j]
        for j in range(m):
            w[T + i * m + j] = 0.0
        w[T + i * m + i] = d


@jit
def largest_in_column(w, G, n, m, k, column):
    """Row from k on with the largest entry of a column."""
    row = k
    for i in range(k + 1, m):
        if abs(w[G + i * n + column]) > abs(w[G + row * n + column]):
            row = i
    return row


@jit
def keep_partition(w, G, T, columns, n, m, rank):
    """Eliminate the dependent speeds of last time; False if a pivot is poor or further equations are independent."""
    for k in range(rank):
        column = int(w[columns + k])
        row = largest_in_column(w, G, n, m, k, column)
        if not abs(w[G + row * n + column]) > GOOD_PIVOT:
            return False
        eliminate(w, G, T, n, m, k, row, column)
    for i in range(rank, m):
        for j in range(n):
            if abs(w[G + i * n + j]) > GOOD_PIVOT:
                return False
    return True


@jit
def make_partition(w, G, T, columns, n, m, tolerance):
    """Gauss–Jordan with full pivoting; returns the rank."""
    rank = 0
    for k in range(min(n, m)):
        row, column, best = k, 0, 0.0
        for i in range(k, m):
            for j in range(n):
                if abs(w[G + i * n + j]) > best:
                    row, column, best = i, j, abs(w[G + i * n + j])
        if not best > tolerance:
            break
        eliminate(w, G, T, n, m, k, row, column)
        w[columns + k] = column
        rank += 1
    return rank


@jit
def factorize_null_space(tab, par, w, tolerance):
    """Partition of speeds and the reduced matrix NᵀM N; needs update_constraints."""
    composites, M, _, _, _, _, _, _, _, _ = places(tab)
    update_composites(tab, par, w, composites)
    update_mass_matrix(tab, w, composites, shift(w, M), tab[L.N_V])
    factorize_reduced(tab, w, tolerance)


@jit
def factorize_elastic_null_space(tab, par, w, tolerance):
    """The same with flexible bodies; what their elimination left in memory is lost."""
    composites, M, _, _, _, _, _, _, _, _ = places(tab)
    start_flexible_bodies(tab, par, w)
    update_elastic_composites(tab, par, w, composites)
    update_elastic_mass_matrix(tab, w, composites, shift(w, M), tab[L.N_V], -1)
    factorize_reduced(tab, w, tolerance)


@jit
def factorize_reduced(tab, w, tolerance):
    """C, its partition and the reduced matrix; needs the lower triangle of M."""
    n, m = tab[L.N_V], tab[L.N_ROW]
    _, M, C, G, T, K, _, _, columns, count = places(tab)
    mirror(shift(w, M), n)
    update_jacobian(tab, w, C)
    start_elimination(tab, w, C, G, T, n, m)
    rank = int(w[count])
    if rank == 0 or not keep_partition(w, G, T, columns, n, m, rank):
        start_elimination(tab, w, C, G, T, n, m)
        rank = make_partition(w, G, T, columns, n, m, math.sqrt(tolerance))
        w[count], w[count + 1] = rank, w[count + 1] + 1.0
    update_reduced_matrix(w, M, G, K, columns, n, rank)
    A = tab[L.W_MATRIX]  # C Cᵀ for λ of least norm
    for i in range(m):
        size = 0.0
        for k in range(n):
            size += w[C + i * n + k] * w[C + i * n + k]
        w[tab[L.W_ROW_SIZE] + i] = size if size > 0.0 else 1.0
        for j in range(i + 1):
            a = 0.0
            for k in range(n):
                a += w[C + i * n + k] * w[C + j * n + k]
            w[A + i * m + j] = a
    factorize_dense(tab, w, tolerance)


@jit
def is_dependent(w, columns, rank, j):
    """Place of a speed among the dependent ones, or -1."""
    for k in range(rank):
        if int(w[columns + k]) == j:
            return k
    return -1


@jit
def update_reduced_matrix(w, M, G, K, columns, n, rank):
    """Cholesky factor of NᵀM N over the free speeds (rows and columns of dependent ones are not used)."""
    for f in range(n):
        if is_dependent(w, columns, rank, f) >= 0:
            continue
        for g in range(f + 1):
            if is_dependent(w, columns, rank, g) >= 0:
                continue
            a = w[M + f * n + g]
            for k in range(rank):
                i = int(w[columns + k])
                a -= w[G + k * n + f] * w[M + i * n + g] + w[M + f * n + i] * w[G + k * n + g]
                for c in range(rank):
                    a += w[G + k * n + f] * w[M + i * n + int(w[columns + c])] * w[G + c * n + g]
            for j in range(g):
                if is_dependent(w, columns, rank, j) < 0:
                    a -= w[K + f * n + j] * w[K + g * n + j]
            w[K + f * n + g] = math.sqrt(a) if f == g else a / w[K + g * n + g]


@jit
def solve_null_space(tab, w, right):
    """W_RESPONSE and W_LAMBDA: the motion x with C x = right that is least in the metric of M, and what keeps it there."""
    n, m = tab[L.N_V], tab[L.N_ROW]
    _, M, C, G, T, K, x, y, columns, count = places(tab)
    rank, out = int(w[count]), tab[L.W_RESPONSE]
    for j in range(n):
        w[x + j] = 0.0
    for k in range(rank):
        a = 0.0
        for j in range(m):
            a += w[T + k * m + j] * w[right + j]
        w[x + int(w[columns + k])] = a  # p
    multiply(w, M, x, y, n)
    project(w, G, K, columns, n, rank, y)  # y ← free speeds of -(NᵀM N)⁻¹ Nᵀ M p
    for j in range(n):
        if is_dependent(w, columns, rank, j) < 0:
            w[x + j] = w[y + j]
    for k in range(rank):
        i = int(w[columns + k])
        for j in range(n):
            if is_dependent(w, columns, rank, j) < 0:
                w[x + i] -= w[G + k * n + j] * w[x + j]
    multiply(w, M, x, y, n)
    for j in range(n):
        w[out + j] = w[x + j]
    rest = tab[L.W_ROW_REST]
    for i in range(m):
        a = 0.0
        for j in range(n):
            a += w[C + i * n + j] * w[y + j]
        w[rest + i] = a
    solve_dense(tab, w, rest, tab[L.W_LAMBDA])


@jit
def multiply(w, M, x, y, n):
    """y ← M x."""
    for i in range(n):
        a = 0.0
        for j in range(n):
            a += w[M + i * n + j] * w[x + j]
        w[y + i] = a


@jit
def project(w, G, K, columns, n, rank, y):
    """y ← -(NᵀM N)⁻¹ Nᵀ y at the free speeds."""
    for j in range(n):
        if is_dependent(w, columns, rank, j) < 0:
            a = w[y + j]
            for k in range(rank):
                a -= w[G + k * n + j] * w[y + int(w[columns + k])]
            for i in range(j):
                if is_dependent(w, columns, rank, i) < 0:
                    a += w[K + j * n + i] * w[y + i]
            w[y + j] = -a / w[K + j * n + j]
    for r in range(n):
        j = n - 1 - r
        if is_dependent(w, columns, rank, j) < 0:
            a = w[y + j] / w[K + j * n + j]
            w[y + j] = a
            for i in range(j):
                if is_dependent(w, columns, rank, i) < 0:
                    w[y + i] -= w[K + j * n + i] * a
