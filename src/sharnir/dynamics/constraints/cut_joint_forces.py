"""Drives, dampers and springs in cut joints: forces along coordinates that are not part of the state, applied to both bodies.

A force τ along the freedoms is the wrench W = Q T⁻ᵀ τ with Sᵀ W = τ; any other choice differs by what the joint holds fast.
"""

from sharnir.dynamics.bodies.kinematics import pose_of
from sharnir.dynamics.constraints.cut_joint import frame_on
from sharnir.dynamics.forces.force_elements import CONSTANT, DAMPING, REST, STIFFNESS, apply, given
from sharnir.dynamics.forces.potential import potential_of
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import (
    axis_work,
    cut_force_params,
    cut_force_record,
    element_record,
    end_freedom,
    external_work,
    first_freedom,
    motion_of,
    target_of,
)
from sharnir.kernel import jit, shift
from sharnir.spatial.rotation import quaternion_of, rotation_vector
from sharnir.spatial.vector import (
    add,
    cross,
    dot,
    load3,
    load9,
    multiply_back,
    rotate,
    rotate_back,
    scale,
    store3,
    sub,
)


@jit
def update_relative_turn(tab, par, w, e):
    """CUT_U and CUT_RATE of a ball or free joint: rotation vector (free: in the last three) and speeds, child body axes."""
    P, at = tab[e + L.E_PARAMS], tab[e + L.E_WORK]
    a = frame_on(tab, par, w, target_of(tab, e, 0), P + L.CUT_FRAME_A)
    b = frame_on(tab, par, w, target_of(tab, e, 1), P + L.CUT_FRAME_B)
    C = load9(par, P + L.CUT_CHILD_AXES)
    k = 3 if tab[e] == L.CUT_FREE_JOINT else 0
    store3(w, at + L.CUT_U + k, rotate(C, rotation_vector(quaternion_of(multiply_back(a.R, b.R)))))
    store3(w, at + L.CUT_RATE + k, rotate(C, rotate_back(b.R, sub(b.om, a.om))))
    if k == 3:
        d = sub(b.origin, a.origin)
        store3(w, at + L.CUT_U, rotate_back(a.R, d))
        store3(w, at + L.CUT_RATE, rotate(C, rotate_back(b.R, sub(sub(b.v, a.v), cross(a.om, d)))))


@jit
def joint_wrench(tab, par, w, e):
    """Force and torque of CUT_TAU on the second body, axes of the joint's frame on it."""
    at = tab[e + L.E_WORK]
    tau = at + L.CUT_TAU
    if tab[e] == L.CUT_BALL:
        return (0.0, 0.0, 0.0), rotate_back(load9(par, tab[e + L.E_PARAMS] + L.CUT_CHILD_AXES), load3(w, tau))
    if tab[e] == L.CUT_FREE_JOINT:
        C = load9(par, tab[e + L.E_PARAMS] + L.CUT_CHILD_AXES)
        return rotate_back(C, load3(w, tau)), rotate_back(C, load3(w, tau + 3))
    n, Q, T = 6 - tab[e + L.E_COUNT], at + L.CUT_Q, at + L.CUT_T
    force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(n):
        x = w[tau + k]
        for j in range(k):
            x -= w[T + 6 * j + k] * w[tau + j]
        d = w[T + 6 * k + k]
        x = x / d if d > 1e-9 else 0.0
        w[tau + k] = x  # now the part along Q_k
        force = add(force, scale(load3(w, Q + 6 * k), x))
        torque = add(torque, scale(load3(w, Q + 6 * k + 3), x))
    return force, torque


@jit
def apply_wrench(tab, par, w, e):
    """The joint's own force on both bodies, at the joint's point on the second; CUT_TAU then holds it, world axes."""
    parent, child = target_of(tab, e, 0), target_of(tab, e, 1)
    b = frame_on(tab, par, w, child, tab[e + L.E_PARAMS] + L.CUT_FRAME_B)
    force, torque = joint_wrench(tab, par, w, e)
    force, torque = rotate(b.R, force), rotate(b.R, torque)
    apply(tab, w, child, b.origin, force, torque)
    apply(tab, w, parent, b.origin, scale(force, -1.0), scale(torque, -1.0))
    store3(w, tab[e + L.E_WORK] + L.CUT_TAU, force)
    store3(w, tab[e + L.E_WORK] + L.CUT_TAU + 3, torque)


@jit
def update_cut_forces(t, tab, par, w):
    """Add the forces in cut joints to W_EXTERNAL; needs update_constraints, and forces of other elements there."""
    if tab[L.N_FORCE] == 0:
        for k in range(tab[L.N_BODY] * L.W_EXTERNAL_SIZE):
            w[tab[L.W_EXTERNAL] + k] = 0.0
    last = -1
    for x in range(tab[L.N_CUT_FORCE]):
        f, p = cut_force_record(tab, x), cut_force_params(tab, x)
        e = element_record(tab, tab[f + L.CUT_FORCE_ELEMENT])
        at = tab[e + L.E_WORK]
        if e != last:
            if last >= 0:
                apply_wrench(tab, par, w, last)
            if tab[e] != L.CUT_JOINT:
                update_relative_turn(tab, par, w, e)
            for k in range(6):
                w[at + L.CUT_TAU + k] = 0.0
            last = e
        k = tab[f + L.CUT_FORCE_FREEDOM]
        u, rate = w[at + L.CUT_U + k], w[at + L.CUT_RATE + k]
        y = par[p + CONSTANT] - par[p + DAMPING] * rate - par[p + STIFFNESS] * (u - par[p + REST])
        if tab[f + L.CUT_FORCE_ADDRESS] != 0:
            y += given(tab, w, tab[f + L.CUT_FORCE_ADDRESS], u, rate, t)
        w[at + L.CUT_TAU + k] += y
    if last >= 0:
        apply_wrench(tab, par, w, last)


@jit
def add_constraint_forces(tab, w):
    """Cᵀ λ on the bodies, added to W_EXTERNAL, so that reactions in the tree's joints follow from it."""
    if tab[L.N_FORCE] == 0 and tab[L.N_CUT_FORCE] == 0:
        for k in range(tab[L.N_BODY] * L.W_EXTERNAL_SIZE):
            w[tab[L.W_EXTERNAL] + k] = 0.0
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        n = tab[e + L.E_TERMS]
        for r in range(tab[e + L.E_COUNT]):
            lam = w[tab[L.W_LAMBDA] + tab[e + L.E_ROW] + r]
            for k in range(n):
                i = target_of(tab, e, k)
                if i >= 0:
                    to, J = external_work(tab, i), tab[e + L.E_JACOBIAN] + (r * n + k) * 6
                    for c in range(6):
                        w[to + c] += lam * w[J + c]


@jit
def observe_cut(tab, par, w, e, out):
    """What the equations of a cut joint do to its second body: force and torque, world axes, at the joint's point on it."""
    i = target_of(tab, e, 1)
    d = frame_on(tab, par, w, i, tab[e + L.E_PARAMS] + L.CUT_FRAME_B).arm
    R, _, _, _ = pose_of(tab, w, i, 0.0)
    fl, fa = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for r in range(tab[e + L.E_COUNT]):
        J, lam = tab[e + L.E_JACOBIAN] + r * 12 + 6, w[tab[L.W_LAMBDA] + tab[e + L.E_ROW] + r]
        fl, fa = add(fl, scale(load3(w, J), lam)), add(fa, scale(load3(w, J + 3), lam))
    force = rotate(R, fl)
    store3(out, 0, force)
    store3(out, 3, sub(rotate(R, fa), cross(d, force)))


@jit
def add_relations(tab, par, w, e, out):
    """What an equation between coordinates (gear, cam, coupler) does along those of cut joints: it passes through them."""
    data, at = tab[e + L.E_DATA], tab[e + L.E_WORK]
    n = tab[data]
    for k in range(n):
        m, block = data + 2 + k * L.T_MEASURE_SIZE, at + 4 * n + 4 + 12 * k + 6
        if tab[m] != L.CUT_MEASURE:
            continue
        lam = 0.0
        for r in range(tab[e + L.E_COUNT]):
            c = w[at + 2 * n + 4 + k]
            if tab[e] == L.LINEAR:
                c = par[tab[e + L.E_PARAMS] + n * L.P_MEASURE_SIZE + r * (n + 1) + 1 + k]
            lam += c * w[tab[L.W_LAMBDA] + tab[e + L.E_ROW] + r]
        x = tab[m + L.M_DATA]
        cut = element_record(tab, x)
        i = target_of(tab, cut, 1)
        d = frame_on(tab, par, w, i, tab[cut + L.E_PARAMS] + L.CUT_FRAME_B).arm
        R, _, _, _ = pose_of(tab, w, i, 0.0)
        force, torque = scale(rotate(R, load3(w, block)), lam), scale(rotate(R, load3(w, block + 3)), lam)
        to = shift(out, 6 * x)
        store3(to, 0, add(load3(to, 0), force))
        store3(to, 3, add(load3(to, 3), sub(torque, cross(d, force))))


@jit
def observe_cuts(tab, par, w, out):
    """What passes through every cut joint, its drives, dampers, springs and gears with it; zero for other elements."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        if tab[e] <= L.CUT_FREE_JOINT:
            observe_cut(tab, par, w, e, shift(out, 6 * x))
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        if tab[e] == L.LINEAR or tab[e] == L.FORMULA:
            add_relations(tab, par, w, e, out)
    last = -1
    for k in range(tab[L.N_CUT_FORCE]):
        x = tab[cut_force_record(tab, k) + L.CUT_FORCE_ELEMENT]
        if x != last:
            at = tab[element_record(tab, x) + L.E_WORK] + L.CUT_TAU
            for j in range(6):
                out[6 * x + j] += w[at + j]
            last = x


@jit
def observe_cut_drives(tab, par, w, cuts, drives):
    """Forces along freedoms of cut joints with prescribed motion: the motion axis times what passes through the joint."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        if tab[e] == L.CUT_JOINT:
            R = frame_on(tab, par, w, target_of(tab, e, 1), tab[e + L.E_PARAMS] + L.CUT_FRAME_B).R
            for f in range(first_freedom(tab, e), end_freedom(tab, e)):
                k = motion_of(tab, f)
                if k >= 0:
                    s = axis_work(tab, f)
                    c = shift(cuts, 6 * x)
                    drives[k] = dot(rotate(R, load3(w, s)), load3(c, 0)) + dot(rotate(R, load3(w, s + 3)), load3(c, 3))


@jit
def cut_potential(t, tab, par, w):
    """Springs and drives in cut joints, as in the joints of the tree; needs update_constraints."""
    total = 0.0
    for x in range(tab[L.N_CUT_FORCE]):
        f, p = cut_force_record(tab, x), cut_force_params(tab, x)
        e = element_record(tab, tab[f + L.CUT_FORCE_ELEMENT])
        if tab[e] != L.CUT_JOINT:
            update_relative_turn(tab, par, w, e)
        u = w[tab[e + L.E_WORK] + L.CUT_U + tab[f + L.CUT_FORCE_FREEDOM]]
        total += 0.5 * par[p + STIFFNESS] * (u - par[p + REST]) ** 2
        if tab[e] == L.CUT_JOINT:  # quaternions have no angle that a drive could have a potential of
            total -= par[p + CONSTANT] * u
            if tab[f + L.CUT_FORCE_ADDRESS] != 0:
                total -= potential_of(tab, par, f + L.CUT_FORCE_ADDRESS, u, t)
    return total
