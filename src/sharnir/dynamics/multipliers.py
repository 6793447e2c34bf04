"""A λ = b by the solver that was chosen for a system: dense and rank-revealing, block-sparse, or null space.

All answer the same question: the motion x = M⁻¹ Cᵀ λ, least in the metric of the masses, with C x = b.
"""

from sharnir.dynamics import layout as L
from sharnir.dynamics.constraint_paths import (
    equation_value,
    pair_entry,
    update_dense_matrix,
    update_loads,
    update_paths,
    update_response,
)
from sharnir.dynamics.null_space import factorize_null_space, solve_null_space
from sharnir.dynamics.rank_cholesky import factorize_dense, smallest_pivot, solve_dense
from sharnir.dynamics.sparse.solver import clear_matrix, factorize_sparse, solve_sparse
from sharnir.kernel import jit, shift
from sharnir.spatial.vector import load6


@jit
def factorize_multipliers(tab, par, w, tolerance):
    """A = C M⁻¹ Cᵀ and its factors; needs update_elimination and update_constraints. Smaller pivots count as redundant."""
    update_paths(tab, par, w)
    if tab[L.SOLVER] == L.SPARSE:
        update_sparse_matrix(tab, w, tolerance)
        factorize_sparse(tab, tab[L.T_SOLVER], w, tab[L.W_SOLVER])
    elif tab[L.SOLVER] == L.NULL_SPACE:
        factorize_null_space(tab, par, w, tolerance)
    else:
        update_dense_matrix(tab, w)
        factorize_dense(tab, w, tolerance)


@jit
def update_correction(tab, w, right):
    """W_RESPONSE = M⁻¹ Cᵀ λ and W_LAMBDA with A λ = right; needs factorize_multipliers."""
    lam, rest = tab[L.W_LAMBDA], tab[L.W_ROW_REST]
    if tab[L.SOLVER] == L.SPARSE:
        solve_sparse(tab, tab[L.T_SOLVER], w, tab[L.W_SOLVER], shift(w, right), shift(w, lam))
        update_loads(tab, w, lam)
        update_response(tab, w)
    elif tab[L.SOLVER] == L.NULL_SPACE:
        solve_null_space(tab, w, right)
    else:
        solve_dense(tab, w, right, lam)
        update_loads(tab, w, lam)
        update_response(tab, w)
        # refined once with C itself: A squares what C knows of a position that is nearly singular
        update_rest(tab, w, right, rest)
        solve_dense(tab, w, rest, rest)
        for k in range(tab[L.N_ROW]):
            w[lam + k] += w[rest + k]
        update_loads(tab, w, lam)
        update_response(tab, w)


@jit
def update_rest(tab, w, right, rest):
    """rest = right - C x for the motion x in W_RESPONSE."""
    x = tab[L.W_RESPONSE]
    for k in range(tab[L.N_ELEMENT]):
        e = tab[L.T_ELEMENT] + k * L.T_ELEMENT_SIZE
        for r in range(tab[e + L.E_COUNT]):
            i = tab[e + L.E_ROW] + r
            w[rest + i] = w[right + i] - equation_value(tab, w, e, r, x + tab[L.N_V], 6, shift(w, x))


@jit
def distance_from_singularity(tab, w):
    """Square of a measure of it, 1 where it is not known: the smallest pivot that was kept."""
    return smallest_pivot(tab, w) if tab[L.SOLVER] == L.DENSE else 1.0


@jit
def write_shared_body(tab, w, e, f, run, at):
    """The block of two elements that share one body that flies by itself: six speeds in one run."""
    n, m, size = tab[e + L.E_COUNT], tab[f + L.E_COUNT], tab[L.W_ROW_SIZE]
    u, v = tab[e + L.E_LOAD] + tab[run], tab[f + L.E_LOAD] + m * tab[f + L.E_SPEEDS] + tab[run + 1]
    for i in range(n):
        x, alive = load6(w, u + i * tab[e + L.E_SPEEDS]), w[size + tab[e + L.E_ROW] + i]
        for j in range(m):
            y = load6(w, v + j * tab[f + L.E_SPEEDS])
            a = x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]
            w[at + i * m + j] = a if alive * w[size + tab[f + L.E_ROW] + j] != 0.0 else 0.0


@jit
def update_sparse_matrix(tab, w, tolerance):
    """Blocks of A in the places of the sparse solver; an equation that moves nothing gets an empty row."""
    T, W = tab[L.T_SOLVER], tab[L.W_SOLVER]
    clear_matrix(tab, T, w, W)
    size = tab[L.W_ROW_SIZE]
    for x in range(tab[L.N_PAIR]):
        pair = tab[L.T_PAIR] + x * L.T_PAIR_SIZE
        if tab[pair] == tab[pair + 1]:
            e, at = tab[L.T_ELEMENT] + tab[pair] * L.T_ELEMENT_SIZE, W + tab[tab[L.T_PLACE] + x]
            n, row = tab[e + L.E_COUNT], tab[e + L.E_ROW]
            for i in range(n):
                d = pair_entry(tab, w, e, e, pair, i, i)
                alive = d > tolerance * w[size + row + i]
                w[size + row + i] = 1.0 if alive else 0.0
                w[at + i * n + i] = d if alive else 0.0
    for x in range(tab[L.N_PAIR]):
        pair, at = tab[L.T_PAIR] + x * L.T_PAIR_SIZE, W + tab[tab[L.T_PLACE] + x]
        e = tab[L.T_ELEMENT] + tab[pair] * L.T_ELEMENT_SIZE
        f = tab[L.T_ELEMENT] + tab[pair + 1] * L.T_ELEMENT_SIZE
        n, m = tab[e + L.E_COUNT], tab[f + L.E_COUNT]
        if e != f and tab[pair + 3] == 1 and tab[tab[pair + 2] + 2] == 6:
            write_shared_body(tab, w, e, f, tab[pair + 2], at)
            continue
        for i in range(n):
            last = i if e == f else m
            for j in range(last):
                if w[size + tab[e + L.E_ROW] + i] * w[size + tab[f + L.E_ROW] + j] != 0.0:
                    w[at + i * m + j] = pair_entry(tab, w, e, f, pair, i, j)
