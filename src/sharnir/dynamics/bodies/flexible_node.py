"""Motion of a node of a flexible body relative to the body's frame."""

from sharnir.dynamics.memory import layout as L
from sharnir.kernel import inline
from sharnir.spatial.vector import add, cross, lifted, load3, rotate, scale, store3, sub, transposed


@inline
def node_slopes(par, w, q, v, p, S, h, eq, ev, zero):
    """Shift r and half the rotation g of a node, their rates and what their second derivatives hold without ẅ; slopes into S.

    Parameters: six numbers per coordinate, then 1 if second-order displacements follow, ½ Σ N_ij w_i w_j, six numbers each.
    """
    z3 = (zero, zero, zero)
    r, g, rd, gd, rdd, gdd = z3, z3, z3, z3, z3, z3
    N = p + 6 * h + 1
    for j in range(h):
        x, xd = q[eq + j], v[ev + j]
        a, c = lifted(load3(par, p + 6 * j), zero), lifted(load3(par, p + 6 * j + 3), zero)
        da, dc = z3, z3
        if par[N - 1] != 0.0:
            ba, bc = z3, z3
            for i in range(h):
                y, k = q[eq + i], N + 6 * (i * h + j)
                da, dc = add(da, scale(load3(par, k), y)), add(dc, scale(load3(par, k + 3), y))
                y = v[ev + i]
                ba, bc = add(ba, scale(load3(par, k), y)), add(bc, scale(load3(par, k + 3), y))
            rdd, gdd = add(rdd, scale(ba, xd)), add(gdd, scale(bc, 0.5 * xd))
        r, g = add(r, add(scale(a, x), scale(da, 0.5 * x))), add(g, add(scale(c, 0.5 * x), scale(dc, 0.25 * x)))
        a, c = add(a, da), add(c, dc)
        rd, gd = add(rd, scale(a, xd)), add(gd, scale(c, 0.5 * xd))
        store3(w, S + 6 * j, a)
        store3(w, S + 6 * j + 3, c)
    return r, g, rd, gd, rdd, gdd


@inline
def node_motion(tab, par, w, q, v, b, zero):
    """Motion of a node in its body: turn H (body → node axes), offset, v^r, ω^r, accelerations without ẅ (node axes); S to work.

    The node's rotation θ = H^φ w is small; as Rodrigues' vector θ/2 = g it is a rotation without functions: ω = c (ġ - g × ġ),
    c = 2/(1 + g²), in node axes. A second-order displacement is a function of w too, so positions, speeds and accelerations fit.
    """
    h, p, S = tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_P], tab[b + L.ELASTIC_W]
    r, g, rd, gd, rdd, gdd = node_slopes(par, w, q, v, p, S, h, tab[b + L.ELASTIC_Q], tab[b + L.ELASTIC_V], zero)
    s = g[0] * g[0] + g[1] * g[1] + g[2] * g[2]
    c = 2.0 / (1.0 + s)
    d = 1.0 - c * s  # (1 - g²)/(1 + g²)
    x, y, z = g
    turn = (
        d + c * x * x, c * (x * y - z), c * (x * z + y),
        c * (x * y + z), d + c * y * y, c * (y * z - x),
        c * (x * z - y), c * (y * z + x), d + c * z * z,
    )  # fmt: skip
    H = transposed(turn)
    for j in range(h):
        k = load3(w, S + 6 * j + 3)
        store3(w, S + 6 * j, rotate(H, load3(w, S + 6 * j)))
        store3(w, S + 6 * j + 3, scale(sub(k, cross(g, k)), 0.5 * c))
    spin = sub(gd, cross(g, gd))
    fall = zero - c * c * (x * gd[0] + y * gd[1] + z * gd[2])
    bend = sub(gdd, cross(g, gdd))
    return H, r, rotate(H, rd), scale(spin, c), rotate(H, rdd), add(scale(spin, fall), scale(bend, c))
