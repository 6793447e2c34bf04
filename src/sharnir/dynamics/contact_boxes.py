"""Two boxes: a potential that is a continuous function of their positions, and the points where its forces act.

The boxes overlap by δ*, the least overlap along 15 axes: six normals of faces, nine products of edges. Along a face's normal the
four corners of the other box's face that looks at it are supports, drawn aside onto the face where they lie beyond it; each has
a depth δᵢ and the law. The potential is the least sum Σ V(δᵢ) of the six, but no less than V(δ*), which edges that cross need,
and no more than a few V(δ*), so that it ends where the boxes part. See docs/theory/contact.md.
"""

import math

from sharnir.kernel import jit
from sharnir.spatial.vector import add, cross, dot, scale, sub

PARALLEL = 1e-7  # sine of the angle of two edges below which their product is noise
MOST = 8.0  # laws at one point, where two faces are parallel
STEEP, FLAT = 0.72, 0.9  # cosines of the angle of two faces between which it begins to count that they are parallel
ORIGIN = (0.0, 0.0, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@jit
def column(Q, k):
    """Axis k of the first box, a column of its rotation."""
    if k == 0:
        return Q[0], Q[3], Q[6]
    return (Q[1], Q[4], Q[7]) if k == 1 else (Q[2], Q[5], Q[8])


@jit
def unit_vector(k):
    """Axis k of the second box."""
    if k == 0:
        return 1.0, 0.0, 0.0
    return (0.0, 1.0, 0.0) if k == 1 else (0.0, 0.0, 1.0)


@jit
def reach(Q, half, n):
    """How far a box with axes Q reaches along n from its centre."""
    return half[0] * abs(dot(column(Q, 0), n)) + half[1] * abs(dot(column(Q, 1), n)) + half[2] * abs(dot(column(Q, 2), n))


@jit
def axis_number(Q, k):
    """Axes 0 … 2: faces of the second box; 3 … 5: of the first; 6 … 14: products of edges, or zero where these are parallel."""
    if k < 3:
        return unit_vector(k)
    if k < 6:
        return column(Q, k - 3)
    n = cross(unit_vector((k - 6) // 3), column(Q, (k - 6) % 3))
    size = math.sqrt(dot(n, n))
    return scale(n, 1.0 / size) if size > PARALLEL else ORIGIN


@jit
def least_overlap(x, Q, a, b):
    """Number of the axis with the largest gap (overlap: below zero), that gap, and the axis towards the first box."""
    number, gap, axis = -1, 0.0, ORIGIN
    for k in range(15):
        n = axis_number(Q, k)
        if dot(n, n) == 0.0:
            continue
        along = dot(n, x)
        if along < 0.0:
            n, along = scale(n, -1.0), -along
        found = along - reach(Q, a, n) - (b[0] * abs(n[0]) + b[1] * abs(n[1]) + b[2] * abs(n[2]))
        if number < 0 or found > gap + 1e-12 * (a[0] + b[0]):
            number, gap, axis = k, found, n
    return number, gap, axis


@jit
def part(v, k):
    """Component k."""
    return v[0] if k == 0 else (v[1] if k == 1 else v[2])


@jit
def placed(j, along, u, v):
    """A vector by its components along axis j and the two behind it."""
    if j == 0:
        return along, u, v
    return (v, along, u) if j == 1 else (u, v, along)


@jit
def facing(Q, j, s):
    """Which axis of a box is nearest to axis j, and the sign of its face that looks against s along j."""
    i, most = 0, -1.0
    for k in range(3):
        size = abs(part(column(Q, k), j))
        if size > most:
            i, most = k, size
    return i, -s if part(column(Q, i), j) > 0.0 else s


@jit
def flatness(cosine):
    """0 for faces at 45°, between which supports change over, to 1 for nearly parallel ones; and the derivative."""
    t = min(max((cosine - STEEP) / (FLAT - STEEP), 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) / (FLAT - STEEP)


@jit
def most_laws(Q):
    """How many laws one point may have, by the pair of faces nearest to parallel; its derivative in the first box's rotation."""
    best, along, turn = -1.0, ORIGIN, ORIGIN
    for i in range(3):
        e = column(Q, i)
        for j in range(3):
            if abs(part(e, j)) > best:
                best = abs(part(e, j))
                along, turn = e, scale(unit_vector(j), 1.0 if part(e, j) > 0.0 else -1.0)
    flat, slope = flatness(best)
    return 1.0 + (MOST - 1.0) * flat, scale(cross(along, turn), (MOST - 1.0) * slope)


@jit
def support(x, Q, a, b, j, corner):
    """Support `corner` (0 … 3) of a box at x with axes Q and half edges a on face j of a box at the origin with half edges b.

    Returns its depth, its place, the gradient of its height in the position of the box, and the torque about the place that
    belongs to it. The height of the corner c is that of the plane with normal m at the nearest place (u, v) of the face:
    h = c_j - χ L/m_j, L = m_u (u - c_u) + m_v (v - c_v); m turns with the box.
    """
    s = 1.0 if part(x, j) >= 0.0 else -1.0
    i, sign = facing(Q, j, s)
    p, q = (i + 1) % 3, (i + 2) % 3
    m = scale(column(Q, i), sign)
    c = add(x, scale(m, part(a, i)))
    c = add(c, scale(column(Q, p), part(a, p) if corner % 2 == 0 else -part(a, p)))
    c = add(c, scale(column(Q, q), part(a, q) if corner < 2 else -part(a, q)))
    k, n = (j + 1) % 3, (j + 2) % 3
    u, v, m_j, m_u, m_v = part(c, k), part(c, n), part(m, j), part(m, k), part(m, n)
    du, dv = min(max(u, -part(b, k)), part(b, k)) - u, min(max(v, -part(b, n)), part(b, n)) - v
    some, slope = flatness(abs(m_j))
    way, r = m_u * du + m_v * dv, some / m_j
    aside = placed(j, -r * way, du, dv)
    g = placed(j, 1.0, r * m_u if du != 0.0 else 0.0, r * m_v if dv != 0.0 else 0.0)
    in_m = placed(j, way * (r - (slope if m_j > 0.0 else -slope)) / m_j, -r * du, -r * dv)
    turn = sub(cross(m, in_m), cross(aside, g))
    at = add(c, aside)
    return part(b, j) - s * part(at, j), at, scale(g, s), scale(turn, s)


@jit
def touching_edges(x, Q, a, b, k, n):
    """The point of an edge of the first box that is nearest to an edge of the second; n: towards the first box."""
    i, j = (k - 6) // 3, (k - 6) % 3
    d, e = unit_vector(i), column(Q, j)
    on_a, on_b = x, (0.0, 0.0, 0.0)
    for m in range(3):
        c = column(Q, m)
        if m != j:
            on_a = add(on_a, scale(c, -a[m] if dot(c, n) > 0.0 else a[m]))
        if m != i:
            on_b = add(on_b, scale(unit_vector(m), b[m] if n[m] > 0.0 else -b[m]))
    # nearest points of on_a + s e and on_b + t d
    r, de = sub(on_a, on_b), dot(d, e)
    s = (dot(r, d) * de - dot(r, e)) / (1.0 - de * de)
    return add(on_a, scale(e, min(max(s, -a[j]), a[j])))


@jit
def deepest_corner(x, Q, a, n):
    """The corner of a box that is farthest against n."""
    c = x
    for k in range(3):
        e = column(Q, k)
        c = add(c, scale(e, -part(a, k) if dot(e, n) > 0.0 else part(a, k)))
    return c


@jit
def touching_point(x, Q, a, b, k, gap, n):
    """The point of the first box that touches along axis k."""
    if k >= 6:
        return touching_edges(x, Q, a, b, k, n)
    if k < 3:
        return deepest_corner(x, Q, a, n)
    return add(deepest_corner(ORIGIN, UPRIGHT, b, scale(n, -1.0)), scale(n, gap))
