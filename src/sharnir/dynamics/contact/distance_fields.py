"""Distance from a point to a boundary and the normal there, towards the free side; all in the boundary's own frame.

The normal is the gradient of the distance, so that the rate of the gap is the velocity of the point along it.
"""

import math

from sharnir.dynamics.contact.mesh_distance import STACK, mesh_gap
from sharnir.kernel import address_of, call_vector, jit
from sharnir.spatial.vector import dot, load3, scale, store3, sub

PLANE, ROUND, HOLE, BLOCK, DRUM, CONVEX_MESH, SURFACE, PROFILE, REVOLUTION, MESH = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
# numbers of each, behind the frame
ROUND_HALF, ROUND_RADIUS = 0, 1
HOLE_HALF, HOLE_RADIUS, HOLE_DEPTH = 0, 1, 2  # half of the slot's span, radius, half of the hole's length
HALF_EDGES = 0
DRUM_RADIUS, DRUM_HALF = 0, 1
FIRST_S, LAST_S, CLOSED, FREE_SIDE, SAMPLES, SAMPLE = 0, 1, 2, 3, 4, 5
# what formulas give
VALUE, GRADIENT, HESSIAN = 0, 1, 4  # of a surface; xx yy zz xy xz yz
CURVE, SLOPE, CURVATURE = 0, 3, 6  # of a curve
SCRATCH = max(16, STACK)  # numbers of work: inputs and outputs of a formula, or nodes of a mesh
STEPS = 40  # of Newton's method
NOWHERE = (0.0, 0.0, 0.0)


@jit
def away(d, length):
    """Unit vector along d; nothing where there is no direction."""
    return scale(d, 1.0 / length) if length > 1e-300 else NOWHERE


@jit
def round_gap(par, p, x):
    """A sphere or capsule: within a radius of the piece of the z axis from -h to h. Numbers: h, radius."""
    h = par[p + ROUND_HALF]
    d = (x[0], x[1], x[2] - min(max(x[2], -h), h))
    length = math.sqrt(dot(d, d))
    return length - par[p + ROUND_RADIUS], away(d, length)


@jit
def hole_gap(par, p, x):
    """A bore or slot along z: within a radius of the piece of the x axis from -a to a. Numbers: a, radius, half its length."""
    a, radius = par[p + HOLE_HALF], par[p + HOLE_RADIUS]
    d = (x[0] - min(max(x[0], -a), a), x[1], 0.0)
    length = math.sqrt(dot(d, d))
    if abs(x[2]) > par[p + HOLE_DEPTH]:
        return radius, NOWHERE  # beyond its end
    n = away(d, length)
    return radius - length, (-n[0], -n[1], 0.0)


@jit
def signed(x, size):
    """size with the sign of x."""
    return size if x >= 0.0 else -size


@jit
def block_gap(par, p, x):
    """A box. Numbers: half its edges."""
    half = load3(par, p + HALF_EDGES)
    a, b, c = abs(x[0]) - half[0], abs(x[1]) - half[1], abs(x[2]) - half[2]
    most = max(a, b, c)
    if most <= 0.0:  # inside: the nearest face
        if a == most:
            return most, (signed(x[0], 1.0), 0.0, 0.0)
        if b == most:
            return most, (0.0, signed(x[1], 1.0), 0.0)
        return most, (0.0, 0.0, signed(x[2], 1.0))
    d = (signed(x[0], max(a, 0.0)), signed(x[1], max(b, 0.0)), signed(x[2], max(c, 0.0)))
    length = math.sqrt(dot(d, d))
    return length, away(d, length)


@jit
def drum_gap(par, p, x):
    """A solid cylinder along z. Numbers: radius, half its length."""
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
    out = away((x[0], x[1], 0.0), rho)
    a, b = rho - par[p + DRUM_RADIUS], abs(x[2]) - par[p + DRUM_HALF]
    if a <= 0.0 and b <= 0.0:
        if a >= b:
            return a, out
        return b, (0.0, 0.0, signed(x[2], 1.0))
    a, b = max(a, 0.0), max(b, 0.0)
    length = math.sqrt(a * a + b * b)
    return length, (out[0] * a / length, out[1] * a / length, signed(x[2], b / length))


@jit
def surface_step(w, out, x, p, multiplier, g):
    """Newton's step for the nearest point: (1 + λ H) Δp + g Δλ = x - p - λ g, gᵀ Δp = -F."""
    r = sub(sub(x, p), scale(g, multiplier))
    H, K = load3(w, out + HESSIAN), load3(w, out + HESSIAN + 3)
    xx, yy, zz = 1.0 + multiplier * H[0], 1.0 + multiplier * H[1], 1.0 + multiplier * H[2]
    xy, xz, yz = multiplier * K[0], multiplier * K[1], multiplier * K[2]
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    det = xx * a + xy * b + xz * c
    if not (xx > 0.0 and xx * yy - xy * xy > 0.0 and det > 1e-6):  # beyond a centre of curvature
        xx, yy, zz, a, b, c, det, xy, xz, yz = 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
    e, f, h = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    k = 1.0 / det
    Ar = ((a * r[0] + b * r[1] + c * r[2]) * k, (b * r[0] + e * r[1] + f * r[2]) * k, (c * r[0] + f * r[1] + h * r[2]) * k)
    Ag = ((a * g[0] + b * g[1] + c * g[2]) * k, (b * g[0] + e * g[1] + f * g[2]) * k, (c * g[0] + f * g[1] + h * g[2]) * k)
    change = (dot(g, Ar) + w[out + VALUE]) / dot(g, Ag)
    return sub(Ar, scale(Ag, change)), change


@jit
def surface_gap(w, function, at, x):
    """Distance to F = 0 by its nearest point; far away, where Newton's method finds none, F over its slope."""
    out = at + 3
    p, multiplier, first = x, 0.0, 0.0
    for k in range(STEPS):
        store3(w, at, p)
        call_vector(function, address_of(w, at), address_of(w, out))
        g = load3(w, out + GRADIENT)
        s = dot(g, g)
        if k == 0:
            value = w[out + VALUE]
            if not s > 0.0 or value != value:
                return math.inf if s == 0.0 else math.nan, (0.0, 0.0, 1.0)
            first = value / math.sqrt(s)
            multiplier = value / s
        d, change = surface_step(w, out, x, p, multiplier, g)
        p = (p[0] + d[0], p[1] + d[1], p[2] + d[2])
        multiplier += change
        if dot(d, d) <= 1e-26 * (dot(p, p) + first * first):
            length = math.sqrt(s)
            return multiplier * length, scale(g, 1.0 / length)
    store3(w, at, x)
    call_vector(function, address_of(w, at), address_of(w, out))
    g = load3(w, out + GRADIENT)
    return first, scale(g, 1.0 / math.sqrt(dot(g, g)))


@jit
def curve_gap(par, w, function, at, p, u, v):
    """Distance from (u, v) to a curve in a plane, towards its free side, and the normal.

    Numbers: first s, last s, 1 if closed, side (1: free to the left), count of samples, then their u and v. The nearest sample
    begins Newton's method, so that the answer depends on the state alone.
    """
    first, last, n, closed = par[p + FIRST_S], par[p + LAST_S], int(par[p + SAMPLES]), par[p + CLOSED] > 0.0
    nearest, least = 0, math.inf
    for k in range(n):
        a, b = par[p + SAMPLE + 2 * k] - u, par[p + SAMPLE + 2 * k + 1] - v
        size = a * a + b * b
        if size < least:
            nearest, least = k, size
    ds = (last - first) / (n if closed else n - 1)
    start = first + nearest * ds
    s, out = start, at + 1
    low, high = (start - ds, start + ds) if closed else (max(first, start - ds), min(last, start + ds))
    x, y, a, b = 0.0, 0.0, 0.0, 0.0
    for _ in range(STEPS):
        w[at] = s + (last - first) if s < first else (s - (last - first) if s > last else s)
        call_vector(function, address_of(w, at), address_of(w, out))
        x, y, a, b = u - w[out + CURVE], v - w[out + CURVE + 1], w[out + SLOPE], w[out + SLOPE + 1]
        slope = a * a + b * b
        bent = slope - x * w[out + CURVATURE] - y * w[out + CURVATURE + 1]
        step = (x * a + y * b) / (bent if bent > 0.1 * slope else slope)
        to = min(max(s + step, low), high)
        if abs(to - s) <= 1e-15 * (abs(s) + ds):
            break
        s = to
    k = par[p + FREE_SIDE] / math.sqrt(a * a + b * b)
    return k * (a * y - b * x), -k * b, k * a


@jit
def field_gap(par, w, kind, function, at, p, x):
    """Gap and normal at the point x of the boundary's frame."""
    if kind == PLANE:
        return x[2], (0.0, 0.0, 1.0)
    if kind == ROUND:
        return round_gap(par, p, x)
    if kind == HOLE:
        return hole_gap(par, p, x)
    if kind == BLOCK:
        return block_gap(par, p, x)
    if kind == DRUM:
        return drum_gap(par, p, x)
    if kind in (CONVEX_MESH, MESH):
        return mesh_gap(par, w, at, p, x)
    if kind == SURFACE:
        return surface_gap(w, function, at, x)
    if kind == PROFILE:
        gap, a, b = curve_gap(par, w, function, at, p, x[0], x[1])
        return gap, (a, b, 0.0)
    rho = math.sqrt(x[0] * x[0] + x[1] * x[1])
    gap, a, b = curve_gap(par, w, function, at, p, rho, x[2])
    out = away((x[0], x[1], 0.0), rho)
    return gap, (a * out[0], a * out[1], b)
