"""Contacts of a group: pairs of shapes that are near each other, and every shape with every infinite wall."""

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.contact import contact_pair as C
from sharnir.dynamics.contact import neighbour_list as N
from sharnir.dynamics.contact.contact_pair import Pair, update_pair
from sharnir.dynamics.contact.distance_fields import PLANE
from sharnir.dynamics.contact.neighbour_list import (
    BOUNDARY,
    CONTACTS,
    EACH,
    KIND,
    PROBES,
    RADIUS,
    SHAPES,
    SIZES,
    SPACE,
    WALLS,
    ball_of,
    body_of,
    list_at,
    list_neighbours,
    listed_pair,
    may_touch,
    member_at,
    update_centers,
    within,
)
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, inline, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import add, dot, load3, load9, rotate, sub

DEPTH, FORCE, ENERGY, LOSS, TOUCHING = 0, 1, 2, 3, 4  # outputs
OUTPUTS = 5
TURNED, SORT = 0, 1  # of a pair of kinds: 1 if the second gives the points; then integers as of a contact
CONTACT_SIZE = SORT + C.INTEGERS


@inline
def kinds_at(tab, d, a, b):
    """What is known of a contact of the kinds of members a and b: TURNED, then integers as of a contact."""
    return tab[d + CONTACTS] + CONTACT_SIZE * (tab[a + KIND] * tab[d + N.KINDS] + tab[b + KIND])


@inline
def members_pair(tab, f, d, k, m):
    """Shapes k and m as a pair with the law of the group, and whether m gives the points."""
    a, b = member_at(tab, d, k), member_at(tab, d, m)
    c = kinds_at(tab, d, a, b)
    turned = tab[c + TURNED] == 1
    if turned:
        a, b = b, a
    probe = tab[a + PROBES + tab[b + KIND]]
    return Pair(tab[a], tab[b], tab[f + L.F_PARAMS], probe, c + SORT, tab[b + BOUNDARY]), turned


@jit
def touch_members(tab, par, w, f, d, k, m):
    """Shapes k and m with the law of the group; outputs are added up."""
    pair, _ = members_pair(tab, f, d, k, m)
    one, out = tab[d + N.OUT], tab[f + L.W_OUT]
    update_pair(tab, par, w, one, pair)
    w[out + DEPTH] = max(w[out + DEPTH], w[one + C.DEPTH])
    w[out + FORCE] += w[one + C.NORMAL]
    w[out + ENERGY] += w[one + C.ENERGY]
    w[out + LOSS] += w[one + C.LOSS]
    if w[one + C.NORMAL] > 0.0:
        w[out + TOUCHING] += 1.0


@jit
def touch_neighbours(tab, par, w, f, d):
    """All pairs of shapes that are near each other."""
    reach, at = par[tab[d + SIZES] + N.REACH], list_at(tab, d)
    if w[at] >= 0.0:
        for i in range(int(w[at])):
            k, m = listed_pair(w, at, i)
            if within(tab, par, w, d, k, m, reach):
                touch_members(tab, par, w, f, d, k, m)
        return
    for k in range(tab[d + SHAPES]):  # more pairs than the list can hold
        for m in range(k + 1, tab[d + SHAPES]):
            if within(tab, par, w, d, k, m, reach) and may_touch(tab, d, k, m):
                touch_members(tab, par, w, f, d, k, m)


@jit
def touch_wall(tab, par, w, f, d, wall):
    """All shapes with a wall."""
    a, j, reach = member_at(tab, d, wall), body_of(tab, d, wall), par[tab[d + SIZES] + N.REACH]
    b = tab[a + BOUNDARY]
    RB, ob, _, _ = pose_of(tab, w, j, 0.0)
    F = load9(par, b + C.FRAME_AXES)
    o, n = add(ob, rotate(RB, load3(par, b + C.FRAME_ORIGIN))), rotate(RB, (F[2], F[5], F[8]))
    for k in range(tab[d + SHAPES]):
        sort = kinds_at(tab, d, member_at(tab, d, k), a) + SORT
        if body_of(tab, d, k) == j:
            continue
        if tab[sort + C.FIELD] == PLANE:
            height = dot(n, sub(load3(w, tab[d + SPACE] + EACH * k), o))
            if height > par[ball_of(tab, d, k) + RADIUS] + reach:
                continue
        touch_members(tab, par, w, f, d, k, wall)


@jit
def update_group(tab, par, w, f):
    """Forces of a group at one state."""
    d, out = tab[f + L.F_DATA], tab[f + L.W_OUT]
    for k in range(OUTPUTS):
        w[out + k] = 0.0
    if update_centers(tab, par, w, d):
        list_neighbours(tab, par, w, d)
    touch_neighbours(tab, par, w, f, d)
    for k in range(tab[d + WALLS]):
        touch_wall(tab, par, w, f, d, tab[d + SHAPES] + k)


def group_force(t, record, _, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    update_group(tab, par, w, record)


CONTACT_GROUP = Pointer(group_force, DERIVATIVE)
