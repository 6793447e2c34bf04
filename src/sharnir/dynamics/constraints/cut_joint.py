"""A cut joint as equations: how far two bodies are from the motion that the joint allows.

Source: Comput. Res. Model. 16 (2024) 161, (13); see docs/theory/loops.md.

The joint's frame on the second body, seen from its frame on the first, has a position and a velocity. The nearest motion of the
joint itself, `freedoms_motion` at coordinates u, is found by Newton's method from the tracked ones; what is left, projected
on the directions N that the joint holds fast, are its equations. Driven freedoms are part of the joint's motion.
"""

import math
from typing import Any, NamedTuple

from sharnir.dynamics.bodies.joint_motion import freedoms_motion
from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import axis_work, speed_of, target_of
from sharnir.kernel import jit, shift
from sharnir.spatial.rotation import quaternion_of, rotation_vector
from sharnir.spatial.vector import (
    add,
    cross,
    dot,
    load3,
    load9,
    multiply,
    multiply_back,
    rotate,
    rotate_back,
    scale,
    store3,
    sub,
)

NEWTON_STEPS = 20
DEPENDENT = 1e-9  # length of an axis, orthogonal to the others, below which it counts as dependent on them


class Frame(NamedTuple):
    """A frame fixed in a body, in world axes."""

    R: Any  # frame → world
    origin: Any
    arm: Any  # from the origin of the body
    v: Any
    om: Any


class Arms(NamedTuple):
    """Axes of two bodies (body → world), and arms from their origins to one point, world axes."""

    Ra: Any
    Rb: Any
    da: Any
    db: Any


class RelativeFrame(NamedTuple):
    """A frame of body b as an observer on body a sees it from a frame there, in world axes."""

    arms: Arms  # of its origin
    A: Any  # frame on a → world
    B: Any  # frame on b → world
    d: Any  # its offset, velocity, angular velocity
    v: Any
    om: Any
    lin: Any  # linear and angular acceleration that are there without accelerations of the bodies
    ang: Any


@jit
def frame_on(tab, par, w, i, p):
    """The frame that is fixed in body i by the parameters at p."""
    R, o, v, om = pose_of(tab, w, i, 0.0)
    d = rotate(R, load3(par, p + 9))
    return Frame(multiply(R, load9(par, p)), add(o, d), d, add(v, cross(om, d)), om)


@jit
def update_axes_basis(tab, w, e, at):
    """Q and T of the motion axes of free freedoms by Gram–Schmidt, twice for orthogonality; returns their number."""
    first, n = tab[e + L.FIRST_FREEDOM], 0
    Q, T = at + L.CUT_Q, at + L.CUT_T
    for k in range(first, first + tab[e + L.COUNT_FREEDOM]):
        if speed_of(tab, k) < 0:
            continue
        s = axis_work(tab, k)
        for j in range(6):
            w[Q + 6 * n + j] = w[s + j]
        for j in range(n):
            w[T + 6 * j + n] = 0.0
        for _ in range(2):
            for j in range(n):
                c = 0.0
                for i in range(6):
                    c += w[Q + 6 * j + i] * w[Q + 6 * n + i]
                w[T + 6 * j + n] += c
                for i in range(6):
                    w[Q + 6 * n + i] -= c * w[Q + 6 * j + i]
        c = 0.0
        for i in range(6):
            c += w[Q + 6 * n + i] * w[Q + 6 * n + i]
        c = math.sqrt(c)
        w[T + 6 * n + n] = c
        for i in range(6):
            w[Q + 6 * n + i] = w[Q + 6 * n + i] / c if c > DEPENDENT else 0.0
        n += 1
    return n


@jit
def update_held_basis(w, at, n):
    """N: 6 - n orthonormal directions that no motion axis has a part in; the unit vector with most left over goes first."""
    Q, N = at + L.CUT_Q, at + L.CUT_N
    used = 0
    for k in range(6 - n):
        best, found = -1.0, 0
        for j in range(6):
            if (used >> j) & 1 == 0:
                c = 1.0
                for i in range(n):
                    c -= w[Q + 6 * i + j] * w[Q + 6 * i + j]
                for i in range(k):
                    c -= w[N + 6 * i + j] * w[N + 6 * i + j]
                if c > best + 1e-9:
                    best, found = c, j
        used |= 1 << found
        row = N + 6 * k
        for j in range(6):
            w[row + j] = 0.0
        w[row + found] = 1.0
        for _ in range(2):
            for i in range(n + k):
                b = Q + 6 * i if i < n else N + 6 * (i - n)
                c = 0.0
                for j in range(6):
                    c += w[b + j] * w[row + j]
                for j in range(6):
                    w[row + j] -= c * w[b + j]
        c = 0.0
        for j in range(6):
            c += w[row + j] * w[row + j]
        c = 1.0 / math.sqrt(c)
        for j in range(6):
            w[row + j] *= c


@jit
def update_parts(w, at, n, x, out):
    """Coefficients of the motion axes in the 6 numbers at x, least squares: T out = Q x."""
    Q, T = at + L.CUT_Q, at + L.CUT_T
    for k in range(n):
        c = 0.0
        for j in range(6):
            c += w[Q + 6 * k + j] * w[x + j]
        w[out + k] = c
    for i in range(n):
        k = n - 1 - i
        c = w[out + k]
        for j in range(k + 1, n):
            c -= w[T + 6 * k + j] * w[out + j]
        d = w[T + 6 * k + k]
        w[out + k] = c / d if d > DEPENDENT else 0.0


@jit
def joint_map(tab, par, w, e, at):
    """The joint's own motion at CUT_U, CUT_RATE: turn, offset, velocity, acceleration ψ; its axes go to W_AXES."""
    return freedoms_motion(tab, par, w, shift(w, at + L.CUT_U), shift(w, at + L.CUT_RATE), e, 0.0)


@jit
def update_gap(w, at, R, p, H, r):
    """CUT_GAP: from where the joint's motion (H, r) puts the frame to where it is (R, p), in axes of the frame."""
    store3(w, at + L.CUT_GAP, rotate_back(R, sub(p, r)))
    store3(w, at + L.CUT_GAP + 3, rotation_vector(quaternion_of(multiply(H, R))))


@jit
def update_coordinates(tab, par, w, e, at, R, p):
    """CUT_U by Newton's method from where it is: the joint's motion nearest to the bodies; also axes, Q, T and CUT_GAP."""
    for k in range(6):
        w[at + L.CUT_RATE + k] = 0.0
    n = 0
    for _ in range(NEWTON_STEPS):
        H, r, _, _, _, _ = joint_map(tab, par, w, e, at)
        n = update_axes_basis(tab, w, e, at)
        update_gap(w, at, R, p, H, r)
        change = at + L.CUT_N  # not yet in use
        update_parts(w, at, n, at + L.CUT_GAP, change)
        largest = 0.0
        for k in range(n):
            largest = max(largest, abs(w[change + k]) / (1.0 + abs(w[at + L.CUT_U + k])))
        if not largest > 1e-14:
            break
        for k in range(n):
            w[at + L.CUT_U + k] += w[change + k]
    w[at + L.CUT_FREE] = n
    return n


@jit
def store_blocks(w, to, x, n, m):
    """12 numbers: force n and torque m (world axes, at the end of the arms x) on the second body, the opposite on the first."""
    store3(w, to, scale(rotate_back(x.Ra, n), -1.0))
    store3(w, to + 3, scale(rotate_back(x.Ra, add(cross(x.da, n), m)), -1.0))
    store3(w, to + 6, rotate_back(x.Rb, n))
    store3(w, to + 9, rotate_back(x.Rb, add(cross(x.db, n), m)))


@jit
def store_equation(tab, w, e, row, x, n, m):
    """Jacobian of the equation of an element whose force is n, and whose torque is m, at the end of the arms x."""
    store_blocks(w, tab[e + L.E_JACOBIAN] + row * 12, x, n, m)


@jit
def store_residuals(tab, w, k, g, gdot, bias):
    w[tab[L.W_G] + k], w[tab[L.W_GDOT] + k], w[tab[L.W_ROW_BIAS] + k] = g, gdot, bias


@jit
def relative_frame(tab, par, w, e):
    """The joint's frame on the second body as the first one sees it from its own."""
    P, i, j = tab[e + L.E_PARAMS], target_of(tab, e, 0), target_of(tab, e, 1)
    a, b = frame_on(tab, par, w, i, P + L.CUT_FRAME_A), frame_on(tab, par, w, j, P + L.CUT_FRAME_B)
    Ra, oa, _, wa = pose_of(tab, w, i, 0.0)
    Rb, _, _, wb = pose_of(tab, w, j, 0.0)
    d, da, db = sub(b.origin, a.origin), sub(b.origin, oa), b.arm
    v = sub(sub(b.v, a.v), cross(wa, d))  # in axes that turn with the first body
    lin = sub(sub(cross(wb, cross(wb, db)), cross(wa, cross(wa, da))), scale(cross(wa, v), 2.0))
    om = sub(wb, wa)
    return RelativeFrame(Arms(Ra, Rb, da, db), a.R, b.R, d, v, om, lin, scale(cross(wa, om), -1.0))


@jit
def add_ball_equations(tab, par, w, e):
    """The centres of ball and socket coincide: three equations along axes of the socket, which are constant in the first body."""
    P = tab[e + L.E_PARAMS]
    Ra, oa, va, wa = pose_of(tab, w, target_of(tab, e, 0), 0.0)
    Rb, ob, vb, wb = pose_of(tab, w, target_of(tab, e, 1), 0.0)
    A, arm = load9(par, P + L.CUT_FRAME_A), load3(par, P + L.CUT_FRAME_B + 9)
    db = rotate(Rb, arm)
    da = sub(add(ob, db), oa)
    d = sub(da, rotate(Ra, load3(par, P + L.CUT_FRAME_A + 9)))
    v = sub(add(vb, cross(wb, db)), add(va, cross(wa, da)))  # in axes that turn with the first body
    a = sub(sub(cross(wb, cross(wb, db)), cross(wa, cross(wa, da))), scale(cross(wa, v), 2.0))
    # everything in axes of the first body, the second one's part of the Jacobian in its own
    R, da, d, v, a = multiply_back(Ra, Rb), rotate_back(Ra, da), rotate_back(Ra, d), rotate_back(Ra, v), rotate_back(Ra, a)
    row, j = tab[e + L.E_ROW], tab[e + L.E_JACOBIAN]
    for k in range(3):
        n = (A[k], A[3 + k], A[6 + k])
        m = rotate_back(R, n)
        store3(w, j + 12 * k, (-n[0], -n[1], -n[2]))
        store3(w, j + 12 * k + 3, cross(n, da))
        store3(w, j + 12 * k + 6, m)
        store3(w, j + 12 * k + 9, cross(arm, m))
        store_residuals(tab, w, row + k, dot(n, d), dot(n, v), dot(n, a))


@jit
def add_joint_equations(tab, par, w, z, e):
    """The equations of any sequence of elementary freedoms; its coordinates, rates and bias stay in the element's memory."""
    at = tab[e + L.E_WORK]
    x = relative_frame(tab, par, w, e)
    first, count = tab[e + L.E_Z], tab[e + L.E_COUNT]
    for k in range(6 - count):
        w[at + L.CUT_U + k] = z[first + k]
    R, p = multiply_back(x.A, x.B), rotate_back(x.A, x.d)
    n = update_coordinates(tab, par, w, e, at, R, p)
    update_held_basis(w, at, 6 - count)
    _, _, vl, wr, _, _ = joint_map(tab, par, w, e, at)  # rates are zero: the driven part of the velocity
    # the frame has moved by the gap too; first-order terms in it are left out, as in every joint that is closed
    store3(w, at + L.CUT_TWIST, rotate_back(x.B, x.v))
    store3(w, at + L.CUT_TWIST + 3, rotate_back(x.B, x.om))
    store3(w, at + L.CUT_BIAS, sub(load3(w, at + L.CUT_TWIST), vl))
    store3(w, at + L.CUT_BIAS + 3, sub(load3(w, at + L.CUT_TWIST + 3), wr))
    update_parts(w, at, n, at + L.CUT_BIAS, at + L.CUT_RATE)
    row = tab[e + L.E_ROW]
    for k in range(count):
        N = at + L.CUT_N + 6 * k
        a, b = load3(w, N), load3(w, N + 3)
        g = dot(a, load3(w, at + L.CUT_GAP)) + dot(b, load3(w, at + L.CUT_GAP + 3))
        gdot = dot(a, load3(w, at + L.CUT_BIAS)) + dot(b, load3(w, at + L.CUT_BIAS + 3))
        store_equation(tab, w, e, k, x.arms, rotate(x.B, a), rotate(x.B, b))
        store_residuals(tab, w, row + k, g, gdot, 0.0)
    _, _, _, _, al, aa = joint_map(tab, par, w, e, at)
    store3(w, at + L.CUT_PSI, al)
    store3(w, at + L.CUT_PSI + 3, aa)
    store3(w, at + L.CUT_BIAS, sub(rotate_back(x.B, x.lin), al))
    store3(w, at + L.CUT_BIAS + 3, sub(rotate_back(x.B, x.ang), aa))
    for k in range(count):
        N = at + L.CUT_N + 6 * k
        c = dot(load3(w, N), load3(w, at + L.CUT_BIAS)) + dot(load3(w, N + 3), load3(w, at + L.CUT_BIAS + 3))
        w[tab[L.W_ROW_BIAS] + row + k] = c
