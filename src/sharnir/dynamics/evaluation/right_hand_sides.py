"""One evaluation of the equations of motion, stage by stage, for every method: the functions that integrators call.

Stages (docs/pipeline.md): 1 motions, 2 kinematics, 3 poses, 4 forces, 5 the method, 6 rates. The state is y = (q, v).
"""

from typing import Any, NamedTuple

from sharnir.dynamics.bodies.kinematics import update_kinematics, update_motions, update_poses, update_rates
from sharnir.dynamics.forces.force_elements import update_coordinate_forces, update_forces, update_function_forces
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.articulated_body import update_accelerations, update_elimination
from sharnir.dynamics.methods.composite_body import (
    fold_mimics,
    unfold_mimics,
    update_composites,
    update_mass_matrix,
    update_right_side,
)
from sharnir.dynamics.methods.direct_method import update_mass_matrix_directly, update_right_side_directly, update_tangent_basis
from sharnir.dynamics.methods.lagrange1 import JOINT, update_free_accelerations, update_reaction_basis
from sharnir.dynamics.methods.lagrange1_cholesky import (
    solve_multipliers,
    update_accelerations_from_multipliers,
    update_blocks,
    update_multiplier_right_side,
)
from sharnir.dynamics.methods.ltl_factorization import factorize, mirror, solve
from sharnir.dynamics.methods.newton_euler import update_body_accelerations
from sharnir.dynamics.methods.variable_metric import factorize_ldl, invert, solve_direct_iterative, solve_inverse_iterative
from sharnir.dynamics.signals.signal_evaluation import update_signals
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit, lanes, shift
from sharnir.kernel.signatures import DERIVATIVE


@jit
def prepare(t, tab, par, w, q, v):
    """Stages 1–4 at one state; returns True if force elements act on bodies."""
    update_motions(t, tab, w, 0.0)
    update_kinematics(tab, par, w, q, v, 0.0)
    update_signals(t, tab, par, w, q, v)
    tau = shift(w, tab[L.W_TAU])
    update_coordinate_forces(tab, par, w, q, v, tau)
    update_function_forces(t, tab, par, w, q, v, tau)
    if tab[L.N_FORCE] > 0:
        update_poses(tab, w, 0.0)
        update_forces(t, tab, par, w)
        return True
    return False


@jit
def solve_articulated(tab, par, w, tau, vdot, has_external):
    update_elimination(tab, par, w, tau, has_external, 0.0)
    update_accelerations(tab, par, w, vdot, 0.0)


@jit
def update_equations(tab, par, w, tau, x, has_external):
    """M and Q by composite bodies, mimic joints folded in. W_METHOD: composites 21 N, then M n²."""
    at, n = tab[L.W_METHOD], tab[L.N_V]
    M = shift(w, at + 21 * tab[L.N_BODY])
    update_right_side(tab, par, w, tau, x, has_external)
    update_composites(tab, par, w, at)
    update_mass_matrix(tab, par, w, at, M, n)
    fold_mimics(tab, par, M, x, n)
    return M


@jit
def solve_composite(tab, par, w, tau, vdot, has_external):
    n = tab[L.N_V]
    M = update_equations(tab, par, w, tau, vdot, has_external)
    lam, run = shift(tab, tab[L.T_SOLVE]), shift(tab, tab[L.T_RUN])
    factorize(M, lam, run, n)
    solve(M, lam, run, n, vdot)
    unfold_mimics(tab, par, vdot)


@jit
def solve_direct(tab, par, w, tau, vdot, has_external):
    """W_METHOD: tangent basis 6 N n, then M n²."""
    n = tab[L.N_V]
    B = shift(w, tab[L.W_METHOD])
    M = shift(w, tab[L.W_METHOD] + 6 * tab[L.N_BODY] * n)
    update_tangent_basis(tab, w, B, n)
    update_mass_matrix_directly(tab, par, B, M, n)
    update_body_accelerations(tab, par, w, vdot, False)
    update_right_side_directly(tab, par, w, B, tau, vdot, n, has_external)
    fold_mimics(tab, par, M, vdot, n)
    lam, run = shift(tab, tab[L.T_SOLVE]), shift(tab, tab[L.T_RUN])
    factorize(M, lam, run, n)
    solve(M, lam, run, n, vdot)
    unfold_mimics(tab, par, vdot)


@jit
def solve_lagrange1(tab, par, w, tau, vdot, has_external):
    """W_METHOD: JOINT numbers per joint, then pairs."""
    at = tab[L.W_METHOD]
    pairs = at + tab[L.N_BODY] * JOINT
    for i in range(tab[L.N_BODY]):
        update_reaction_basis(tab, w, at, i)
    update_free_accelerations(tab, par, w, at, tau, has_external)
    update_blocks(tab, par, w, at, pairs)
    update_multiplier_right_side(tab, par, w, at, True)
    solve_multipliers(tab, w, at, pairs)
    update_accelerations_from_multipliers(tab, par, w, at, vdot)


class IterativeMemory(NamedTuple):
    """What the variable metric methods keep from step to step, and their vectors; n = number of speeds."""

    kept: Any  # H = M⁻¹, or L D Lᵀ = M, of an earlier state: n²
    scratch: Any  # n²
    b: Any
    r: Any
    s: Any
    d: Any
    flag: int  # place of a number that is 1 once `kept` is filled


@jit
def iterative_memory(tab, w):
    """W_METHOD: composites 21 N, M n², then an IterativeMemory."""
    n = tab[L.N_V]
    at = tab[L.W_METHOD] + 21 * tab[L.N_BODY] + n * n
    v = at + 2 * n * n
    vectors = shift(w, v), shift(w, v + n), shift(w, v + 2 * n), shift(w, v + 3 * n)
    return IterativeMemory(shift(w, at), shift(w, at + n * n), vectors[0], vectors[1], vectors[2], vectors[3], v + 4 * n)


@jit
def solve_by_inverse(tab, par, w, tau, vdot, has_external):
    M = update_equations(tab, par, w, tau, iterative_memory(tab, w).b, has_external)
    iterate_inverse(tab, w, M, shift(tab, tab[L.T_SOLVE]), shift(tab, tab[L.T_RUN]), vdot)
    unfold_mimics(tab, par, vdot)


@jit
def iterate_inverse(tab, w, M, lam, run, vdot):
    """v̇ by last step's inverse of M, right side in the method's memory."""
    mirror(M, tab[L.N_V])
    solve_with_inverse(tab, w, M, lam, run, vdot)


@jit
def solve_with_inverse(tab, w, M, lam, run, vdot):
    """The same with both triangles of M filled."""
    n, x = tab[L.N_V], iterative_memory(tab, w)
    done = -1
    if w[x.flag] == 1.0:
        done = solve_inverse_iterative(M, x.b, n, x.kept, vdot, x.r, x.s, x.d)
    if done < 0:
        invert(M, lam, run, n, x.scratch, x.kept, x.r)
        solve_inverse_iterative(M, x.b, n, x.kept, vdot, x.r, x.s, x.d)
        w[x.flag] = 1.0


@jit
def solve_by_factors(tab, par, w, tau, vdot, has_external):
    M = update_equations(tab, par, w, tau, iterative_memory(tab, w).b, has_external)
    iterate_factors(tab, w, M, vdot)
    unfold_mimics(tab, par, vdot)


@jit
def iterate_factors(tab, w, M, vdot):
    """v̇ by last step's factors of M, right side in the method's memory."""
    mirror(M, tab[L.N_V])
    solve_with_factors(tab, w, M, vdot)


@jit
def solve_with_factors(tab, w, M, vdot):
    """The same with both triangles of M filled."""
    n, x = tab[L.N_V], iterative_memory(tab, w)
    done = -1
    if w[x.flag] == 1.0:
        done = solve_direct_iterative(M, x.b, n, x.kept, vdot, x.r, x.s, x.d)
    if done < 0:
        factorize_ldl(M, n, x.kept)
        solve_direct_iterative(M, x.b, n, x.kept, vdot, x.r, x.s, x.d)
        w[x.flag] = 1.0


@jit
def views(y, yd, table, params, work):
    """Addresses as memory: table, params, work, q, v, q̇, v̇."""
    tab, q, qd = fixed_ints(table), doubles(y), doubles(yd)
    return tab, fixed_doubles(params), doubles(work), q, shift(q, tab[L.N_Q]), qd, shift(qd, tab[L.N_Q])


# One function per method, written out: a solver handed over as an argument could not be kept in the cache.


def derivative_articulated(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    solve_articulated(tab, par, w, shift(w, tab[L.W_TAU]), vdot, prepare(t, tab, par, w, q, v))
    update_rates(tab, par, q, v, qd)


def derivative_composite(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    solve_composite(tab, par, w, shift(w, tab[L.W_TAU]), vdot, prepare(t, tab, par, w, q, v))
    update_rates(tab, par, q, v, qd)


def derivative_direct(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    solve_direct(tab, par, w, shift(w, tab[L.W_TAU]), vdot, prepare(t, tab, par, w, q, v))
    update_rates(tab, par, q, v, qd)


def derivative_lagrange1(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    solve_lagrange1(tab, par, w, shift(w, tab[L.W_TAU]), vdot, prepare(t, tab, par, w, q, v))
    update_rates(tab, par, q, v, qd)


def derivative_inverse_iterative(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    solve_by_inverse(tab, par, w, shift(w, tab[L.W_TAU]), vdot, prepare(t, tab, par, w, q, v))
    update_rates(tab, par, q, v, qd)


def derivative_direct_iterative(t, y, yd, table, params, work):
    tab, par, w, q, v, qd, vdot = views(y, yd, table, params, work)
    solve_by_factors(tab, par, w, shift(w, tab[L.W_TAU]), vdot, prepare(t, tab, par, w, q, v))
    update_rates(tab, par, q, v, qd)


def derivative_lanes(t, y, yd, table, params, work):
    """ẏ of LANES states side by side, articulated; for models whose forces are linear in coordinates."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), lanes(work)
    q, qd = lanes(y), lanes(yd)
    v, vdot = shift(q, tab[L.N_Q]), shift(qd, tab[L.N_Q])
    zero = w[tab[L.W_TAU]] * 0.0
    update_motions(t, tab, w, zero)
    update_kinematics(tab, par, w, q, v, zero)
    tau = shift(w, tab[L.W_TAU])
    update_coordinate_forces(tab, par, w, q, v, tau)
    update_elimination(tab, par, w, tau, False, zero)
    update_accelerations(tab, par, w, vdot, zero)
    update_rates(tab, par, q, v, qd)


DERIVATIVES = {
    "articulated": Pointer(derivative_articulated, DERIVATIVE),
    "composite": Pointer(derivative_composite, DERIVATIVE),
    "direct": Pointer(derivative_direct, DERIVATIVE),
    "lagrange1": Pointer(derivative_lagrange1, DERIVATIVE),
    "inverse-iterative": Pointer(derivative_inverse_iterative, DERIVATIVE),
    "direct-iterative": Pointer(derivative_direct_iterative, DERIVATIVE),
}
DERIVATIVE_LANES = Pointer(derivative_lanes, DERIVATIVE)
