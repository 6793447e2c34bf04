"""Which shapes of a group are near each other: a list of pairs that stays valid until a shape has moved by a margin.

Every shape has a ball around it, from par[balls] on: centre in engine axes of its body, radius. Pairs whose balls are nearer
than twice the margin are listed, first by the lower number, then by the higher, so that sums do not depend on where the list
was made. Near ones are found in cells of a grid with hashed places; few large shapes are compared with all.
"""

import math

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.kernel import jit
from sharnir.spatial.vector import add, dot, load3, rotate, store3, sub

# integers of a group
SHAPES, WALLS, KINDS, MEMBERS, CONTACTS, BALLS, SIZES, SPACE = 0, 1, 2, 3, 4, 5, 6, 7
BUCKETS, CAPACITY, EXCEPT, LARGES, OUT, THICKNESSES = 8, 9, 10, 11, 12, 13
BODY, KIND, BOUNDARY, LARGE, PROBES = 0, 1, 2, 3, 4  # of a member; then numbers of its points, for each kind of boundary
MARGIN, REACH, CELL = 0, 1, 2  # numbers of a group: how far a shape may move, how far the law acts, edge of a cell
# in work for each shape: now, when the list was made, its cell, next in bucket, how far it goes in the next step
CENTER, PLACE, SQUARE, NEXT, TRAVEL, EACH = 0, 3, 6, 9, 10, 11
BALL_SIZE, RADIUS = 4, 3  # of the ball around a shape: its centre, its radius
PAIR_SIZE = 2  # of a pair in the list: its shapes
FAR = 1e9  # cells; beyond them all is one


@jit
def member_at(tab, d, k):
    """The record of shape k."""
    return tab[d + MEMBERS] + k * (PROBES + tab[d + KINDS])


@jit
def body_of(tab, d, k):
    """The body that has shape k."""
    return tab[member_at(tab, d, k) + BODY]


@jit
def heads_at(tab, d):
    """Where the buckets begin in work; the list of pairs follows."""
    return tab[d + SPACE] + EACH * tab[d + SHAPES]


@jit
def list_at(tab, d):
    """Where the list of pairs begins in work: with their number; below zero, there was no room for all."""
    return heads_at(tab, d) + tab[d + BUCKETS]


@jit
def listed_pair(w, at, i):
    """Shapes of pair i in the list at `at`."""
    first = at + 1 + PAIR_SIZE * i
    return int(w[first]), int(w[first + 1])


@jit
def ball_of(tab, d, k):
    """Where in params the ball around shape k stands."""
    return tab[d + BALLS] + BALL_SIZE * k


@jit
def update_centers(tab, par, w, d):
    """Centres of all balls; returns True if one has moved so far that the pairs must be listed again."""
    moved, most = False, par[tab[d + SIZES] + MARGIN] ** 2
    for k in range(tab[d + SHAPES]):
        R, o, _, _ = pose_of(tab, w, body_of(tab, d, k), 0.0)
        c, at = add(o, rotate(R, load3(par, ball_of(tab, d, k)))), tab[d + SPACE] + EACH * k
        store3(w, at + CENTER, c)
        e = sub(c, load3(w, at + PLACE))
        if not dot(e, e) <= most:  # also if there was none before
            moved = True
    return moved


@jit
def within(tab, par, w, d, k, m, more):
    """Whether the balls of two shapes are nearer to each other than `more`."""
    s = tab[d + SPACE]
    e = sub(load3(w, s + EACH * k + CENTER), load3(w, s + EACH * m + CENTER))
    reach = par[ball_of(tab, d, k) + RADIUS] + par[ball_of(tab, d, m) + RADIUS] + more
    return not dot(e, e) > reach * reach


@jit
def may_touch(tab, d, k, m):
    """Whether two shapes belong to bodies that may touch: neither the same, nor connected by a joint."""
    a, b = body_of(tab, d, k), body_of(tab, d, m)
    if a == b:
        return False
    e = tab[d + EXCEPT]
    for i in range(tab[e]):
        one, other = tab[e + 1 + PAIR_SIZE * i], tab[e + 2 + PAIR_SIZE * i]
        if (one == a and other == b) or (one == b and other == a):
            return False
    return True


@jit
def cell_number(x, edge):
    """Which cell a coordinate lies in."""
    c = math.floor(x / edge) if abs(x) < FAR * edge else (FAR if x > 0.0 else -FAR)
    return int(c)


@jit
def bucket_of(x, y, z, count):
    """Bucket of a cell; count is a power of two."""
    return (x * 73856093 ^ y * 19349663 ^ z * 83492791) & (count - 1)


@jit
def fill_buckets(tab, par, w, d):
    """Small shapes into the buckets of their cells, lists with the lowest number first."""
    heads, count, edge = heads_at(tab, d), tab[d + BUCKETS], par[tab[d + SIZES] + CELL]
    for k in range(count):
        w[heads + k] = -1.0
    for k in range(tab[d + SHAPES] - 1, -1, -1):
        at = tab[d + SPACE] + EACH * k
        c = load3(w, at + CENTER)
        store3(w, at + PLACE, c)
        if tab[member_at(tab, d, k) + LARGE] == 0:
            x, y, z = cell_number(c[0], edge), cell_number(c[1], edge), cell_number(c[2], edge)
            store3(w, at + SQUARE, (float(x), float(y), float(z)))
            head = heads + bucket_of(x, y, z, count)
            w[at + NEXT] = w[head]
            w[head] = float(k)


@jit
def note(tab, par, w, d, k, m, n):
    """Pair (k, m) into the list of n pairs, if it is near, in order of m among those of k; returns the new number."""
    more = 2.0 * par[tab[d + SIZES] + MARGIN] + par[tab[d + SIZES] + REACH]
    if n < 0 or m <= k or not within(tab, par, w, d, k, m, more) or not may_touch(tab, d, k, m):
        return n
    if n == tab[d + CAPACITY]:
        return -1
    first = list_at(tab, d) + 1
    at = first + PAIR_SIZE * n
    while at > first and w[at - 2] == k and w[at - 1] > m:
        w[at], w[at + 1] = w[at - 2], w[at - 1]
        at -= PAIR_SIZE
    w[at], w[at + 1] = float(k), float(m)
    return n + 1


@jit
def note_cells(tab, par, w, d, k, n):
    """Pairs of shape k with small ones in its cell and those around it."""
    s, heads, count = tab[d + SPACE], heads_at(tab, d), tab[d + BUCKETS]
    x, y, z = load3(w, s + EACH * k + SQUARE)
    for i in range(27):
        a, b, c = x + i % 3 - 1, y + i // 3 % 3 - 1, z + i // 9 - 1
        m = int(w[heads + bucket_of(int(a), int(b), int(c), count)])
        while m >= 0:
            at = s + EACH * m
            if w[at + SQUARE] == a and w[at + SQUARE + 1] == b and w[at + SQUARE + 2] == c:  # others share the bucket
                n = note(tab, par, w, d, k, m, n)
            m = int(w[at + NEXT])
    return n


@jit
def list_neighbours(tab, par, w, d):
    """All pairs that are near."""
    count, large, n = tab[d + SHAPES], tab[d + LARGES], 0
    fill_buckets(tab, par, w, d)
    for k in range(count):
        if tab[member_at(tab, d, k) + LARGE] == 1:
            for m in range(k + 1, count):
                n = note(tab, par, w, d, k, m, n)
        else:
            n = note_cells(tab, par, w, d, k, n)
            for i in range(tab[large]):
                n = note(tab, par, w, d, k, tab[large + 1 + i], n)
    w[list_at(tab, d)] = float(n)
