"""Lagrange I: multipliers of the joints, (Zᵀ S M⁻¹ Sᵀ Z) λ = Zᵀ(w* - S M⁻¹ F), by a Cholesky that follows the tree.

Source: Ivanov et al. 2012, §3.2.

Joints that meet in one body form a clique of the matrix. Taken from the leaves on, every joint's remaining neighbours are its
parent and its earlier sisters, all neighbours of each other, so no fill appears: O(N) for a bounded number of children.

Memory of the method (W_METHOD): per joint Z 6×6, the diagonal block 6×6, F 6, force M⁻¹F 6, λ 6; per pair of neighbours a
6×6 block. Its table (T_METHOD): per joint a `Joint`; per pair the other joint. A joint's pairs are its earlier sisters in order,
then its parent; so the block of two of them stands at a known place.
"""

from typing import NamedTuple

from sharnir.dynamics.bodies.rigid_body import inertial_force
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    armature_of,
    axis_work,
    body_record,
    body_work,
    end_freedom,
    external_work,
    first_freedom,
    has_rotor,
    speed_of,
)
from sharnir.kernel import inline, jit, sqrt
from sharnir.spatial.inertia import symmetric_times
from sharnir.spatial.vector import add, cross, dot6, load3, load6, load9, rotate, rotate_back, scale, store3, sub

JOINT = 90  # numbers per joint in W_METHOD
Z, DIAGONAL, FORCE, FREE_ACC, LAMBDA = 0, 36, 72, 78, 84
PAIR = 36
JOINT_T = 3  # integers per joint in T_METHOD; the pairs' other joints follow
FREE, FIRST_PAIR, PAIRS = 0, 1, 2

# per body in P_METHOD: 1/m, mass centre c, inverse inertia about it
INVERSE_MASS, CENTER, INVERSE_INERTIA, INVERSE_SIZE = 0, 1, 4, 10


@inline
def inverse_record(tab, i):
    """Where in `params` the inverse inertia of body i stands."""
    return tab[L.P_METHOD] + INVERSE_SIZE * i


class Joint(NamedTuple):
    """What T_METHOD says of a joint."""

    free: int  # freedoms without a rotor: so many columns of Z have no multiplier, the other 6 - free have one
    first: int  # its first pair
    pairs: int  # how many it has


@inline
def joint_of(tab, i):
    """Joint i."""
    at = tab[L.T_METHOD] + i * JOINT_T
    return Joint(tab[at + FREE], tab[at + FIRST_PAIR], tab[at + PAIRS])


@inline
def neighbour(tab, pair):
    """The other joint of a pair."""
    return tab[tab[L.T_METHOD] + tab[L.N_BODY] * JOINT_T + pair]


@inline
def kinds_of_freedoms(tab):
    """Freedoms without a rotor come first, then those with one; 1: no freedom has one."""
    return 1 if tab[L.ARMATURED] == 0 else 2


@jit
def update_reaction_basis(tab, w, at, i):
    """Z_i: orthonormal columns with Z_iᵀ A_i = 0, the part of E - A(AᵀA)⁻¹Aᵀ that pivots find. Returns how many.

    Columns 0 … n-1 of the 6×6 scratch hold the orthonormalized motion axes first, those of freedoms with a rotor as the last
    of them; Z is what is appended to them.
    """
    b = body_record(tab, i)
    z = at + i * JOINT + Z
    n = 0
    for turn in range(kinds_of_freedoms(tab)):
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            if speed_of(tab, f) >= 0 and has_rotor(tab, f) == (turn == 1):
                s = axis_work(tab, f)
                for k in range(6):
                    w[z + 6 * n + k] = w[s + k]
                orthonormalize(w, z, n)
                n += 1
    m = n
    for _ in range(6 - n):
        # the unit vector that is farthest from what we have
        best, far = 0, -1.0
        for k in range(6):
            y = 1.0
            for j in range(m):
                y -= w[z + 6 * j + k] * w[z + 6 * j + k]
            if y > far:
                best, far = k, y
        for k in range(6):
            w[z + 6 * m + k] = 1.0 if k == best else 0.0
        orthonormalize(w, z, m)
        m += 1
    return n


@jit
def add_rotors(tab, par, w, at, i):
    """T J⁻¹ Tᵀ to the block of joint i, with T the axes of freedoms that turn a rotor, in their orthonormal columns.

    A rotor takes the force -J q̈ along its freedom: this is one more multiplier μ, along an orthonormal column, whose equation
    Oᵀ(S v̇ - w*) = T q̈ = -T J⁻¹Tᵀ μ has this matrix on its diagonal.
    """
    b = body_record(tab, i)
    z, d = at + i * JOINT + Z, at + i * JOINT + DIAGONAL
    n, m = joint_of(tab, i).free, tab[b + L.COUNT_V]
    for f in range(first_freedom(tab, b), end_freedom(tab, b)):
        if speed_of(tab, f) >= 0 and has_rotor(tab, f):
            J, s = armature_of(tab, par, speed_of(tab, f)), axis_work(tab, f)
            for c in range(n, m):
                x = dot6(load6(w, z + 6 * c), load6(w, s)) / J
                for k in range(n, m):
                    w[d + 6 * (c - n) + k - n] += x * dot6(load6(w, z + 6 * k), load6(w, s))


@jit
def orthonormalize(w, z, n):
    """Column n against columns before it (twice is enough), then to unit length."""
    for _ in range(2):
        for j in range(n):
            y = 0.0
            for k in range(6):
                y += w[z + 6 * j + k] * w[z + 6 * n + k]
            for k in range(6):
                w[z + 6 * n + k] -= y * w[z + 6 * j + k]
    y = 0.0
    for k in range(6):
        y += w[z + 6 * n + k] * w[z + 6 * n + k]
    y = 1.0 / sqrt(y)
    for k in range(6):
        w[z + 6 * n + k] *= y


@jit
def inverse_times(par, p, a, b):
    """M⁻¹ (a, b) of the rigid body whose inverse inertia stands at p."""
    r = load3(par, p + CENTER)
    y = symmetric_times(load6(par, p + INVERSE_INERTIA), sub(b, cross(r, a)))
    return add(scale(a, par[p + INVERSE_MASS]), cross(r, y)), y


@jit
def on_parent(w, wb, x, y):
    """C_iᵀ (x, y)."""
    R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
    x = rotate_back(R, x)
    return x, add(rotate_back(R, y), cross(rho, x))


@jit
def from_parent(w, wb, x, y):
    """C_i (x, y)."""
    R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
    return rotate(R, add(x, cross(y, rho))), rotate(R, y)


@jit
def update_free_accelerations(tab, par, w, at, tau, has_external):
    """F_i with joint forces counted as A(AᵀA)⁻¹τ, and M⁻¹F: what each body would do without its joints."""
    n = tab[L.N_BODY]
    for i in range(n):
        fl, fa = inertial_force(tab, par, w, i)
        fl, fa = (-fl[0], -fl[1], -fl[2]), (-fa[0], -fa[1], -fa[2])
        if has_external:
            x = external_work(tab, i)
            fl, fa = add(fl, load3(w, x)), add(fa, load3(w, x + 3))
        store3(w, at + i * JOINT + FORCE, fl)
        store3(w, at + i * JOINT + FORCE + 3, fa)
    for i in range(n):
        b = body_record(tab, i)
        if tab[b + L.COUNT_V] > 0:
            fl, fa = joint_force(tab, w, at, i, tau)
            x = at + i * JOINT + FORCE
            store3(w, x, add(load3(w, x), fl))
            store3(w, x + 3, add(load3(w, x + 3), fa))
            parent = tab[b + L.PARENT]
            if parent >= 0:
                fl, fa = on_parent(w, body_work(tab, i), fl, fa)
                x = at + parent * JOINT + FORCE
                store3(w, x, sub(load3(w, x), fl))
                store3(w, x + 3, sub(load3(w, x + 3), fa))
    for i in range(n):
        x = at + i * JOINT + FORCE
        al, aa = inverse_times(par, inverse_record(tab, i), load3(w, x), load3(w, x + 3))
        store3(w, at + i * JOINT + FREE_ACC, al)
        store3(w, at + i * JOINT + FREE_ACC + 3, aa)


@jit
def joint_force(tab, w, at, i, tau):
    """The force e in the span of the motion axes with A_iᵀ e = τ: solved in the orthonormalized axes, in order."""
    b = body_record(tab, i)
    z = at + i * JOINT + Z
    e0, e1, e2, e3, e4, e5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    n = 0
    for turn in range(kinds_of_freedoms(tab)):
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, f)
            if k >= 0 and has_rotor(tab, f) == (turn == 1):
                s, o = axis_work(tab, f), z + 6 * n
                have = w[s] * e0 + w[s + 1] * e1 + w[s + 2] * e2 + w[s + 3] * e3 + w[s + 4] * e4 + w[s + 5] * e5
                along = 0.0
                for j in range(6):
                    along += w[s + j] * w[o + j]
                y = (tau[k] - have) / along
                e0, e1, e2 = e0 + y * w[o], e1 + y * w[o + 1], e2 + y * w[o + 2]
                e3, e4, e5 = e3 + y * w[o + 3], e4 + y * w[o + 4], e5 + y * w[o + 5]
                n += 1
    return (e0, e1, e2), (e3, e4, e5)
