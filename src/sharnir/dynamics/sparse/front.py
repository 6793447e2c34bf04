"""One front: A11 = L11 L11ᵀ, L21 = A21 L11⁻ᵀ, U = -L21 L21ᵀ, by blocks of columns; and substitution with L11, L21.

L11 and L21 stand by columns, padded with zeros to whole tiles; the reciprocals of L11's diagonal stand on the diagonal.
"""

from typing import NamedTuple

from sharnir.dynamics.sparse.plan_layout import LANES
from sharnir.dynamics.sparse.register_tiles import Columns, four_columns, part, subtract_product, subtract_square, vectors
from sharnir.kernel import inline, jit, sqrt

DEPTH = 48  # columns after which what follows is corrected: they stay in the second cache; a multiple of LANES and of TILE


class Pivots(NamedTuple):
    """A pivot not above `floor` becomes `instead`, or, if strict, is the end of the factorization."""

    floor: float
    instead: float
    strict: bool


@jit
def factorize_front(w, L11, L21, U, zero, width, nr, pivots):
    """Factorize a front in place and write U = -L21 L21ᵀ; `zero`: three vectors of zeros. False if a small pivot was the end."""
    rows1, rows2 = L11.ld, L21.ld
    for first in range(0, width, DEPTH):
        end = min(first + DEPTH, width)
        above, below = part(L11, 0, first), part(L21, 0, first)
        for j in range(first, end, 4):
            top = j // LANES * LANES
            if j > first:
                subtract_product(w, part(L11, top, j), part(above, top, 0), part(above, j, 0), rows1 - top, 4, j - first)
                subtract_product(w, part(L21, 0, j), below, part(above, j, 0), rows2, 4, j - first)
            if not factorize_columns(w, L11, L21, j, top, pivots) and pivots.strict:
                return False
        A, depth = part(above, end, 0), end - first
        if end < width:
            rest = part(L11, end, end)
            subtract_square(w, rest, rest, A, rows1 - end, width - end, depth)
            subtract_product(w, part(L21, 0, end), below, A, rows2, width - end, depth)
        if nr > 0:
            subtract_square(w, U, Columns(zero, 0) if first == 0 else U, below, rows2, (nr + 3) // 4 * 4, depth)
    return True


@inline
def reciprocal_root(d, pivots):
    """1/√d, or that of the number instead of d if d is not above the floor, and whether it is."""
    s = d if d > pivots.floor else pivots.instead
    return sqrt(s) * (1.0 / s), d > pivots.floor  # root and reciprocal at the same time


@jit
def factorize_columns(w, L11, L21, j, top, pivots):
    """Four columns that earlier ones have corrected: factor of the square, then of all rows below. True if no pivot is small."""
    d = part(L11, j, j).at
    d1, d2, d3 = d + L11.ld, d + 2 * L11.ld, d + 3 * L11.ld
    i0, good0 = reciprocal_root(w[d], pivots)
    l10, l20, l30 = w[d + 1] * i0, w[d + 2] * i0, w[d + 3] * i0
    i1, good1 = reciprocal_root(w[d1 + 1] - l10 * l10, pivots)
    m21, l31 = (w[d1 + 2] - l20 * l10) * i1, (w[d1 + 3] - l30 * l10) * i1
    i2, good2 = reciprocal_root(w[d2 + 2] - l20 * l20 - m21 * m21, pivots)
    l32 = (w[d2 + 3] - l30 * l20 - l31 * m21) * i2
    i3, good3 = reciprocal_root(w[d3 + 3] - l30 * l30 - l31 * l31 - l32 * l32, pivots)
    square = (i0, l10, i1, l20, m21, i2, l30, l31, l32, i3)
    divide_rows(w, part(L11, top, j), (L11.ld - top) // LANES, square)
    divide_rows(w, part(L21, 0, j), L21.ld // LANES, square)
    for c in range(4):
        for r in range(top, j + c):
            w[part(L11, r, j + c).at] = 0.0
    w[d], w[d1 + 1], w[d2 + 2], w[d3 + 3] = i0, i1, i2, i3
    w[d + 1], w[d + 2], w[d + 3], w[d1 + 2], w[d1 + 3], w[d2 + 3] = l10, l20, l30, m21, l31, l32
    return good0 and good1 and good2 and good3


@inline
def divide_rows(w, C, count, square):
    """C (four columns) ← C L⁻ᵀ with the factor of a square: i0, l10, i1, l20, l21, i2, l30, l31, l32, i3."""
    C0, C1, C2, C3 = four_columns(w, C)
    i0, l10, i1, l20, l21, i2, l30, l31, l32, i3 = square
    for r in range(count):
        y0 = C0[r] * i0
        y1 = (C1[r] - y0 * l10) * i1
        y2 = (C2[r] - y0 * l20 - y1 * l21) * i2
        y3 = (C3[r] - y0 * l30 - y1 * l31 - y2 * l32) * i3
        C0[r], C1[r], C2[r], C3[r] = y0, y1, y2, y3


@jit
def substitute_forward(w, L11, L21, width, x, y):
    """x ← L11⁻¹ x, y ← y - L21 x; both padded in `w`."""
    for j in range(0, width, 4):
        d = part(L11, j, j).at
        d1, d2, d3 = d + L11.ld, d + 2 * L11.ld, d + 3 * L11.ld
        x0 = w[x + j] * w[d]
        x1 = (w[x + j + 1] - w[d + 1] * x0) * w[d1 + 1]
        x2 = (w[x + j + 2] - w[d + 2] * x0 - w[d1 + 2] * x1) * w[d2 + 2]
        x3 = (w[x + j + 3] - w[d + 3] * x0 - w[d1 + 3] * x1 - w[d2 + 3] * x2) * w[d3 + 3]
        top = (j + 4) // LANES * LANES
        subtract_columns(w, x + top, part(L11, top, j), (L11.ld - top) // LANES, (x0, x1, x2, x3))
        w[x + j], w[x + j + 1], w[x + j + 2], w[x + j + 3] = x0, x1, x2, x3  # `top` may lie before j + 4
        subtract_columns(w, y, part(L21, 0, j), L21.ld // LANES, (x0, x1, x2, x3))


@inline
def subtract_columns(w, y, C, count, x):
    """y -= C x for four columns."""
    Y, (C0, C1, C2, C3), (x0, x1, x2, x3) = vectors(w, y), four_columns(w, C), x
    for r in range(count):
        Y[r] = Y[r] - C0[r] * x0 - C1[r] * x1 - C2[r] * x2 - C3[r] * x3


@jit
def substitute_backward(w, L11, L21, width, x, y, scratch):
    """x ← L11⁻ᵀ (x - L21ᵀ y)."""
    for k in range(4, width + 4, 4):
        j = width - k
        d = part(L11, j, j).at
        d1, d2, d3 = d + L11.ld, d + 2 * L11.ld, d + 3 * L11.ld
        x0, x1, x2, x3 = w[x + j], w[x + j + 1], w[x + j + 2], w[x + j + 3]
        w[x + j] = w[x + j + 1] = w[x + j + 2] = w[x + j + 3] = 0.0  # `top` may lie before j + 4
        top = (j + 4) // LANES * LANES
        s0, s1, s2, s3 = products(
            w, x + top, part(L11, top, j), (L11.ld - top) // LANES, y, part(L21, 0, j), L21.ld // LANES, scratch
        )
        x3 = (x3 - s3) * w[d3 + 3]
        x2 = (x2 - s2 - w[d2 + 3] * x3) * w[d2 + 2]
        x1 = (x1 - s1 - w[d1 + 2] * x2 - w[d1 + 3] * x3) * w[d1 + 1]
        x0 = (x0 - s0 - w[d + 1] * x1 - w[d + 2] * x2 - w[d + 3] * x3) * w[d]
        w[x + j], w[x + j + 1], w[x + j + 2], w[x + j + 3] = x0, x1, x2, x3


@jit
def products(w, x, A, m, y, B, n, scratch):
    """Four sums Aᵀ x + Bᵀ y, lane by lane and then over the lanes."""
    T = vectors(w, scratch)
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    X, (C0, C1, C2, C3) = vectors(w, x), four_columns(w, A)
    for r in range(m):
        v = X[r]
        s0, s1, s2, s3 = s0 + v * C0[r], s1 + v * C1[r], s2 + v * C2[r], s3 + v * C3[r]
    X, (C0, C1, C2, C3) = vectors(w, y), four_columns(w, B)
    for r in range(n):
        v = X[r]
        s0, s1, s2, s3 = s0 + v * C0[r], s1 + v * C1[r], s2 + v * C2[r], s3 + v * C3[r]
    T[0], T[1], T[2], T[3] = s0, s1, s2, s3
    return (
        sum_of_lanes(w, scratch),
        sum_of_lanes(w, scratch + LANES),
        sum_of_lanes(w, scratch + 2 * LANES),
        sum_of_lanes(w, scratch + 3 * LANES),
    )


@inline
def sum_of_lanes(w, at):
    s = 0.0
    for k in range(LANES):
        s += w[at + k]
    return s
