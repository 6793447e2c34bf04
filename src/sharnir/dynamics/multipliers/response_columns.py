"""Multipliers with a method that can do no more than solve M x = b: x = M⁻¹ c for every equation, then A = C M⁻¹ Cᵀ.

Lagrange I, whose factors belong to reactions of joints, the iterative methods and the extended system. The columns are kept,
equations × speeds at W_COLUMNS, so that M⁻¹ Cᵀ λ = Σ λ x needs no further solution.
"""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import element_record
from sharnir.dynamics.multipliers.delassus_paths import path_places, path_speeds
from sharnir.dynamics.multipliers.path_rows import update_body_response
from sharnir.kernel import inline, jit


@inline
def column_of(tab, row):
    """Offset of M⁻¹ c of an equation."""
    return tab[L.W_COLUMNS] + row * tab[L.N_V]


@jit
def scatter_row(tab, w, e, r, to):
    """c of an equation of element e at all speeds, from offset `to` on; needs update_rows."""
    s = path_places(tab, e)
    speeds = path_speeds(s)
    for k in range(tab[L.N_V]):
        w[to + k] = 0.0
    for k in range(s.speeds):
        w[to + tab[speeds + k]] = w[s.u + r * s.speeds + k]


@jit
def write_column_block(tab, w, pair, at, ld):
    """The block of A of a pair of elements, c_f · M⁻¹ c_e, rows at a distance ld; of an element with itself lower triangle."""
    e, f = element_record(tab, tab[pair + L.PAIR_E]), element_record(tab, tab[pair + L.PAIR_F])
    s = path_places(tab, f)
    speeds = path_speeds(s)
    for i in range(tab[e + L.E_COUNT]):
        x = column_of(tab, tab[e + L.E_ROW] + i)
        for j in range(s.rows):
            total = 0.0
            if e != f or j <= i:
                for k in range(s.speeds):
                    total += w[s.u + j * s.speeds + k] * w[x + tab[speeds + k]]
            w[at + i * ld + j] = total


@jit
def update_response_of_columns(tab, w, lam):
    """W_RESPONSE = M⁻¹ Cᵀ λ; the part of the bodies for the dense solver, which refines with it."""
    x, n = tab[L.W_RESPONSE], tab[L.N_V]
    for k in range(n):
        w[x + k] = 0.0
    for row in range(tab[L.N_ROW]):
        y, column = w[lam + row], column_of(tab, row)
        for k in range(n):
            w[x + k] += y * w[column + k]
    if tab[L.SOLVER] == L.DENSE:
        update_body_response(tab, w)
