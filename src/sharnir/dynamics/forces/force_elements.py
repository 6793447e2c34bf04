"""Force elements: what acts along coordinates (`tau`) and on bodies (W_EXTERNAL), at one state."""

import math
from typing import Any

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    ball_spring_record,
    coordinate_params,
    external_work,
    force_record,
    frame_params,
    joint_force_record,
)
from sharnir.kernel import PLAIN, Pointer, address_of, call_body_force, call_derivative, call_given, call_scalar, jit
from sharnir.spatial.rotation import quaternion_of, rotation_vector, rotation_vector_slope
from sharnir.spatial.vector import (
    add,
    cross,
    dot,
    load3,
    load6,
    load9,
    multiply,
    multiply_back,
    rotate,
    rotate_back,
    scale,
    store3,
    store9,
    sub,
)


@jit
def given(tab, w, f, x, y, z):
    """A number that a user gives: f(x, y, z) by its address; below zero it is that of f(x, y, z, signals), negated."""
    if f > 0:
        return call_scalar(f, x, y, z)
    return call_given(-f, x, y, z, address_of(w, tab[L.W_SIGNAL]))


@jit
def update_coordinate_forces(tab, par, w, q, v, tau):
    """Given generalized force (W_DRIVE), constant force, damping and linear spring of every coordinate."""
    d = tab[L.W_DRIVE]
    if tab[L.HAS_COORDINATE_FORCE] == 0:
        for k in range(tab[L.N_V]):
            tau[k] = w[d + k]
    else:
        for k in range(tab[L.N_V]):
            p = coordinate_params(tab, k)
            x = w[d + k] + par[p] - par[p + 1] * v[k]
            c = tab[tab[L.T_COORDINATE] + k]
            if c >= 0:
                x = x - par[p + 2] * (q[c] - par[p + 3])
            tau[k] = x


@jit
def update_function_forces(t, tab, par, w, q, v, tau):
    """Functions f(q, v, t) of one coordinate, and isotropic springs of ball joints (torque -k φ)."""
    for k in range(tab[L.N_JOINT_FORCE]):
        f = joint_force_record(tab, k)
        tau[tab[f]] += given(tab, w, tab[f + 2], q[tab[f + 1]], v[tab[f]], t)
    for k in range(tab[L.N_BALL_SPRING]):
        f = ball_spring_record(tab, k)
        i, c = tab[f], tab[f + 1]
        phi = rotation_vector((q[c], q[c + 1], q[c + 2], q[c + 3]))
        stiffness = par[coordinate_params(tab, i) + 2]
        for j in range(3):
            tau[i + j] -= stiffness * phi[j]


@jit
def apply(tab, w, i, point, force, torque):
    """Add a world force at a world point, and a world torque, to body i."""
    if i >= 0:
        R, r, _, _ = pose_of(tab, w, i, 0.0)
        x = external_work(tab, i)
        store3(w, x, add(load3(w, x), rotate_back(R, force)))
        store3(w, x + 3, add(load3(w, x + 3), rotate_back(R, add(torque, cross(sub(point, r), force)))))


@jit
def point_state(tab, w, i, r):
    """World position and velocity of the point r of body i."""
    R, o, v, om = pose_of(tab, w, i, 0.0)
    d = rotate(R, r)
    return add(o, d), add(v, cross(om, d))


@jit
def add_vector_force(t, tab, par, w, f):
    """A force at a point or a torque, in world or body axes, constant or with components that are functions of time."""
    p = tab[f + L.F_PARAMS]
    a = load3(par, p + 3)
    x = a[0] if tab[f + L.FUNCTION] == 0 else given(tab, w, tab[f + L.FUNCTION], t, 0.0, 0.0)
    y = a[1] if tab[f + L.FUNCTION + 1] == 0 else given(tab, w, tab[f + L.FUNCTION + 1], t, 0.0, 0.0)
    z = a[2] if tab[f + L.FUNCTION + 2] == 0 else given(tab, w, tab[f + L.FUNCTION + 2], t, 0.0, 0.0)
    i, kind = tab[f + L.BODY_A], tab[f + L.FORCE_KIND]
    e = (x, y, z)
    if kind == L.BODY_FORCE or kind == L.BODY_TORQUE:
        R, _, _, _ = pose_of(tab, w, i, 0.0)
        e = rotate(R, rotate(load9(par, p + 6), e))  # the user's body axes -> engine axes -> world
    point, _ = point_state(tab, w, i, load3(par, p))
    zero = (0.0, 0.0, 0.0)
    if kind == L.WORLD_FORCE or kind == L.BODY_FORCE:
        apply(tab, w, i, point, e, zero)
    else:
        apply(tab, w, i, point, zero, e)


@jit
def add_spring(t, tab, par, w, f):
    """Tension k x + c ẋ + f(x, ẋ, t) along the line between two points, x = length - free length."""
    p = tab[f + L.F_PARAMS]
    a, va = point_state(tab, w, tab[f + L.BODY_A], load3(par, p))
    b, vb = point_state(tab, w, tab[f + L.BODY_B], load3(par, p + 3))
    d = sub(b, a)
    length = math.sqrt(dot(d, d))
    n = scale(d, 1.0 / length) if length > 1e-300 else (0.0, 0.0, 0.0)
    rate = dot(sub(vb, va), n)
    x = length - par[p + 8]
    tension = par[p + 6] * x + par[p + 7] * rate
    if tab[f + L.FUNCTION] != 0:
        tension += given(tab, w, tab[f + L.FUNCTION], x, rate, t)
    zero = (0.0, 0.0, 0.0)
    apply(tab, w, tab[f + L.BODY_A], a, scale(n, tension), zero)
    apply(tab, w, tab[f + L.BODY_B], b, scale(n, -tension), zero)
    store3(w, tab[f + L.W_OUT], (length, rate, tension))


@jit
def bushing_state(tab, par, w, f):
    """Axes A, point B, displacement of B in axes A, rotation vector φ of B in A, and their rates."""
    p = tab[f + L.F_PARAMS]
    i, j = tab[f + L.BODY_A], tab[f + L.BODY_B]
    RA, _, _, wa = pose_of(tab, w, i, 0.0)
    RB, _, _, wb = pose_of(tab, w, j, 0.0)
    RA, RB = multiply(RA, load9(par, p)), multiply(RB, load9(par, p + 12))
    a, va = point_state(tab, w, i, load3(par, p + 9))
    b, vb = point_state(tab, w, j, load3(par, p + 21))
    d = sub(b, a)
    x = rotate_back(RA, d)
    xd = rotate_back(RA, sub(sub(vb, va), cross(wa, d)))
    phi = rotation_vector(quaternion_of(multiply_back(RA, RB)))
    om = rotate_back(RA, sub(wb, wa))
    return RA, b, x, xd, phi, om


@jit
def add_bushing(tab, par, w, f):
    """Six-axis spring and damper: potential ½ xᵀK x + ½ φᵀK φ, so the torque is J(φ)⁻ᵀ K φ and not K φ alone."""
    RA, b, x, xd, phi, om = bushing_state(tab, par, w, f)
    p = tab[f + L.F_PARAMS] + 24
    K, D, F0 = load6(par, p), load6(par, p + 6), load6(par, p + 12)
    e = (
        -K[0] * x[0] - D[0] * xd[0] + F0[0],
        -K[1] * x[1] - D[1] * xd[1] + F0[1],
        -K[2] * x[2] - D[2] * xd[2] + F0[2],
    )
    # φ̇ = (1 - ½ φ~ + k φ~²) ω in axes A (left Jacobian); torque on B = its transpose times -∂U/∂φ
    u = (-K[3] * phi[0], -K[4] * phi[1], -K[5] * phi[2])
    k = rotation_vector_slope(phi)
    c = cross(phi, u)
    m = add(u, add(scale(c, 0.5), scale(cross(phi, c), k)))
    m = (m[0] - D[3] * om[0] + F0[3], m[1] - D[4] * om[1] + F0[4], m[2] - D[5] * om[2] + F0[5])
    force, torque = rotate(RA, e), rotate(RA, m)
    apply(tab, w, tab[f + L.BODY_B], b, force, torque)
    # on A at B's point, since x is measured in axes that turn with A
    apply(tab, w, tab[f + L.BODY_A], b, scale(force, -1.0), scale(torque, -1.0))
    store3(w, tab[f + L.W_OUT], e)
    store3(w, tab[f + L.W_OUT] + 3, m)


@jit
def add_user_force(t, tab, par, w, f):
    """A user's function of the states of some bodies: r, R, v, ω in world axes in, forces and torques out."""
    n, first, out = tab[f + L.FUNCTION + 1], tab[f + L.FUNCTION + 2], tab[f + L.W_OUT]
    for k in range(n):
        i = tab[first + k]
        R, r, v, om = pose_of(tab, w, i, 0.0)
        p = frame_params(tab, i)
        d = rotate(R, load3(par, p + 9))
        store3(w, out + 3 * k, add(r, d))
        store9(w, out + 3 * n + 9 * k, multiply(R, load9(par, p)))
        store3(w, out + 12 * n + 3 * k, add(v, cross(om, d)))
        store3(w, out + 15 * n + 3 * k, om)
    for k in range(6 * n):
        w[out + 18 * n + k] = 0.0
    call_body_force(tab[f + L.FUNCTION], t, n, address_of(w, out), address_of(w, out + 18 * n))
    for k in range(n):
        i = tab[first + k]
        # not from the function's own arrays: it may have used them as scratch
        point, _ = point_state(tab, w, i, load3(par, frame_params(tab, i) + 9))
        apply(tab, w, i, point, load3(w, out + 18 * n + 3 * k), load3(w, out + 21 * n + 3 * k))


ELEMENTS: dict[int, Any] = {}  # in plain Python: key in FUNCTION -> function


def force_function(pointer: Pointer) -> int:
    """What stands in FUNCTION of an element that has a C function of its own, f(t, record, 0, table, params, work).

    Only the kinds that a model has are compiled. Such a function adds forces by `apply`.
    """
    if not PLAIN:
        return pointer.address
    key = id(pointer) % 2**60
    ELEMENTS[key] = pointer.function
    return key


if PLAIN:

    def add_element_force(t, tab, par, w, f):
        """An element with a function of its own."""
        ELEMENTS[tab[f + L.FUNCTION]](t, f, 0, tab, par, w)
else:

    @jit
    def add_element_force(t, tab, par, w, f):  # type: ignore[misc]
        """An element with a function of its own."""
        call_derivative(tab[f + L.FUNCTION], t, f, 0, address_of(tab, 0), address_of(par, 0), address_of(w, 0))


@jit
def update_forces(t, tab, par, w):
    """W_EXTERNAL of all bodies; needs update_poses."""
    x = tab[L.W_EXTERNAL]
    for k in range(tab[L.N_BODY] * L.W_EXTERNAL_SIZE):
        w[x + k] = 0.0
    for k in range(tab[L.N_FORCE]):
        f = force_record(tab, k)
        kind = tab[f]
        if kind == L.SPRING:
            add_spring(t, tab, par, w, f)
        elif kind == L.BUSHING:
            add_bushing(tab, par, w, f)
        elif kind == L.USER:
            add_user_force(t, tab, par, w, f)
        elif kind == L.OWN_FUNCTION:
            add_element_force(t, tab, par, w, f)
        else:
            add_vector_force(t, tab, par, w, f)
