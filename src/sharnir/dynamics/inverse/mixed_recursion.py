"""The mixed problem on a tree, O(N): forces of some freedoms and accelerations of the others are given (Gevorkian 2020).

χ = 1 where the acceleration is given: it joins w*, what a body has without unknown accelerations, and the freedom stays in the
inertia that its body hands over. χ = 0: the freedom is eliminated. χ is data, as q and v are: no kernel depends on it.
"""

from sharnir.dynamics.bodies.flexible_body import (
    add_node,
    elastic_places,
    elastic_response,
    eliminated,
    factorize_elastic,
    node_acceleration,
)
from sharnir.dynamics.bodies.kinematics import update_poses
from sharnir.dynamics.constraints.constraint_equations import update_constraints
from sharnir.dynamics.constraints.cut_joint import frame_on
from sharnir.dynamics.constraints.cut_joint_forces import (
    add_constraint_forces,
    joint_wrench,
    observe_cut_drives,
    observe_cuts,
    update_cut_forces,
)
from sharnir.dynamics.constraints.cut_joint_motion import observe_cut_joint
from sharnir.dynamics.constraints.measure_equations import add_given_drives
from sharnir.dynamics.evaluation.right_hand_sides import prepare
from sharnir.dynamics.forces.force_elements import apply
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_work,
    body_record,
    body_work,
    element_record,
    elimination_work,
    end_freedom,
    external_work,
    first_freedom,
    freedom_record,
    speed_of,
)
from sharnir.dynamics.methods.articulated_body import gather
from sharnir.dynamics.methods.flexible_articulated_body import start_body
from sharnir.dynamics.methods.joint_elimination import back_substitute, eliminate, to_parent
from sharnir.kernel import address, doubles, entry, fixed_doubles, fixed_ints, jit, shift
from sharnir.spatial.inertia import inertia_times
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
    store9,
    sub,
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
                s = axis_work(tab, j)
                al, aa = add(al, scale(load3(w, s), given[k])), add(aa, scale(load3(w, s + 3), given[k]))
        store3(w, bias, al)
        store3(w, bias + 3, aa)


@jit
def start_bodies(tab, par, w, tau, has_external, linear, hand):
    """Inertia and force of every body itself, 27 numbers each."""
    for i in range(tab[L.N_BODY]):
        b, g = body_record(tab, i), i * L.W_BRANCH_SIZE
        A, B, C, fl, fa = start_body(tab, par, w, tau, i)
        if linear:
            fl, fa = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if tab[b + L.KIND] != L.NODE:
                h, _, _, _, y, _, _, _ = elastic_places(tab, b)
                for k in range(h):
                    w[y + k] = tau[tab[b + L.ELASTIC_V] + k]
        elif has_external:
            x = external_work(tab, i)
            fl, fa = sub(fl, load3(w, x)), sub(fa, load3(w, x + 3))
        for k in range(L.W_BRANCH_SIZE):
            hand[g + k] = 0.0
        gather(hand, g, A, B, C, fl, fa)


@jit
def eliminate_unknown(tab, w, tau, chi, b, A, B, C, fl, fa):
    """The freedoms of a joint whose acceleration is unknown leave inertia and force."""
    for j in range(first_freedom(tab, b), end_freedom(tab, b)):
        k = speed_of(tab, j)
        if k >= 0 and chi[k] == 0.0:
            s, e = axis_work(tab, j), elimination_work(tab, k)
            sl, sa = load3(w, s), load3(w, s + 3)
            x, y = inertia_times(A, B, C, sl, sa)
            U, u = (x[0], x[1], x[2], y[0], y[1], y[2]), tau[k] - dot(sl, fl) - dot(sa, fa)
            A, B, C, fl, fa = eliminate(A, B, C, fl, fa, U, 1.0 / (dot(sl, x) + dot(sa, y)), u, e, w)
    return A, B, C, fl, fa


@jit
def eliminate_mixed(tab, par, w, tau, chi, hand):
    """Backward: ẅ of every flexible body, then the unknown accelerations of its joint; what a joint carries stays in `hand`."""
    n = tab[L.N_BODY]
    for x in range(n):
        i = n - 1 - x
        b, wb, g = body_record(tab, i), body_work(tab, i), i * L.W_BRANCH_SIZE
        A, B, C, fl, fa = load6(hand, g), load9(hand, g + 6), load6(hand, g + 15), load3(hand, g + 21), load3(hand, g + 24)
        parent = tab[b + L.PARENT]
        if tab[b + L.KIND] == L.NODE:
            add_node(tab, par, w, body_record(tab, parent), b, wb, A, B, C, fl, fa)
        else:
            if tab[b + L.COUNT_ELASTIC] > 0:
                factorize_elastic(tab, w, b)
                A, B, C, fl, fa = eliminated(tab, w, b, A, B, C, fl, fa)
                store6(hand, g, A)
                store9(hand, g + 6, B)
                store6(hand, g + 15, C)
                store3(hand, g + 21, fl)
                store3(hand, g + 24, fa)
            A, B, C, fl, fa = eliminate_unknown(tab, w, tau, chi, b, A, B, C, fl, fa)
        if parent >= 0:
            A, B, C, fl, fa = to_parent(w, wb, A, B, C, fl, fa)
            gather(hand, parent * L.W_BRANCH_SIZE, A, B, C, fl, fa)


@jit
def unknown_accelerations(tab, w, chi, given, vdot, b, al, aa):
    """Forward through one joint, last eliminated freedom first."""
    first, count = tab[b + L.FIRST_FREEDOM], tab[b + L.COUNT_FREEDOM]
    for j in range(count):
        f = first + count - 1 - j
        k = speed_of(tab, f)
        if k >= 0:
            x = given[k]
            if chi[k] == 0.0:
                s = axis_work(tab, f)
                x = back_substitute(w, elimination_work(tab, k), al, aa, 0)
                al, aa = add(al, scale(load3(w, s), x)), add(aa, scale(load3(w, s + 3), x))
            vdot[k] = x
    return al, aa


@jit
def joint_forces(tab, w, tau, chi, b, fl, fa, force, drives):
    """Γ of freedoms whose motion is given, from what passes through the joint: beyond τ, and wholly where the model says so."""
    for j in range(first_freedom(tab, b), end_freedom(tab, b)):
        f, s = freedom_record(tab, j), axis_work(tab, j)
        k, x = tab[f + L.SPEED], dot(load3(w, s), fl) + dot(load3(w, s + 3), fa)
        if k >= 0:
            force[k] = x - tau[k] if chi[k] != 0.0 else 0.0
        elif tab[f + L.MOTION] >= 0:
            drives[tab[f + L.MOTION]] = x


@jit
def accelerate_mixed(tab, par, w, tau, chi, given, linear, hand, vdot, force, drives):
    """Forward: all accelerations, and R = I a + f, what passes through every joint."""
    g = load3(par, L.GRAVITY)
    base = (0.0, 0.0, 0.0) if linear else (-g[0], -g[1], -g[2])
    for i in range(tab[L.N_BODY]):
        b, wb, m = body_record(tab, i), body_work(tab, i), i * L.W_BRANCH_SIZE
        parent = tab[b + L.PARENT]
        al, aa = base, (0.0, 0.0, 0.0)
        if parent >= 0:
            wp = body_work(tab, parent)
            al, aa = load3(w, wp + L.ACC), load3(w, wp + L.ACC + 3)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        al = add(rotate(R, add(al, cross(aa, rho))), load3(w, wb + L.BIAS))
        aa = add(rotate(R, aa), load3(w, wb + L.BIAS + 3))
        if tab[b + L.KIND] == L.NODE:
            h, _, _, _, _, x, _, _ = elastic_places(tab, body_record(tab, parent))
            al, aa = node_acceleration(tab, w, b, h, x, al, aa)
        else:
            al, aa = unknown_accelerations(tab, w, chi, given, vdot, b, al, aa)
            fl, fa = inertia_times(load6(hand, m), load9(hand, m + 6), load6(hand, m + 15), al, aa)
            joint_forces(tab, w, tau, chi, b, add(fl, load3(hand, m + 21)), add(fa, load3(hand, m + 24)), force, drives)
            h, _, _, _, y, x, _, _ = elastic_places(tab, b)
            if h > 0:
                elastic_response(tab, w, b, y, al, aa, x)
                for k in range(h):
                    vdot[tab[b + L.ELASTIC_V] + k] = w[x + k]
                    force[tab[b + L.ELASTIC_V] + k] = 0.0
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
    kept, terms = tab[e + L.E_WORK] + L.CUT_TAU, tab[e + L.E_TERM]
    own = load6(w, kept)
    store6(w, kept, load6(along, 0))
    FB, b, _, _, _ = frame_on(tab, par, w, tab[terms + 2], tab[e + L.E_PARAMS] + 12)
    force, torque = joint_wrench(tab, par, w, e)
    force, torque = rotate(FB, force), rotate(FB, torque)
    apply(tab, w, tab[terms + 2], b, force, torque)
    apply(tab, w, tab[terms], b, scale(force, -1.0), scale(torque, -1.0))
    store6(w, kept, own)
    store3(along, 0, force)
    store3(along, 3, torque)


@jit
def prescribed_cuts(tab, par, w, along, cuts, drives):
    """Forces of prescribed freedoms of cut joints: multipliers, the joints' own forces, and those along other freedoms."""
    observe_cuts(tab, par, w, cuts)
    for k in range(6 * tab[L.N_ELEMENT]):
        cuts[k] += along[k]
    observe_cut_drives(tab, par, w, cuts, drives)
    add_given_drives(tab, par, w, drives)


@entry
def solve_mixed(t, y, chi, given, along, vdot, force, drives, cuts, hand, table, params, work):
    """v̇ and Γ at a state (q, v, z): χ, accelerations (n_v), λ in W_LAMBDA, forces along cut joints, forces in W_DRIVE."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    q, X, a = doubles(address(y)), doubles(address(chi)), doubles(address(given))
    has_external = prepare(t, tab, par, w, q, shift(q, tab[L.N_Q]))
    tau = shift(w, tab[L.W_TAU])
    if tab[L.N_ELEMENT] > 0:
        update_poses(tab, w, 0.0)
        update_constraints(t, tab, par, w, q)
        if tab[L.N_CUT_FORCE] > 0:
            update_cut_forces(t, tab, par, w)
        add_constraint_forces(tab, w)
        add_speed_forces(tab, w, tau)
        for x in range(tab[L.N_ELEMENT]):
            e, f = element_record(tab, x), shift(doubles(address(along)), 6 * x)
            if tab[e] <= L.CUT_FREE_JOINT and driven(f):
                add_cut_drive(tab, par, w, e, f)
        has_external = True
    give_accelerations(tab, w, X, a, False)
    start_bodies(tab, par, w, tau, has_external, False, doubles(address(hand)))
    eliminate_mixed(tab, par, w, tau, X, doubles(address(hand)))
    accelerate_mixed(
        tab, par, w, tau, X, a, False, doubles(address(hand)),
        doubles(address(vdot)), doubles(address(force)), doubles(address(drives)),
    )  # fmt: skip
    if tab[L.N_ELEMENT] > 0 and tab[L.N_MOTION] > 0:
        prescribed_cuts(tab, par, w, doubles(address(along)), doubles(address(cuts)), doubles(address(drives)))


@entry
def respond_mixed(chi, nothing, rows, out, force, drives, hand, table, params, work):
    """v̇ that generalized forces alone bring, one row each; kinematics are those of the last solve_mixed."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    X, a, n = doubles(address(chi)), doubles(address(nothing)), rows.shape[1]
    give_accelerations(tab, w, X, a, True)
    for r in range(rows.shape[0]):
        tau = shift(doubles(address(rows)), r * n)
        start_bodies(tab, par, w, tau, False, True, doubles(address(hand)))
        eliminate_mixed(tab, par, w, tau, X, doubles(address(hand)))
        accelerate_mixed(
            tab, par, w, tau, X, a, True, doubles(address(hand)),
            shift(doubles(address(out)), r * n), doubles(address(force)), doubles(address(drives)),
        )  # fmt: skip


@entry
def cut_accelerations(elements, out, table, params, work):
    """Accelerations of the freedoms of cut joints (6 numbers each) for the bodies' accelerations that stand in memory."""
    tab, par, w = fixed_ints(address(table)), fixed_doubles(address(params)), doubles(address(work))
    for k in range(elements.size):
        e = element_record(tab, elements[k])
        observe_cut_joint(tab, par, w, e, shift(doubles(address(out)), k * 19))
