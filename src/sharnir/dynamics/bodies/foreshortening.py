"""A bent beam is shorter: coordinates d_k = ½ wᵀ D_k w of the second-order displacement of a flexible body with stiffening.

The body is one of h + r shapes with W = (w, d(w)) (flexible/inertia). Its equations are projected on what w can do,
Ẇ = T ẇ, T = (1, D w): Tᵀ M_Wr, Tᵀ M_WW T, Tᵀ (y - M_WW Ṫ ẇ). Bodies without stiffening have r = 0.

Parameters of a body: r, then those of h + r shapes (elastic_body), then D. Work: that of h coordinates, that of h + r, T (r × h).
"""

from sharnir.dynamics.memory import layout as L
from sharnir.kernel import inline, jit
from sharnir.spatial.vector import add, load3, scale, store3


@inline
def places_at(h, p, at):
    """h, offset of the polynomials, offsets of w, ẇ, y, ẅ, M_wr and M_ww in work."""
    return h, p + 1, at, at + h, at + 2 * h, at + 3 * h, at + 4 * h, at + 10 * h


@inline
def bending_places(tab, par, b):
    """r, offsets of D, of the work of h + r shapes, and of T."""
    h, p, at = tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_P], tab[b + L.ELASTIC_W]
    r = int(par[p])
    n, wide = h + r, at + 10 * h + h * h
    return r, p + 29 + 24 * n + 15 * n * n, wide, wide + 10 * n + n * n


@jit
def all_places(tab, par, w, b):
    """As elastic_places, but of all h + r shapes, W and Ẇ filled in."""
    h, p, at = tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_P], tab[b + L.ELASTIC_W]
    r, D, wide, T = bending_places(tab, par, b)
    if r == 0:
        return places_at(h, p, at)
    n = h + r
    for i in range(h):
        w[wide + i], w[wide + n + i] = w[at + i], w[at + h + i]
    for k in range(r):
        x, xd = 0.0, 0.0
        for j in range(h):
            slope = 0.0
            for i in range(h):
                slope += par[D + (k * h + j) * h + i] * w[at + i]
            w[T + k * h + j] = slope
            x += 0.5 * slope * w[at + j]
            xd += slope * w[at + h + j]
        w[wide + h + k], w[wide + n + h + k] = x, xd
    return places_at(n, p, wide)


@jit
def curvature_rates(tab, par, w, b):
    """Ṫ ẇ, r numbers, where ẅ of the h + r shapes has its place."""
    h, rate = tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_W] + tab[b + L.COUNT_ELASTIC]
    r, D, wide, _ = bending_places(tab, par, b)
    out = wide + 3 * (h + r)
    for k in range(r):
        x = 0.0
        for j in range(h):
            for i in range(h):
                x += w[rate + j] * par[D + (k * h + j) * h + i] * w[rate + i]
        w[out + k] = x
    return out


@jit
def add_bending(tab, par, w, b, fl, fa):
    """Terms of h + r shapes → those of h coordinates: M_wr, M_ww, -c_w in work; returns c_r, c_φ. T and W must be there."""
    h, _, _, _, y, _, M, W = places_at(tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_P], tab[b + L.ELASTIC_W])
    r, _, wide, T = bending_places(tab, par, b)
    n, _, _, _, yn, _, Mn, Wn = places_at(h + r, 0, wide)
    e = curvature_rates(tab, par, w, b)
    for k in range(r):
        x = w[e + k]
        fl = add(fl, scale(load3(w, Mn + 6 * (h + k)), x))
        fa = add(fa, scale(load3(w, Mn + 6 * (h + k) + 3), x))
        for i in range(n):
            w[yn + i] -= w[Wn + i * n + h + k] * x
    for i in range(n):  # M_WW T, in the first h columns
        for j in range(h):
            for k in range(r):
                w[Wn + i * n + j] += w[Wn + i * n + h + k] * w[T + k * h + j]
    for i in range(h):
        a, c, x = load3(w, Mn + 6 * i), load3(w, Mn + 6 * i + 3), w[yn + i]
        for k in range(r):
            slope = w[T + k * h + i]
            a, c = add(a, scale(load3(w, Mn + 6 * (h + k)), slope)), add(c, scale(load3(w, Mn + 6 * (h + k) + 3), slope))
            x += slope * w[yn + h + k]
        store3(w, M + 6 * i, a)
        store3(w, M + 6 * i + 3, c)
        w[y + i] = x
        for j in range(h):
            z = w[Wn + i * n + j]
            for k in range(r):
                z += w[T + k * h + i] * w[Wn + (h + k) * n + j]
            w[W + i * h + j] = z
    return fl, fa
