"""Composite bodies, flexible ones included: the mass matrix with rows and columns of elastic coordinates.

A coordinate of a flexible body needs the force M_rw + Σ X_nᵀ M*_n S_n at the body's frame, over its nodes n; carried to the
base it meets the axes of joints, and the shapes S of the nodes that it passes. M_ww = J_ww + Σ S_nᵀ M*_n S_n.
"""

from sharnir.dynamics.bodies.flexible_body import add_node, elastic_inertia, is_flexible, start_elastic
from sharnir.dynamics.bodies.flexible_memory import coupling_of, elastic_places, shape_of
from sharnir.dynamics.bodies.rigid_body import body_inertia
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    armature_of,
    axis_of,
    body_record,
    body_work,
    end_freedom,
    first_freedom,
    mimic_record,
    speed_of,
)
from sharnir.dynamics.methods.composite_body import add_composite, fold_speed, update_right_side
from sharnir.kernel import inline, jit, shift
from sharnir.spatial.inertia import articulated, inertia_times, load_inertia, store_inertia
from sharnir.spatial.vector import add, cross, dot, load3, load9, rotate_back


@jit
def start_flexible_bodies(tab, par, w):
    """M_wr and M_ww of every flexible body alone into its memory; needs update_kinematics."""
    for i in range(tab[L.N_BODY]):
        b, wb = body_record(tab, i), body_work(tab, i)
        if is_flexible(tab, b):
            start_elastic(tab, par, w, shift(w, tab[L.W_TAU]), b, load3(w, wb + L.VEL), load3(w, wb + L.VEL + 3))


@jit
def own_inertia(tab, par, w, i):
    """Inertia of body i alone; of a flexible one at its present w."""
    b = body_record(tab, i)
    if is_flexible(tab, b):
        return elastic_inertia(tab, par, w, b)
    return body_inertia(tab, par, i, 0.0)


@jit
def update_elastic_composites(tab, par, w, at):
    """M*_ii of every body as 21 numbers from `at` on, and M_wr, M_ww with all that hangs on nodes; needs M_wr, M_ww alone."""
    n, z3 = tab[L.N_BODY], (0.0, 0.0, 0.0)
    for i in range(n):
        store_inertia(w, at + 21 * i, own_inertia(tab, par, w, i))
    for k in range(n):
        i = n - 1 - k
        b = body_record(tab, i)
        parent = tab[b + L.PARENT]
        if tab[b + L.KIND] == L.NODE:
            I = articulated(load_inertia(w, at + 21 * i), z3, z3)
            add_node(tab, w, body_record(tab, parent), b, body_work(tab, i), I)
        if parent >= 0:
            add_composite(tab, w, at, i, parent)


@inline
def place_of(tab, order, k):
    """Where speed k stands; order: offset of the order in the table, or -1 for that of the state."""
    return tab[order + k] if order >= 0 else k


@inline
def put(M, n, i, j, value):
    """An entry of the lower triangle."""
    M[max(i, j) * n + min(i, j)] = value


@jit
def update_elastic_mass_matrix(tab, par, w, at, M, n, order):
    """Lower triangle of M, speeds in the given order; needs update_elastic_composites."""
    for j in range(n * n):
        M[j] = 0.0
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        I = load_inertia(w, at + 21 * i)
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, f)
            if k >= 0:
                sl, sa = axis_of(tab, w, f)
                x, y = inertia_times(I, sl, sa)
                place = place_of(tab, order, k)
                walk_up_nodes(tab, w, i, place, x, y, M, n, order)
                M[place * n + place] += armature_of(tab, par, k)
        if is_flexible(tab, b):
            s = elastic_places(tab, b)
            for j in range(s.h):
                k = place_of(tab, order, tab[b + L.ELASTIC_V] + j)
                for g in range(j + 1):
                    put(M, n, k, place_of(tab, order, tab[b + L.ELASTIC_V] + g), w[s.M_ww + j * s.h + g])
                x, y = coupling_of(w, s, j)
                walk_up_nodes(tab, w, i, k, x, y, M, n, order)


@jit
def walk_up_nodes(tab, w, i, k, x, y, M, n, order):
    """Row k of M: the force (x, y) at body i against every axis and every shape of a node between it and the base."""
    while i >= 0:
        b = body_record(tab, i)
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            j = speed_of(tab, f)
            if j >= 0:
                sl, sa = axis_of(tab, w, f)
                put(M, n, k, place_of(tab, order, j), dot(sl, x) + dot(sa, y))
        if tab[b + L.KIND] == L.NODE:
            j = place_of(tab, order, tab[b + L.ELASTIC_V])  # its coordinates stand together
            for g in range(tab[b + L.COUNT_ELASTIC]):
                sl, sa = shape_of(tab, w, b, g)
                put(M, n, k, j + g, dot(sl, x) + dot(sa, y))
        wb = body_work(tab, i)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        x = rotate_back(R, x)
        y = add(rotate_back(R, y), cross(rho, x))
        i = tab[b + L.PARENT]


@jit
def update_elastic_equations(tab, par, w, tau, x, has_external):
    """M and Q in the order of the tree, mimic joints folded in. W_METHOD: composites 21 N, then M n²."""
    at, n = tab[L.W_METHOD], tab[L.N_V]
    M = shift(w, at + 21 * tab[L.N_BODY])
    update_right_side(tab, par, w, tau, shift(w, tab[L.W_VDOT]), has_external)  # M_wr and M_ww of bodies alone, too
    update_elastic_composites(tab, par, w, at)
    update_elastic_mass_matrix(tab, par, w, at, M, n, tab[L.T_METHOD])
    put_in_order(tab, w, x)
    fold_ordered_mimics(tab, par, M, x, n)
    return M


@jit
def put_in_order(tab, w, x):
    """x in the order of the tree ← W_VDOT in that of the state."""
    for k in range(tab[L.N_V]):
        x[tab[tab[L.T_METHOD] + k]] = w[tab[L.W_VDOT] + k]


@jit
def put_back(tab, w, x):
    """x in the order of the state ← x in that of the tree, by way of W_VDOT."""
    for k in range(tab[L.N_V]):
        w[tab[L.W_VDOT] + k] = x[k]
    for k in range(tab[L.N_V]):
        x[k] = w[tab[L.W_VDOT] + tab[tab[L.T_METHOD] + k]]


@jit
def fold_ordered_mimics(tab, par, M, x, n):
    """Dependent speeds onto their leaders, in the order of the tree."""
    order = tab[L.T_METHOD]
    for m in range(tab[L.N_MIMIC]):
        j, i = tab[mimic_record(tab, m) + L.FOLLOWER], tab[mimic_record(tab, m) + L.LEADER]
        fold_speed(M, x, n, tab[order + j], tab[order + i], par[tab[L.P_MIMIC] + m])
