"""Right-hand sides of models with flexible bodies, one C function per method; and their entry points for Python."""

from sharnir.dynamics.bodies.flexible_body import is_flexible, start_elastic
from sharnir.dynamics.bodies.kinematics import update_kinematics, update_motions, update_rates
from sharnir.dynamics.evaluation.right_hand_sides import iterate_factors, iterate_inverse, iterative_memory, prepare, views
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_record, body_work
from sharnir.dynamics.methods.composite_body import unfold_mimics
from sharnir.dynamics.methods.flexible_articulated_body import update_elastic_accelerations, update_elastic_elimination
from sharnir.dynamics.methods.flexible_composite_body import (
    fold_ordered_mimics,
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
from sharnir.dynamics.methods.ltl_factorization import factorize, mirror, solve
from sharnir.dynamics.methods.newton_euler import update_body_accelerations
from sharnir.kernel import Pointer, address, doubles, entry, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE, Integers, Matrix, Vector
from sharnir.spatial.inertia import symmetric_full
from sharnir.spatial.vector import load3, store3, store9


@jit
def solve_in_order(tab, par, w, M, vdot):
    """v̇ from M and Q in the order of the tree."""
    n, order = tab[L.N_V], tab[L.T_METHOD]
    lam, run = shift(tab, order + 2 * n), shift(tab, order + 3 * n)
    factorize(M, lam, run, n)
    solve(M, lam, run, n, vdot)
    put_back(tab, w, vdot)
    unfold_mimics(tab, par, vdot)


def derivative_elastic(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    update_elastic_elimination(tab, par, w, prepare(t, tab, par, w, q, v))
    update_elastic_accelerations(tab, par, w, vdot)
    update_rates(tab, par, q, v, qd)


def derivative_elastic_composite(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    M = update_elastic_equations(tab, par, w, shift(w, tab[L.W_TAU]), vdot, prepare(t, tab, par, w, q, v))
    solve_in_order(tab, par, w, M, vdot)
    update_rates(tab, par, q, v, qd)


def derivative_elastic_direct(t, y, yd, table, params, work):
    """W_METHOD: tangent basis 6 N n, then M n²."""
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    n, has_external = tab[L.N_V], prepare(t, tab, par, w, q, v)
    B = shift(w, tab[L.W_METHOD])
    M = shift(w, tab[L.W_METHOD] + 6 * tab[L.N_BODY] * n)
    update_body_accelerations(tab, par, w, vdot, False)
    update_elastic_basis(tab, w, B, n)
    update_elastic_right_side_directly(tab, par, w, B, shift(w, tab[L.W_TAU]), vdot, n, has_external)
    update_elastic_mass_matrix_directly(tab, par, w, B, M, n)
    fold_ordered_mimics(tab, par, M, vdot, n)
    solve_in_order(tab, par, w, M, vdot)
    update_rates(tab, par, q, v, qd)


def derivative_elastic_lagrange1(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    solve_elastic_lagrange1(tab, par, w, shift(w, tab[L.W_TAU]), vdot, prepare(t, tab, par, w, q, v))
    update_rates(tab, par, q, v, qd)


def derivative_elastic_inverse_iterative(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    n, order, b = tab[L.N_V], tab[L.T_METHOD], iterative_memory(tab, w)[2]
    M = update_elastic_equations(tab, par, w, shift(w, tab[L.W_TAU]), b, prepare(t, tab, par, w, q, v))
    iterate_inverse(tab, w, M, shift(tab, order + 2 * n), shift(tab, order + 3 * n), vdot)
    put_back(tab, w, vdot)
    unfold_mimics(tab, par, vdot)
    update_rates(tab, par, q, v, qd)


def derivative_elastic_direct_iterative(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    b = iterative_memory(tab, w)[2]
    M = update_elastic_equations(tab, par, w, shift(w, tab[L.W_TAU]), b, prepare(t, tab, par, w, q, v))
    iterate_factors(tab, w, M, vdot)
    put_back(tab, w, vdot)
    unfold_mimics(tab, par, vdot)
    update_rates(tab, par, q, v, qd)


ELASTIC_DERIVATIVES = {
    "articulated": Pointer(derivative_elastic, DERIVATIVE),
    "composite": Pointer(derivative_elastic_composite, DERIVATIVE),
    "direct": Pointer(derivative_elastic_direct, DERIVATIVE),
    "lagrange1": Pointer(derivative_elastic_lagrange1, DERIVATIVE),
    "inverse-iterative": Pointer(derivative_elastic_inverse_iterative, DERIVATIVE),
    "direct-iterative": Pointer(derivative_elastic_direct_iterative, DERIVATIVE),
}


@entry
def elastic_mass_matrix_at(
    t: float, q: Vector, M: Matrix, table: Integers, params: Vector, work: Vector, composites: int
) -> None:
    """M(q), both triangles, with flexible bodies."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    x = doubles(address(q))
    update_motions(t, tab, w, 0.0)
    update_kinematics(tab, par, w, x, x, 0.0)  # velocities do not matter here
    start_flexible_bodies(tab, par, w)
    n = tab[L.N_V]
    out = doubles(address(M))
    update_elastic_composites(tab, par, w, composites)
    update_elastic_mass_matrix(tab, par, w, composites, out, n, -1)
    mirror(out, n)


@entry
def flexible_inertias_at(out: Matrix, table: Integers, params: Vector, work: Vector) -> None:
    """J_rr, J_rφ, J_φφ and -k of every flexible body's frame (N × 33); the rest is in its memory. Needs prepare_state."""
    tab, par, w, o = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work)), doubles(address(out))
    for i in range(tab[L.N_BODY]):
        b, wb, k = body_record(tab, i), body_work(tab, i), 33 * i
        if is_flexible(tab, b):
            v, om = load3(w, wb + L.VEL), load3(w, wb + L.VEL + 3)
            I = start_elastic(tab, par, w, shift(w, tab[L.W_TAU]), b, v, om)
            store9(o, k, symmetric_full(I.A))
            store9(o, k + 9, I.B)
            store9(o, k + 18, symmetric_full(I.C))
            store3(o, k + 27, I.f)
            store3(o, k + 30, I.m)
