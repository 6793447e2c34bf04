"""Blocks of A = C M⁻¹ Cᵀ: Σ (u/D) u over the speeds that the paths of two constraint elements share."""

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import element_record, run_record
from sharnir.kernel import jit
from sharnir.spatial.vector import dot6, load6, store3


@jit
def write_three(tab, w, pair, shadow, load, du, dv, at, ld):
    """`write_block` for two ball joints between bodies that fly by themselves: the block stays in registers until it is whole."""
    i, j, k = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for r in range(tab[pair + L.PAIR_COUNT]):
        run = run_record(tab, pair, r)
        u, v = shadow + tab[run + L.RUN_E], load + tab[run + L.RUN_F]
        for _ in range(0, tab[run + L.RUN_LENGTH], 6):
            x, y, z = load6(w, u), load6(w, u + du), load6(w, u + 2 * du)
            a, b, c = load6(w, v), load6(w, v + dv), load6(w, v + 2 * dv)
            i = (i[0] + dot6(x, a), i[1] + dot6(x, b), i[2] + dot6(x, c))
            j = (j[0] + dot6(y, a), j[1] + dot6(y, b), j[2] + dot6(y, c))
            k = (k[0] + dot6(z, a), k[1] + dot6(z, b), k[2] + dot6(z, c))
            u, v = u + 6, v + 6
    store3(w, at, i)
    store3(w, at + ld, j)
    store3(w, at + 2 * ld, k)


@jit
def add_six(w, u, du, v, dv, at, ld, n, m, triangle):
    """A block of A += Σ (u/D) u over six speeds; du, dv: distances of equations. Of a diagonal block the lower triangle."""
    for i in range(n):
        x = load6(w, u + i * du)
        for j in range(i + 1 if triangle else m):
            w[at + i * ld + j] += dot6(x, load6(w, v + j * dv))


@jit
def write_block(tab, w, pair, shadow, at, ld):
    """The block of A of a pair of elements, rows at a distance ld; of an element with itself the lower triangle.

    Needs the path of the first element, and that of the second one before it: u/D, from `shadow` on, is there of the first only.
    """
    e, f = element_record(tab, tab[pair + L.PAIR_E]), element_record(tab, tab[pair + L.PAIR_F])
    n, m, du, dv = tab[e + L.E_COUNT], tab[f + L.E_COUNT], tab[e + L.E_SPEEDS], tab[f + L.E_SPEEDS]
    if n == 3 and m == 3 and tab[L.LONE] == 1:
        write_three(tab, w, pair, shadow, tab[f + L.E_LOAD], du, dv, at, ld)
        return
    for i in range(n):
        for j in range(m):
            w[at + i * ld + j] = 0.0
    for r in range(tab[pair + L.PAIR_COUNT]):
        run = run_record(tab, pair, r)
        u, v, left = shadow + tab[run + L.RUN_E], tab[f + L.E_LOAD] + tab[run + L.RUN_F], tab[run + L.RUN_LENGTH]
        while left >= 6:  # a body that flies by itself has six speeds
            add_six(w, u, du, v, dv, at, ld, n, m, e == f)
            u, v, left = u + 6, v + 6, left - 6
        for k in range(left):
            for i in range(n):
                for j in range(i + 1 if e == f else m):
                    w[at + i * ld + j] += w[u + i * du + k] * w[v + j * dv + k]
