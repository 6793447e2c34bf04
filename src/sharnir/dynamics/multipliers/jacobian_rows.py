"""C, the Jacobian of all constraint equations, as rows of numbers, and the size of a row before cancellation."""

import math

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_of,
    body_record,
    body_work,
    element_record,
    end_freedom,
    first_freedom,
    speed_of,
    target_of,
)
from sharnir.kernel import jit
from sharnir.spatial.vector import add, cross, dot, load3, load9, rotate_back


@jit
def length(a):
    """|a|."""
    return math.sqrt(dot(a, a))


@jit
def update_jacobian_row(tab, w, e, r, out):
    """One row of C: the forces of an equation, carried down the tree and taken along every freedom.

    Returns the square of what its length would be if nothing cancelled: a row that is far below it is rounding.
    """
    size = 0.0
    n_terms = tab[e + L.E_TERMS]
    for k in range(tab[L.N_V]):
        w[out + k] = 0.0
    for k in range(n_terms):
        i, j = target_of(tab, e, k), tab[e + L.E_JACOBIAN] + (r * n_terms + k) * 6
        if i < -1:
            w[out - 2 - i] += w[j]
            size += w[j] * w[j]
        fl, fa = load3(w, j), load3(w, j + 3)
        force, moment = length(fl), length(fa)
        while i >= 0:
            b, wb = body_record(tab, i), body_work(tab, i)
            for f in range(first_freedom(tab, b), end_freedom(tab, b)):
                c = speed_of(tab, f)
                if c >= 0:
                    sl, sa = axis_of(tab, w, f)
                    w[out + c] += dot(sl, fl) + dot(sa, fa)
                    a = length(sl) * force + length(sa) * moment
                    size += a * a
            if tab[b + L.KIND] == L.NODE:
                S = tab[b + L.ELASTIC_W]
                for c in range(tab[b + L.COUNT_ELASTIC]):
                    w[out + tab[b + L.ELASTIC_V] + c] += dot(load3(w, S + 6 * c), fl) + dot(load3(w, S + 6 * c + 3), fa)
                    a = length(load3(w, S + 6 * c)) * force + length(load3(w, S + 6 * c + 3)) * moment
                    size += a * a
            R, rho = load9(w, wb + L.G), load3(w, wb + L.RHO)
            fl = rotate_back(R, fl)
            fa = add(rotate_back(R, fa), cross(rho, fl))
            moment += length(rho) * force
            i = tab[b + L.PARENT]
    return size


@jit
def update_jacobian(tab, w, C):
    """C, m × n by rows, and W_ROW_SIZE; needs update_constraints."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        for r in range(tab[e + L.E_COUNT]):
            i = tab[e + L.E_ROW] + r
            size = update_jacobian_row(tab, w, e, r, C + i * tab[L.N_V])
            w[tab[L.W_ROW_SIZE] + i] = size if size > 0.0 else 1.0
