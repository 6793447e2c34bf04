"""Lagrange I with flexible bodies: a flexible body and its nodes are one unit with 6 + h coordinates X = (a, α, ẅ).

Nodes have no mass and no multipliers of their own: their motion is E X + e. Joints between units get multipliers, as before.
Table, per body after that of lagrange1: the unit's main body, the role in it, offset of the unit's memory in W_METHOD, number of
coordinates of the unit, offset of the joint's columns, 1 if the body's joint leads to the unit.
Memory of a unit with d coordinates: Cholesky factor K of its inertia d², K⁻¹ of its force d, X d.
"""

from sharnir.dynamics.bodies.flexible_body import is_flexible, node_acceleration
from sharnir.dynamics.bodies.flexible_memory import elastic_places
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import body_params, body_record, body_work, external_work
from sharnir.dynamics.methods.flexible_articulated_body import start_body
from sharnir.dynamics.methods.lagrange1 import FREE_ACC, JOINT, JOINT_T, from_parent, joint_force, joint_of, on_parent
from sharnir.kernel import inline, jit, shift, sqrt
from sharnir.spatial.inertia import Articulated
from sharnir.spatial.vector import add, cross, dot6, load3, load6, load9, rotate, rotate_back, scale, store3, sub

UNIT_T = 6
MAIN, ROLE, MEMORY, SIZE, COLUMNS, LEADS = 0, 1, 2, 3, 4, 5
# the main body itself; the node that its frame is welded to, before or after it in the tree; a node that moves with w
ITSELF, BEFORE, AFTER, NODE = 0, 1, 2, 3


@inline
def unit_table(tab):
    """Offset of the table of units: after the pairs of neighbours."""
    n = tab[L.N_BODY]
    last = joint_of(tab, n - 1)
    return tab[L.T_METHOD] + n * JOINT_T + last.first + last.pairs


@jit
def add_to_unit(tab, w, u, i, x, y, to):
    """Eᵀ (x, y): a force on body i, added to the d numbers of its unit at `to`."""
    role, main = tab[u + ROLE], tab[u + MAIN]
    if role == NODE:
        b = body_record(tab, i)
        f, S = (x[0], x[1], x[2], y[0], y[1], y[2]), tab[b + L.ELASTIC_W]
        for j in range(tab[b + L.COUNT_ELASTIC]):
            w[to + 6 + j] += dot6(load6(w, S + 6 * j), f)
    if role == BEFORE:
        wb = body_work(tab, main)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        x, y = rotate(R, x), rotate(R, sub(y, cross(rho, x)))
    elif role != ITSELF:
        x, y = on_parent(w, body_work(tab, i), x, y)
    store3(w, to, add(load3(w, to), x))
    store3(w, to + 3, add(load3(w, to + 3), y))


@jit
def member_acceleration(tab, w, u, i, X, moving):
    """E X + e: acceleration of body i from the coordinates of its unit at X; not moving: without e."""
    role, main = tab[u + ROLE], tab[u + MAIN]
    al, aa = load3(w, X), load3(w, X + 3)
    if role == BEFORE:
        wb = body_work(tab, main)
        R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
        if moving:
            al, aa = sub(al, load3(w, wb + L.BIAS)), sub(aa, load3(w, wb + L.BIAS + 3))
        aa = rotate_back(R, aa)
        al = sub(rotate_back(R, al), cross(aa, rho))
    elif role != ITSELF:
        b, wb = body_record(tab, i), body_work(tab, i)
        al, aa = from_parent(w, wb, al, aa)
        if moving:
            al, aa = add(al, load3(w, wb + L.BIAS)), add(aa, load3(w, wb + L.BIAS + 3))
        if role == NODE:
            al, aa = node_acceleration(tab, w, b, X + 6, al, aa)
    return al, aa


@jit
def start_unit(tab, par, w, i, K, d, f):
    """Inertia of a main body into K, lower triangle, and its force without joints into f."""
    b, s = body_record(tab, i), elastic_places(tab, body_record(tab, i))
    I = start_body(tab, par, w, shift(w, tab[L.W_TAU]), i)
    if is_flexible(tab, b):
        for j in range(s.h):
            w[f + 6 + j] = w[s.force + j]
            for c in range(6):
                w[K + (6 + j) * d + c] = w[s.M_wr + 6 * j + c]
            for c in range(j + 1):
                w[K + (6 + j) * d + 6 + c] = w[s.M_ww + j * s.h + c]
    elif par[body_params(tab, i) + L.MASS] == 0.0:  # the moving ground: its motion is given, so any inertia will do
        one = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
        I = Articulated(one, I.B, one, I.f, I.m)
    fill_inertia(w, K, d, I)
    store3(w, f, scale(I.f, -1.0))
    store3(w, f + 3, scale(I.m, -1.0))


@jit
def fill_inertia(w, K, d, I):
    """[[A, B], [Bᵀ, C]], lower triangle."""
    A, B, C = I.A, I.B, I.C
    w[K], w[K + d], w[K + d + 1] = A[0], A[1], A[3]
    w[K + 2 * d], w[K + 2 * d + 1], w[K + 2 * d + 2] = A[2], A[4], A[5]
    for r in range(3):
        at = K + (3 + r) * d
        w[at], w[at + 1], w[at + 2] = B[r], B[3 + r], B[6 + r]
    w[K + 3 * d + 3], w[K + 4 * d + 3], w[K + 4 * d + 4] = C[0], C[1], C[3]
    w[K + 5 * d + 3], w[K + 5 * d + 4], w[K + 5 * d + 5] = C[2], C[4], C[5]


@jit
def factorize_unit(w, K, d):
    """K ← its Cholesky factor."""
    for i in range(d):
        for j in range(i + 1):
            a = w[K + i * d + j]
            for k in range(j):
                a -= w[K + i * d + k] * w[K + j * d + k]
            w[K + i * d + j] = sqrt(a) if i == j else a / w[K + j * d + j]


@jit
def divide_by_factor(w, K, d, x):
    """x ← K⁻¹ x."""
    for i in range(d):
        a = w[x + i]
        for k in range(i):
            a -= w[K + i * d + k] * w[x + k]
        w[x + i] = a / w[K + i * d + i]


@jit
def coordinates_of_unit(w, K, d, y, X):
    """X ← K⁻ᵀ y."""
    for k in range(d):
        i = d - 1 - k
        a = w[y + i]
        for j in range(i + 1, d):
            a -= w[K + j * d + i] * w[X + j]
        w[X + i] = a / w[K + i * d + i]


@jit
def update_units(tab, par, w, at, tau, has_external):
    """Inertias and forces of all units, joint forces among them; needs reaction bases."""
    units, n = unit_table(tab), tab[L.N_BODY]
    for i in range(n):
        u = units + i * UNIT_T
        if tab[u + MAIN] == i:
            K, d = at + tab[u + MEMORY], tab[u + SIZE]
            start_unit(tab, par, w, i, K, d, K + d * d)
            factorize_unit(w, K, d)
    for i in range(n):
        u = units + i * UNIT_T
        f = at + tab[u + MEMORY] + tab[u + SIZE] * tab[u + SIZE]
        if has_external:
            x = external_work(tab, i)
            add_to_unit(tab, w, u, i, load3(w, x), load3(w, x + 3), f)
    add_joint_forces(tab, w, at, tau)


@jit
def add_joint_forces(tab, w, at, tau):
    """Forces along the freedoms of joints, to the units that they join."""
    units = unit_table(tab)
    for i in range(tab[L.N_BODY]):
        u, b = units + i * UNIT_T, body_record(tab, i)
        parent = tab[b + L.PARENT]
        if tab[b + L.COUNT_V] > 0:
            fl, fa = joint_force(tab, w, at, i, tau)
            add_to_unit(tab, w, u, i, fl, fa, at + tab[u + MEMORY] + tab[u + SIZE] * tab[u + SIZE])
            if parent >= 0:
                x, y = on_parent(w, body_work(tab, i), fl, fa)
                p = units + parent * UNIT_T
                f = at + tab[p + MEMORY] + tab[p + SIZE] * tab[p + SIZE]
                add_to_unit(tab, w, p, parent, (-x[0], -x[1], -x[2]), (-y[0], -y[1], -y[2]), f)


@jit
def update_free_units(tab, w, at, moving):
    """Force ← K⁻¹ force, and what all bodies would do without multipliers, into FREE_ACC."""
    units, n = unit_table(tab), tab[L.N_BODY]
    for i in range(n):
        u = units + i * UNIT_T
        if tab[u + MAIN] == i:
            K, d = at + tab[u + MEMORY], tab[u + SIZE]
            divide_by_factor(w, K, d, K + d * d)
            coordinates_of_unit(w, K, d, K + d * d, K + d * d + d)
    for i in range(n):
        u = units + i * UNIT_T
        d = tab[u + SIZE]
        al, aa = member_acceleration(tab, w, u, i, at + tab[u + MEMORY] + d * d + d, moving)
        store3(w, at + i * JOINT + FREE_ACC, al)
        store3(w, at + i * JOINT + FREE_ACC + 3, aa)
