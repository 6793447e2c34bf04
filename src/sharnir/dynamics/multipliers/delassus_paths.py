"""From constraint equations to A = C M⁻¹ Cᵀ, and from multipliers to speeds, along the eliminated tree.

The elimination of separate bodies is M = Lᵀ D L. A force on the bodies of an equation runs down its path to the base and leaves
u = L⁻ᵀ Cᵀ at every speed it passes; then A = Σ u uᵀ/D over the speeds that two paths share, and M⁻¹ Cᵀ λ is the forward
pass with Σ λ u. All need update_elimination at the present position; nothing is of order n² in the number of bodies.
"""

from typing import NamedTuple

from sharnir.dynamics.bodies.flexible_body import elastic_response, forward_one, node_acceleration
from sharnir.dynamics.bodies.flexible_memory import elastic_places
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_of,
    axis_work,
    body_record,
    body_work,
    element_record,
    elimination_work,
    end_freedom,
    first_freedom,
    speed_of,
)
from sharnir.kernel import inline, jit
from sharnir.spatial.vector import add, cross, dot, dot6, load3, load6, load9, rotate, rotate_back, store3


@inline
def pass_freedom(tab, w, k, p, u, x):
    """A force p that meets freedom k with x = sᵀ p: u = x (+ what acts on the speed itself), p ← p - U u/D."""
    r = elimination_work(tab, k)
    x += w[u]
    w[u] = x
    x *= w[r + L.INVERSE_D]
    for j in range(6):
        w[p + j] -= w[r + j] * x


@inline
def pass_unit(tab, w, k, c, p, u, shadow):
    """The same in registers, for an axis that is unit vector c: stores u and u/D, returns the force that goes on."""
    r = elimination_work(tab, k)
    U = load6(w, r)
    x = p[c] + w[u]
    y = x * w[r + L.INVERSE_D]
    w[u] = x
    w[u + shadow] = y
    return p[0] - U[0] * y, p[1] - U[1] * y, p[2] - U[2] * y, p[3] - U[3] * y, p[4] - U[4] * y, p[5] - U[5] * y


@jit
def pass_free_body(tab, w, i, p, u, shadow):
    """A body that flies by itself: turning freedoms first, then shifting ones; nothing is handed on."""
    k, f = tab[body_record(tab, i) + L.FIRST_V], load6(w, p)
    f = pass_unit(tab, w, k + 3, 3, f, u + 3, shadow)
    f = pass_unit(tab, w, k + 4, 4, f, u + 4, shadow)
    f = pass_unit(tab, w, k + 5, 5, f, u + 5, shadow)
    f = pass_unit(tab, w, k, 0, f, u, shadow)
    f = pass_unit(tab, w, k + 1, 1, f, u + 1, shadow)
    pass_unit(tab, w, k + 2, 2, f, u + 2, shadow)


@jit
def pass_body(tab, w, i, p, u):
    """All freedoms of the joint of body i in the order of their elimination; u: where its first speed is kept."""
    b = body_record(tab, i)
    kind, iv = tab[b + L.ELIMINATED_AS], tab[b + L.FIRST_V]
    # axes that are unit vectors need no product
    if kind == L.REVOLUTE:
        pass_freedom(tab, w, iv, p, u, w[p + 5])
    elif kind == L.PRISMATIC:
        pass_freedom(tab, w, iv, p, u, w[p + 2])
    elif kind == L.BALL:
        for j in range(3):
            pass_freedom(tab, w, iv + j, p, u + j, w[p + 3 + j])
    elif kind == L.FREE:
        for j in range(3):
            pass_freedom(tab, w, iv + 3 + j, p, u + 3 + j, w[p + 3 + j])
        for j in range(3):
            pass_freedom(tab, w, iv + j, p, u + j, w[p + j])
    else:
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, f)
            if k >= 0:
                sl, sa = axis_of(tab, w, f)
                x = dot(sl, load3(w, p)) + dot(sa, load3(w, p + 3))
                pass_freedom(tab, w, k, p, u + k - iv, x)


@jit
def pass_elastic(tab, w, i, p, u, first, above):
    """A force at a node goes on to the elastic coordinates of its body; a body's own are eliminated: u ← L⁻¹ u, p ← p - Gᵀ u.

    u: of one equation; first, above: places of the first speed of the body and of the one above it.
    """
    b = body_record(tab, i)
    h = tab[b + L.COUNT_ELASTIC]
    if tab[b + L.KIND] == L.NODE:
        S, parent = tab[b + L.ELASTIC_W], body_record(tab, tab[b + L.PARENT])
        for j in range(h):
            w[u + above + tab[parent + L.COUNT_V] + j] += dot6(load6(w, S + 6 * j), load6(w, p))
        return
    s = elastic_places(tab, b)
    y = u + first + tab[b + L.COUNT_V]
    for j in range(h):
        x = forward_one(w, s, j, y)
        w[y + j] = x
        for c in range(6):
            w[p + c] -= w[s.M_wr + 6 * j + c] * x


class PathPlaces(NamedTuple):
    """The path of an element: its bodies with all that is between them and the base, children first."""

    rows: int  # equations
    bodies: int
    speeds: int
    path: int  # in `table`, per body: body, place of its parent on the path (-1: the base), place of its first speed
    p: int  # in `work`: force on each body of each equation
    u: int  # in `work`: u of each equation and speed
    shadow: int  # in `work`: u/D of each equation and speed


@inline
def path_places(tab, e):
    """Of the element with record e."""
    return PathPlaces(
        tab[e + L.E_COUNT],
        tab[e + L.E_BODIES],
        tab[e + L.E_SPEEDS],
        tab[e + L.E_PATH],
        tab[L.W_PATH],
        tab[e + L.E_LOAD],
        tab[L.W_SHADOW],
    )


class PathBody(NamedTuple):
    """One body of a path, as `constraint_records.py` writes it."""

    body: int
    above: int  # place of its parent on the path, -1: the base
    first: int  # place of its first speed


@inline
def path_body(tab, s, x):
    """Body x of a path."""
    at = s.path + 3 * x
    return PathBody(tab[at], tab[at + 1], tab[at + 2])


@inline
def path_speeds(s):
    """Where in `table` the speeds of a path are listed: after its bodies."""
    return s.path + 3 * s.bodies


@inline
def force_at(s, x, r):
    """The force of equation r on body x of the path."""
    return s.p + 6 * (x * s.rows + r)


@jit
def update_path(tab, par, w, e):
    """u = L⁻ᵀ Cᵀ and u/D of all equations of element e at all speeds of its path."""
    s = path_places(tab, e)
    # Cᵀ: what the equations do to bodies and speeds
    for k in range(6 * s.rows * s.bodies):
        w[s.p + k] = 0.0
    for k in range(s.rows * s.speeds):
        w[s.u + k] = 0.0
    for r in range(s.rows):
        start_equation(tab, par, w, e, s, r)
    # L⁻ᵀ: forces run down to the base and leave u at every freedom that they pass
    for x in range(s.bodies):
        i, above, first = path_body(tab, s, x)
        b = body_record(tab, i)
        if above < 0 and tab[b + L.COUNT_ELASTIC] == 0 and tab[b + L.KIND] == L.FREE:
            for r in range(s.rows):
                pass_free_body(tab, w, i, force_at(s, x, r), s.u + r * s.speeds + first, s.shadow - s.u)
            continue
        for r in range(s.rows):
            p, u = force_at(s, x, r), s.u + r * s.speeds
            if tab[b + L.COUNT_ELASTIC] > 0:
                pass_elastic(tab, w, i, p, u, first, path_body(tab, s, above).first if above >= 0 else 0)
            pass_body(tab, w, i, p, u + first)
            if above >= 0:
                hand_force(w, body_work(tab, i), p, force_at(s, above, r))
        update_shadow(tab, w, s, b, first)


@jit
def start_equation(tab, par, w, e, s, r):
    """Forces of equation r on the bodies of the path and on speeds that it names, and the size that its diagonal must have."""
    terms, n = tab[e + L.E_TERM], tab[e + L.E_TERMS]
    size = 1e-300
    for k in range(n):
        target, place = tab[terms + 2 * k], tab[terms + 2 * k + 1]
        J = tab[e + L.E_JACOBIAN] + (r * n + k) * 6
        if target != -1:
            f, m = load3(w, J), load3(w, J + 3)
            size += dot(f, f) + dot(m, m) / (par[L.REACH] * par[L.REACH])
        if target >= 0:
            for c in range(6):
                w[force_at(s, place, r) + c] += w[J + c]
        elif target < -1:
            w[s.u + r * s.speeds + place] += w[J]
    w[tab[L.W_ROW_SIZE] + tab[e + L.E_ROW] + r] = size / par[L.TOTAL_MASS]


@inline
def hand_force(w, wb, p, to):
    """Xᵀ p: the force that goes on through a joint, added to those on the body before it."""
    R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
    f = rotate_back(R, load3(w, p))
    m = add(rotate_back(R, load3(w, p + 3)), cross(rho, f))
    store3(w, to, add(load3(w, to), f))
    store3(w, to + 3, add(load3(w, to + 3), m))


@jit
def update_shadow(tab, w, s, b, first):
    """u/D at the speeds of one body; M_ww = L Lᵀ of elastic speeds has no D."""
    n = tab[b + L.COUNT_V]
    for k in range(n):
        d = w[elimination_work(tab, tab[b + L.FIRST_V] + k) + L.INVERSE_D]
        for r in range(s.rows):
            w[s.shadow + r * s.speeds + first + k] = d * w[s.u + r * s.speeds + first + k]
    if tab[b + L.KIND] != L.NODE:
        for k in range(n, n + tab[b + L.COUNT_ELASTIC]):
            for r in range(s.rows):
                w[s.shadow + r * s.speeds + first + k] = w[s.u + r * s.speeds + first + k]


@jit
def update_loads(tab, w, lam):
    """W_LOAD = Σ λ u of all equations, per speed."""
    load = tab[L.W_LOAD]
    for k in range(tab[L.N_V]):
        w[load + k] = 0.0
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        s = path_places(tab, e)
        speeds = path_speeds(s)
        for r in range(s.rows):
            y, u = w[lam + tab[e + L.E_ROW] + r], s.u + r * s.speeds
            for k in range(s.speeds):
                w[load + tab[speeds + k]] += y * w[u + k]


@inline
def respond(tab, w, k, a):
    """Speed of freedom k from its load and the motion `a` that reaches it: x = (u - U·a)/D."""
    r = elimination_work(tab, k)
    x = w[tab[L.W_LOAD] + k]
    for j in range(6):
        x -= w[r + j] * w[a + j]
    x *= w[r + L.INVERSE_D]
    w[tab[L.W_RESPONSE] + k] = x
    return x


@jit
def respond_body(tab, w, b, a):
    """All freedoms of one joint, last eliminated first: their speeds, and a ← a + s x."""
    kind, iv = tab[b + L.ELIMINATED_AS], tab[b + L.FIRST_V]
    if kind == L.REVOLUTE:
        w[a + 5] += respond(tab, w, iv, a)
    elif kind == L.PRISMATIC:
        w[a + 2] += respond(tab, w, iv, a)
    elif kind == L.BALL:
        for j in range(3):
            w[a + 5 - j] += respond(tab, w, iv + 2 - j, a)
    elif kind == L.FREE:
        for j in range(3):
            w[a + 2 - j] += respond(tab, w, iv + 2 - j, a)
        for j in range(3):
            w[a + 5 - j] += respond(tab, w, iv + 5 - j, a)
    else:
        for f in range(end_freedom(tab, b) - 1, first_freedom(tab, b) - 1, -1):
            k = speed_of(tab, f)
            if k >= 0:
                s, x = axis_work(tab, f), respond(tab, w, k, a)
                for c in range(6):
                    w[a + c] += w[s + c] * x


@jit
def respond_elastic(tab, w, b, a):
    """Elastic speeds of a flexible body from its motion a; of a node, what they add to its motion."""
    ev = tab[b + L.ELASTIC_V]
    if tab[b + L.KIND] == L.NODE:
        al, aa = node_acceleration(tab, w, b, tab[L.W_RESPONSE] + ev, load3(w, a), load3(w, a + 3))
        store3(w, a, al)
        store3(w, a + 3, aa)
    else:
        elastic_response(tab, w, b, tab[L.W_LOAD] + ev, load3(w, a), load3(w, a + 3), tab[L.W_RESPONSE] + ev)


@jit
def update_response(tab, w):
    """W_RESPONSE = M⁻¹ Cᵀ λ from W_LOAD, forward along the tree."""
    acc = tab[L.W_RESPONSE] + tab[L.N_V]
    for i in range(tab[L.N_BODY]):
        b = body_record(tab, i)
        wb = body_work(tab, i)
        parent, a = tab[b + L.PARENT], acc + 6 * i
        if parent < 0:
            for j in range(6):
                w[a + j] = 0.0
        else:
            R, rho, aa = load9(w, wb + L.G), load3(w, wb + L.RHO), load3(w, acc + 6 * parent + 3)
            store3(w, a, rotate(R, add(load3(w, acc + 6 * parent), cross(aa, rho))))
            store3(w, a + 3, rotate(R, aa))
        respond_body(tab, w, b, a)
        if tab[b + L.COUNT_ELASTIC] > 0:
            respond_elastic(tab, w, b, a)


@jit
def equation_value(tab, w, e, r, body, size, speeds):
    """Σ J·x over the terms of an equation: x is 6 numbers per body at `body` (stride `size`), or the speed's own number."""
    n, terms = tab[e + L.E_TERMS], tab[e + L.E_TERM]
    total = 0.0
    for k in range(n):
        target = tab[terms + 2 * k]
        J = load6(w, tab[e + L.E_JACOBIAN] + (r * n + k) * 6)
        if target >= 0:
            total += dot6(J, load6(w, body + target * size))
        elif target < -1:
            total += J[0] * speeds[-2 - target]
    return total
