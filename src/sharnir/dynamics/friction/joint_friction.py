"""Friction in one joint at one state, for a given load, and the load that follows from a reaction.

Sliding s (1 to 3 numbers, m/s) gives the friction φ(s, bristles) per unit of load; the force is -φ P - c s. Only the load P
depends on the reaction: what the rest of the mechanism makes of it is in friction_loop.
"""

import math

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.forces.force_elements import apply, point_state
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import axis_work
from sharnir.kernel import Pointer, doubles, fixed_doubles, fixed_ints, jit
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import add, cross, dot, load3, rotate, rotate_back, scale, store3, sub

REVOLUTE, PRISMATIC, CYLINDRICAL, BALL = 0, 1, 2, 3

# params of a record
KIND, POINT, AXIS = 0, 1, 4  # point and axis in engine axes of the child
COEFFICIENT, STATIC, STRIBECK, VISCOUS = 7, 8, 9, 10
RADIUS, AXIAL, LENGTH, WIDTH, PRELOAD = 11, 12, 13, 14, 15  # AXIAL: ratio of ring and pin; LENGTH, WIDTH: 0: moments do not count
BRISTLES, SMOOTHING, STIFFNESS, DAMPING = 16, 17, 18, 19  # BRISTLES: 1: LuGre
FREEDOM = 20  # of a joint by formulas: its freedom, whose motion axis gives the direction of sliding; else -1
FRICTION_PARAMS = 21

# work of a record, at F_DATA
W_LOAD, W_AXIS, W_SLIP, W_FACTOR, W_BRISTLE, W_BRISTLE_RATE, W_POINT = 0, 1, 4, 7, 10, 13, 16
FRICTION_WORK = 19


@jit
def length(a):
    return math.sqrt(dot(a, a))


@jit
def stribeck(par, p, speed):
    """Coefficient of friction of steady sliding."""
    x = speed / par[p + STRIBECK]
    return par[p + COEFFICIENT] + (par[p + STATIC] - par[p + COEFFICIENT]) * math.exp(-x * x)


@jit
def update_slip(tab, par, w, f):
    """Sliding in the joint, its axis and its point, as the bodies move."""
    p, at = tab[f + L.F_PARAMS], tab[f + L.F_DATA]
    parent, child, kind = tab[f + L.BODY_A], tab[f + L.BODY_B], int(par[p])
    R, _, _, om = pose_of(tab, w, child, 0.0)
    _, o, v0, om0 = pose_of(tab, w, parent, 0.0)
    point, v = point_state(tab, w, child, load3(par, p + POINT))
    axis = rotate(R, load3(par, p + AXIS))
    if par[p + FREEDOM] >= 0.0:
        s = load3(w, axis_work(tab, int(par[p + FREEDOM])))
        size = length(s)
        axis = rotate(R, scale(s, 1.0 / size if size > 0.0 else 0.0))
    turn = sub(om, om0)
    along = dot(axis, sub(v, add(v0, cross(om0, sub(point, o)))))
    around = par[p + RADIUS] * dot(axis, turn)
    slip = (around, 0.0, 0.0)
    if kind == PRISMATIC:
        slip = (along, 0.0, 0.0)
    elif kind == CYLINDRICAL:
        slip = (along, around, 0.0)
    elif kind == BALL:
        slip = scale(rotate_back(R, turn), par[p + RADIUS])
    store3(w, at + W_POINT, point)
    store3(w, at + W_AXIS, axis)
    store3(w, at + W_SLIP, slip)


@jit
def update_factor(par, w, p, at):
    """Friction per unit of load; of bristles also their rate: ż = s - σ₀ |s| z/g(s), φ = σ₀ z + σ₁(s) ż.

    σ₁ vanishes with g's peak: with a constant one fast changes of sliding could gain energy (Olsson 1996).
    """
    slip = load3(w, at + W_SLIP)
    speed = length(slip)
    g = stribeck(par, p, speed)
    if par[p + BRISTLES] == 1.0:
        z = load3(w, at + W_BRISTLE)
        rate = sub(slip, scale(z, par[p + STIFFNESS] * speed / g))
        store3(w, at + W_BRISTLE_RATE, rate)
        x = speed / par[p + STRIBECK]
        store3(w, at + W_FACTOR, add(scale(z, par[p + STIFFNESS]), scale(rate, par[p + DAMPING] * math.exp(-x * x))))
        return
    x = speed / par[p + SMOOTHING]
    part = math.tanh(x) / speed if x > 1e-8 else 1.0 / par[p + SMOOTHING]
    store3(w, at + W_FACTOR, scale(slip, g * part))


@jit
def friction_wrench(tab, par, w, f):
    """Force and torque on the child at the joint's point, world axes, and the friction at the sliding surface."""
    p, at, child = tab[f + L.F_PARAMS], tab[f + L.F_DATA], tab[f + L.BODY_B]
    surface = add(scale(load3(w, at + W_FACTOR), -w[at + W_LOAD]), scale(load3(w, at + W_SLIP), -par[p + VISCOUS]))
    axis, zero, kind = load3(w, at + W_AXIS), (0.0, 0.0, 0.0), int(par[p])
    if kind == PRISMATIC:
        return scale(axis, surface[0]), zero, surface
    if kind == CYLINDRICAL:
        return scale(axis, surface[0]), scale(axis, par[p + RADIUS] * surface[1]), surface
    if kind == BALL:
        R, _, _, _ = pose_of(tab, w, child, 0.0)
        return zero, rotate(R, scale(surface, par[p + RADIUS])), surface
    return zero, scale(axis, par[p + RADIUS] * surface[0]), surface


@jit
def store_outputs(tab, par, w, f, surface):
    """Load, force, torque, sliding speed, power."""
    p, at, out = tab[f + L.F_PARAMS], tab[f + L.F_DATA], tab[f + L.W_OUT]
    slip, kind = load3(w, at + W_SLIP), int(par[p])
    force, speed, r = surface[0], slip[0], par[p + RADIUS]
    torque = r * force
    if kind == PRISMATIC:
        torque = 0.0
    elif kind == CYLINDRICAL:
        torque, speed = r * surface[1], length(slip)
    elif kind == BALL:
        speed = length(slip)
        force = dot(surface, slip) / speed if speed > 0.0 else 0.0
        torque = r * force
    w[out], w[out + 1], w[out + 2], w[out + 3], w[out + 4] = w[at + W_LOAD], force, torque, speed, dot(surface, slip)


def joint_friction(t, f, _, table, params, work):
    """The element's C function: friction with the load that stands in its memory."""
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    at = tab[f + L.F_DATA]
    update_slip(tab, par, w, f)
    update_factor(par, w, tab[f + L.F_PARAMS], at)
    force, torque, surface = friction_wrench(tab, par, w, f)
    point = load3(w, at + W_POINT)
    apply(tab, w, tab[f + L.BODY_B], point, force, torque)
    apply(tab, w, tab[f + L.BODY_A], point, scale(force, -1.0), scale(torque, -1.0))
    store_outputs(tab, par, w, f, surface)


@jit
def size_and_slope(a, b):
    """|a|, and its rate where a changes by b."""
    x = length(a)
    return x, (dot(a, b) / x if x > 0.0 else 0.0)


@jit
def load_and_slope(par, p, axis, force, torque, dforce, dtorque):
    """Load P of a reaction at the joint's point, and its rate where the reaction changes.

    Two bearings or pads at ±ℓ/2 along the axis carry F/2 ± M × e/ℓ each; without a length moments do not count.
    """
    kind = int(par[p])
    if kind == BALL:
        x, dx = size_and_slope(force, dforce)
        return x + par[p + PRELOAD], dx
    along, dalong = dot(force, axis), dot(dforce, axis)
    F, dF = sub(force, scale(axis, along)), sub(dforce, scale(axis, dalong))
    if par[p + LENGTH] > 0.0:
        k = 1.0 / par[p + LENGTH]
        M, dM = scale(cross(torque, axis), k), scale(cross(dtorque, axis), k)
        F, dF = scale(F, 0.5), scale(dF, 0.5)
        x, dx = size_and_slope(add(F, M), add(dF, dM))
        y, dy = size_and_slope(sub(F, M), sub(dF, dM))
        x, dx = x + y, dx + dy
    else:
        x, dx = size_and_slope(F, dF)
    if kind == REVOLUTE:
        x += par[p + AXIAL] * abs(along)
        dx += par[p + AXIAL] * (dalong if along > 0.0 else -dalong)
    elif kind == PRISMATIC and par[p + WIDTH] > 0.0:
        M0, dM0 = 2.0 * dot(torque, axis) / par[p + WIDTH], 2.0 * dot(dtorque, axis) / par[p + WIDTH]
        x += abs(M0)
        dx += dM0 if M0 > 0.0 else -dM0
    return x + par[p + PRELOAD], dx


FRICTION = Pointer(joint_friction, DERIVATIVE)
