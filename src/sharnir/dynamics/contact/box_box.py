"""Two boxes: the axis along which they overlap least, and the points where they touch, in the frame of the second box.

Along a face's normal the opposite face of the other box is clipped to that face; along a cross product of edges the two edges
touch at one point.
"""

import math
from typing import Any, NamedTuple

from sharnir.kernel import inline, jit
from sharnir.spatial.vector import add, cross, dot, load3, scale, store3, sub

POLYGON = 36  # numbers of a polygon of up to 12 points: two places along the face, height above it
BOX_SCRATCH = 2 * POLYGON
NOISE = 1e-7  # sine of the angle of two edges below which their product is noise
PARALLEL = 0.05  # sine of the angle of two edges below which faces alone decide, as in a plane
UPRIGHT = 0.996  # cosine of the angle between a product of edges and a face's normal above which the face decides
FIRST, EDGES = 0.95, 0.9  # overlaps of faces of the first box, and of edges, count for more: a choice must not flicker


class Box(NamedTuple):
    """Centre, axes (columns of a rotation) and half edges of a box in the frame of the second one."""

    center: Any
    axes: Any
    half: Any


class Face(NamedTuple):
    """A face of a box: its centre, axes u and v along its edges, its normal n, half its edges."""

    center: Any
    u: Any
    v: Any
    n: Any
    half_u: float
    half_v: float


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


@inline
def second_box(half):
    """The box whose frame this is."""
    return Box((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), half)


@inline
def face_of(box, j, n):
    """The face of a box along its axis j, up or down, as n is."""
    one, two = (j + 1) % 3, (j + 2) % 3
    center = add(box.center, scale(n, box.half[j]))
    return Face(center, column(box.axes, one), column(box.axes, two), n, box.half[one], box.half[two])


@jit
def reach(Q, half, n):
    """How far a box with axes Q reaches along n from its centre."""
    return half[0] * abs(dot(column(Q, 0), n)) + half[1] * abs(dot(column(Q, 1), n)) + half[2] * abs(dot(column(Q, 2), n))


@jit
def axis_number(Q, k):
    """An axis, or zero where two edges are parallel, and whether it may be that of a contact: it may not where faces decide.

    0 … 2: faces of the second box; 3 … 5: of the first; 6 … 14: products of edges.
    """
    if k < 3:
        return unit_vector(k), True
    if k < 6:
        return column(Q, k - 3), True
    n = cross(unit_vector((k - 6) // 3), column(Q, (k - 6) % 3))
    size = math.sqrt(dot(n, n))
    if size < NOISE:
        return (0.0, 0.0, 0.0), False
    n = scale(n, 1.0 / size)
    near = max(abs(n[0]), abs(n[1]), abs(n[2]), abs(dot(n, column(Q, 0))), abs(dot(n, column(Q, 1))), abs(dot(n, column(Q, 2))))
    return n, size > PARALLEL and near < UPRIGHT


@jit
def least_overlap(a, b):
    """Number of the axis of the contact, its gap (overlap: below zero), the axis towards the first box, the gap of all axes.

    The last one is how far the boxes must be moved to part them; a contact is no deeper, so that none begins with a jump.
    a: the first box; b: half edges of the second one, whose frame this is.
    """
    x, Q = a.center, a.axes
    best, number, gap, axis, least = -math.inf, -1, 0.0, (0.0, 0.0, 0.0), -math.inf
    for k in range(15):
        n, decides = axis_number(Q, k)
        if dot(n, n) == 0.0:
            continue
        along = dot(n, x)
        if along < 0.0:
            n, along = scale(n, -1.0), -along
        found = along - reach(Q, a.half, n) - (b[0] * abs(n[0]) + b[1] * abs(n[1]) + b[2] * abs(n[2]))
        least = max(least, found)
        rated = found if k < 3 or found > 0.0 else (found / FIRST if k < 6 else found / EDGES)
        if decides and (number < 0 or rated > best + 1e-12 * (a.half[0] + b[0])):
            best, number, gap, axis = rated, k, found, n
    return number, gap, axis, least


@jit
def clip(w, source, n, target, axis, sign, limit):
    """The part of a polygon where sign × coordinate `axis` ≤ limit; returns how many points it has."""
    count = 0
    for i in range(n):
        p, q = load3(w, source + 3 * i), load3(w, source + 3 * ((i + 1) % n))
        u, v = sign * w[source + 3 * i + axis] - limit, sign * w[source + 3 * ((i + 1) % n) + axis] - limit
        if u <= 0.0:
            store3(w, target + 3 * count, p)
            count += 1
        if (u < 0.0 < v) or (v < 0.0 < u):
            store3(w, target + 3 * count, add(p, scale(sub(q, p), u / (u - v))))
            count += 1
    return count


@jit
def face_polygon(w, at, face, other):
    """The face of the other box that looks at a face, clipped to it; its points lie at `at`. Returns how many there are."""
    n, R, half = face.n, other.axes, other.half
    j, most = 0, -1.0
    for k in range(3):
        size = abs(dot(column(R, k), n))
        if size > most:
            j, most = k, size
    away = column(R, j)
    h = half[j] if dot(away, n) < 0.0 else -half[j]
    middle = sub(add(other.center, scale(away, h)), face.center)
    k, m = (j + 1) % 3, (j + 2) % 3
    one, two = scale(column(R, k), half[k]), scale(column(R, m), half[m])
    for i in range(4):
        s = 1.0 if i == 0 or i == 3 else -1.0
        p = add(middle, add(scale(one, s), scale(two, 1.0 if i < 2 else -1.0)))
        store3(w, at + 3 * i, (dot(p, face.u), dot(p, face.v), dot(p, n)))
    count = clip(w, at, 4, at + POLYGON, 0, 1.0, face.half_u)
    count = clip(w, at + POLYGON, count, at, 0, -1.0, face.half_u)
    count = clip(w, at, count, at + POLYGON, 1, 1.0, face.half_v)
    return clip(w, at + POLYGON, count, at, 1, -1.0, face.half_v)


@jit
def side(w, at, i, n):
    """Length of a polygon's side behind point i."""
    j = (i + 1) % n
    a, b = w[at + 3 * j] - w[at + 3 * i], w[at + 3 * j + 1] - w[at + 3 * i + 1]
    return math.sqrt(a * a + b * b)


@jit
def perimeter(w, at, n):
    """Length of all sides."""
    total = 0.0
    for i in range(n):
        total += side(w, at, i, n)
    return total


@jit
def weight(w, at, i, n, whole):
    """Part of a polygon's perimeter that belongs to point i: continuous when points come together, part or are cut off."""
    return (side(w, at, i, n) + side(w, at, (i + n - 1) % n, n)) / (2.0 * whole) if whole > 0.0 else 1.0 / n


@jit
def touching_edges(a, b, k, n):
    """The point of an edge of the first box that is nearest to an edge of the second, of half edges b; n: towards the first."""
    Q = a.axes
    i, j = (k - 6) // 3, (k - 6) % 3
    d, e = unit_vector(i), column(Q, j)
    on_a, on_b = a.center, (0.0, 0.0, 0.0)
    for m in range(3):
        c = column(Q, m)
        if m != j:
            on_a = add(on_a, scale(c, -a.half[m] if dot(c, n) > 0.0 else a.half[m]))
        if m != i:
            on_b = add(on_b, scale(unit_vector(m), b[m] if n[m] > 0.0 else -b[m]))
    # nearest points of on_a + s e and on_b + t d
    r, de = sub(on_a, on_b), dot(d, e)
    s = (dot(r, d) * de - dot(r, e)) / (1.0 - de * de)
    return add(on_a, scale(e, min(max(s, -a.half[j]), a.half[j])))
