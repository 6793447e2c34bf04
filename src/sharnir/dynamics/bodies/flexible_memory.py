"""What lies where in the parameters and in the work of a flexible body.

Parameters, at ELASTIC_P: r, the number of shapes that stiffening adds to the h coordinates (foreshortening); then, of all
n = h + r shapes, J_rr 9, R0 9, P0 9, R_i n × 9, P_i n × 9, P_ij n × n × 9, J_rw n × 3, Q0 n × 3, Q_i n × n × 3, J_ww n × n,
stiffness K n × n, damping D n × n, drag β; then curvatures D_k r × h × h. Names as in docs/theory/flexible-bodies.md.
Work, at ELASTIC_W: w h, ẇ h, y h, ẅ h, M_wr (then G) h × 6, M_ww (then L) h × h; with stiffening the same of n shapes, and T
r × h. A node: the shapes S, 6 per coordinate.
"""

from typing import NamedTuple

from sharnir.dynamics.memory import layout as L
from sharnir.kernel import inline
from sharnir.spatial.vector import load3


class ShapePlaces(NamedTuple):
    """Places of h shapes: p in `params`, the others in `work`."""

    h: int
    p: int  # inertia polynomials
    w: int
    rate: int  # ẇ, on the theory page ξ
    force: int  # s_w + k_w, then y = L⁻¹ of it
    acceleration: int  # ẅ
    M_wr: int  # then G = L⁻¹ M_wr
    M_ww: int  # then L


class BendingPlaces(NamedTuple):
    """Places of what stiffening adds: r shapes, curvatures D_k in `params`, and in `work` all h + r shapes and slopes T."""

    r: int
    curvature: int
    wide: int
    T: int


@inline
def shape_places(h, p, at):
    """Of h shapes with polynomials at p in `params` and memory at `at` in `work`."""
    return ShapePlaces(h, p, at, at + h, at + 2 * h, at + 3 * h, at + 4 * h, at + 10 * h)


@inline
def elastic_places(tab, b):
    """Of the elastic coordinates of a flexible body, given its record."""
    return shape_places(tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_P] + 1, tab[b + L.ELASTIC_W])


@inline
def bending_places(tab, par, b):
    """Of the shapes that stiffening adds to a flexible body; r = 0 without it."""
    h, p, at = tab[b + L.COUNT_ELASTIC], tab[b + L.ELASTIC_P], tab[b + L.ELASTIC_W]
    r = int(par[p])
    n, wide = h + r, at + 10 * h + h * h
    return BendingPlaces(r, p + 29 + 24 * n + 15 * n * n, wide, wide + 10 * n + n * n)


@inline
def shape_of(tab, w, node, j):
    """S_j: motion of a node per unit of ẇ_j, linear and angular, node axes; given the node's record."""
    S = tab[node + L.ELASTIC_W] + 6 * j
    return load3(w, S), load3(w, S + 3)


@inline
def coupling_of(w, s, i):
    """Row i of M_wr (or of G): linear and angular part."""
    return load3(w, s.M_wr + 6 * i), load3(w, s.M_wr + 6 * i + 3)


# ---- sections of the parameters ------------------------------------------------------------------------------------------


@inline
def R_at(s, i):
    """R_i of J_rφ = R0 + Σ R_i w_i."""
    return s.p + 27 + 9 * i


@inline
def P_at(s, i):
    """P_i of J_φφ = P0 + Σ P_i w_i + Σ P_ij w_i w_j."""
    return s.p + 27 + 9 * (s.h + i)


@inline
def PP_at(s, i, j):
    """P_ij."""
    return s.p + 27 + 9 * (2 * s.h + i * s.h + j)


@inline
def J_rw_at(s, i):
    """Column i of J_rw."""
    return s.p + 27 + 9 * s.h * (2 + s.h) + 3 * i


@inline
def Q0_at(s, i):
    """Column i of Q0 in J_φw = Q0 + Σ Q_j w_j."""
    return J_rw_at(s, s.h + i)


@inline
def Q_at(s, j, i):
    """Column i of Q_j."""
    return J_rw_at(s, 2 * s.h + j * s.h + i)


@inline
def J_ww_at(s, i, j):
    return Q_at(s, s.h, 0) + i * s.h + j


@inline
def stiffness_at(s, i, j):
    return J_ww_at(s, s.h + i, j)


@inline
def damping_at(s, i, j):
    return J_ww_at(s, 2 * s.h + i, j)


@inline
def drag_at(s):
    """β of the drag -β M (v, ω, ẇ)."""
    return J_ww_at(s, 3 * s.h, 0)
