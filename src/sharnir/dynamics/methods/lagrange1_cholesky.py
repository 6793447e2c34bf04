"""Block Cholesky of the multiplier matrix along the tree, and the accelerations that follow: second half of lagrange1."""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import axis_work, body_record, body_work, has_rotor, parent_of, speed_of
from sharnir.dynamics.methods.lagrange1 import (
    DIAGONAL,
    FORCE,
    FREE_ACC,
    JOINT,
    LAMBDA,
    PAIR,
    Z,
    add_rotors,
    from_parent,
    inverse_record,
    inverse_times,
    joint_of,
    kinds_of_freedoms,
    neighbour,
    on_parent,
)
from sharnir.kernel import jit, sqrt
from sharnir.spatial.vector import add, load3, store3, sub


@jit
def update_blocks(tab, par, w, at, pairs):
    """L_ii = Zᵀ(C M_p⁻¹ Cᵀ + M_i⁻¹)Z, L_ip = -Zᵀ C M_p⁻¹ Z_p, sisters Zᵀ C M_p⁻¹ C_jᵀ Z_j; column by column of Z_i."""
    for i in range(tab[L.N_BODY]):
        wb = body_work(tab, i)
        parent = parent_of(tab, i)
        zi, di = at + i * JOINT + Z, at + i * JOINT + DIAGONAL
        n, first, count = joint_of(tab, i)
        for c in range(n, 6):
            x, y = load3(w, zi + 6 * c), load3(w, zi + 6 * c + 3)
            a, b = inverse_times(par, inverse_record(tab, i), x, y)
            if parent >= 0:
                x, y = on_parent(w, wb, x, y)
                x, y = inverse_times(par, inverse_record(tab, parent), x, y)  # M_p⁻¹ Cᵀ z
                u, v = from_parent(w, wb, x, y)
                a, b = add(a, u), add(b, v)
            project(w, zi, n, a, b, di + 6 * (c - n), 1.0)
            for k in range(count):
                j, block = neighbour(tab, first + k), pairs + (first + k) * PAIR + 6 * (c - n)
                zj, nj = at + j * JOINT + Z, joint_of(tab, j).free
                if j == parent:
                    project(w, zj, nj, x, y, block, -1.0)
                else:
                    u, v = from_parent(w, body_work(tab, j), x, y)
                    project(w, zj, nj, u, v, block, 1.0)
        if tab[L.ARMATURED] != 0:
            add_rotors(tab, par, w, at, i)


@jit
def project(w, z, n, a, b, out, sign):
    """Row `out` ← ± Zᵀ (a, b)."""
    for k in range(n, 6):
        s = z + 6 * k
        y = w[s] * a[0] + w[s + 1] * a[1] + w[s + 2] * a[2] + w[s + 3] * b[0] + w[s + 4] * b[1] + w[s + 5] * b[2]
        w[out + k - n] = sign * y


@jit
def base_acceleration(par, moving):
    """-g, which is gravity on every body; zero where only the response to a force is asked for."""
    g = load3(par, L.GRAVITY)
    al = (0.0, 0.0, 0.0)
    if moving:
        al = (-g[0], -g[1], -g[2])
    return al


@jit
def update_multiplier_right_side(tab, par, w, at, moving):
    """Zᵀ(w* - S M⁻¹ F), into LAMBDA; the base has the acceleration -g. Not moving: without both."""
    for i in range(tab[L.N_BODY]):
        wb = body_work(tab, i)
        parent = parent_of(tab, i)
        al, aa = base_acceleration(par, moving), (0.0, 0.0, 0.0)
        if parent >= 0:
            al, aa = load3(w, at + parent * JOINT + FREE_ACC), load3(w, at + parent * JOINT + FREE_ACC + 3)
        al, aa = from_parent(w, wb, al, aa)
        if moving:
            al, aa = add(al, load3(w, wb + L.BIAS)), add(aa, load3(w, wb + L.BIAS + 3))
        f = at + i * JOINT + FREE_ACC
        x, y = sub(al, load3(w, f)), sub(aa, load3(w, f + 3))
        project(w, at + i * JOINT + Z, joint_of(tab, i).free, x, y, at + i * JOINT + LAMBDA, 1.0)


@jit
def factorize_block(w, d, m):
    """D ← its Cholesky factor (lower, rows of 6)."""
    for i in range(m):
        for j in range(i + 1):
            y = w[d + 6 * i + j]
            for k in range(j):
                y -= w[d + 6 * i + k] * w[d + 6 * j + k]
            w[d + 6 * i + j] = sqrt(y) if i == j else y / w[d + 6 * j + j]


@jit
def divide_block(w, d, m, b, columns):
    """B ← C⁻¹ B with the lower factor C."""
    for i in range(m):
        for k in range(i):
            y = w[d + 6 * i + k]
            for j in range(columns):
                w[b + 6 * i + j] -= y * w[b + 6 * k + j]
        y = 1.0 / w[d + 6 * i + i]
        for j in range(columns):
            w[b + 6 * i + j] *= y


@jit
def subtract_product(w, m, a, ma, b, mb, out):
    """OUT (ma × mb) -= Aᵀ B."""
    for k in range(m):
        for i in range(ma):
            y = w[a + 6 * k + i]
            for j in range(mb):
                w[out + 6 * i + j] -= y * w[b + 6 * k + j]


@jit
def solve_multipliers(tab, w, at, pairs):
    """λ of every joint: eliminate from the leaves, substitute from the base."""
    n = tab[L.N_BODY]
    for k in range(n):
        eliminate_multipliers(tab, w, at, pairs, n - 1 - k)
    for i in range(n):
        substitute_multipliers(tab, w, at, pairs, i)


@jit
def eliminate_multipliers(tab, w, at, pairs, i):
    """Factorize joint i's block and correct those of its neighbours, earlier sisters and the parent, and their right sides."""
    free, first, count = joint_of(tab, i)
    m, d = 6 - free, at + i * JOINT + DIAGONAL
    factorize_block(w, d, m)
    for a in range(count):
        j, block = neighbour(tab, first + a), pairs + (first + a) * PAIR
        mj = 6 - joint_of(tab, j).free
        divide_block(w, d, m, block, mj)
        subtract_product(w, m, block, mj, block, mj, at + j * JOINT + DIAGONAL)
    for a in range(count - 1):  # sister j against earlier sisters, then against the parent: the last of its own pairs
        sister, block = joint_of(tab, neighbour(tab, first + a)), pairs + (first + a) * PAIR
        for b in range(a + 1):
            k = first + (b if b < a else count - 1)
            mk = 6 - joint_of(tab, neighbour(tab, k)).free
            subtract_product(w, m, block, 6 - sister.free, pairs + k * PAIR, mk, pairs + (sister.first + b) * PAIR)
    reduce_right_side(tab, w, at, pairs, i)


@jit
def reduce_right_side(tab, w, at, pairs, i):
    """The right sides of joint i and its neighbours, once the block of joint i and those of its pairs are factors."""
    free, first, count = joint_of(tab, i)
    m, d, x = 6 - free, at + i * JOINT + DIAGONAL, at + i * JOINT + LAMBDA
    for r in range(m):
        y = w[x + r]
        for c in range(r):
            y -= w[d + 6 * r + c] * w[x + c]
        w[x + r] = y / w[d + 6 * r + r]
    for a in range(count):
        j = neighbour(tab, first + a)
        for r in range(m):
            y = w[x + r]
            for c in range(6 - joint_of(tab, j).free):
                w[at + j * JOINT + LAMBDA + c] -= w[pairs + (first + a) * PAIR + 6 * r + c] * y


@jit
def solve_further_multipliers(tab, w, at, pairs):
    """λ of every joint for another right side in LAMBDA; needs solve_multipliers."""
    n = tab[L.N_BODY]
    for k in range(n):
        reduce_right_side(tab, w, at, pairs, n - 1 - k)
    for i in range(n):
        substitute_multipliers(tab, w, at, pairs, i)


@jit
def substitute_multipliers(tab, w, at, pairs, i):
    """λ_i from its neighbours' λ, which are known."""
    free, first, count = joint_of(tab, i)
    m, d, x = 6 - free, at + i * JOINT + DIAGONAL, at + i * JOINT + LAMBDA
    for a in range(count):
        j = neighbour(tab, first + a)
        for r in range(m):
            for c in range(6 - joint_of(tab, j).free):
                w[x + r] -= w[pairs + (first + a) * PAIR + 6 * r + c] * w[at + j * JOINT + LAMBDA + c]
    for k in range(m):
        r = m - 1 - k
        y = w[x + r]
        for c in range(r + 1, m):
            y -= w[d + 6 * c + r] * w[x + c]
        w[x + r] = y / w[d + 6 * r + r]


@jit
def add_reactions(tab, w, at):
    """F ← F + Sᵀ Z λ."""
    for i in range(tab[L.N_BODY]):
        z, n = at + i * JOINT + Z, joint_of(tab, i).free
        x, y = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for k in range(n, 6):
            lam, s = w[at + i * JOINT + LAMBDA + k - n], z + 6 * k
            x = (x[0] + lam * w[s], x[1] + lam * w[s + 1], x[2] + lam * w[s + 2])
            y = (y[0] + lam * w[s + 3], y[1] + lam * w[s + 4], y[2] + lam * w[s + 5])
        f = at + i * JOINT + FORCE
        store3(w, f, add(load3(w, f), x))
        store3(w, f + 3, add(load3(w, f + 3), y))
        parent = parent_of(tab, i)
        if parent >= 0:
            x, y = on_parent(w, body_work(tab, i), x, y)
            f = at + parent * JOINT + FORCE
            store3(w, f, sub(load3(w, f), x))
            store3(w, f + 3, sub(load3(w, f + 3), y))


@jit
def update_accelerations_from_multipliers(tab, par, w, at, vdot):
    """v̇ = M⁻¹(Sᵀ Z λ + F), then q̈ from A q̈ = S v̇ - w*."""
    add_reactions(tab, w, at)
    update_joint_accelerations(tab, par, w, at, vdot, tab[L.W_BODY] + L.ACC, L.W_BODY_SIZE, True)


@jit
def update_joint_accelerations(tab, par, w, at, vdot, acc, size, moving):
    """v̇ = M⁻¹ F of every body, `size` numbers apart from `acc` on, and q̈ by them; not moving: without gravity and w*."""
    for i in range(tab[L.N_BODY]):
        b, wb = body_record(tab, i), body_work(tab, i)
        f, to = at + i * JOINT + FORCE, acc + i * size
        x, y = inverse_times(par, inverse_record(tab, i), load3(w, f), load3(w, f + 3))
        store3(w, to, x)
        store3(w, to + 3, y)
        al, aa = base_acceleration(par, moving), (0.0, 0.0, 0.0)
        parent = tab[b + L.PARENT]
        if parent >= 0:
            to = acc + parent * size
            al, aa = load3(w, to), load3(w, to + 3)
        al, aa = from_parent(w, wb, al, aa)
        if moving:
            al, aa = add(al, load3(w, wb + L.BIAS)), add(aa, load3(w, wb + L.BIAS + 3))
        x, y = sub(x, al), sub(y, aa)
        substitute_freedoms(tab, w, at + i * JOINT + Z, b, x, y, vdot)


@jit
def substitute_freedoms(tab, w, z, b, x, y, vdot):
    """q̈ with A q̈ = (x, y): the axes' orthonormal columns make A upper triangular."""
    first, count = tab[b + L.FIRST_FREEDOM], tab[b + L.COUNT_FREEDOM]
    n = tab[b + L.COUNT_V]
    kinds = kinds_of_freedoms(tab)
    for turn in range(kinds):
        for c in range(count):
            f = first + count - 1 - c
            k = speed_of(tab, f)
            if k >= 0 and has_rotor(tab, f) == (turn == kinds - 2):
                n -= 1
                s, o = axis_work(tab, f), z + 6 * n
                along = 0.0
                for j in range(6):
                    along += w[s + j] * w[o + j]
                have = w[o] * x[0] + w[o + 1] * x[1] + w[o + 2] * x[2] + w[o + 3] * y[0] + w[o + 4] * y[1] + w[o + 5] * y[2]
                value = have / along
                vdot[k] = value
                x = (x[0] - w[s] * value, x[1] - w[s + 1] * value, x[2] - w[s + 2] * value)
                y = (y[0] - w[s + 3] * value, y[1] - w[s + 4] * value, y[2] - w[s + 5] * value)
