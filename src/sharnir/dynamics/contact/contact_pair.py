"""A contact: points of one body against a boundary of the other, forces at every point where they touch.

The record's F_DATA leads to integers of its own in `table`. The first body carries the points, the second the boundary.
"""

import math
from typing import Any, NamedTuple

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.contact.box_box import (
    Box,
    face_of,
    face_polygon,
    least_overlap,
    perimeter,
    second_box,
    touching_edges,
    weight,
)
from sharnir.dynamics.contact.contact_laws import EXPONENTIAL, FRICTION_SIZE, LAW_KIND, LAW_SIZE, friction_force, normal_force
from sharnir.dynamics.contact.distance_fields import HALF_EDGES, HOLE_DEPTH, NOWHERE, ROUND_HALF, field_gap
from sharnir.dynamics.forces.force_elements import apply
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, inline, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import add, cross, dot, load3, load9, multiply, multiply_back, rotate, rotate_back, scale, store3, sub

PROBE, COUNT, FIELD, BOUNDARY, FORMULA, SPACE = 0, 1, 2, 3, 4, 5  # offset of the boundary's numbers; address; offset in work
INTEGERS = 6
EXTENTS = 6  # of a contact, behind them: offset of its ball and size, see shape_extents.py
POINTS, SEGMENT, RIM, JOURNAL, BOX = 0, 1, 2, 3, 4  # what the first body has
FRICTION = LAW_SIZE  # numbers: law, friction, ±1 (which body is a), radius of the points, the points
SIDE = LAW_SIZE + FRICTION_SIZE
RADIUS = SIDE + 1
FRAME_AXES, FRAME_ORIGIN, FRAME_SIZE = 0, 9, 12  # of a boundary, engine axes of its body; its own numbers follow
CENTER, AXIS, EXTENT, HALF_SIZES = 0, 3, 6, 12  # of the first body's shape: AXIS also the other end, or the axes, of a box 9
EXTENT_RADIUS, EXTENT_HALF = 0, 1  # of a cylinder
DEPTH, NORMAL, ENERGY, LOSS, TANGENTIAL, PLACE = 0, 1, 2, 3, 4, 7  # outputs
OUTPUTS = 10
COSINE, SINE = (1.0, -0.5, -0.5), (0.0, 0.5 * math.sqrt(3.0), -0.5 * math.sqrt(3.0))  # three points of a rim


class Pair(NamedTuple):
    """Two bodies that may touch, and where their numbers stand."""

    i: int  # the body with the points, -1: the ground
    j: int  # the body with the boundary
    law: int  # in `params`: law, friction, SIDE
    probe: int  # in `params`: points or shape of the first body, their radius before them
    data: int  # in `table`: PROBE, COUNT, …
    boundary: int  # in `params`: frame of the boundary, then its own numbers


class Frame(NamedTuple):
    """A frame in the world: axes (columns of a rotation) and origin."""

    axes: Any
    origin: Any


@inline
def boundary_frame(tab, par, w, pair):
    """The frame of a boundary."""
    R, o, _, _ = pose_of(tab, w, pair.j, 0.0)
    b = pair.boundary
    return Frame(multiply(R, load9(par, b + FRAME_AXES)), add(o, rotate(R, load3(par, b + FRAME_ORIGIN))))


@inline
def into(frame, c):
    """A point of the world as the frame sees it."""
    return rotate_back(frame.axes, sub(c, frame.origin))


@inline
def out_of(frame, c):
    """The same point in the world."""
    return add(frame.origin, rotate(frame.axes, c))


@jit
def segment_point(a, b, h):
    """The point between a and b that is nearest to the piece of the z axis from -h to h."""
    d = sub(b, a)
    A, B = dot(d, d), d[2]
    if A == 0.0:
        return a
    across = A - B * B  # 0: parallel
    s = 0.5
    if across > 1e-12 * A:
        s = (B * a[2] - dot(d, a)) / across
        s = min(max(s, 0.0), 1.0)
    for _ in range(2):  # ends of the other piece, then of this one
        z = min(max(a[2] + s * B, -h), h)
        s = min(max((B * z - dot(d, a)) / A, 0.0), 1.0)
    return add(a, scale(d, s))


@jit
def rim_point(x, axis, p, par, k):
    """Points 0 … 2 of the first rim of a cylinder, 3 … 5 of the second: the one nearest to the plane z = 0 and two beside it.

    par[p]: its extent. The nearest one is where the rim turns to the plane, so it needs no velocity of its own.
    """
    radius, half = par[p + EXTENT_RADIUS], par[p + EXTENT_HALF]
    end = half if k < 3 else -half
    size = math.sqrt(axis[0] * axis[0] + axis[1] * axis[1])
    if size > 1e-12:
        u = (axis[2] * axis[0] / size, axis[2] * axis[1] / size, -size)  # down along the rim's plane
    else:
        u = cross(axis, (1.0, 0.0, 0.0) if abs(axis[0]) < 0.5 else (0.0, 1.0, 0.0))
        u = scale(u, 1.0 / math.sqrt(dot(u, u)))
    v, j = cross(axis, u), k % 3
    ring = add(scale(u, COSINE[j] * radius), scale(v, SINE[j] * radius))
    return add(add(x, scale(axis, end)), ring)


@jit
def journal_point(par, q, x, axis, p, k):
    """Where the axis of a journal passes the ends of a bore (or its own ends, if they lie inside); along z of the bore.

    par[p]: extent of the journal; par[q]: numbers of the bore.
    """
    reach, end = abs(axis[2]) * par[p + EXTENT_HALF], par[q + HOLE_DEPTH]
    low, high = max(x[2] - reach, -end), min(x[2] + reach, end)
    if high < low or abs(axis[2]) < 1e-9:
        return (0.0, 0.0, math.inf)  # outside
    z = low if k == 0 else high
    s = (z - x[2]) / axis[2]
    return x[0] + s * axis[0], x[1] + s * axis[1], z


@jit
def touch(tab, par, w, out, pair, c, radius, gap, n, share):
    """One point c (world) of body i with its sphere of a radius, at a gap along n: its share of the law, and outputs."""
    i, j, p = pair.i, pair.j, pair.law
    depth, size = radius - gap, dot(n, n)
    w[out + DEPTH] = max(w[out + DEPTH], depth)
    if size == 0.0 or (depth <= 0.0 and par[p + LAW_KIND] != EXPONENTIAL):
        return  # nothing near
    at = sub(c, scale(n, 0.5 * (radius + gap)))  # halfway between both surfaces
    _, oa, va, wa = pose_of(tab, w, i, 0.0)
    _, ob, vb, wb = pose_of(tab, w, j, 0.0)
    v = sub(add(va, cross(wa, sub(at, oa))), add(vb, cross(wb, sub(at, ob))))
    rate = -dot(n, v)
    normal, elastic, energy = normal_force(par, p, depth, rate)
    normal, elastic = share * normal, share * elastic
    w[out + ENERGY] += share * energy
    w[out + LOSS] += (normal - elastic) * rate
    if not normal <= 0.0:  # not-a-number goes on, so that the run stops
        slide = add(v, scale(n, rate / size))
        friction = friction_force(par, p + FRICTION, normal * math.sqrt(size), slide)
        force = add(scale(n, normal), friction)
        apply(tab, w, i, at, force, NOWHERE)
        apply(tab, w, j, at, scale(force, -1.0), NOWHERE)
        w[out + NORMAL] += normal
        w[out + LOSS] -= dot(friction, slide)
        store3(w, out + TANGENTIAL, add(load3(w, out + TANGENTIAL), scale(friction, par[p + SIDE])))
        store3(w, out + PLACE, add(load3(w, out + PLACE), scale(at, normal)))


@jit
def point_number(par, kind, k, x, axis, a, probe, q):
    """Point k of the first body in the boundary's frame; x, a: its reference points there."""
    if kind == SEGMENT:
        return segment_point(x, a, par[q + ROUND_HALF])
    if kind == RIM:
        return rim_point(x, axis, probe, par, k)
    return journal_point(par, q, x, axis, probe, k)


@jit
def touch_boxes(tab, par, w, out, pair, frame, a, b):
    """Two boxes: points of a polygon, with four laws in all. a: the first in the frame of the second, b: its half edges."""
    k, gap, n, least = least_overlap(a, b)
    if least >= 0.0 and par[pair.law + LAW_KIND] != EXPONENTIAL:
        w[out + DEPTH] = -least
        return
    if k >= 6:
        gap, c = max(gap, least), touching_edges(a, b, k, n)
        touch(tab, par, w, out, pair, out_of(frame, c), 0.0, gap, rotate(frame.axes, n), 1.0)
        return
    at, second = tab[pair.data + SPACE], second_box(b)
    if k < 3:
        face = face_of(second, k, n)
        count = face_polygon(w, at, face, a)
    else:
        face = face_of(a, k - 3, scale(n, -1.0))
        count = face_polygon(w, at, face, second)
    whole = perimeter(w, at, count)
    for m in range(count):
        c = add(face.center, add(scale(face.u, w[at + 3 * m]), scale(face.v, w[at + 3 * m + 1])))  # on the face
        gap = max(w[at + 3 * m + 2], least)
        if k < 3:
            c = add(c, scale(n, gap))  # on the first box
        share = 4.0 * weight(w, at, m, count, whole)
        touch(tab, par, w, out, pair, out_of(frame, c), 0.0, gap, rotate(frame.axes, n), share)
    if count == 0:
        w[out + DEPTH] = -max(gap, 0.0)


@jit
def update_pair(tab, par, w, out, pair):
    """All points of the first body against the boundary of the second."""
    for k in range(OUTPUTS):
        w[out + k] = 0.0
    w[out + DEPTH] = -math.inf
    probe, d, q = pair.probe, pair.data, pair.boundary + FRAME_SIZE
    kind, field = tab[d + PROBE], tab[d + FIELD]
    R, o, _, _ = pose_of(tab, w, pair.i, 0.0)
    frame = boundary_frame(tab, par, w, pair)
    axis, far, x = NOWHERE, NOWHERE, NOWHERE
    if kind != POINTS:
        x = into(frame, add(o, rotate(R, load3(par, probe + CENTER))))
        axis = rotate_back(frame.axes, rotate(R, load3(par, probe + AXIS)))
        far = into(frame, add(o, rotate(R, load3(par, probe + AXIS))))
    if kind == BOX:
        axes = multiply_back(frame.axes, multiply(R, load9(par, probe + AXIS)))
        first = Box(x, axes, load3(par, probe + HALF_SIZES))
        touch_boxes(tab, par, w, out, pair, frame, first, load3(par, q + HALF_EDGES))
    share = 0.5 if kind == JOURNAL else 1.0  # of the law
    for k in range(tab[d + COUNT]):
        if kind == POINTS:
            c = into(frame, add(o, rotate(R, load3(par, probe + 3 * k))))
        else:
            c = point_number(par, kind, k, x, axis, far, probe + EXTENT, q)
        gap, n = field_gap(par, w, field, tab[d + FORMULA], tab[d + SPACE], q, c)
        if (
            kind == JOURNAL and abs(c[2]) == par[q + HOLE_DEPTH] and abs(axis[2]) > 1e-9
        ):  # at the bore's end the journal's surface gives the normal
            n = (n[0], n[1], -(n[0] * axis[0] + n[1] * axis[1]) / axis[2])
        if gap != math.inf:
            touch(tab, par, w, out, pair, out_of(frame, c), par[probe - 1], gap, rotate(frame.axes, n), share)
    if w[out + NORMAL] > 0.0:
        store3(w, out + PLACE, scale(load3(w, out + PLACE), 1.0 / w[out + NORMAL]))


@inline
def pair_of(tab, f):
    """The two bodies of a contact with a record of its own, f."""
    p, d = tab[f + L.F_PARAMS], tab[f + L.F_DATA]
    return Pair(tab[f + L.BODY_A], tab[f + L.BODY_B], p, p + RADIUS + 1, d, tab[d + BOUNDARY])


def contact_force(t, record, _, table, params, work):
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    update_pair(tab, par, w, tab[record + L.W_OUT], pair_of(tab, record))


CONTACT = Pointer(contact_force, DERIVATIVE)
