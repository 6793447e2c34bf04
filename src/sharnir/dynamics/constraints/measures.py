"""Scalars of a mechanism and their derivatives: coordinates of joints and points, distances, cosines, velocities.

Every measure is x with ẋ = Σ J·v (+ a known part) and ẍ = Σ J·v̇ + bias, J being a force on its bodies in body axes. Motion is
seen from the first body: its angular velocity enters through the relative velocity and acceleration of the second one's point.
"""

import math
from typing import Any, NamedTuple

from sharnir.dynamics.bodies.kinematics import pose_of, prescribed
from sharnir.dynamics.constraints.cut_joint import Arms, frame_on, store_blocks
from sharnir.dynamics.constraints.cut_joint_forces import joint_wrench
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import element_record, motion_work, target_of
from sharnir.kernel import inline, jit
from sharnir.spatial.vector import add, cross, dot, load3, rotate, scale, sub

NOTHING = (0.0, 0.0, 0.0)


class RelativePoint(NamedTuple):
    """A point of body j as an observer on body i sees it from a point there, in world axes."""

    arms: Arms
    d: Any  # its offset and velocity
    v: Any
    wi: Any  # ω_i, and ω_j - ω_i
    om: Any
    lin: Any  # the acceleration that is there without accelerations of the bodies


@jit
def relative_point(tab, par, w, i, j, a, b):
    """A point of body j seen from a point of body i; `a`, `b`: where the points stand in `params`."""
    Ra, oa, va, wa = pose_of(tab, w, i, 0.0)
    Rb, ob, vb, wb = pose_of(tab, w, j, 0.0)
    db = rotate(Rb, load3(par, b))
    p = add(ob, db)
    da = sub(p, oa)
    d = sub(da, rotate(Ra, load3(par, a)))
    v = sub(add(vb, cross(wb, db)), add(va, cross(wa, da)))
    lin = sub(sub(cross(wb, cross(wb, db)), cross(wa, cross(wa, da))), scale(cross(wa, v), 2.0))
    return RelativePoint(Arms(Ra, Rb, da, db), d, v, wa, sub(wb, wa), lin)


@jit
def point_coordinate(tab, par, w, i, j, p, to):
    """x = n·d with n fixed in the first body."""
    x = relative_point(tab, par, w, i, j, p, p + 3)
    n = rotate(x.arms.Ra, load3(par, p + 6))
    store_blocks(w, to, x.arms, n, NOTHING)
    return dot(n, x.d), dot(n, x.v), dot(n, x.lin)


@jit
def point_distance(tab, par, w, i, j, p, to):
    """x = |d|: ẋ = u·v, ẍ = u·v̇ + (v² - ẋ²)/x with u = d/x; where points coincide, u is the direction in which they part."""
    point = relative_point(tab, par, w, i, j, p, p + 3)
    d, v = point.d, point.v
    x, speed = math.sqrt(dot(d, d)), math.sqrt(dot(v, v))
    u = NOTHING
    if x > 0.0:
        u = scale(d, 1.0 / x)
    elif speed > 0.0:
        u = scale(v, 1.0 / speed)
    rate = dot(u, v)
    store_blocks(w, to, point.arms, u, NOTHING)
    return x, rate, dot(u, point.lin) + ((speed * speed - rate * rate) / x if x > 0.0 else 0.0)


@jit
def direction_cosine(tab, par, w, i, j, p, to):
    """x = m·n with m fixed in the first body, n in the second: ẋ = (n × m)·ω, bias m·(ω × (ω × n)) - (n × m)·(ω_i × ω)."""
    Ra, _, _, wa = pose_of(tab, w, i, 0.0)
    Rb, _, _, wb = pose_of(tab, w, j, 0.0)
    m, n = rotate(Ra, load3(par, p + 6)), rotate(Rb, load3(par, p + 9))
    om, c = sub(wb, wa), cross(n, m)
    store_blocks(w, to, Arms(Ra, Rb, NOTHING, NOTHING), NOTHING, c)
    return dot(m, n), dot(c, om), dot(m, cross(om, cross(om, n))) - dot(c, cross(wa, om))


@jit
def point_velocity(tab, par, w, i, j, k, p, to):
    """ẋ = m·v with m fixed in body k: bias m·(v̇ + (ω_i - ω_k) × v). There is no x."""
    x = relative_point(tab, par, w, i, j, p, p + 3)
    Rk, _, _, wk = pose_of(tab, w, k, 0.0)
    m = rotate(Rk, load3(par, p + 9))
    store_blocks(w, to, x.arms, m, NOTHING)
    return 0.0, dot(m, x.v), dot(m, add(x.lin, cross(sub(x.wi, wk), x.v)))


@jit
def cut_coordinate(tab, par, w, cut, k, to):
    """Coordinate k of a cut joint: u̇ = S⁺ V with the joint's motion axes S; the row of S⁺ is the wrench of a unit force."""
    at, P = tab[cut + L.E_WORK], tab[cut + L.E_PARAMS]
    i, j = target_of(tab, cut, 0), target_of(tab, cut, 1)
    for c in range(6):
        w[at + L.CUT_TAU + c] = 0.0
    w[at + L.CUT_TAU + k] = 1.0
    force, torque = joint_wrench(tab, par, w, cut)
    bias = dot(force, load3(w, at + L.CUT_BIAS)) + dot(torque, load3(w, at + L.CUT_BIAS + 3))
    R = frame_on(tab, par, w, j, P + L.CUT_FRAME_B).R
    x = relative_point(tab, par, w, i, j, P + L.CUT_FRAME_A + 9, P + L.CUT_FRAME_B + 9)
    store_blocks(w, to, x.arms, rotate(R, force), rotate(R, torque))
    return w[at + L.CUT_U + k], w[at + L.CUT_RATE + k], bias


@jit
def simple_measure(t, tab, w, q, v, m, to):
    """Coordinates that stand in the state, or are given as functions of time."""
    kind, d = tab[m], m + L.M_DATA
    if kind == L.SPEED_MEASURE:
        w[to + 6] = 1.0
        return q[tab[d]], v[tab[d + 1]], 0.0
    if kind == L.GIVEN_MEASURE:
        k = motion_work(tab, tab[d])
        return w[k], w[k + 1], w[k + 2]
    return prescribed(tab, w, tab[d], t), prescribed(tab, w, tab[d + 1], t), prescribed(tab, w, tab[d + 2], t)


@jit
def body_measure(tab, par, w, e, m, p, to):
    """What is measured on two bodies."""
    kind, d = tab[m], m + L.M_DATA
    if kind == L.CUT_MEASURE:
        return cut_coordinate(tab, par, w, element_record(tab, tab[d]), tab[d + 1], to)
    i, j = target_of(tab, e, tab[m + L.M_A]), target_of(tab, e, tab[m + L.M_B])
    if kind == L.POINT_MEASURE:
        return point_coordinate(tab, par, w, i, j, p, to)
    if kind == L.DISTANCE_MEASURE:
        return point_distance(tab, par, w, i, j, p, to)
    if kind == L.COSINE_MEASURE:
        return direction_cosine(tab, par, w, i, j, p, to)
    return point_velocity(tab, par, w, i, j, tab[d], p, to)


class MeasurePlaces(NamedTuple):
    """Places in `work` of the n measures of an element."""

    n: int
    value: int
    rate: int
    time: int
    result: int  # of a formula: g, ġ, bias; of sensors: second rates
    factor: int  # of a formula: ∂g/∂x_k, or ∂g/∂ẋ_k
    bias: int  # second rates without accelerations
    block: int  # Jacobians by the motion of both bodies, 6 + 6 each


@inline
def measure_places(tab, e):
    """Of a constraint element, or of the sensors."""
    n, at = tab[tab[e + L.E_DATA]], tab[e + L.E_WORK]
    return MeasurePlaces(n, at, at + n, at + 2 * n, at + 2 * n + 1, at + 2 * n + 4, at + 3 * n + 4, at + 4 * n + 4)


@inline
def measure_record(tab, e, k):
    """Measure k of an element: M_KIND, M_A, M_B, M_DATA."""
    return tab[e + L.E_DATA] + 2 + k * L.T_MEASURE_SIZE


@jit
def update_measures(t, tab, par, w, q, v, e):
    """Values, rates, second rates without accelerations and blocks of all measures of an element; cut joints come before."""
    s, p = measure_places(tab, e), tab[e + L.E_PARAMS]
    w[s.time] = t
    for k in range(s.n):
        m, to = measure_record(tab, e, k), s.block + 12 * k
        if tab[m] <= L.TIME_MEASURE:
            x, rate, bias = simple_measure(t, tab, w, q, v, m, to)
        else:
            x, rate, bias = body_measure(tab, par, w, e, m, p + k * L.P_MEASURE_SIZE, to)
        w[s.value + k], w[s.rate + k], w[s.bias + k] = x, rate, bias
