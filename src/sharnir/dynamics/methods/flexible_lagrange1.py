"""Lagrange I with flexible bodies: multipliers of the joints between units, by the Cholesky along the tree of rigid bodies.

With the inertia K Kᵀ of a unit, joint i has the columns U = K⁻¹ Eᵀ Z on its own unit and D = K⁻¹ E_pᵀ C_iᵀ Z on the one
before it; then L_ii = UᵀU + DᵀD, L_ip = -DᵀU_p, sisters D_iᵀD_j, and X = K⁻ᵀ(K⁻¹f + U λ - Σ D_j λ_j).
"""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_record, body_work, parent_of
from sharnir.dynamics.methods.flexible_lagrange1_units import (
    COLUMNS,
    LEADS,
    MAIN,
    MEMORY,
    SIZE,
    UNIT_T,
    add_to_unit,
    coordinates_of_unit,
    divide_by_factor,
    member_acceleration,
    unit_table,
    update_free_units,
    update_units,
)
from sharnir.dynamics.methods.lagrange1 import (
    DIAGONAL,
    JOINT,
    LAMBDA,
    PAIR,
    Z,
    add_rotors,
    from_parent,
    joint_of,
    neighbour,
    on_parent,
    update_reaction_basis,
)
from sharnir.dynamics.methods.lagrange1_cholesky import (
    base_acceleration,
    solve_multipliers,
    substitute_freedoms,
    update_multiplier_right_side,
)
from sharnir.kernel import jit
from sharnir.spatial.vector import add, load3, store3, sub


@jit
def update_columns(tab, w, at, units, i):
    """U and D of joint i, one column for each of its multipliers."""
    u, wb = units + i * UNIT_T, body_work(tab, i)
    parent = parent_of(tab, i)
    n, d, K = joint_of(tab, i).free, tab[u + SIZE], at + tab[u + MEMORY]
    U = at + tab[u + COLUMNS]
    for c in range(6 - n):
        z, to = at + i * JOINT + Z + 6 * (n + c), U + c * d
        x, y = load3(w, z), load3(w, z + 3)
        for k in range(d):
            w[to + k] = 0.0
        add_to_unit(tab, w, u, i, x, y, to)
        divide_by_factor(w, K, d, to)
        if parent >= 0:
            p = units + parent * UNIT_T
            e = tab[p + SIZE]
            to = U + 6 * d + c * e
            for k in range(e):
                w[to + k] = 0.0
            x, y = on_parent(w, wb, x, y)
            add_to_unit(tab, w, p, parent, x, y, to)
            divide_by_factor(w, at + tab[p + MEMORY], e, to)


@jit
def add_products(w, a, b, d, m, n, out, sign):
    """OUT (rows of 6) += ± AᵀB: m columns of length d at a, n at b."""
    for r in range(m):
        for c in range(n):
            s = 0.0
            for k in range(d):
                s += w[a + r * d + k] * w[b + c * d + k]
            w[out + 6 * r + c] += sign * s


@jit
def update_unit_blocks(tab, par, w, at, units, pairs, i):
    """L_ii, and L_ij of joint i's neighbours: earlier sisters, then the joint of the unit before it."""
    u, (free, first, count) = units + i * UNIT_T, joint_of(tab, i)
    m, d, U, out = 6 - free, tab[u + SIZE], at + tab[u + COLUMNS], at + i * JOINT + DIAGONAL
    for k in range(36):
        w[out + k] = 0.0
    add_products(w, U, U, d, m, m, out, 1.0)
    add_rotors(tab, par, w, at, i)
    if count == 0:
        return
    e, D = tab[units + parent_of(tab, i) * UNIT_T + SIZE], U + 6 * d
    add_products(w, D, D, e, m, m, out, 1.0)
    for a in range(count):
        j, out = neighbour(tab, first + a), pairs + (first + a) * PAIR
        mj, columns = 6 - joint_of(tab, j).free, at + tab[units + j * UNIT_T + COLUMNS]
        for k in range(36):
            w[out + k] = 0.0
        if a == count - 1:
            add_products(w, D, columns, e, m, mj, out, -1.0)
        else:
            add_products(w, D, columns + 6 * tab[units + j * UNIT_T + SIZE], e, m, mj, out, 1.0)


@jit
def add_multipliers(tab, w, at, units, i):
    """U λ to the force of joint i's unit, -D λ to that of the one before it (both K⁻¹ of a force)."""
    u, parent = units + i * UNIT_T, parent_of(tab, i)
    d, U = tab[u + SIZE], at + tab[u + COLUMNS]
    for c in range(6 - joint_of(tab, i).free):
        lam, f = w[at + i * JOINT + LAMBDA + c], at + tab[u + MEMORY] + d * d
        for k in range(d):
            w[f + k] += lam * w[U + c * d + k]
        if parent >= 0:
            p = units + parent * UNIT_T
            e = tab[p + SIZE]
            f = at + tab[p + MEMORY] + e * e
            for k in range(e):
                w[f + k] -= lam * w[U + 6 * d + c * e + k]


@jit
def update_unit_accelerations(tab, par, w, at, vdot, acc, size, moving):
    """X of all units, accelerations of all bodies (`size` numbers apart from `acc` on), ẅ; then q̈ from A q̈ = S v̇ - w*.

    Not moving: the response to forces, without gravity and w*.
    """
    n, units = tab[L.N_BODY], unit_table(tab)
    for i in range(n):
        u = units + i * UNIT_T
        if tab[u + MAIN] == i:
            K, d, b = at + tab[u + MEMORY], tab[u + SIZE], body_record(tab, i)
            coordinates_of_unit(w, K, d, K + d * d, K + d * d + d)
            for j in range(d - 6):
                vdot[tab[b + L.ELASTIC_V] + j] = w[K + d * d + d + 6 + j]
    for i in range(n):
        u, to = units + i * UNIT_T, acc + i * size
        d = tab[u + SIZE]
        al, aa = member_acceleration(tab, w, u, i, at + tab[u + MEMORY] + d * d + d, moving)
        store3(w, to, al)
        store3(w, to + 3, aa)
    for i in range(n):
        b, wb = body_record(tab, i), body_work(tab, i)
        if tab[b + L.COUNT_V] > 0:
            al, aa = base_acceleration(par, moving), (0.0, 0.0, 0.0)
            if tab[b + L.PARENT] >= 0:
                to = acc + tab[b + L.PARENT] * size
                al, aa = load3(w, to), load3(w, to + 3)
            al, aa = from_parent(w, wb, al, aa)
            if moving:
                al, aa = add(al, load3(w, wb + L.BIAS)), add(aa, load3(w, wb + L.BIAS + 3))
            x, y = sub(load3(w, acc + i * size), al), sub(load3(w, acc + i * size + 3), aa)
            substitute_freedoms(tab, w, at + i * JOINT + Z, b, x, y, vdot)


@jit
def solve_elastic_lagrange1(tab, par, w, tau, vdot, has_external):
    """W_METHOD: JOINT numbers per joint, pairs, then units and columns."""
    at, n, units = tab[L.W_METHOD], tab[L.N_BODY], unit_table(tab)
    pairs = at + n * JOINT
    for i in range(n):
        if tab[units + i * UNIT_T + LEADS] == 1:
            update_reaction_basis(tab, w, at, i)
    update_units(tab, par, w, at, tau, has_external)
    update_free_units(tab, w, at, True)
    for i in range(n):
        if tab[units + i * UNIT_T + LEADS] == 1:
            update_columns(tab, w, at, units, i)
            update_unit_blocks(tab, par, w, at, units, pairs, i)
    update_multiplier_right_side(tab, par, w, at, True)
    solve_multipliers(tab, w, at, pairs)
    for i in range(n):
        if tab[units + i * UNIT_T + LEADS] == 1:
            add_multipliers(tab, w, at, units, i)
    update_unit_accelerations(tab, par, w, at, vdot, tab[L.W_BODY] + L.ACC, L.W_BODY_SIZE, True)
