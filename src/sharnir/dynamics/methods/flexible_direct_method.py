"""The direct method with flexible bodies: B by rows, with columns of elastic coordinates at nodes, then Σ (B, w)ᵀ M (B, w).

All numbers of speeds here are places in the order of the tree (elastic_order); the way of a body is walked by its table.
"""

from sharnir.dynamics.bodies.flexible_body import is_flexible
from sharnir.dynamics.bodies.flexible_memory import coupling_of, elastic_places
from sharnir.dynamics.bodies.rigid_body import less_external, required_force
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    armature_of,
    axis_work,
    body_record,
    body_work,
    end_freedom,
    first_freedom,
    speed_of,
)
from sharnir.dynamics.methods.flexible_composite_body import own_inertia
from sharnir.dynamics.methods.newton_euler import elastic_reaction
from sharnir.kernel import jit
from sharnir.spatial.inertia import inertia_times
from sharnir.spatial.vector import add, cross, dot, dot6, load3, load6, load9, rotate, store3


@jit
def last_place(tab, i):
    """The last place on the way of body i's frame, -1 if there is none."""
    return tab[tab[L.T_METHOD] + 4 * tab[L.N_V] + i] if i >= 0 else -1


@jit
def update_elastic_basis(tab, w, B, n):
    """B_ij = A_i and S_i (a node's) on the diagonal, C_i B_parent,j on the way; 6 numbers for each body and place."""
    order = tab[L.T_METHOD]
    for i in range(tab[L.N_BODY]):
        b, wb = body_record(tab, i), body_work(tab, i)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        parent = tab[b + L.PARENT]
        k = last_place(tab, parent)
        while k >= 0:
            above = 6 * (parent * n + k)
            ang = load3(B, above + 3)
            store3(B, 6 * (i * n + k), rotate(R, add(load3(B, above), cross(ang, rho))))
            store3(B, 6 * (i * n + k) + 3, rotate(R, ang))
            k = tab[order + n + k]
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, f)
            if k >= 0:
                store_column(w, B, 6 * (i * n + tab[order + k]), axis_work(tab, f))
        if tab[b + L.KIND] == L.NODE:
            for j in range(tab[b + L.COUNT_ELASTIC]):
                store_column(w, B, 6 * (i * n + tab[order + tab[b + L.ELASTIC_V] + j]), tab[b + L.ELASTIC_W] + 6 * j)


@jit
def store_column(w, B, to, s):
    """Six numbers of work into B."""
    for c in range(6):
        B[to + c] = w[s + c]


@jit
def update_elastic_mass_matrix_directly(tab, par, w, B, M, n):
    """M = Σ B_iᵀ M_i B_i, lower triangle; a flexible body's own w are further columns. Needs M_wr, M_ww of bodies alone."""
    before = tab[L.T_METHOD] + n
    for j in range(n * n):
        M[j] = 0.0
    for k in range(n):
        place = tab[tab[L.T_METHOD] + k]
        M[place * n + place] = armature_of(tab, par, k)
    for i in range(tab[L.N_BODY]):
        I = own_inertia(tab, par, w, i)
        k = last_place(tab, i)
        while k >= 0:
            at = 6 * (i * n + k)
            x, y = inertia_times(I, load3(B, at), load3(B, at + 3))
            add_row(tab, B, M, n, i, k, k, x, y)
            k = tab[before + k]
        b = body_record(tab, i)
        if is_flexible(tab, b):
            s = elastic_places(tab, b)
            own = tab[tab[L.T_METHOD] + tab[b + L.ELASTIC_V]]
            for j in range(s.h):
                x, y = coupling_of(w, s, j)
                add_row(tab, B, M, n, i, own + j, last_place(tab, i), x, y)
                for g in range(j + 1):
                    M[(own + j) * n + own + g] += w[s.M_ww + j * s.h + g]


@jit
def add_row(tab, B, M, n, i, k, j, x, y):
    """Row k of M: the force (x, y) on body i against the columns of its way, from j on."""
    before = tab[L.T_METHOD] + n
    while j >= 0:
        at = 6 * (i * n + j)
        M[k * n + j] += dot(load3(B, at), x) + dot(load3(B, at + 3), y)
        j = tab[before + j]


@jit
def update_elastic_right_side_directly(tab, par, w, B, tau, x, n, has_external):
    """Q = τ + Bᵀ (F - M ψ), body by body; needs ψ. Leaves M_wr, M_ww of flexible bodies in their memory."""
    order = tab[L.T_METHOD]
    for k in range(n):
        x[tab[order + k]] = tau[k]
    for i in range(tab[L.N_BODY]):
        b, wb = body_record(tab, i), body_work(tab, i)
        if is_flexible(tab, b):
            fl, fa = elastic_reaction(tab, par, w, b, wb)
            s = elastic_places(tab, b)
            for j in range(s.h):  # s_w + k_w - M_wr ψ
                along = w[s.force + j] - dot6(load6(w, s.M_wr + 6 * j), load6(w, wb + L.ACC))
                x[tab[order + tab[b + L.ELASTIC_V] + j]] = along
        else:
            fl, fa = required_force(tab, par, w, i)
        if has_external:
            fl, fa = less_external(tab, w, i, fl, fa)
        k = last_place(tab, i)
        while k >= 0:
            at = 6 * (i * n + k)
            x[k] -= dot(load3(B, at), fl) + dot(load3(B, at + 3), fa)
            k = tab[order + n + k]
