"""Distance from a point to a closed surface of triangles, and the normal there, in the frame of the surface.

The nearest point is found in a tree of boxes (mesh_tree.py writes it). Which side of the surface a point lies on is decided by
the normal of the face, edge or corner that is nearest to it; that of a corner is weighted by angles (Bærentzen and Aanæs 2005).
"""

import math

from sharnir.kernel import jit
from sharnir.spatial.vector import cross, dot, load3, scale, sub

HEADER = 1  # numbers of a mesh: where its triangles begin; the nodes of the tree follow
LOW, HIGH, FIRST, COUNT, NODE = 0, 3, 6, 7, 8  # of a node: its box, first triangle and their number; else the second child, 0
CORNERS, FACE, EDGE_NORMALS, CORNER_NORMALS, TRIANGLE = 0, 9, 12, 21, 30  # of a triangle
STACK = 64  # numbers of work: nodes that are still to be looked at, with the squares of their distances
AT_SURFACE = 1e-24  # square of a distance below which the direction to the nearest point is noise


@jit
def box_square(par, node, x):
    """Square of the distance to the box of a node."""
    a = max(par[node + LOW] - x[0], 0.0, x[0] - par[node + HIGH])
    b = max(par[node + LOW + 1] - x[1], 0.0, x[1] - par[node + HIGH + 1])
    c = max(par[node + LOW + 2] - x[2], 0.0, x[2] - par[node + HIGH + 2])
    return a * a + b * b + c * c


@jit
def from_edge(par, t, x, k):
    """From the nearest point of edge k of a triangle to x, its square, and where the normal there stands."""
    m = (k + 1) % 3
    a = load3(par, t + CORNERS + 3 * k)
    e, r = sub(load3(par, t + CORNERS + 3 * m), a), sub(x, a)
    s = dot(e, r) / dot(e, e)
    normal = t + EDGE_NORMALS + 3 * k
    if s <= 0.0:
        s, normal = 0.0, t + CORNER_NORMALS + 3 * k
    elif s >= 1.0:
        s, normal = 1.0, t + CORNER_NORMALS + 3 * m
    d = sub(r, scale(e, s))
    return dot(d, d), d, normal


@jit
def from_triangle(par, t, x):
    """From the nearest point of a triangle to x: square, vector, and where the normal there stands."""
    n = load3(par, t + FACE)
    flat = dot(n, n) == 0.0  # without area: only its edges count
    best, vector, normal, inside = math.inf, n, t + FACE, not flat
    for k in range(3):
        a = load3(par, t + CORNERS + 3 * k)
        e = sub(load3(par, t + CORNERS + 3 * ((k + 1) % 3)), a)
        if flat or dot(cross(n, e), sub(x, a)) < 0.0:  # x is outside of this edge
            inside = False
            size, d, at = from_edge(par, t, x, k)
            if size < best:
                best, vector, normal = size, d, at
    if inside:
        height = dot(n, sub(x, load3(par, t + CORNERS)))
        best, vector = height * height, scale(n, height)
    return best, vector, normal


@jit
def mesh_gap(par, w, at, p, x):
    """Distance, below zero inside, and normal; numbers of the mesh from par[p] on."""
    nodes, triangles = p + HEADER, p + int(par[p])
    best, d, normal, waiting = math.inf, x, 0, 1
    w[at], w[at + 1] = 0.0, box_square(par, nodes, x)
    while waiting > 0:
        waiting -= 1
        if w[at + 2 * waiting + 1] >= best:
            continue
        number = int(w[at + 2 * waiting])
        node = nodes + NODE * number
        first, count = int(par[node + FIRST]), int(par[node + COUNT])
        for k in range(first, first + count):
            found = from_triangle(par, triangles + TRIANGLE * k, x)
            if found[0] < best:
                best, d, normal = found
        if count == 0:
            near, far = number + 1, first
            to_near, to_far = box_square(par, nodes + NODE * near, x), box_square(par, nodes + NODE * far, x)
            if to_far < to_near:
                near, far, to_near, to_far = far, near, to_far, to_near
            w[at + 2 * waiting], w[at + 2 * waiting + 1] = float(far), to_far
            w[at + 2 * waiting + 2], w[at + 2 * waiting + 3] = float(near), to_near
            waiting += 2
    if not best < math.inf:
        return math.nan, x
    n = load3(par, normal)
    side = 1.0 if dot(d, n) >= 0.0 else -1.0
    size = math.sqrt(best)
    if best <= AT_SURFACE * dot(x, x) or (normal - triangles) % TRIANGLE == FACE:
        return side * size, n
    return side * size, scale(d, side / size)
