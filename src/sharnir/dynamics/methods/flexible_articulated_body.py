"""Separate bodies, flexible ones included: the recursion of articulated_body, with elastic coordinates eliminated as well.

A body's own coordinates go first, then the freedoms of its joint; a node adds to the coordinates of the body that it belongs
to. O(N) at fixed numbers of coordinates. C functions: only models with flexible bodies compile them.
"""

from sharnir.dynamics.bodies.flexible_body import (
    add_node,
    elastic_response,
    eliminated,
    factorize_elastic,
    is_flexible,
    node_acceleration,
    start_elastic,
)
from sharnir.dynamics.bodies.flexible_memory import elastic_places
from sharnir.dynamics.bodies.rigid_body import less_external, single_body
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_record, body_work
from sharnir.dynamics.methods.articulated_body import gather
from sharnir.dynamics.methods.joint_elimination import eliminate_joint, joint_acceleration, to_parent
from sharnir.dynamics.methods.newton_euler import ELASTIC_REACTIONS
from sharnir.kernel import Pointer, address_of, call_derivative, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.inertia import articulated, load_articulated, store_articulated
from sharnir.spatial.vector import add, cross, load3, load9, rotate, store3


@jit
def start_body(tab, par, w, tau, i):
    """Inertia and force of body i itself; a flexible one also fills its own memory."""
    b, wb = body_record(tab, i), body_work(tab, i)
    if is_flexible(tab, b):
        return start_elastic(tab, par, w, tau, b, load3(w, wb + L.VEL), load3(w, wb + L.VEL + 3))
    return single_body(tab, par, w, i, False, 0.0)


@jit
def eliminate_bodies(tab, par, w, tau, has_external):
    """Backward: all coordinates and freedoms. Every body hands over in memory, W_GATHER, 27 numbers each."""
    n, at = tab[L.N_BODY], tab[L.W_GATHER]
    for i in range(n):  # own parts first: nodes add to those of their bodies
        I = start_body(tab, par, w, tau, i)
        if has_external:
            f, m = less_external(tab, w, i, I.f, I.m)
            I = articulated(I, f, m)
        store_articulated(w, at + i * L.W_BRANCH_SIZE, I)
    for k in range(n):
        i = n - 1 - k
        b, wb = body_record(tab, i), body_work(tab, i)
        I = load_articulated(w, at + i * L.W_BRANCH_SIZE)
        parent = tab[b + L.PARENT]
        if tab[b + L.KIND] == L.NODE:
            add_node(tab, w, body_record(tab, parent), b, wb, I)
        else:
            if tab[b + L.COUNT_ELASTIC] > 0:
                factorize_elastic(tab, w, b)
                I = eliminated(tab, w, b, I)
            I = eliminate_joint(tab, par, w, tau, b, I, 0.0)
        if parent >= 0:
            gather(w, at + parent * L.W_BRANCH_SIZE, to_parent(w, wb, I))


@jit
def accelerate_bodies(tab, par, w, vdot):
    """Forward: v̇, ẅ among them, and the accelerations of all bodies."""
    g = load3(par, L.GRAVITY)
    for i in range(tab[L.N_BODY]):
        b, wb = body_record(tab, i), body_work(tab, i)
        parent = tab[b + L.PARENT]
        al, aa = (-g[0], -g[1], -g[2]), (0.0, 0.0, 0.0)
        if parent >= 0:
            wp = body_work(tab, parent)
            al, aa = load3(w, wp + L.ACC), load3(w, wp + L.ACC + 3)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        al = add(rotate(R, add(al, cross(aa, rho))), load3(w, wb + L.BIAS))
        aa = add(rotate(R, aa), load3(w, wb + L.BIAS + 3))
        if tab[b + L.KIND] == L.NODE:
            x = elastic_places(tab, body_record(tab, parent)).acceleration
            al, aa = node_acceleration(tab, w, b, x, al, aa)
        else:
            al, aa = joint_acceleration(tab, w, vdot, b, al, aa)
            s = elastic_places(tab, b)
            if s.h > 0:
                elastic_response(tab, w, b, s.force, al, aa, s.acceleration)
                for k in range(s.h):
                    vdot[tab[b + L.ELASTIC_V] + k] = w[s.acceleration + k]
        store3(w, wb + L.ACC, al)
        store3(w, wb + L.ACC + 3, aa)


def elastic_elimination(has_external, _y, _yd, table, params, work):
    tab, w = fixed_ints(table), doubles(work)
    eliminate_bodies(tab, fixed_doubles(params), w, shift(w, tab[L.W_TAU]), has_external != 0.0)


def elastic_accelerations(_t, _y, vdot, table, params, work):
    accelerate_bodies(fixed_ints(table), fixed_doubles(params), doubles(work), doubles(vdot))


ELIMINATION, ACCELERATIONS = Pointer(elastic_elimination, DERIVATIVE), Pointer(elastic_accelerations, DERIVATIVE)


def addresses() -> dict[int, int]:
    """Of what flexible bodies need, by slot of the header."""
    kernels = {L.F_ELIMINATION: ELIMINATION, L.F_ACCELERATION: ACCELERATIONS, L.F_REACTION: ELASTIC_REACTIONS}
    return {slot: kernel.address for slot, kernel in kernels.items()}


@jit
def update_elastic_elimination(tab, par, w, has_external):
    """Backward, with flexible bodies; forces in W_TAU and W_EXTERNAL."""
    flag = 1.0 if has_external else 0.0
    call_derivative(tab[L.F_ELIMINATION], flag, 0, 0, address_of(tab, 0), address_of(par, 0), address_of(w, 0))


@jit
def update_elastic_accelerations(tab, par, w, vdot):
    """Forward, with flexible bodies."""
    call_derivative(tab[L.F_ACCELERATION], 0.0, 0, address_of(vdot, 0), address_of(tab, 0), address_of(par, 0), address_of(w, 0))
