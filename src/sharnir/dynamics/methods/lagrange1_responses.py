"""Lagrange I as the tree part of a mechanism with loops: accelerations by a force on bodies and freedoms, with kept factors.

M v̇ - Sᵀ Z λ = f, Zᵀ S v̇ = 0: the matrix of (3.10) again, without gravity, velocities and the forces of the model.
"""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_record, body_work
from sharnir.dynamics.methods.flexible_lagrange1 import add_multipliers, update_unit_accelerations
from sharnir.dynamics.methods.flexible_lagrange1_units import (
    LEADS,
    MAIN,
    MEMORY,
    SIZE,
    UNIT_T,
    add_joint_forces,
    add_to_unit,
    unit_table,
    update_free_units,
)
from sharnir.dynamics.methods.lagrange1 import FORCE, FREE_ACC, JOINT, inverse_record, inverse_times, joint_force, on_parent
from sharnir.dynamics.methods.lagrange1_cholesky import (
    add_reactions,
    solve_further_multipliers,
    update_joint_accelerations,
    update_multiplier_right_side,
)
from sharnir.kernel import jit, shift
from sharnir.spatial.vector import add, load3, store3, sub


@jit
def add_force(w, f, x, y):
    """(x, y) to the force at f."""
    store3(w, f, add(load3(w, f), x))
    store3(w, f + 3, add(load3(w, f + 3), y))


@jit
def note_speeds(tab, w, e, r):
    """W_LOAD ← what equation r of element e does to speeds themselves; True if there is anything."""
    n, terms, found = tab[e + L.E_TERMS], tab[e + L.E_TERM], False
    for k in range(tab[L.N_V]):
        w[tab[L.W_LOAD] + k] = 0.0
    for k in range(n):
        target = tab[terms + 2 * k]
        if target < -1:
            w[tab[L.W_LOAD] - 2 - target] += w[tab[e + L.E_JACOBIAN] + (r * n + k) * 6]
            found = True
    return found


@jit
def update_equation_forces(tab, par, w, at, e, r):
    """F of equation r of element e on every body, forces on speeds as A(AᵀA)⁻¹τ, and M⁻¹F."""
    n, terms = tab[e + L.E_TERMS], tab[e + L.E_TERM]
    for i in range(tab[L.N_BODY]):
        for k in range(6):
            w[at + i * JOINT + FORCE + k] = 0.0
    for k in range(n):
        i, J = tab[terms + 2 * k], tab[e + L.E_JACOBIAN] + (r * n + k) * 6
        if i >= 0:
            add_force(w, at + i * JOINT + FORCE, load3(w, J), load3(w, J + 3))
    if note_speeds(tab, w, e, r):
        tau = shift(w, tab[L.W_LOAD])
        for i in range(tab[L.N_BODY]):
            b = body_record(tab, i)
            if tab[b + L.COUNT_V] > 0:
                x, y = joint_force(tab, w, at, i, tau)
                add_force(w, at + i * JOINT + FORCE, x, y)
                parent = tab[b + L.PARENT]
                if parent >= 0:
                    x, y = on_parent(w, body_work(tab, i), x, y)
                    f = at + parent * JOINT + FORCE
                    store3(w, f, sub(load3(w, f), x))
                    store3(w, f + 3, sub(load3(w, f + 3), y))
    for i in range(tab[L.N_BODY]):
        f = at + i * JOINT + FORCE
        al, aa = inverse_times(par, inverse_record(tab, i), load3(w, f), load3(w, f + 3))
        store3(w, at + i * JOINT + FREE_ACC, al)
        store3(w, at + i * JOINT + FREE_ACC + 3, aa)


@jit
def respond_to_equation(tab, par, w, e, r, out):
    """M⁻¹ c of equation r of element e, at offset `out`; needs solve_lagrange1 at this position. Bodies behind W_RESPONSE."""
    at = tab[L.W_METHOD]
    update_equation_forces(tab, par, w, at, e, r)
    update_multiplier_right_side(tab, par, w, at, False)
    solve_further_multipliers(tab, w, at, at + tab[L.N_BODY] * JOINT)
    add_reactions(tab, w, at)
    update_joint_accelerations(tab, par, w, at, shift(w, out), tab[L.W_RESPONSE] + tab[L.N_V], 6, False)


@jit
def start_unit_forces(tab, w, at, e, r):
    """Forces of equation r of element e on units, with those on speeds."""
    units, n, terms = unit_table(tab), tab[e + L.E_TERMS], tab[e + L.E_TERM]
    for i in range(tab[L.N_BODY]):
        u = units + i * UNIT_T
        if tab[u + MAIN] == i:
            d = tab[u + SIZE]
            for k in range(d):
                w[at + tab[u + MEMORY] + d * d + k] = 0.0
    for k in range(n):
        i, J = tab[terms + 2 * k], tab[e + L.E_JACOBIAN] + (r * n + k) * 6
        if i >= 0:
            u = units + i * UNIT_T
            f = at + tab[u + MEMORY] + tab[u + SIZE] * tab[u + SIZE]
            add_to_unit(tab, w, u, i, load3(w, J), load3(w, J + 3), f)
    if note_speeds(tab, w, e, r):
        add_joint_forces(tab, w, at, shift(w, tab[L.W_LOAD]))


@jit
def elastic_respond_to_equation(tab, par, w, e, r, out):
    """The same with flexible bodies; needs solve_elastic_lagrange1 at this position."""
    at, n, units = tab[L.W_METHOD], tab[L.N_BODY], unit_table(tab)
    start_unit_forces(tab, w, at, e, r)
    update_free_units(tab, w, at, False)
    update_multiplier_right_side(tab, par, w, at, False)
    solve_further_multipliers(tab, w, at, at + n * JOINT)
    for i in range(n):
        if tab[units + i * UNIT_T + LEADS] == 1:
            add_multipliers(tab, w, at, units, i)
    update_unit_accelerations(tab, par, w, at, shift(w, out), tab[L.W_RESPONSE] + tab[L.N_V], 6, False)
