"""Evaluations with constraints: accelerations with multipliers, and the projection of positions and speeds onto the constraints.

M v̇ = f + Cᵀ λ, C v̇ = γ: free accelerations first, then A λ = γ - C v̇_free with A = C M⁻¹ Cᵀ, then v̇ = v̇_free + M⁻¹ Cᵀ λ.
Corrections use the same factors: Δv = M⁻¹ Cᵀ A⁻¹ (-ġ) is the plastic impact of Boikov and Yudakov 2011, Δq the same by
Newton's method.
"""

import math

from sharnir.dynamics.bodies.coordinate_steps import step_coordinates
from sharnir.dynamics.bodies.kinematics import update_kinematics, update_motions, update_poses, update_rates
from sharnir.dynamics.constraints.constraint_equations import update_acceleration_residual, update_constraints, update_element
from sharnir.dynamics.constraints.cut_joint_forces import update_cut_forces
from sharnir.dynamics.evaluation.right_hand_sides import prepare
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_record, body_work, element_record
from sharnir.dynamics.methods.articulated_body import update_accelerations, update_elimination
from sharnir.dynamics.methods.composite_body import update_right_side
from sharnir.dynamics.methods.flexible_articulated_body import update_elastic_accelerations, update_elastic_elimination
from sharnir.dynamics.multipliers.free_bodies import update_lone_accelerations
from sharnir.dynamics.multipliers.multiplier_solvers import (
    clear_dense_matrix,
    distance_from_singularity,
    solve_multipliers,
    update_blocks,
    update_system,
)
from sharnir.dynamics.multipliers.null_space import null_space_places
from sharnir.dynamics.multipliers.threaded_elements import update_parts
from sharnir.kernel import Pointer, address_of, call_derivative, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import add, cross, dot6, load3, load6, load9, rotate

PROJECTION_STEPS = 10
FAILED = 1e-8  # residual, relative to the size of the mechanism, with which a correction has failed
WEAK = 1e-7  # a correction leaves directions alone whose pivot is smaller: it would move the state by residual/√pivot
LARGE = 1e-6  # residual of speeds, in sizes of the mechanism per second, from which on a correction is looked at again
CONTRARY = 1e-4  # of the largest speeds in the equations: what is left of them after a correction contradicts something
FAR = 2.0  # times SINGULAR: where the passage to corrected states begins


@jit
def update_track_rates(tab, w, zdot):
    """Rates of the tracked coordinates: of cut joints, places on curves; needs update_constraints."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        for k in range(tab[e + L.E_N_Z]):
            zdot[tab[e + L.E_Z] + k] = w[tab[e + L.E_Z_RATE] + k]


@jit
def update_tracks(tab, w, z):
    """Tracked coordinates from the positions of bodies; needs update_constraints."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        for k in range(tab[e + L.E_N_Z]):
            z[tab[e + L.E_Z] + k] = w[tab[e + L.E_Z_VALUE] + k]


@jit
def solve_constrained(t, tab, par, w, q, v, z, vdot):
    """v̇ and λ; near singular positions at the nearest state that satisfies the constraints.

    There, what a state lacks in consistency is divided by the small pivot twice on its way to the accelerations. The passage
    from one to the other is smooth, so that integrators keep their order.
    """
    distance = solve_at(t, tab, par, w, q, v, z, vdot)
    near, far = par[L.SINGULAR], FAR * par[L.SINGULAR]
    # with stabilization on, the state's own residuals are what it acts on
    if distance < far and par[L.STABILIZE_POSITION] == 0.0:
        n_q, n_v = tab[L.N_Q], tab[L.N_V]
        n = n_q + n_v + tab[L.N_Z]
        copy = shift(w, tab[L.W_STATE])
        for k in range(n):
            copy[k] = q[k]
        for k in range(n_v):
            copy[n + k] = vdot[k]
        correct_state(t, tab, par, w, copy)
        solve_at(t, tab, par, w, copy, shift(copy, n_q), shift(copy, n_q + n_v), vdot)
        x = min(1.0, math.log(far / max(distance, 1e-300)) / math.log(far / near))
        part = x * x * (3.0 - 2.0 * x)
        for k in range(n_v):
            vdot[k] = part * vdot[k] + (1.0 - part) * copy[n + k]


@jit
def update_elements(t, tab, par, w, q, vdot):
    """Equations, right sides and blocks of A of all elements."""
    for x in range(tab[L.N_ELEMENT]):  # all about an element at once, while it is in the cache
        e = element_record(tab, x)
        if tab[L.N_CUT_FORCE] == 0:
            update_element(t, tab, par, w, q, e)
        update_acceleration_residual(tab, par, w, vdot, e)
        update_blocks(tab, par, w, x, par[L.RANK_TOLERANCE], 0)


@jit
def update_load(tab, par, w, vdot, has_external):
    """v̇ = 0 and f for the null space, which divides by no inertia but that of motions the constraints allow."""
    load = null_space_places(tab).load
    update_right_side(tab, par, w, shift(w, tab[L.W_TAU]), shift(w, load), has_external)
    for k in range(tab[L.N_V]):
        vdot[k] = 0.0


@jit
def solve_at(t, tab, par, w, q, v, z, vdot):
    """v̇ and λ at a state; returns how far its position is from a singular one."""
    has_external = prepare(t, tab, par, w, q, v)
    if not has_external:
        update_poses(tab, w, 0.0)
    if tab[L.N_CUT_FORCE] > 0:
        update_constraints(t, tab, par, w, q)
        update_cut_forces(t, tab, par, w)
        has_external = True
    if tab[L.SOLVER] == L.NULL_SPACE and tab[L.N_ELASTIC] == 0:
        update_load(tab, par, w, vdot, has_external)
    elif tab[L.F_TREE] != 0:
        forces = 1.0 if has_external else 0.0
        call_derivative(tab[L.F_TREE], forces, 0, address_of(vdot, 0), address_of(tab, 0), address_of(par, 0), address_of(w, 0))
    elif tab[L.LONE] == 1:
        update_lone_accelerations(tab, par, w, vdot, has_external)
    elif tab[L.N_ELASTIC] > 0:
        update_elastic_elimination(tab, par, w, has_external)
        update_elastic_accelerations(tab, par, w, vdot)
    else:
        update_elimination(tab, par, w, shift(w, tab[L.W_TAU]), has_external, 0.0)
        update_accelerations(tab, par, w, vdot, 0.0)
    clear_dense_matrix(tab, w)
    if tab[L.IN_PARTS] == 1:
        update_parts(t, tab, par, w, q, vdot)
    else:
        update_elements(t, tab, par, w, q, vdot)
    solve_multipliers(tab, par, w, par[L.RANK_TOLERANCE])
    for k in range(tab[L.N_V]):
        vdot[k] += w[tab[L.W_RESPONSE] + k]
    return distance_from_singularity(tab, w)


def derivative_constrained(t, y, yd, table, params, work):
    tab, par, w, q, qd = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(y), doubles(yd)
    n_q, n_v = tab[L.N_Q], tab[L.N_V]
    v, z = shift(q, n_q), shift(q, n_q + n_v)
    solve_constrained(t, tab, par, w, q, v, z, shift(qd, n_q))
    update_rates(tab, par, q, v, qd)
    update_track_rates(tab, w, shift(qd, n_q + n_v))


@jit
def update_position_system(t, tab, par, w, q, v, z):
    """Kinematics, equations and the elimination at a position, without forces."""
    update_motions(t, tab, w, 0.0)
    update_kinematics(tab, par, w, q, v, 0.0)
    update_poses(tab, w, 0.0)
    update_constraints(t, tab, par, w, q)


@jit
def largest_residual(tab, w, at):
    """Largest |g| or |ġ|; not a number if any is."""
    worst = 0.0
    for k in range(tab[L.N_ROW]):
        x = abs(w[at + k])
        if not x <= worst:
            worst = x
    return worst


@jit
def forget_speeds(tab, w):
    """Equations that hold for speeds only have no part in positions: no Jacobian, no residual."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        n = 6 * tab[e + L.E_TERMS]
        for r in range(tab[e + L.E_HOLONOMIC], tab[e + L.E_COUNT]):
            w[tab[L.W_G] + tab[e + L.E_ROW] + r] = 0.0
            for k in range(n):
                w[tab[e + L.E_JACOBIAN] + r * n + k] = 0.0


@jit
def update_correction(tab, par, w, residual, weakest):
    """W_RESPONSE = the least motion, in the metric of the masses, that takes a residual away; smaller pivots are left alone."""
    if tab[L.F_TREE] != 0:
        if tab[L.SOLVER] != L.NULL_SPACE:
            call_derivative(tab[L.F_FACTORS], 0.0, 0, 0, address_of(tab, 0), address_of(par, 0), address_of(w, 0))
    elif tab[L.N_ELASTIC] > 0:
        update_elastic_elimination(tab, par, w, False)
    elif tab[L.LONE] == 0 and tab[L.SOLVER] != L.NULL_SPACE:
        update_elimination(tab, par, w, shift(w, tab[L.W_TAU]), False, 0.0)
    update_system(tab, par, w, weakest)
    for k in range(tab[L.N_ROW]):
        w[tab[L.W_ROW_RIGHT] + k] = -w[residual + k]
    solve_multipliers(tab, par, w, weakest)


@jit
def step_positions(t, tab, par, w, q, v, z):
    """One step of Newton's method with the mass matrix as metric; leaves the equations at the new position."""
    forget_speeds(tab, w)
    update_correction(tab, par, w, tab[L.W_G], WEAK)
    step_coordinates(tab, par, q, shift(w, tab[L.W_RESPONSE]), 1.0)
    update_position_system(t, tab, par, w, q, v, z)
    update_tracks(tab, w, z)


@jit
def correct_positions(t, tab, par, w, q, v, z):
    """Newton's method until the residuals are below the tolerance; returns 1.0 if it did not converge."""
    for _ in range(PROJECTION_STEPS):
        worst = largest_residual(tab, w, tab[L.W_G])
        if worst <= par[L.POSITION_TOLERANCE]:
            return 0.0
        if not worst < 1e300:
            return 1.0
        step_positions(t, tab, par, w, q, v, z)
    return 0.0 if largest_residual(tab, w, tab[L.W_G]) <= FAILED * par[L.REACH] else 1.0


@jit
def correct_speeds(tab, par, w, v):
    """Δv = M⁻¹ Cᵀ A⁻¹ (-ġ): what a plastic impact would do. Linear, so one step."""
    update_correction(tab, par, w, tab[L.W_GDOT], WEAK)
    for k in range(tab[L.N_V]):
        v[k] += w[tab[L.W_RESPONSE] + k]


@jit
def rigid_velocity(tab, w, i):
    """Velocity of a body; of a node the part that it has by the motion of its body, without elastic rates."""
    b, wb = body_record(tab, i), body_work(tab, i)
    if tab[b + L.KIND] != L.NODE:
        return load6(w, wb + L.VEL)
    wp, R = body_work(tab, tab[b + L.PARENT]), load9(w, wb + L.G)
    ang = load3(w, wp + L.VEL + 3)
    x, y = rotate(R, add(load3(w, wp + L.VEL), cross(ang, load3(w, wb + L.RHO)))), rotate(R, ang)
    return x[0], x[1], x[2], y[0], y[1], y[2]


@jit
def largest_rate(tab, w, v):
    """Largest sum of the parts that ġ of an equation is made of, each with its absolute value; vibrations do not count."""
    worst = 0.0
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        n, terms = tab[e + L.E_TERMS], tab[e + L.E_TERM]
        for r in range(tab[e + L.E_COUNT]):
            total = abs(w[tab[L.W_GDOT] + tab[e + L.E_ROW] + r])
            for k in range(n):
                target, J = tab[terms + 2 * k], load6(w, tab[e + L.E_JACOBIAN] + (r * n + k) * 6)
                if target >= 0:
                    total += abs(dot6(J, rigid_velocity(tab, w, target)))
                elif target < -1:
                    total += abs(J[0] * v[-2 - target])
            worst = max(worst, total)
    return worst


@jit
def speeds_contradict(t, tab, par, w, q, v, z):
    """Whether equations for speeds are left open by a correction, because they contradict each other or what is prescribed."""
    update_position_system(t, tab, par, w, q, v, z)
    rest = largest_residual(tab, w, tab[L.W_GDOT])
    return not (rest <= LARGE * par[L.REACH] or rest <= CONTRARY * largest_rate(tab, w, v))


@jit
def correct_state(t, tab, par, w, q):
    """Positions and speeds of a state (q, v, z) onto the constraints, to rounding: two steps from a state that is near."""
    v, z = shift(q, tab[L.N_Q]), shift(q, tab[L.N_Q] + tab[L.N_V])
    step_positions(t, tab, par, w, q, v, z)
    step_positions(t, tab, par, w, q, v, z)
    correct_speeds(tab, par, w, v)


def projection(t, y, out, table, params, work):
    """Positions and speeds onto the constraints, as far as switched on; out: residuals before, changed, failed."""
    tab, par, w, q, report = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(y), doubles(out)
    v, z = shift(q, tab[L.N_Q]), shift(q, tab[L.N_Q] + tab[L.N_V])
    update_position_system(t, tab, par, w, q, v, z)
    update_tracks(tab, w, z)
    report[0], report[1] = largest_residual(tab, w, tab[L.W_G]), largest_residual(tab, w, tab[L.W_GDOT])
    report[2], report[3] = 0.0, 0.0
    if tab[L.CORRECT_POSITION] == 1 and not report[0] <= par[L.POSITION_TOLERANCE]:
        report[2], report[3] = 1.0, correct_positions(t, tab, par, w, q, v, z)
    if tab[L.CORRECT_SPEED] == 1 and not largest_residual(tab, w, tab[L.W_GDOT]) <= par[L.SPEED_TOLERANCE]:
        report[2] = 1.0
        correct_speeds(tab, par, w, v)
        if not report[1] <= LARGE * par[L.REACH] and speeds_contradict(t, tab, par, w, q, v, z):
            report[3] = 1.0


CONSTRAINED = Pointer(derivative_constrained, DERIVATIVE)
PROJECTION = Pointer(projection, DERIVATIVE)
