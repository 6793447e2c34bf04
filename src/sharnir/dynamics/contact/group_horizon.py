"""How long a step may be for a group of contacts.

The list of neighbours holds all pairs that can meet while no shape moves by more than the margin of the list. Where shapes may
move further in the step that is asked for, every pair of a small group is looked at; in a large one the step goes no further,
which is more than bodies move that touch each other all the time.
"""

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.contact.conservative_advancement import ASKED, SAFE, Ball, pair_horizon, point_motion, size_of, travel_time
from sharnir.dynamics.contact.contact_group import SORT, kinds_at, members_pair
from sharnir.dynamics.contact.contact_pair import FIELD, FRAME_AXES, FRAME_ORIGIN
from sharnir.dynamics.contact.distance_fields import PLANE
from sharnir.dynamics.contact.neighbour_list import (
    BOUNDARY,
    EACH,
    MARGIN,
    RADIUS,
    SHAPES,
    SIZES,
    SPACE,
    THICKNESSES,
    TRAVEL,
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
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import add, dot, load3, load9, rotate, sub

ALL_PAIRS = 100  # shapes of a group up to which every pair is looked at


@jit
def members_horizon(tab, par, w, f, d, k, m):
    """Shapes k and m; the second may be a wall."""
    pair, turned = members_pair(tab, f, d, k, m)
    ball, sizes = ball_of(tab, d, m if turned else k), tab[d + THICKNESSES]
    pair_horizon(tab, par, w, pair, Ball(ball, par[ball + RADIUS]), min(par[sizes + k], par[sizes + m]))


@jit
def update_travels(tab, par, w, d):
    """How far the ball of every shape goes, at most, in the step that is asked for; returns the largest of these ways."""
    dt, most = w[tab[L.W_APPROACH] + ASKED], 0.0
    for k in range(tab[d + SHAPES]):
        at = tab[d + SPACE] + EACH * k
        v, a, jerk = point_motion(tab, w, body_of(tab, d, k), load3(w, at))
        w[at + TRAVEL] = (size_of(v) + (0.5 * size_of(a) + jerk * dt / 6.0) * dt) * dt
        most = max(most, w[at + TRAVEL])
    return most


@jit
def near_pair(tab, par, w, f, d, k, m):
    """Two shapes, if their balls may meet."""
    s = tab[d + SPACE]
    if within(tab, par, w, d, k, m, w[s + EACH * k + TRAVEL] + w[s + EACH * m + TRAVEL]):
        members_horizon(tab, par, w, f, d, k, m)


@jit
def listed_horizon(tab, par, w, f, d):
    """Pairs in the list of neighbours."""
    at = list_at(tab, d)
    for i in range(int(w[at])):
        k, m = listed_pair(w, at, i)
        near_pair(tab, par, w, f, d, k, m)


@jit
def limit_travels(tab, par, w, d):
    """Steps in which the list of neighbours stays valid."""
    g, margin = tab[L.W_APPROACH], par[tab[d + SIZES] + MARGIN]
    for k in range(tab[d + SHAPES]):
        v, a, jerk = point_motion(tab, w, body_of(tab, d, k), load3(w, tab[d + SPACE] + EACH * k))
        w[g + SAFE] = min(w[g + SAFE], travel_time(margin, size_of(v), size_of(a), jerk, w[g + ASKED]))


@jit
def walls_horizon(tab, par, w, f, d):
    """All shapes with all walls; flat ones that are too far away are passed over."""
    n = tab[d + SHAPES]
    for wall in range(n, n + tab[d + WALLS]):
        a, j = member_at(tab, d, wall), body_of(tab, d, wall)
        b = tab[a + BOUNDARY]
        RB, ob, vb, omb = pose_of(tab, w, j, 0.0)
        F = load9(par, b + FRAME_AXES)
        o, z, still = (
            add(ob, rotate(RB, load3(par, b + FRAME_ORIGIN))),
            rotate(RB, (F[2], F[5], F[8])),
            dot(vb, vb) + dot(omb, omb) == 0.0,
        )
        for k in range(n):
            sort = kinds_at(tab, d, member_at(tab, d, k), a) + SORT
            at = tab[d + SPACE] + EACH * k
            far = still and dot(z, sub(load3(w, at), o)) > par[ball_of(tab, d, k) + RADIUS] + w[at + TRAVEL]
            if body_of(tab, d, k) != j and not (far and tab[sort + FIELD] == PLANE):
                members_horizon(tab, par, w, f, d, k, wall)


def group_horizon(t, record, _, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    d = tab[record + L.F_DATA]
    n, margin = tab[d + SHAPES], par[tab[d + SIZES] + MARGIN]
    if update_centers(tab, par, w, d):
        list_neighbours(tab, par, w, d)
    far, listed = update_travels(tab, par, w, d) > margin, w[list_at(tab, d)] >= 0.0
    if listed and (n > ALL_PAIRS or not far):
        listed_horizon(tab, par, w, record, d)
        if far:
            limit_travels(tab, par, w, d)
    else:
        for k in range(n):
            for m in range(k + 1, n):
                if may_touch(tab, d, k, m):
                    near_pair(tab, par, w, record, d, k, m)
    walls_horizon(tab, par, w, record, d)


GROUP_HORIZON = Pointer(group_horizon, DERIVATIVE)
