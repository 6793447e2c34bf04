"""Rows of C along the paths of constraint elements, for methods that do not eliminate along the tree.

The force of an equation on its bodies runs down to the base and is taken along every freedom that it passes: c = Bᵀ Gᵀ, of which
only the speeds of the path are kept, in the order of the path.
"""

from sharnir.dynamics.bodies.flexible_body import node_acceleration
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import axis_of, body_record, body_work, end_freedom, first_freedom, speed_of
from sharnir.dynamics.multipliers.delassus_paths import force_at, hand_force, path_body, path_places, start_equation
from sharnir.kernel import jit
from sharnir.spatial.vector import add, cross, dot, dot6, load3, load6, load9, rotate, scale, store3


@jit
def take_along(tab, w, b, p, u):
    """u += sᵀ p for every freedom of the joint with record b; u: where its first speed is kept."""
    fl, fa = load3(w, p), load3(w, p + 3)
    for f in range(first_freedom(tab, b), end_freedom(tab, b)):
        k = speed_of(tab, f)
        if k >= 0:
            sl, sa = axis_of(tab, w, f)
            w[u + k - tab[b + L.FIRST_V]] += dot(sl, fl) + dot(sa, fa)


@jit
def take_along_shapes(tab, w, b, p, u):
    """The same for the elastic coordinates that move a node; u: where those of its body are kept."""
    S = tab[b + L.ELASTIC_W]
    for j in range(tab[b + L.COUNT_ELASTIC]):
        w[u + j] += dot6(load6(w, S + 6 * j), load6(w, p))


@jit
def update_rows(tab, par, w, e):
    """c of all equations of element e at all speeds of its path (E_LOAD), and their sizes; needs update_constraints."""
    s = path_places(tab, e)
    for k in range(6 * s.rows * s.bodies):
        w[s.p + k] = 0.0
    for k in range(s.rows * s.speeds):
        w[s.u + k] = 0.0
    for r in range(s.rows):
        start_equation(tab, par, w, e, s, r)
    for x in range(s.bodies):
        i, above, first = path_body(tab, s, x)
        b = body_record(tab, i)
        for r in range(s.rows):
            p, u = force_at(s, x, r), s.u + r * s.speeds
            take_along(tab, w, b, p, u + first)
            if tab[b + L.KIND] == L.NODE:
                parent = body_record(tab, tab[b + L.PARENT])
                take_along_shapes(tab, w, b, p, u + path_body(tab, s, above).first + tab[parent + L.COUNT_V])
            if above >= 0:
                hand_force(w, body_work(tab, i), p, force_at(s, above, r))


@jit
def update_body_response(tab, w):
    """Accelerations of bodies, behind W_RESPONSE, that go with the speeds in it: forward along the tree."""
    x, acc = tab[L.W_RESPONSE], tab[L.W_RESPONSE] + tab[L.N_V]
    for i in range(tab[L.N_BODY]):
        b, wb = body_record(tab, i), body_work(tab, i)
        parent = tab[b + L.PARENT]
        al, aa = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if parent >= 0:
            R, a = load9(w, wb + L.G), load3(w, acc + 6 * parent + 3)
            al, aa = rotate(R, add(load3(w, acc + 6 * parent), cross(a, load3(w, wb + L.RHO)))), rotate(R, a)
        for f in range(first_freedom(tab, b), end_freedom(tab, b)):
            k = speed_of(tab, f)
            if k >= 0:
                sl, sa = axis_of(tab, w, f)
                al, aa = add(al, scale(sl, w[x + k])), add(aa, scale(sa, w[x + k]))
        if tab[b + L.KIND] == L.NODE:
            al, aa = node_acceleration(tab, w, b, x + tab[b + L.ELASTIC_V], al, aa)
        store3(w, acc + 6 * i, al)
        store3(w, acc + 6 * i + 3, aa)
