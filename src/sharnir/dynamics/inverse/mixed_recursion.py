"""The mixed problem on a tree, O(N): forces of some freedoms and accelerations of the others are given (Gevorkian 2020).

χ = 1 where the acceleration is given: it joins w*, what a body has without unknown accelerations, and the freedom stays in the
inertia that its body hands over. χ = 0: the freedom is eliminated. χ is data, as q and v are: no kernel depends on it.
"""

from typing import NamedTuple

from sharnir.dynamics.bodies.flexible_body import (
    add_node,
    elastic_response,
    eliminated,
    factorize_elastic,
    is_flexible,
    node_acceleration,
)
from sharnir.dynamics.bodies.flexible_memory import elastic_places
from sharnir.dynamics.bodies.kinematics import update_poses
from sharnir.dynamics.bodies.rigid_body import less_external
from sharnir.dynamics.constraints.constraint_equations import update_constraints
from sharnir.dynamics.constraints.cut_joint_forces import (
    add_constraint_forces,
    apply_wrench,
    observe_cut_drives,
    observe_cuts,
    update_cut_forces,
)
from sharnir.dynamics.constraints.cut_joint_motion import observe_cut_joint
from sharnir.dynamics.constraints.measure_equations import add_given_drives
from sharnir.dynamics.evaluation.right_hand_sides import prepare
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    armature_of,
    axis_of,
    body_record,
    body_work,
    element_record,
    elimination_work,
    end_freedom,
    first_freedom,
    motion_of,
    rotor_load,
    speed_of,
)
from sharnir.dynamics.methods.articulated_body import gather
from sharnir.dynamics.methods.flexible_articulated_body import start_body
from sharnir.dynamics.methods.joint_elimination import back_substitute, eliminate_axis, to_parent
from sharnir.kernel import address, doubles, entry, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import Integers, Matrix, Vector
from sharnir.spatial.inertia import articulated, inertia_times, load_articulated, store_articulated
from sharnir.spatial.vector import (
    add,
    cross,
    dot,
    load3,
    load6,
    load9,
    rotate,
    scale,
    store3,
    store6,
)


class MixedMotion(NamedTuple):
    """Given and found, as arrays or as memory: χ, accelerations, what joints hand over, v̇, Γ, forces of prescribed motions."""

    chi: Vector
    given: Vector
    hand: Vector
    vdot: Vector
    force: Vector
    drives: Vector


@jit
def memories(x):
    """The memory of the arrays of a problem."""
    return MixedMotion(
        doubles(address(x.chi)),
        doubles(address(x.given)),
        doubles(address(x.hand)),
        doubles(address(x.vdot)),
        doubles(address(x.force)),
        doubles(address(x.drives)),
    )


@jit
def give_accelerations(tab, w, chi, given, linear):
    """w* with the given accelerations; nothing but them where only the response to forces is asked for."""
    for i in range(tab[L.N_BODY]):
        b, bias = body_record(tab, i), body_work(tab, i) + L.BIAS
        al, aa = load3(w, bias), load3(w, bias + 3)
        if linear:
            al, aa = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for j in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, j)
            if k >= 0 and chi[k] != 0.0:
                sl, sa = axis_of(tab, w, j)
                al, aa = add(al, scale(sl, given[k])), add(aa, scale(sa, given[k]))
        store3(w, bias, al)
        store3(w, bias + 3, aa)


@jit
def start_bodies(tab, par, w, tau, has_external, linear, hand):
    """Inertia and force of every body itself, 27 numbers each."""
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        I = start_body(tab, par, w, tau, i)
        f, m = I.f, I.m
        if linear:
            f, m = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if is_flexible(tab, b):
                s = elastic_places(tab, b)
                for k in range(s.h):
                    w[s.force + k] = tau[tab[b + L.ELASTIC_V] + k]
        elif has_external:
            f, m = less_external(tab, w, i, f, m)
        store_articulated(hand, i * L.W_BRANCH_SIZE, articulated(I, f, m))


@jit
def eliminate_unknown(tab, par, w, tau, chi, b, I):
    """The freedoms of a joint whose acceleration is unknown leave inertia and force."""
    for j in range(first_freedom(tab, b), end_freedom(tab, b)):
        k = speed_of(tab, j)
        if k >= 0 and chi[k] == 0.0:
            sl, sa = axis_of(tab, w, j)
            I = eliminate_axis(I, sl, sa, tau[k], elimination_work(tab, k), w, armature_of(tab, par, k))
    return I


@jit
def eliminate_mixed(tab, par, w, tau, chi, hand):
    """Backward: ẅ of every flexible body, then the unknown accelerations of its joint; what a joint carries stays in `hand`."""
    n = tab[L.N_BODY]
    for x in range(n):
        i = n - 1 - x
        b, wb, g = body_record(tab, i), body_work(tab, i), i * L.W_BRANCH_SIZE
        I = load_articulated(hand, g)
        parent = tab[b + L.PARENT]
        if tab[b + L.KIND] == L.NODE:
            add_node(tab, w, body_record(tab, parent), b, wb, I)
        else:
            if tab[b + L.COUNT_ELASTIC] > 0:
                factorize_elastic(tab, w, b)
                I = eliminated(tab, w, b, I)
                store_articulated(hand, g, I)
            I = eliminate_unknown(tab, par, w, tau, chi, b, I)
        if parent >= 0:
            gather(hand, parent * L.W_BRANCH_SIZE, to_parent(w, wb, I))


@jit
def unknown_accelerations(tab, w, problem, b, al, aa):
    """Forward through one joint, last eliminated freedom first."""
    for f in range(end_freedom(tab, b) - 1, first_freedom(tab, b) - 1, -1):
        k = speed_of(tab, f)
        if k >= 0:
            x = problem.given[k]
            if problem.chi[k] == 0.0:
                sl, sa = axis_of(tab, w, f)
                x = back_substitute(w, elimination_work(tab, k), al, aa, 0)
                al, aa = add(al, scale(sl, x)), add(aa, scale(sa, x))
            problem.vdot[k] = x
    return al, aa


@jit
def update_joint_forces(tab, par, w, tau, problem, b, f, m, linear):
    """Γ of freedoms whose motion is given, from what passes through the joint: beyond τ, and wholly where the model says so."""
    for j in range(first_freedom(tab, b), end_freedom(tab, b)):
        sl, sa = axis_of(tab, w, j)
        k, x = speed_of(tab, j), dot(sl, f) + dot(sa, m)
        if k >= 0:
            x += armature_of(tab, par, k) * problem.given[k]
            problem.force[k] = x - tau[k] if problem.chi[k] != 0.0 else 0.0
        elif motion_of(tab, j) >= 0:
            problem.drives[motion_of(tab, j)] = x if linear else x + rotor_load(tab, par, w, motion_of(tab, j))


@jit
def accelerate_mixed(tab, par, w, tau, x, linear):
    """Forward: all accelerations, and R = I a + p, what passes through every joint; x: a MixedMotion."""
    g = load3(par, L.GRAVITY)
    base = (0.0, 0.0, 0.0) if linear else (-g[0], -g[1], -g[2])
    for i in range(tab[L.N_BODY]):
        b, wb = body_record(tab, i), body_work(tab, i)
        parent = tab[b + L.PARENT]
        al, aa = base, (0.0, 0.0, 0.0)
        if parent >= 0:
            wp = body_work(tab, parent)
            al, aa = load3(w, wp + L.ACC), load3(w, wp + L.ACC + 3)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        al = add(rotate(R, add(al, cross(aa, rho))), load3(w, wb + L.BIAS))
        aa = add(rotate(R, aa), load3(w, wb + L.BIAS + 3))
        if tab[b + L.KIND] == L.NODE:
            al, aa = node_acceleration(tab, w, b, elastic_places(tab, body_record(tab, parent)).acceleration, al, aa)
        else:
            al, aa = unknown_accelerations(tab, w, x, b, al, aa)
            I = load_articulated(x.hand, i * L.W_BRANCH_SIZE)
            f, m = inertia_times(I, al, aa)
            update_joint_forces(tab, par, w, tau, x, b, add(f, I.f), add(m, I.m), linear)
            s = elastic_places(tab, b)
            if s.h > 0:
                elastic_response(tab, w, b, s.force, al, aa, s.acceleration)
                for k in range(s.h):
                    x.vdot[tab[b + L.ELASTIC_V] + k] = w[s.acceleration + k]
                    x.force[tab[b + L.ELASTIC_V] + k] = 0.0
        store3(w, wb + L.ACC, al)
        store3(w, wb + L.ACC + 3, aa)


@jit
def add_speed_forces(tab, w, tau):
    """Cᵀ λ of equations that name speeds themselves (gears, couplers)."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        n, terms = tab[e + L.E_TERMS], tab[e + L.E_TERM]
        for r in range(tab[e + L.E_COUNT]):
            for k in range(n):
                if tab[terms + 2 * k] < -1:
                    J = tab[e + L.E_JACOBIAN] + (r * n + k) * 6
                    tau[-2 - tab[terms + 2 * k]] += w[tab[L.W_LAMBDA] + tab[e + L.E_ROW] + r] * w[J]


@jit
def driven(along):
    """True if any of six numbers is not zero."""
    return along[0] != 0.0 or along[1] != 0.0 or along[2] != 0.0 or along[3] != 0.0 or along[4] != 0.0 or along[5] != 0.0


@jit
def add_cut_drive(tab, par, w, e, along):
    """Forces along the freedoms of a cut joint, six numbers, on both bodies; then `along` holds the wrench, world axes."""
    at = tab[e + L.E_WORK] + L.CUT_TAU
    own = load6(w, at)
    store6(w, at, load6(along, 0))
    apply_wrench(tab, par, w, e)
    store6(along, 0, load6(w, at))
    store6(w, at, own)


@jit
def prescribed_cuts(tab, par, w, along, cuts, drives):
    """Forces of prescribed freedoms of cut joints: multipliers, the joints' own forces, and those along other freedoms."""
    observe_cuts(tab, par, w, cuts)
    for k in range(6 * tab[L.N_ELEMENT]):
        cuts[k] += along[k]
    observe_cut_drives(tab, par, w, cuts, drives)
    add_given_drives(tab, par, w, drives)


@entry
def solve_mixed(
    t: float, y: Vector, arrays: MixedMotion, along: Matrix, cuts: Matrix, table: Integers, params: Vector, work: Vector
) -> None:
    """v̇ and Γ at a state (q, v, z), of a MixedMotion: λ in W_LAMBDA, forces in W_DRIVE, and forces `along` cut joints."""
    tab, par, w, q = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work)), doubles(address(y))
    x = memories(arrays)
    has_external = prepare(t, tab, par, w, q, shift(q, tab[L.N_Q]))
    tau = shift(w, tab[L.W_TAU])
    if tab[L.N_ELEMENT] > 0:
        update_poses(tab, w, 0.0)
        update_constraints(t, tab, par, w, q)
        if tab[L.N_CUT_FORCE] > 0:
            update_cut_forces(t, tab, par, w)
        add_constraint_forces(tab, w)
        add_speed_forces(tab, w, tau)
        for k in range(tab[L.N_ELEMENT]):
            e, f = element_record(tab, k), shift(doubles(address(along)), 6 * k)
            if tab[e] <= L.CUT_FREE_JOINT and driven(f):
                add_cut_drive(tab, par, w, e, f)
        has_external = True
    give_accelerations(tab, w, x.chi, x.given, False)
    solve_recursion(tab, par, w, tau, x, has_external, False)
    if tab[L.N_ELEMENT] > 0 and tab[L.N_MOTION] > 0:
        prescribed_cuts(tab, par, w, doubles(address(along)), doubles(address(cuts)), x.drives)


@jit
def solve_recursion(tab, par, w, tau, x, has_external, linear):
    """Backward and forward; w* must hold the given accelerations."""
    start_bodies(tab, par, w, tau, has_external, linear, x.hand)
    eliminate_mixed(tab, par, w, tau, x.chi, x.hand)
    accelerate_mixed(tab, par, w, tau, x, linear)


@entry
def respond_mixed(arrays: MixedMotion, rows: Matrix, out: Matrix, table: Integers, params: Vector, work: Vector) -> None:
    """v̇ that generalized forces alone bring, one row each; kinematics are those of the last solve_mixed."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    x, n = memories(arrays), rows.shape[1]
    give_accelerations(tab, w, x.chi, x.given, True)
    for r in range(rows.shape[0]):
        solve_recursion(tab, par, w, shift(doubles(address(rows)), r * n), x, False, True)
        for k in range(n):
            out[r, k] = x.vdot[k]


@entry
def cut_accelerations(elements: Integers, out: Matrix, table: Integers, params: Vector, work: Vector) -> None:
    """Accelerations of the freedoms of cut joints (6 numbers each) for the bodies' accelerations that stand in memory."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    for k in range(elements.size):
        e = element_record(tab, elements[k])
        observe_cut_joint(tab, par, w, e, shift(doubles(address(out)), k * 19))
