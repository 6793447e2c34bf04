"""How long a step may be for a contact of two bodies."""

import math

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.contact.conservative_advancement import (
    ASKED,
    Ball,
    pair_horizon,
    point_motion,
    size_of,
    travel_time,
)
from sharnir.dynamics.contact.contact_pair import EXTENTS, pair_of
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import add, load3, rotate, sub

BALL_A, BALL_B, SIZE = 0, 4, 8  # numbers of a pair: a ball around each shape; half thickness
RADIUS = 3  # of a ball, after its centre


@jit
def balls_meet(tab, par, w, i, j, a, b):
    """Whether the balls of two shapes, with numbers at par[a] and par[b], may meet within the step that is asked for."""
    if par[a + RADIUS] == math.inf or par[b + RADIUS] == math.inf:
        return True
    RA, oa, _, _ = pose_of(tab, w, i, 0.0)
    RB, ob, _, _ = pose_of(tab, w, j, 0.0)
    ca, cb = add(oa, rotate(RA, load3(par, a))), add(ob, rotate(RB, load3(par, b)))
    va, aa, ja = point_motion(tab, w, i, ca)
    vb, ab, jb = point_motion(tab, w, j, cb)
    gap, dt = size_of(sub(ca, cb)) - par[a + RADIUS] - par[b + RADIUS], w[tab[L.W_APPROACH] + ASKED]
    return not (gap > 0.0 and travel_time(gap, size_of(sub(va, vb)), size_of(sub(aa, ab)), ja + jb, dt) == dt)


def contact_horizon(t, record, _, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    pair = pair_of(tab, record)
    e = tab[pair.data + EXTENTS]
    if balls_meet(tab, par, w, pair.i, pair.j, e + BALL_A, e + BALL_B):
        pair_horizon(tab, par, w, pair, Ball(e + BALL_A, par[e + BALL_A + 3]), par[e + SIZE])


CONTACT_HORIZON = Pointer(contact_horizon, DERIVATIVE)
