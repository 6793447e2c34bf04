"""Composite bodies (Lagrange II): M = Aᵀ M* A with M*_ii = M_i + Σ C_lᵀ M*_ll C_l, then Cholesky. Ivanov et al. 2012, §3.3."""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_work,
    body_params,
    body_record,
    body_work,
    end_freedom,
    first_freedom,
    parent_of,
    speed_of,
)
from sharnir.dynamics.methods.newton_euler import project_reactions, update_body_accelerations, update_reactions
from sharnir.kernel import jit
from sharnir.spatial.inertia import congruent, full_sum, inertia_times, rigid, shifted, symmetric_sum
from sharnir.spatial.vector import add, cross, dot, load3, load6, load9, multiply, multiply_back, rotate_back, store6, store9


@jit
def update_composites(tab, par, w, at):
    """M*_ii of every body as 21 numbers from `at` on."""
    n = tab[L.N_BODY]
    for i in range(n):
        p = body_params(tab, i)
        A, B, C = rigid(par[p + L.MASS], load3(par, p + L.FIRST_MOMENT), load6(par, p + L.INERTIA), 0.0)
        store_blocks(w, at + 21 * i, A, B, C)
    for k in range(n):
        i = n - 1 - k
        parent = parent_of(tab, i)
        if parent >= 0:
            add_composite(tab, w, at, i, parent)


@jit
def add_composite(tab, w, at, i, parent):
    """C_iᵀ M*_ii C_i to the parent's."""
    wb = body_work(tab, i)
    R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
    A, B, C = load_blocks(w, at + 21 * i)
    A, C, B = congruent(R, A), congruent(R, C), multiply_back(R, multiply(B, R))
    B, C = shifted(A, B, C, rho)
    A0, B0, C0 = load_blocks(w, at + 21 * parent)
    store_blocks(w, at + 21 * parent, symmetric_sum(A0, A), full_sum(B0, B), symmetric_sum(C0, C))


@jit
def load_blocks(w, k):
    return load6(w, k), load9(w, k + 6), load6(w, k + 15)


@jit
def store_blocks(w, k, A, B, C):
    store6(w, k, A)
    store9(w, k + 6, B)
    store6(w, k + 15, C)


@jit
def update_mass_matrix(tab, w, at, M, n):
    """Lower triangle of M: each motion axis, carried up its path, meets the axes on the way. Needs update_composites."""
    for j in range(n * n):
        M[j] = 0.0
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        A, B, C = load_blocks(w, at + 21 * i)
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, f)
            if k >= 0:
                s = axis_work(tab, f)
                x, y = inertia_times(A, B, C, load3(w, s), load3(w, s + 3))
                walk_up(tab, w, i, k, x, y, M, n)


@jit
def walk_up(tab, w, i, k, x, y, M, n):
    """Row k of M: the force (x, y) of a unit q̈_k against every axis between body i and the base."""
    while i >= 0:
        b = body_record(tab, i)
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            j = speed_of(tab, f)
            if j >= 0:
                s = axis_work(tab, f)
                value = dot(load3(w, s), x) + dot(load3(w, s + 3), y)
                if j <= k:
                    M[k * n + j] = value
                else:
                    M[j * n + k] = value
        wb = body_work(tab, i)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        x = rotate_back(R, x)
        y = add(rotate_back(R, y), cross(rho, x))
        i = tab[b + L.PARENT]


@jit
def update_right_side(tab, par, w, tau, x, has_external):
    """Q = τ - Aᵀ Q*: generalized forces less what the motion needs without q̈ (Newton–Euler)."""
    update_body_accelerations(tab, par, w, x, False)
    update_reactions(tab, par, w, has_external)
    project_reactions(tab, w, x)
    for k in range(tab[L.N_V]):
        x[k] = tau[k] - x[k]


@jit
def fold_mimics(tab, par, M, x, n):
    """Nᵀ M N and Nᵀ Q for speeds v_j = c v_i: rows and columns j move onto i, and j becomes an empty equation."""
    for m in range(tab[L.N_MIMIC]):
        fold_speed(M, x, n, tab[tab[L.T_MIMIC] + 2 * m], tab[tab[L.T_MIMIC] + 2 * m + 1], par[tab[L.P_MIMIC] + m])


@jit
def fold_speed(M, x, n, j, i, c):
    """The same for one pair."""
    x[i] += c * x[j]
    x[j] = 0.0
    mij = M[max(i, j) * n + min(i, j)]
    M[i * n + i] += c * (2.0 * mij + c * M[j * n + j])
    for k in range(n):
        if k != i and k != j:
            M[max(i, k) * n + min(i, k)] += c * M[max(j, k) * n + min(j, k)]
    for k in range(n):
        M[max(j, k) * n + min(j, k)] = 0.0
    M[j * n + j] = 1.0


@jit
def unfold_mimics(tab, par, x):
    """Accelerations of dependent speeds; leaders are never dependent themselves."""
    for m in range(tab[L.N_MIMIC]):
        x[tab[tab[L.T_MIMIC] + 2 * m]] = par[tab[L.P_MIMIC] + m] * x[tab[tab[L.T_MIMIC] + 2 * m + 1]]
