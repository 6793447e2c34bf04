"""Multipliers with a mass matrix that was factorized along the tree, M = Lᵀ L: composite bodies and the direct method.

A row c of C has speeds of its path only, and L⁻ᵀ c stays on the path: u = L⁻ᵀ c takes the place of what the elimination of
separate bodies leaves there, with D = 1. So A = Σ u uᵀ over shared speeds as before, and M⁻¹ Cᵀ λ = L⁻¹ Σ λ u.
"""

from typing import NamedTuple

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.direct_method import last_speed
from sharnir.dynamics.methods.flexible_composite_body import place_of
from sharnir.dynamics.methods.flexible_direct_method import last_place
from sharnir.dynamics.methods.ltl_factorization import substitute
from sharnir.dynamics.multipliers.delassus_paths import path_body, path_places, path_speeds, update_loads
from sharnir.dynamics.multipliers.path_rows import update_body_response
from sharnir.kernel import inline, jit, shift
from sharnir.spatial.vector import dot, dot6, load3, load6


class Factors(NamedTuple):
    """Where the factor L of a mass matrix is, and the order of speeds in it."""

    M: int  # in `work`, n × n
    order: int  # in `table`: place of every speed in the matrix; -1: that of the state
    before: int  # in `table`: per place the one before it on the way to the base
    run: int  # in `table`: the first of the consecutive ones that end there
    n: int


@inline
def rigid_factors(tab, M):
    """Of rigid bodies; M: offset of the matrix."""
    return Factors(M, -1, tab[L.T_SOLVE], tab[L.T_RUN], tab[L.N_V])


@inline
def flexible_factors(tab, M):
    """With flexible bodies, whose matrix has the order of the tree."""
    n, order = tab[L.N_V], tab[L.T_METHOD]
    return Factors(M, order, order + 2 * n, order + 3 * n, n)


@jit
def divide_row(tab, w, F, s, r):
    """u and u/D ← L⁻ᵀ c of equation r; c stands in W_RESPONSE, in the order of the matrix, and is used up."""
    speeds, x, u = path_speeds(s), tab[L.W_RESPONSE], s.u + r * s.speeds
    for y in range(s.bodies):  # children first, and the last speed of each first
        first = path_body(tab, s, y).first
        end = path_body(tab, s, y + 1).first if y + 1 < s.bodies else s.speeds
        for j in range(end - first):
            local = end - 1 - j
            k = place_of(tab, F.order, tab[speeds + local])
            row = F.M + k * F.n
            a = w[x + k] / w[row + k]
            w[u + local] = a
            w[s.shadow + r * s.speeds + local] = a
            i = tab[F.before + k]
            while i >= 0:
                lo = tab[F.run + i]
                for c in range(lo, i + 1):
                    w[x + c] -= w[row + c] * a
                i = tab[F.before + lo]


@jit
def divide_rows(tab, w, F, e):
    """u = L⁻ᵀ c of all equations of element e; needs update_rows."""
    s = path_places(tab, e)
    speeds, x = path_speeds(s), tab[L.W_RESPONSE]
    for r in range(s.rows):
        for k in range(s.speeds):
            w[x + place_of(tab, F.order, tab[speeds + k])] = w[s.u + r * s.speeds + k]
        divide_row(tab, w, F, s, r)


@jit
def divide_rows_directly(tab, par, w, F, e, B):
    """The same with c = Σ Bᵀ Gᵀ over the bodies of each equation, by the tangent basis at offset B; notes sizes of rows."""
    s = path_places(tab, e)
    speeds, x = path_speeds(s), tab[L.W_RESPONSE]
    terms, n = tab[e + L.E_TERM], tab[e + L.E_TERMS]
    for r in range(s.rows):
        for k in range(s.speeds):
            w[x + place_of(tab, F.order, tab[speeds + k])] = 0.0
        size = 1e-300
        for k in range(n):
            target, J = tab[terms + 2 * k], tab[e + L.E_JACOBIAN] + (r * n + k) * 6
            if target == -1:
                continue
            f, m = load3(w, J), load3(w, J + 3)
            size += dot(f, f) + dot(m, m) / (par[L.REACH] * par[L.REACH])
            if target < -1:
                w[x + place_of(tab, F.order, -2 - target)] += w[J]
            else:
                take_along_basis(tab, w, F, target, load6(w, J), B, x)
        w[tab[L.W_ROW_SIZE] + tab[e + L.E_ROW] + r] = size / par[L.TOTAL_MASS]
        divide_row(tab, w, F, s, r)


@jit
def take_along_basis(tab, w, F, i, J, B, x):
    """x += B_iᵀ J over the speeds on the way of body i."""
    if F.order < 0:
        k, before = last_speed(tab, i), tab[L.T_ANCESTOR]
    else:
        k, before = last_place(tab, i), F.order + F.n
    while k >= 0:
        w[x + k] += dot6(J, load6(w, B + 6 * (i * F.n + k)))
        k = tab[before + k]


@jit
def update_factorized_response(tab, w, F, lam):
    """W_RESPONSE = M⁻¹ Cᵀ λ = L⁻¹ Σ λ u; the part of the bodies for the dense solver, which refines with it."""
    x = tab[L.W_RESPONSE]
    update_loads(tab, w, lam)
    to = x if F.order < 0 else tab[L.W_VDOT]
    for k in range(F.n):
        w[to + place_of(tab, F.order, k)] = w[tab[L.W_LOAD] + k]
    substitute(shift(w, F.M), shift(tab, F.before), shift(tab, F.run), F.n, shift(w, to))
    if F.order >= 0:
        for k in range(F.n):
            w[x + k] = w[to + tab[F.order + k]]
    if tab[L.SOLVER] == L.DENSE:
        update_body_response(tab, w)
