"""The methods as solvers of the tree part of a mechanism with constraints and flexible bodies; see tree_parts."""

from sharnir.dynamics.evaluation.flexible_right_hand_sides import solve_in_order
from sharnir.dynamics.evaluation.right_hand_sides import (
    iterate_factors,
    iterate_inverse,
    iterative_memory,
    solve_with_factors,
    solve_with_inverse,
)
from sharnir.dynamics.evaluation.tree_parts import blocks_of, composite_matrix, direct_matrix, response_of_columns, tree_part
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import element_record
from sharnir.dynamics.methods.flexible_composite_body import (
    put_back,
    start_flexible_bodies,
    update_elastic_composites,
    update_elastic_equations,
    update_elastic_mass_matrix,
)
from sharnir.dynamics.methods.flexible_direct_method import (
    update_elastic_basis,
    update_elastic_mass_matrix_directly,
    update_elastic_right_side_directly,
)
from sharnir.dynamics.methods.flexible_lagrange1 import solve_elastic_lagrange1
from sharnir.dynamics.methods.lagrange1_responses import elastic_respond_to_equation
from sharnir.dynamics.methods.ltl_factorization import factorize, mirror
from sharnir.dynamics.methods.newton_euler import update_body_accelerations
from sharnir.dynamics.multipliers.factorized_rows import (
    divide_rows,
    divide_rows_directly,
    flexible_factors,
    update_factorized_response,
)
from sharnir.dynamics.multipliers.multiplier_solvers import write_blocks, write_column_blocks
from sharnir.dynamics.multipliers.path_rows import update_rows
from sharnir.dynamics.multipliers.response_columns import column_of, scatter_row
from sharnir.kernel import doubles, jit, shift


@jit
def order_of(tab):
    """Ancestors and runs in the order of the tree."""
    n = tab[L.N_V]
    return shift(tab, tab[L.T_METHOD] + 2 * n), shift(tab, tab[L.T_METHOD] + 3 * n)


# ---- composite bodies


@jit
def update_elastic_matrix(tab, par, w):
    """M at a position in the order of the tree, lower triangle."""
    start_flexible_bodies(tab, par, w)
    update_elastic_composites(tab, par, w, tab[L.W_METHOD])
    update_elastic_mass_matrix(tab, par, w, tab[L.W_METHOD], shift(w, composite_matrix(tab)), tab[L.N_V], tab[L.T_METHOD])


def composite_accelerations(has_external, _y, yd, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    vdot = doubles(yd)
    M = update_elastic_equations(tab, par, w, shift(w, tab[L.W_TAU]), vdot, has_external == 1.0)
    solve_in_order(tab, par, w, M, vdot)
    update_body_accelerations(tab, par, w, vdot, True)


def composite_factors(_t, _y, _yd, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    lam, run = order_of(tab)
    update_elastic_matrix(tab, par, w)
    factorize(shift(w, composite_matrix(tab)), lam, run, tab[L.N_V])


def composite_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    e = element_record(tab, x)
    update_rows(tab, par, w, e)
    divide_rows(tab, w, flexible_factors(tab, composite_matrix(tab)), e)
    write_blocks(tab, w, x, tolerance, tab[L.W_SHADOW])


def composite_response(_t, lam, _yd, table, params, work):
    tab, _, w = blocks_of(table, params, work)
    update_factorized_response(tab, w, flexible_factors(tab, composite_matrix(tab)), lam)


# ---- direct method


@jit
def update_direct_matrix(tab, par, w):
    """M at a position by B, in the order of the tree; needs the basis, and M_wr, M_ww of bodies alone."""
    update_elastic_mass_matrix_directly(tab, par, w, shift(w, tab[L.W_METHOD]), shift(w, direct_matrix(tab)), tab[L.N_V])


def direct_accelerations(has_external, _y, yd, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    vdot, n, B = doubles(yd), tab[L.N_V], shift(w, tab[L.W_METHOD])
    update_body_accelerations(tab, par, w, vdot, False)
    update_elastic_basis(tab, w, B, n)
    update_elastic_right_side_directly(tab, par, w, B, shift(w, tab[L.W_TAU]), vdot, n, has_external == 1.0)
    update_direct_matrix(tab, par, w)
    solve_in_order(tab, par, w, shift(w, direct_matrix(tab)), vdot)
    update_body_accelerations(tab, par, w, vdot, True)


def direct_factors(_t, _y, _yd, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    lam, run = order_of(tab)
    start_flexible_bodies(tab, par, w)
    update_elastic_basis(tab, w, shift(w, tab[L.W_METHOD]), tab[L.N_V])
    update_direct_matrix(tab, par, w)
    factorize(shift(w, direct_matrix(tab)), lam, run, tab[L.N_V])


def direct_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    divide_rows_directly(tab, par, w, flexible_factors(tab, direct_matrix(tab)), element_record(tab, x), tab[L.W_METHOD])
    write_blocks(tab, w, x, tolerance, tab[L.W_SHADOW])


def direct_response(_t, lam, _yd, table, params, work):
    tab, _, w = blocks_of(table, params, work)
    update_factorized_response(tab, w, flexible_factors(tab, direct_matrix(tab)), lam)


# ---- Lagrange I


def lagrange1_accelerations(has_external, _y, vdot, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    solve_elastic_lagrange1(tab, par, w, shift(w, tab[L.W_TAU]), doubles(vdot), has_external == 1.0)


def lagrange1_factors(_t, _y, _yd, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    solve_elastic_lagrange1(tab, par, w, shift(w, tab[L.W_TAU]), shift(w, tab[L.W_RESPONSE]), False)


def lagrange1_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    e = element_record(tab, x)
    update_rows(tab, par, w, e)
    for r in range(tab[e + L.E_COUNT]):
        elastic_respond_to_equation(tab, par, w, e, r, column_of(tab, tab[e + L.E_ROW] + r))
    write_column_blocks(tab, w, x, tolerance)


# ---- iterative methods


def inverse_accelerations(has_external, _y, yd, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    vdot, b, (lam, run) = doubles(yd), iterative_memory(tab, w).b, order_of(tab)
    M = update_elastic_equations(tab, par, w, shift(w, tab[L.W_TAU]), b, has_external == 1.0)
    iterate_inverse(tab, w, M, lam, run, vdot)
    put_back(tab, w, vdot)
    update_body_accelerations(tab, par, w, vdot, True)


def factors_accelerations(has_external, _y, yd, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    vdot, b = doubles(yd), iterative_memory(tab, w).b
    M = update_elastic_equations(tab, par, w, shift(w, tab[L.W_TAU]), b, has_external == 1.0)
    iterate_factors(tab, w, M, vdot)
    put_back(tab, w, vdot)
    update_body_accelerations(tab, par, w, vdot, True)


def present_matrix(_t, _y, _yd, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    update_elastic_matrix(tab, par, w)
    mirror(shift(w, composite_matrix(tab)), tab[L.N_V])


@jit
def start_ordered_right_side(tab, w, e, r):
    """c of equation r of element e as the right side of an iteration, in the order of the tree."""
    b = iterative_memory(tab, w).b
    column = column_of(tab, tab[e + L.E_ROW] + r)
    scatter_row(tab, w, e, r, column)
    for k in range(tab[L.N_V]):
        b[tab[tab[L.T_METHOD] + k]] = w[column + k]
    return column


def inverse_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    e, (lam, run) = element_record(tab, x), order_of(tab)
    update_rows(tab, par, w, e)
    for r in range(tab[e + L.E_COUNT]):
        column = shift(w, start_ordered_right_side(tab, w, e, r))
        solve_with_inverse(tab, w, shift(w, composite_matrix(tab)), lam, run, column)
        put_back(tab, w, column)
    write_column_blocks(tab, w, x, tolerance)


def factors_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    e = element_record(tab, x)
    update_rows(tab, par, w, e)
    for r in range(tab[e + L.E_COUNT]):
        column = shift(w, start_ordered_right_side(tab, w, e, r))
        solve_with_factors(tab, w, shift(w, composite_matrix(tab)), column)
        put_back(tab, w, column)
    write_column_blocks(tab, w, x, tolerance)


FLEXIBLE_TREE_PARTS = {
    "composite": tree_part(composite_accelerations, composite_factors, composite_blocks, composite_response),
    "direct": tree_part(direct_accelerations, direct_factors, direct_blocks, direct_response),
    "lagrange1": tree_part(lagrange1_accelerations, lagrange1_factors, lagrange1_blocks, response_of_columns, True),
    "inverse-iterative": tree_part(inverse_accelerations, present_matrix, inverse_blocks, response_of_columns, True),
    "direct-iterative": tree_part(factors_accelerations, present_matrix, factors_blocks, response_of_columns, True),
}
