"""Composite bodies (Lagrange II): M = Aᵀ M* A with M*_ii = M_i + Σ C_lᵀ M*_ll C_l, then Cholesky. Ivanov et al. 2012, §3.3."""

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
    parent_of,
    speed_of,
)
from sharnir.dynamics.methods.newton_euler import project_reactions, update_body_accelerations, update_reactions
from sharnir.kernel import jit
from sharnir.spatial.inertia import inertia_sum, inertia_times, load_inertia, store_inertia, transformed
from sharnir.spatial.vector import add, cross, dot, load3, load9, rotate_back


@jit
def update_composites(tab, par, w, at):
    """M*_ii of every body as 21 numbers from `at` on."""
    n = tab[L.N_BODY]
    for i in range(n):
        store_inertia(w, at + 21 * i, body_inertia(tab, par, i, 0.0))
    for k in range(n):
        i = n - 1 - k
        parent = parent_of(tab, i)
        if parent >= 0:
            add_composite(tab, w, at, i, parent)


@jit
def add_composite(tab, w, at, i, parent):
    """C_iᵀ M*_ii C_i to the parent's."""
    wb = body_work(tab, i)
    M = transformed(load_inertia(w, at + 21 * i), load9(w, wb + L.G), load3(w, wb + L.RHO))
    store_inertia(w, at + 21 * parent, inertia_sum(load_inertia(w, at + 21 * parent), M))


@jit
def update_mass_matrix(tab, par, w, at, M, n):
    """Lower triangle of M: each motion axis, carried up its path, meets the axes on the way. Needs update_composites."""
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
                walk_up(tab, w, i, k, x, y, M, n)
    add_rotors_to_diagonal(tab, par, M, n)


@jit
def add_rotors_to_diagonal(tab, par, M, n):
    """M + J of all rotors."""
    if tab[L.ARMATURED] != 0:
        for k in range(n):
            M[k * n + k] += armature_of(tab, par, k)


@jit
def walk_up(tab, w, i, k, x, y, M, n):
    """Row k of M: the force (x, y) of a unit q̈_k against every axis between body i and the base."""
    while i >= 0:
        b = body_record(tab, i)
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            j = speed_of(tab, f)
            if j >= 0:
                sl, sa = axis_of(tab, w, f)
                value = dot(sl, x) + dot(sa, y)
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
        r = mimic_record(tab, m)
        fold_speed(M, x, n, tab[r + L.FOLLOWER], tab[r + L.LEADER], par[tab[L.P_MIMIC] + m])


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
        r = mimic_record(tab, m)
        x[tab[r + L.FOLLOWER]] = par[tab[L.P_MIMIC] + m] * x[tab[r + L.LEADER]]
