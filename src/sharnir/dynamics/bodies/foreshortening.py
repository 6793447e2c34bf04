"""A bent beam is shorter: coordinates d_k = ½ wᵀ D_k w of the second-order displacement of a flexible body with stiffening.

The body is one of h + r shapes with W = (w, d(w)) (flexible/inertia/stiffened_inertia.py). Its equations are projected on what w
can do, Ẇ = T ẇ, T = (1, D w): Tᵀ M_Wr, Tᵀ M_WW T, Tᵀ (y - M_WW Ṫ ẇ). Bodies without stiffening have r = 0.
"""

from sharnir.dynamics.bodies.flexible_memory import bending_places, coupling_of, elastic_places, shape_places
from sharnir.kernel import jit
from sharnir.spatial.vector import add, scale, store3


@jit
def all_shapes(tab, par, w, b):
    """Places of all h + r shapes of a flexible body, W and Ẇ filled in; needs w and ẇ."""
    s, bend = elastic_places(tab, b), bending_places(tab, par, b)
    if bend.r == 0:
        return s
    h = s.h
    n = shape_places(h + bend.r, s.p, bend.wide)
    for i in range(h):
        w[n.w + i], w[n.rate + i] = w[s.w + i], w[s.rate + i]
    for k in range(bend.r):
        d, rate = 0.0, 0.0
        for j in range(h):
            slope = 0.0
            for i in range(h):
                slope += par[bend.curvature + (k * h + j) * h + i] * w[s.w + i]
            w[bend.T + k * h + j] = slope
            d += 0.5 * slope * w[s.w + j]
            rate += slope * w[s.rate + j]
        w[n.w + h + k], w[n.rate + h + k] = d, rate
    return n


@jit
def slope_rate(par, w, s, bend, k):
    """Row k of Ṫ ẇ = ẇᵀ D_k ẇ."""
    x = 0.0
    for j in range(s.h):
        for i in range(s.h):
            x += w[s.rate + j] * par[bend.curvature + (k * s.h + j) * s.h + i] * w[s.rate + i]
    return x


@jit
def project_on_coordinates(tab, par, w, b, f, m):
    """Terms of h + r shapes → those of h coordinates: M_wr, M_ww, k_w in work; returns -k_r, -k_φ. T and W must be there."""
    s, bend = elastic_places(tab, b), bending_places(tab, par, b)
    h, r, T = s.h, bend.r, bend.T
    wide = shape_places(h + r, s.p, bend.wide)
    n = wide.h
    # y - M_WW Ṫ ẇ, and M_rW Ṫ ẇ on the frame
    for k in range(r):
        x = slope_rate(par, w, s, bend, k)
        a, c = coupling_of(w, wide, h + k)
        f, m = add(f, scale(a, x)), add(m, scale(c, x))
        for i in range(n):
            w[wide.force + i] -= w[wide.M_ww + i * n + h + k] * x
    # M_WW T, in the first h columns
    for i in range(n):
        for j in range(h):
            for k in range(r):
                w[wide.M_ww + i * n + j] += w[wide.M_ww + i * n + h + k] * w[T + k * h + j]
    # Tᵀ times all three
    for i in range(h):
        (a, c), y = coupling_of(w, wide, i), w[wide.force + i]
        for k in range(r):
            slope = w[T + k * h + i]
            da, dc = coupling_of(w, wide, h + k)
            a, c = add(a, scale(da, slope)), add(c, scale(dc, slope))
            y += slope * w[wide.force + h + k]
        store3(w, s.M_wr + 6 * i, a)
        store3(w, s.M_wr + 6 * i + 3, c)
        w[s.force + i] = y
        for j in range(h):
            x = w[wide.M_ww + i * n + j]
            for k in range(r):
                x += w[T + k * h + i] * w[wide.M_ww + (h + k) * n + j]
            w[s.M_ww + i * h + j] = x
    return f, m
