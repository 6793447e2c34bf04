"""A point on a surface or on a curve that is fixed in another body.

Equations are lengths: a surface's is divided by its gradient, a curve's are parts of the gap along unit normals, so multipliers
are forces. Terms of first order in the gap are left out of rates and bias, as in every joint that is closed.
"""

import math
from typing import Any, NamedTuple

from sharnir.dynamics.constraints.cut_joint import Arms, store_equation, store_residuals
from sharnir.dynamics.constraints.measures import NOTHING, relative_point
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import target_of
from sharnir.kernel import address_of, call_vector, jit
from sharnir.spatial.vector import cross, dot, load3, load9, multiply, rotate, rotate_back, scale, store3, sub

NEWTON_STEPS = 30


class PointInFrame(NamedTuple):
    """A point of the second body in the frame of a surface or curve on the first, in axes of that frame."""

    arms: Arms
    R: Any  # frame → world
    d: Any  # position and velocity
    v: Any
    lin: Any  # the acceleration that is there without accelerations of the bodies


@jit
def point_in_frame(tab, par, w, e):
    """The point of such an element."""
    P, i, j = tab[e + L.E_PARAMS], target_of(tab, e, 0), target_of(tab, e, 1)
    x = relative_point(tab, par, w, i, j, P + 9, P + 12)
    R = multiply(x.arms.Ra, load9(par, P))
    return PointInFrame(x.arms, R, rotate_back(R, x.d), rotate_back(R, x.v), rotate_back(R, x.lin))


@jit
def hessian_product(w, H, v):
    """H v; H lies as xx yy zz xy xz yz."""
    x = w[H] * v[0] + w[H + 3] * v[1] + w[H + 4] * v[2]
    y = w[H + 3] * v[0] + w[H + 1] * v[1] + w[H + 5] * v[2]
    return x, y, w[H + 4] * v[0] + w[H + 5] * v[1] + w[H + 2] * v[2]


@jit
def add_surface_equation(tab, par, w, e):
    """F = 0: Ḟ = ∇F·v, F̈ = ∇F·v̇ + vᵀ H v, all over |∇F|."""
    x = point_in_frame(tab, par, w, e)
    at = tab[e + L.E_WORK]
    store3(w, at + L.SURFACE_IN, x.d)
    call_vector(tab[tab[e + L.E_DATA]], address_of(w, at + L.SURFACE_IN), address_of(w, at + L.SURFACE_OUT))
    out = at + L.SURFACE_OUT
    slope = load3(w, out + 1)
    k = 1.0 / math.sqrt(dot(slope, slope))
    bias = dot(slope, x.lin) + dot(x.v, hessian_product(w, out + 4, x.v))
    store_equation(tab, w, e, 0, x.arms, rotate(x.R, scale(slope, k)), NOTHING)
    store_residuals(tab, w, tab[e + L.E_ROW], k * w[out], k * dot(slope, x.v), k * bias)


@jit
def update_curve(tab, w, e, s):
    """c, c' and c'' at s."""
    at = tab[e + L.E_WORK]
    w[at + L.CURVE_S] = s
    call_vector(tab[tab[e + L.E_DATA]], address_of(w, at + L.CURVE_S), address_of(w, at + L.CURVE_OUT))


@jit
def update_foot(tab, w, e, s, x):
    """CURVE_S: where the curve is nearest to x, (x - c)·c' = 0, by Newton's method from s; returns the slope of that equation.

    Beyond a centre of curvature Newton's method would run to the farthest point; c'·c' alone leads back.
    """
    out = tab[e + L.E_WORK] + L.CURVE_OUT
    slope = 0.0
    for _ in range(NEWTON_STEPS):
        update_curve(tab, w, e, s)
        gap, c1, c2 = sub(x, load3(w, out)), load3(w, out + 3), load3(w, out + 6)
        square = dot(c1, c1)
        slope = square - dot(gap, c2)
        if slope < 0.1 * square:
            slope = square
        step = dot(gap, c1) / slope
        if not abs(step) > 1e-15 * (1.0 + abs(s)):
            break
        s += step
    return slope


@jit
def normals(c1):
    """Two unit vectors across a tangent: the first lies nearest to the coordinate axis that the tangent is farthest from."""
    k = 1.0 / math.sqrt(dot(c1, c1))
    u = scale(c1, k)
    x, y, z = abs(u[0]), abs(u[1]), abs(u[2])
    axis = (1.0, 0.0, 0.0)
    if y < x and y <= z:
        axis = (0.0, 1.0, 0.0)
    elif z < x and z < y:
        axis = (0.0, 0.0, 1.0)
    b = cross(u, axis)
    b = scale(b, 1.0 / math.sqrt(dot(b, b)))
    return cross(b, u), b


@jit
def add_curve_equations(tab, par, w, z, e):
    """The gap x - c(s) along two normals; ṡ = c'·v/c'², bias n·(v̇ - c'' ṡ²)."""
    x = point_in_frame(tab, par, w, e)
    at, row = tab[e + L.E_WORK], tab[e + L.E_ROW]
    slope = update_foot(tab, w, e, z[tab[e + L.E_Z]], x.d)
    out = at + L.CURVE_OUT
    gap, c1, c2 = sub(x.d, load3(w, out)), load3(w, out + 3), load3(w, out + 6)
    rate = dot(c1, x.v) / slope
    w[at + L.CURVE_RATE] = rate
    n, b = normals(c1)
    lin = sub(x.lin, scale(c2, rate * rate))
    store_equation(tab, w, e, 0, x.arms, rotate(x.R, n), NOTHING)
    store_equation(tab, w, e, 1, x.arms, rotate(x.R, b), NOTHING)
    store_residuals(tab, w, row, dot(n, gap), dot(n, x.v), dot(n, lin))
    store_residuals(tab, w, row + 1, dot(b, gap), dot(b, x.v), dot(b, lin))
