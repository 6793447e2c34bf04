"""Direct method (Lagrange II): the tangent basis B = T A row by row, then Bᵀ M B. Ivanov et al. 2012, (3.12)."""

from sharnir.dynamics.bodies.rigid_body import body_inertia, less_external, required_force
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_work,
    body_record,
    body_work,
    end_freedom,
    first_freedom,
    speed_of,
)
from sharnir.dynamics.methods.composite_body import add_rotors_to_diagonal
from sharnir.kernel import jit
from sharnir.spatial.inertia import inertia_times
from sharnir.spatial.vector import add, cross, dot, load3, load9, rotate, store3


@jit
def update_tangent_basis(tab, w, B, n):
    """B_ij = A_i on the diagonal, C_i B_parent,j on the path: 6 numbers for each body and each speed on its path."""
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        wb = body_work(tab, i)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        parent = tab[b + L.PARENT]
        k = last_speed(tab, parent)
        while k >= 0:
            above = 6 * (parent * n + k)
            ang = load3(B, above + 3)
            store3(B, 6 * (i * n + k), rotate(R, add(load3(B, above), cross(ang, rho))))
            store3(B, 6 * (i * n + k) + 3, rotate(R, ang))
            k = tab[tab[L.T_ANCESTOR] + k]
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, f)
            if k >= 0:
                s = axis_work(tab, f)
                store3(B, 6 * (i * n + k), load3(w, s))
                store3(B, 6 * (i * n + k) + 3, load3(w, s + 3))


@jit
def last_speed(tab, i):
    """The last speed on the path of body i, -1 if there is none."""
    while i >= 0:
        b = body_record(tab, i)
        if tab[b + L.COUNT_V] > 0:
            return tab[b + L.FIRST_V] + tab[b + L.COUNT_V] - 1
        i = tab[b + L.PARENT]
    return -1


@jit
def update_mass_matrix_directly(tab, par, B, M, n):
    """M = Σ B_iᵀ M_i B_i over bodies, lower triangle. Needs update_tangent_basis."""
    for j in range(n * n):
        M[j] = 0.0
    for i in range(tab[L.N_BODY]):
        I = body_inertia(tab, par, i, 0.0)
        k = last_speed(tab, i)
        while k >= 0:
            at = 6 * (i * n + k)
            x, y = inertia_times(I, load3(B, at), load3(B, at + 3))
            j = k
            while j >= 0:
                at = 6 * (i * n + j)
                M[k * n + j] += dot(load3(B, at), x) + dot(load3(B, at + 3), y)
                j = tab[tab[L.T_ANCESTOR] + j]
            k = tab[tab[L.T_ANCESTOR] + k]
    add_rotors_to_diagonal(tab, par, M, n)


@jit
def update_right_side_directly(tab, par, w, B, tau, x, n, has_external):
    """Q = τ + Bᵀ (F - M ψ), body by body. Needs ψ as accelerations without q̈."""
    for k in range(n):
        x[k] = tau[k]
    for i in range(tab[L.N_BODY]):
        fl, fa = required_force(tab, par, w, i)
        if has_external:
            fl, fa = less_external(tab, w, i, fl, fa)
        k = last_speed(tab, i)
        while k >= 0:
            at = 6 * (i * n + k)
            x[k] -= dot(load3(B, at), fl) + dot(load3(B, at + 3), fa)
            k = tab[tab[L.T_ANCESTOR] + k]
