"""A λ = b by the solver that was chosen for a system: dense and rank-revealing, block-sparse, or null space.

All answer the same question: the motion x = M⁻¹ Cᵀ λ, least in the metric of the masses, with C x = b.
"""

import math

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_work, element_record, pair_record, pose_work, target_of
from sharnir.dynamics.multipliers.delassus_blocks import write_block
from sharnir.dynamics.multipliers.delassus_paths import equation_value, update_loads, update_path, update_response
from sharnir.dynamics.multipliers.free_bodies import INVERSE_SIZE, update_lone_path, update_lone_response
from sharnir.dynamics.multipliers.null_space import (
    factorize_direct_null_space,
    factorize_elastic_null_space,
    factorize_null_space,
    solve_null_space,
)
from sharnir.dynamics.multipliers.pivoted_cholesky import factorize_dense, smallest_pivot, solve_dense, update_least_norm
from sharnir.dynamics.multipliers.response_columns import write_column_block
from sharnir.dynamics.sparse.solver import factorize_and_solve
from sharnir.kernel import (
    Pointer,
    address_of,
    call_derivative,
    doubles,
    fixed_doubles,
    fixed_ints,
    inline,
    jit,
    prefetch,
    shift,
)
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import dot, load3

CACHE_LINE = 8  # numbers
MANY = 2000  # elements from which on the numbers of all do not stay in the second cache
AHEAD = 4  # elements between the request and the use


def dense(tolerance, _y, _yd, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    right, lam, rest = tab[L.W_ROW_RIGHT], tab[L.W_LAMBDA], tab[L.W_ROW_REST]
    factorize_dense(tab, w, tolerance)
    solve_dense(tab, w, right, lam)
    respond(tab, par, w, lam)
    # refined once with C itself: A squares what C knows of a position that is nearly singular
    update_rest(tab, w, right, rest)
    solve_dense(tab, w, rest, rest)
    for k in range(tab[L.N_ROW]):
        w[lam + k] += w[rest + k]
    respond(tab, par, w, lam)
    if tab[L.LEAST_NORM] == 1:
        update_weights(tab, par, w, rest)
        update_least_norm(tab, w, lam, rest)


def sparse(_tolerance, _y, _yd, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    right, lam = tab[L.W_ROW_RIGHT], tab[L.W_LAMBDA]
    clear_lost_rows(tab, w)
    factorize_and_solve(tab, tab[L.T_SOLVER], w, tab[L.W_SOLVER], shift(w, right), shift(w, lam))
    respond(tab, par, w, lam)


def null_space(tolerance, _y, _yd, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    factorize_null_space(tab, par, w, tolerance)
    solve_null_space(tab, w, tab[L.W_ROW_RIGHT])


def direct_null_space(tolerance, _y, _yd, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    factorize_direct_null_space(tab, par, w, tolerance)
    solve_null_space(tab, w, tab[L.W_ROW_RIGHT])


def elastic_null_space(tolerance, _y, _yd, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    factorize_elastic_null_space(tab, par, w, tolerance)
    solve_null_space(tab, w, tab[L.W_ROW_RIGHT])


def lone_blocks(tolerance, x, hand, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    shadow = tab[L.W_SHADOW] + hand * tab[L.HAND_SHADOW]
    if tab[L.N_ELEMENT] > MANY and x + AHEAD < tab[L.N_ELEMENT]:
        prefetch_element(tab, par, w, x + AHEAD)
    update_lone_path(tab, par, w, element_record(tab, x), shadow)
    write_blocks(tab, w, x, tolerance, shadow)


def tree_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    update_path(tab, par, w, element_record(tab, x))
    write_blocks(tab, w, x, tolerance, tab[L.W_SHADOW])


@jit
def prefetch_element(tab, par, w, x):
    """Have what an element is going to need from its bodies and from earlier elements brought nearer, and its blocks of A."""
    e = element_record(tab, x)
    for k in range(tab[e + L.E_TERMS]):
        i = target_of(tab, e, k)
        if i >= 0:
            prefetch(w, body_work(tab, i) + L.ACC)
            for j in range(0, L.W_POSE_SIZE, CACHE_LINE):
                prefetch(w, pose_work(tab, i) + j)
            for j in range(0, INVERSE_SIZE, CACHE_LINE):
                prefetch(par, tab[L.P_INVERSE] + i * INVERSE_SIZE + j)
    pair = tab[e + L.E_PAIR]
    while pair < tab[L.N_PAIR] and tab[pair_record(tab, pair) + L.PAIR_E] == x:
        f = element_record(tab, tab[pair_record(tab, pair) + L.PAIR_F])
        m = tab[e + L.E_COUNT] * tab[f + L.E_COUNT]
        if tab[L.SOLVER] == L.SPARSE:
            at = tab[L.W_SOLVER] + tab[tab[L.T_PLACE] + pair]
            for j in range(0, m, CACHE_LINE):
                prefetch(w, at + j)
            prefetch(w, at + m - 1)
        for j in range(0, 6 * tab[f + L.E_COUNT] * tab[f + L.E_TERMS], CACHE_LINE):
            prefetch(w, tab[f + L.E_LOAD] + j)
        pair += 1


# C functions: a system has one solver and one kind of tree, others are not compiled
SOLVERS = {
    L.DENSE: Pointer(dense, DERIVATIVE),
    L.SPARSE: Pointer(sparse, DERIVATIVE),
    L.NULL_SPACE: Pointer(null_space, DERIVATIVE),
}
ELASTIC_NULL_SPACE, DIRECT_NULL_SPACE = Pointer(elastic_null_space, DERIVATIVE), Pointer(direct_null_space, DERIVATIVE)
LONE_BLOCKS, TREE_BLOCKS = Pointer(lone_blocks, DERIVATIVE), Pointer(tree_blocks, DERIVATIVE)


def solver_of(solver: int, elastic: bool) -> Pointer:
    """The C function of a solver: only the null space needs the mass matrix, and another one with flexible bodies."""
    return ELASTIC_NULL_SPACE if elastic and solver == L.NULL_SPACE else SOLVERS[solver]


def addresses(solver: int, lone: bool, elastic: bool = False) -> tuple[int, int]:
    """F_SOLVE and F_BLOCKS for the header of the table."""
    return solver_of(solver, elastic).address, (LONE_BLOCKS if lone else TREE_BLOCKS).address


@jit
def solve_multipliers(tab, par, w, tolerance):
    """W_LAMBDA with A λ = W_ROW_RIGHT, and W_RESPONSE = M⁻¹ Cᵀ λ; needs update_system. Smaller pivots count as redundant."""
    call_derivative(tab[L.F_SOLVE], tolerance, 0, 0, address_of(tab, 0), address_of(par, 0), address_of(w, 0))


@jit
def update_blocks(tab, par, w, x, tolerance, hand):
    """Paths of element x, and blocks of A of it and earlier ones; hand: whose scratch memory, of two threads."""
    if tab[L.SOLVER] != L.NULL_SPACE:  # which goes another way
        call_derivative(tab[L.F_BLOCKS], tolerance, x, hand, address_of(tab, 0), address_of(par, 0), address_of(w, 0))


@jit
def update_weights(tab, par, w, out):
    """Per equation, the force that goes with λ = 1; torques count as forces at the reach of the mechanism."""
    reach = 1.0 / (par[L.REACH] * par[L.REACH])
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        n = tab[e + L.E_TERMS]
        for r in range(tab[e + L.E_COUNT]):
            size = 0.0
            if tab[e] == L.CUT_JOINT:  # at the joint
                at = tab[e + L.E_WORK] + L.CUT_N + 6 * r
                f, m = load3(w, at), load3(w, at + 3)
                size = dot(f, f) + dot(m, m) * reach
            else:
                for k in range(n):
                    at, target = tab[e + L.E_JACOBIAN] + (r * n + k) * 6, target_of(tab, e, k)
                    f, m = load3(w, at), load3(w, at + 3)
                    if target >= 0:
                        size = max(size, dot(f, f) if tab[e] == L.CUT_BALL else dot(f, f) + dot(m, m) * reach)
                    elif target < -1:
                        size = max(size, f[0] * f[0] * reach)
            w[out + tab[e + L.E_ROW] + r] = math.sqrt(size) if size > 0.0 else 1.0


@jit
def respond(tab, par, w, lam):
    """W_RESPONSE = M⁻¹ Cᵀ λ."""
    if tab[L.F_RESPOND] != 0:
        call_derivative(tab[L.F_RESPOND], 0.0, lam, 0, address_of(tab, 0), address_of(par, 0), address_of(w, 0))
    elif tab[L.LONE] == 1:
        update_lone_response(tab, par, w, lam)
    else:
        update_loads(tab, w, lam)
        update_response(tab, w)


@jit
def update_rest(tab, w, right, rest):
    """rest = right - C x for the motion x in W_RESPONSE."""
    x = tab[L.W_RESPONSE]
    for k in range(tab[L.N_ELEMENT]):
        e = element_record(tab, k)
        for r in range(tab[e + L.E_COUNT]):
            i = tab[e + L.E_ROW] + r
            w[rest + i] = w[right + i] - equation_value(tab, w, e, r, x + tab[L.N_V], 6, shift(w, x))


@jit
def distance_from_singularity(tab, w):
    """Square of a measure of it, 1 where it is not known: the smallest pivot that was kept."""
    return smallest_pivot(tab, w) if tab[L.SOLVER] == L.DENSE else 1.0


@jit
def clear_dense_matrix(tab, w):
    """A ← 0 for the dense solver: elements that share no speeds have no block."""
    if tab[L.SOLVER] == L.DENSE:
        m = tab[L.N_ROW]
        for k in range(m * m):
            w[tab[L.W_MATRIX] + k] = 0.0


@jit
def write_blocks(tab, w, x, tolerance, shadow):
    """Blocks of A of element x and those before it; needs update_path of x, and of the others earlier."""
    e, m, pair = element_record(tab, x), tab[L.N_ROW], tab[element_record(tab, x) + L.E_PAIR]
    while pair < tab[L.N_PAIR] and tab[pair_record(tab, pair) + L.PAIR_E] == x:
        p = pair_record(tab, pair)
        f = element_record(tab, tab[p + L.PAIR_F])
        if tab[L.SOLVER] == L.DENSE:
            write_block(tab, w, p, shadow, tab[L.W_MATRIX] + tab[e + L.E_ROW] * m + tab[f + L.E_ROW], m)
        else:
            at = tab[L.W_SOLVER] + tab[tab[L.T_PLACE] + pair]
            write_block(tab, w, p, shadow, at, tab[f + L.E_COUNT])
            if e == f:
                note_lost_rows(w, at, tab[e + L.E_COUNT], tab[L.W_ROW_SIZE] + tab[e + L.E_ROW], tolerance)
        pair += 1


@jit
def write_column_blocks(tab, w, x, tolerance):
    """The same from M⁻¹ Cᵀ of the equations of x; needs update_rows of x, and of the others earlier."""
    e, m, pair = element_record(tab, x), tab[L.N_ROW], tab[element_record(tab, x) + L.E_PAIR]
    while pair < tab[L.N_PAIR] and tab[pair_record(tab, pair) + L.PAIR_E] == x:
        p = pair_record(tab, pair)
        f = element_record(tab, tab[p + L.PAIR_F])
        if tab[L.SOLVER] == L.DENSE:
            write_column_block(tab, w, p, tab[L.W_MATRIX] + tab[e + L.E_ROW] * m + tab[f + L.E_ROW], m)
        else:
            at = tab[L.W_SOLVER] + tab[tab[L.T_PLACE] + pair]
            write_column_block(tab, w, p, at, tab[f + L.E_COUNT])
            if e == f:
                note_lost_rows(w, at, tab[e + L.E_COUNT], tab[L.W_ROW_SIZE] + tab[e + L.E_ROW], tolerance)
        pair += 1


@inline
def note_lost_rows(w, at, n, size, tolerance):
    """W_ROW_SIZE = 0 for equations whose diagonal is nothing but rounding, else 1."""
    for i in range(n):
        w[size + i] = 1.0 if w[at + i * n + i] > tolerance * w[size + i] else 0.0


@jit
def update_system(tab, par, w, tolerance):
    """A of all elements."""
    clear_dense_matrix(tab, w)
    for x in range(tab[L.N_ELEMENT]):
        update_blocks(tab, par, w, x, tolerance, 0)


@jit
def clear_lost_rows(tab, w):
    """Equations that move nothing, W_ROW_SIZE = 0, get empty rows and columns in A."""
    size, lost = tab[L.W_ROW_SIZE], 0
    for k in range(tab[L.N_ROW]):
        lost += 1 if w[size + k] == 0.0 else 0
    if lost == 0:
        return
    for x in range(tab[L.N_PAIR]):
        pair, at = pair_record(tab, x), tab[L.W_SOLVER] + tab[tab[L.T_PLACE] + x]
        e = element_record(tab, tab[pair + L.PAIR_E])
        f = element_record(tab, tab[pair + L.PAIR_F])
        n, m = tab[e + L.E_COUNT], tab[f + L.E_COUNT]
        for i in range(n):
            for j in range(m):
                w[at + i * m + j] *= w[size + tab[e + L.E_ROW] + i] * w[size + tab[f + L.E_ROW] + j]
