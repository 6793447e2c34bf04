"""The methods as solvers of the tree part of a mechanism with constraints: M v̇ = f without them, and M⁻¹ Cᵀ for multipliers.

What the elimination of separate bodies does inside of the constrained right-hand side, other methods do through four C functions:
free accelerations v̇ and those of bodies, with the factors that they need; factors alone, for corrections; the blocks of
A = C M⁻¹ Cᵀ of one constraint element; M⁻¹ Cᵀ λ. A system has those of one method, others are not compiled.
"""

from collections.abc import Callable
from typing import NamedTuple

from sharnir.dynamics.evaluation.right_hand_sides import (
    iterative_memory,
    solve_by_factors,
    solve_by_inverse,
    solve_composite,
    solve_direct,
    solve_lagrange1,
    solve_with_factors,
    solve_with_inverse,
)
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import element_record
from sharnir.dynamics.methods.composite_body import update_composites, update_mass_matrix
from sharnir.dynamics.methods.direct_method import update_mass_matrix_directly, update_tangent_basis
from sharnir.dynamics.methods.lagrange1_responses import respond_to_equation
from sharnir.dynamics.methods.ltl_factorization import factorize, mirror
from sharnir.dynamics.methods.newton_euler import update_body_accelerations
from sharnir.dynamics.multipliers.factorized_rows import (
    divide_rows,
    divide_rows_directly,
    rigid_factors,
    update_factorized_response,
)
from sharnir.dynamics.multipliers.multiplier_solvers import write_blocks, write_column_blocks
from sharnir.dynamics.multipliers.path_rows import update_rows
from sharnir.dynamics.multipliers.response_columns import column_of, scatter_row, update_response_of_columns
from sharnir.kernel import Pointer, address, doubles, entry, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE, Integers, Vector


class TreePart(NamedTuple):
    """What a method does for a mechanism with constraints: C functions f(t, y, ydot, table, params, work)."""

    accelerations: Pointer  # t: 1 if forces act on bodies; ydot: v̇
    factors: Pointer
    blocks: Pointer  # t: tolerance of the rank; y: number of the element
    response: Pointer  # y: offset of λ
    columns: bool = False  # whether it keeps M⁻¹ Cᵀ


@jit
def blocks_of(table, params, work):
    """Addresses as memory: table, params, work."""
    return fixed_ints(table), fixed_doubles(params), doubles(work)


# ---- composite bodies


@jit
def composite_matrix(tab):
    """Offset of M: after the composites."""
    return tab[L.W_METHOD] + 21 * tab[L.N_BODY]


@jit
def update_composite_matrix(tab, par, w):
    """M at a position, lower triangle."""
    update_composites(tab, par, w, tab[L.W_METHOD])
    update_mass_matrix(tab, par, w, tab[L.W_METHOD], shift(w, composite_matrix(tab)), tab[L.N_V])


def composite_accelerations(has_external, _y, vdot, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    solve_composite(tab, par, w, shift(w, tab[L.W_TAU]), doubles(vdot), has_external == 1.0)
    update_body_accelerations(tab, par, w, doubles(vdot), True)


def composite_factors(_t, _y, _yd, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    update_composite_matrix(tab, par, w)
    factorize(shift(w, composite_matrix(tab)), shift(tab, tab[L.T_SOLVE]), shift(tab, tab[L.T_RUN]), tab[L.N_V])


def composite_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    e = element_record(tab, x)
    update_rows(tab, par, w, e)
    divide_rows(tab, w, rigid_factors(tab, composite_matrix(tab)), e)
    write_blocks(tab, w, x, tolerance, tab[L.W_SHADOW])


def composite_response(_t, lam, _yd, table, params, work):
    tab, _, w = blocks_of(table, params, work)
    update_factorized_response(tab, w, rigid_factors(tab, composite_matrix(tab)), lam)


# ---- direct method


@jit
def direct_matrix(tab):
    """Offset of M: after the tangent basis."""
    return tab[L.W_METHOD] + 6 * tab[L.N_BODY] * tab[L.N_V]


def direct_accelerations(has_external, _y, vdot, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    solve_direct(tab, par, w, shift(w, tab[L.W_TAU]), doubles(vdot), has_external == 1.0)
    update_body_accelerations(tab, par, w, doubles(vdot), True)


def direct_factors(_t, _y, _yd, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    n, B, M = tab[L.N_V], shift(w, tab[L.W_METHOD]), shift(w, direct_matrix(tab))
    update_tangent_basis(tab, w, B, n)
    update_mass_matrix_directly(tab, par, B, M, n)
    factorize(M, shift(tab, tab[L.T_SOLVE]), shift(tab, tab[L.T_RUN]), n)


def direct_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    divide_rows_directly(tab, par, w, rigid_factors(tab, direct_matrix(tab)), element_record(tab, x), tab[L.W_METHOD])
    write_blocks(tab, w, x, tolerance, tab[L.W_SHADOW])


def direct_response(_t, lam, _yd, table, params, work):
    tab, _, w = blocks_of(table, params, work)
    update_factorized_response(tab, w, rigid_factors(tab, direct_matrix(tab)), lam)


# ---- Lagrange I


def lagrange1_accelerations(has_external, _y, vdot, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    solve_lagrange1(tab, par, w, shift(w, tab[L.W_TAU]), doubles(vdot), has_external == 1.0)


def lagrange1_factors(_t, _y, _yd, table, params, work):
    """By a whole solution; v̇, which nobody asks for, goes where the responses come later."""
    tab, par, w = blocks_of(table, params, work)
    solve_lagrange1(tab, par, w, shift(w, tab[L.W_TAU]), shift(w, tab[L.W_RESPONSE]), False)


def lagrange1_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    e = element_record(tab, x)
    update_rows(tab, par, w, e)
    for r in range(tab[e + L.E_COUNT]):
        respond_to_equation(tab, par, w, e, r, column_of(tab, tab[e + L.E_ROW] + r))
    write_column_blocks(tab, w, x, tolerance)


def response_of_columns(_t, lam, _yd, table, _params, work):
    update_response_of_columns(fixed_ints(table), doubles(work), lam)


# ---- iterative methods: every equation is one more right side for the matrix of this position


def inverse_accelerations(has_external, _y, vdot, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    solve_by_inverse(tab, par, w, shift(w, tab[L.W_TAU]), doubles(vdot), has_external == 1.0)
    update_body_accelerations(tab, par, w, doubles(vdot), True)


def factors_accelerations(has_external, _y, vdot, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    solve_by_factors(tab, par, w, shift(w, tab[L.W_TAU]), doubles(vdot), has_external == 1.0)
    update_body_accelerations(tab, par, w, doubles(vdot), True)


def present_matrix(_t, _y, _yd, table, params, work):
    """M at a position, both triangles: what is kept of the last one is corrected by the equations that come."""
    tab, par, w = blocks_of(table, params, work)
    update_composite_matrix(tab, par, w)
    mirror(shift(w, composite_matrix(tab)), tab[L.N_V])


@jit
def start_right_side(tab, w, e, r):
    """c of equation r of element e as the right side of an iteration."""
    b = iterative_memory(tab, w).b
    column = column_of(tab, tab[e + L.E_ROW] + r)
    scatter_row(tab, w, e, r, column)
    for k in range(tab[L.N_V]):
        b[k] = w[column + k]
    return column


def inverse_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    e, M = element_record(tab, x), shift(w, composite_matrix(tab))
    update_rows(tab, par, w, e)
    for r in range(tab[e + L.E_COUNT]):
        column = start_right_side(tab, w, e, r)
        solve_with_inverse(tab, w, M, shift(tab, tab[L.T_SOLVE]), shift(tab, tab[L.T_RUN]), shift(w, column))
    write_column_blocks(tab, w, x, tolerance)


def factors_blocks(tolerance, x, _hand, table, params, work):
    tab, par, w = blocks_of(table, params, work)
    e = element_record(tab, x)
    update_rows(tab, par, w, e)
    for r in range(tab[e + L.E_COUNT]):
        column = start_right_side(tab, w, e, r)
        solve_with_factors(tab, w, shift(w, composite_matrix(tab)), shift(w, column))
    write_column_blocks(tab, w, x, tolerance)


@entry
def update_rows_of(x: int, table: Integers, params: Vector, work: Vector) -> None:
    """Rows of C of element x along its path, for methods in Python."""
    tab = fixed_ints(address(table))
    update_rows(tab, fixed_doubles(address(params)), doubles(address(work)), element_record(tab, x))


@entry
def write_columns_of(x: int, tolerance: float, table: Integers, work: Vector) -> None:
    """Blocks of A of element x and those before it, from columns that were filled in Python."""
    write_column_blocks(fixed_ints(address(table)), doubles(address(work)), x, tolerance)


def tree_part(
    accelerations: Callable, factors: Callable, blocks: Callable, response: Callable, columns: bool = False
) -> TreePart:
    """The four kernels as C functions."""
    return TreePart(
        Pointer(accelerations, DERIVATIVE),
        Pointer(factors, DERIVATIVE),
        Pointer(blocks, DERIVATIVE),
        Pointer(response, DERIVATIVE),
        columns,
    )


RESPONSE_OF_COLUMNS = Pointer(response_of_columns, DERIVATIVE)
TREE_PARTS = {
    "composite": tree_part(composite_accelerations, composite_factors, composite_blocks, composite_response),
    "direct": tree_part(direct_accelerations, direct_factors, direct_blocks, direct_response),
    "lagrange1": tree_part(lagrange1_accelerations, lagrange1_factors, lagrange1_blocks, response_of_columns, True),
    "inverse-iterative": tree_part(inverse_accelerations, present_matrix, inverse_blocks, response_of_columns, True),
    "direct-iterative": tree_part(factors_accelerations, present_matrix, factors_blocks, response_of_columns, True),
}
