"""Separate bodies with flexible ones among them: the recursion of articulated_body, elastic coordinates eliminated on the way.

A body's own coordinates go first, then the freedoms of its joint; a node adds to the coordinates of the body that it belongs
to. O(N) at fixed numbers of coordinates. C functions: only models with flexible bodies compile them.
"""

from sharnir.dynamics.bodies.flexible_body import (
    add_node,
    elastic_places,
    elastic_response,
    eliminated,
    factorize_elastic,
    node_acceleration,
    start_elastic,
)
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_params, body_record, body_work, external_work
from sharnir.dynamics.methods.articulated_body import gather, inertial_force
from sharnir.dynamics.methods.joint_elimination import eliminate_joint, joint_acceleration, to_parent
from sharnir.kernel import PLAIN, Pointer, address_of, call_derivative, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.inertia import rigid
from sharnir.spatial.vector import add, cross, load3, load6, load9, rotate, store3, sub


@jit
def six_of(A):
    """Upper triangle of a symmetric matrix of nine numbers."""
    return A[0], A[1], A[2], A[4], A[5], A[8]


@jit
def start_body(tab, par, w, tau, i):
    """Inertia and force of body i itself; a flexible one also fills its own memory."""
    b, p, wb = body_record(tab, i), body_params(tab, i), body_work(tab, i)
    if tab[b + L.COUNT_ELASTIC] > 0 and tab[b + L.KIND] != L.NODE:
        A, B, C, fl, fa = start_elastic(tab, par, w, tau, b, load3(w, wb + L.VEL), load3(w, wb + L.VEL + 3))
        return six_of(A), B, six_of(C), fl, fa
    A, B, C = rigid(par[p + L.MASS], load3(par, p + L.FIRST_MOMENT), load6(par, p + L.INERTIA), 0.0)
    fl, fa = inertial_force(par, w, p, wb)
    return A, B, C, fl, fa


@jit
def eliminate_bodies(tab, par, w, tau, has_external):
    """Backward: all coordinates and freedoms. Every body hands over in memory, W_GATHER, 27 numbers each."""
    n, at = tab[L.N_BODY], tab[L.W_GATHER]
    for i in range(n):  # own parts first: nodes add to those of their bodies
        g = at + i * L.W_BRANCH_SIZE
        A, B, C, fl, fa = start_body(tab, par, w, tau, i)
        if has_external:
            x = external_work(tab, i)
            fl, fa = sub(fl, load3(w, x)), sub(fa, load3(w, x + 3))
        for j in range(L.W_BRANCH_SIZE):
            w[g + j] = 0.0
        gather(w, g, A, B, C, fl, fa)
    for k in range(n):
        i = n - 1 - k
        b, wb, g = body_record(tab, i), body_work(tab, i), at + i * L.W_BRANCH_SIZE
        A, B, C = load6(w, g), load9(w, g + 6), load6(w, g + 15)
        fl, fa = load3(w, g + 21), load3(w, g + 24)
        parent = tab[b + L.PARENT]
        if tab[b + L.KIND] == L.NODE:
            add_node(tab, par, w, body_record(tab, parent), b, wb, A, B, C, fl, fa)
        else:
            if tab[b + L.COUNT_ELASTIC] > 0:
                factorize_elastic(tab, w, b)
                A, B, C, fl, fa = eliminated(tab, w, b, A, B, C, fl, fa)
            A, B, C, fl, fa = eliminate_joint(tab, w, tau, b, A, B, C, fl, fa, 0.0)
        if parent >= 0:
            A, B, C, fl, fa = to_parent(w, wb, A, B, C, fl, fa)
            gather(w, at + parent * L.W_BRANCH_SIZE, A, B, C, fl, fa)


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
            h, _, _, _, _, x, _, _ = elastic_places(tab, body_record(tab, parent))
            al, aa = node_acceleration(tab, w, b, h, x, al, aa)
        else:
            al, aa = joint_acceleration(tab, w, vdot, b, al, aa)
            h, _, _, _, y, x, _, _ = elastic_places(tab, b)
            if h > 0:
                elastic_response(tab, w, b, y, al, aa, x)
                for k in range(h):
                    vdot[tab[b + L.ELASTIC_V] + k] = w[x + k]
        store3(w, wb + L.ACC, al)
        store3(w, wb + L.ACC + 3, aa)


def elastic_elimination(has_external, _y, _yd, table, params, work):
    tab, w = fixed_ints(table), doubles(work)
    eliminate_bodies(tab, fixed_doubles(params), w, shift(w, tab[L.W_TAU]), has_external != 0.0)


def elastic_accelerations(_t, _y, vdot, table, params, work):
    accelerate_bodies(fixed_ints(table), fixed_doubles(params), doubles(work), doubles(vdot))


ELIMINATION, ACCELERATIONS = Pointer(elastic_elimination, DERIVATIVE), Pointer(elastic_accelerations, DERIVATIVE)


def addresses() -> tuple[int, int]:
    """F_ELIMINATION and F_ACCELERATION for the header; zeros in plain Python, which calls them directly."""
    return (0, 0) if PLAIN else (ELIMINATION.address, ACCELERATIONS.address)


if PLAIN:

    def update_elastic_elimination(tab, par, w, has_external):
        """Backward, with flexible bodies; forces in W_TAU and W_EXTERNAL."""
        ELIMINATION.function(1.0 if has_external else 0.0, 0, 0, tab, par, w)

    def update_elastic_accelerations(tab, par, w, vdot):
        """Forward, with flexible bodies."""
        ACCELERATIONS.function(0.0, 0, vdot, tab, par, w)
else:

    @jit
    def update_elastic_elimination(tab, par, w, has_external):  # type: ignore[misc]
        """Backward, with flexible bodies; forces in W_TAU and W_EXTERNAL."""
        flag = 1.0 if has_external else 0.0
        call_derivative(tab[L.F_ELIMINATION], flag, 0, 0, address_of(tab, 0), address_of(par, 0), address_of(w, 0))

    @jit
    def update_elastic_accelerations(tab, par, w, vdot):  # type: ignore[misc]
        """Forward, with flexible bodies."""
        call_derivative(
            tab[L.F_ACCELERATION], 0.0, 0, address_of(vdot, 0), address_of(tab, 0), address_of(par, 0), address_of(w, 0)
        )
