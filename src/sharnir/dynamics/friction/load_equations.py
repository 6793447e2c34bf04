"""Friction loads consistent with their own reactions, in the span of the loads tried so far; the dynamics is not evaluated.

β = QᵀG(R⁰ + S β) by Newton's method from the loads without friction. With weak friction there is one solution; where there are
several (or none: friction jams) the one counts that goes over into that of no friction when all coefficients go to zero.
"""

import math
from typing import NamedTuple

from sharnir.dynamics.friction.joint_friction import W_AXIS, load_and_slope
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import jit
from sharnir.spatial.vector import add, load3, scale

MOST = 16  # directions

# T_FRICTION: header, then one record for each joint with friction
JOINTS, OWN, SAVED, CUTS = 0, 1, 2, 3  # how many, own memory, copy of W_EXTERNAL, what passes through constraint elements
HEADER = 4
FORCE, KIND, WHERE, SIGN, FIRST_Z, BRISTLES = (
    0,
    1,
    2,
    3,
    4,
    5,
)  # force record, tree or cut, body or element, …, states
RECORD = 6

# own memory: what Python reads, then vectors of MOST numbers and the Newton matrix with a right side; then places that depend on
# the model, see FrictionPlaces
STATUS, EVALUATIONS, WORST, COUPLING, BETA = 0, 1, 2, 3, 4  # WORST: the joint that couples most; COUPLING: how much all do
START = BETA + MOST
BEFORE = START + MOST
RESIDUAL = BEFORE + MOST
MATRIX = RESIDUAL + MOST
VECTORS = MATRIX + MOST * (MOST + 1)
STRIDE = MOST + 1  # of the Newton matrix
NEWTON_STEPS, HALVINGS, ROUNDING = 30, 6, 1e-14
SMALL = 1e-7  # a step behind which Newton's method is at rounding
FIRST_PART, LEAST_PART = 0.125, 1e-4  # of the friction, where all of it at once is too much
NEAR = 0.25  # change of loads, relative to their size, that stays on a branch


class FrictionPlaces(NamedTuple):
    """Places in `work`, in the letters of docs/theory/friction.md."""

    m: int  # joints with friction
    most: int  # directions at most
    size: int  # numbers that are affine in the loads: v̇, multipliers, forces on bodies
    own: int  # STATUS, EVALUATIONS, WORST, COUPLING
    beta: int  # β = QᵀP
    P: int  # loads, m
    Q: int  # orthonormal directions, (most + 1) × m
    R0: int  # reactions without friction, m × 6
    R: int  # reactions of the present evaluation, m × 6
    S: int  # reactions per unit of each direction, most × m × 6
    base: int  # what is affine in the loads, without friction
    evaluated: int  # the same, of the present evaluation
    responses: int  # the same, per unit of each direction


@jit
def friction_places(tab):
    """Places of the loads and of what is affine in them."""
    head = tab[L.T_FRICTION]
    m, own = tab[head + JOINTS], tab[head + OWN]
    most = min(m, MOST)
    size = tab[L.N_V] + tab[L.N_ROW] + L.W_EXTERNAL_SIZE * tab[L.N_BODY]
    P = own + VECTORS
    Q = P + m
    R0 = Q + (most + 1) * m
    S = R0 + 12 * m
    base = S + 6 * m * most
    return FrictionPlaces(m, most, size, own, own + BETA, P, Q, R0, R0 + 6 * m, S, base, base + size, base + 2 * size)


@jit
def record_of(tab, j):
    """Record of joint j with friction."""
    return tab[L.T_FRICTION] + HEADER + j * RECORD


@jit
def memory_of(tab, j):
    """Work of the friction element of joint j: W_LOAD, W_AXIS, …"""
    return tab[tab[record_of(tab, j) + FORCE] + L.F_DATA]


@jit
def reaction_of(w, f, j, k, part):
    """Force and torque of joint j at β: R⁰ + part S β on k directions."""
    at = f.R0 + 6 * j
    force, torque = load3(w, at), load3(w, at + 3)
    for i in range(k):
        x, s = part * w[f.beta + i], f.S + 6 * (i * f.m + j)
        force, torque = add(force, scale(load3(w, s), x)), add(torque, scale(load3(w, s + 3), x))
    return force, torque


@jit
def update_loads(tab, par, w, k, part):
    """P = G(R⁰ + part S β): the loads of the reactions at β."""
    f = friction_places(tab)
    for j in range(f.m):
        p, axis, zero = tab[tab[record_of(tab, j)] + L.F_PARAMS], load3(w, memory_of(tab, j) + W_AXIS), (0.0, 0.0, 0.0)
        force, torque = reaction_of(w, f, j, k, part)
        w[f.P + j], _ = load_and_slope(par, p, axis, force, torque, zero, zero)


@jit
def along_direction(w, f, i, x):
    """Qᵢᵀ x of m numbers at x."""
    total = 0.0
    for j in range(f.m):
        total += w[f.Q + i * f.m + j] * w[x + j]
    return total


@jit
def residual(tab, par, w, k, part):
    """β - QᵀG; returns its length."""
    f = friction_places(tab)
    update_loads(tab, par, w, k, part)
    total = 0.0
    for i in range(k):
        x = w[f.beta + i] - along_direction(w, f, i, f.P)
        w[f.own + RESIDUAL + i] = x
        total += x * x
    return math.sqrt(total)


@jit
def update_slopes(tab, par, w, k, part):
    """Newton matrix 1 - Qᵀ G' S; needs the residual. Leaves |Qᵀ G' S| and the joint that couples most."""
    f = friction_places(tab)
    A, worst, total = f.own + MATRIX, 0.0, 0.0
    for i in range(k):
        for l in range(k):
            w[A + i * STRIDE + l] = 1.0 if i == l else 0.0
    for j in range(f.m):
        p, axis, coupling = tab[tab[record_of(tab, j)] + L.F_PARAMS], load3(w, memory_of(tab, j) + W_AXIS), 0.0
        force, torque = reaction_of(w, f, j, k, part)
        for l in range(k):
            s = f.S + 6 * (l * f.m + j)
            _, slope = load_and_slope(par, p, axis, force, torque, load3(w, s), load3(w, s + 3))
            coupling += part * slope * w[f.Q + l * f.m + j]
            for i in range(k):
                w[A + i * STRIDE + l] -= part * slope * w[f.Q + i * f.m + j]
        if coupling >= worst:
            worst = coupling
            w[f.own + WORST] = j
    for i in range(k):
        for l in range(k):
            x = w[A + i * STRIDE + l] - (1.0 if i == l else 0.0)
            total += x * x
    w[f.own + COUPLING] = math.sqrt(total)


@jit
def eliminate(w, A, k):
    """Solve the Newton system, solution in its last column; returns the sign of the determinant."""
    stride, sign = STRIDE, 1.0
    for c in range(k):
        pivot = c
        for r in range(c + 1, k):
            if abs(w[A + r * stride + c]) > abs(w[A + pivot * stride + c]):
                pivot = r
        if pivot != c:
            sign = -sign
            for j in range(c, stride):
                x = w[A + c * stride + j]
                w[A + c * stride + j] = w[A + pivot * stride + j]
                w[A + pivot * stride + j] = x
        d = w[A + c * stride + c]
        if d == 0.0:
            return 0.0
        sign = math.copysign(sign, sign * d)
        for r in range(k):
            if r != c:
                x = w[A + r * stride + c] / d
                for j in range(c, stride):
                    w[A + r * stride + j] -= x * w[A + c * stride + j]
    for c in range(k):
        w[A + c * stride + MOST] /= w[A + c * stride + c]
    return sign


@jit
def newton_step(tab, par, w, k, part):
    """Matrix and step, the step in the matrix' last column; returns its largest entry and the sign of the determinant."""
    own = tab[tab[L.T_FRICTION] + OWN]
    A, step = own + MATRIX, 0.0
    update_slopes(tab, par, w, k, part)
    for i in range(k):
        w[A + i * STRIDE + MOST] = w[own + RESIDUAL + i]
        w[own + BEFORE + i] = w[own + BETA + i]
    sign = eliminate(w, A, k)
    for i in range(k):
        x = abs(w[A + i * STRIDE + MOST])
        step = x if not x <= step else step
    return step, sign


@jit
def newton(tab, par, w, k, part):
    """β of a part of the friction, from where it is; False if there is none near, or only one beyond a fold."""
    own = tab[tab[L.T_FRICTION] + OWN]
    beta, A = own + BETA, own + MATRIX
    error = residual(tab, par, w, k, part)
    for _ in range(NEWTON_STEPS):
        step, sign = newton_step(tab, par, w, k, part)
        if sign == 0.0 or not step < 1e300:
            return False
        size, change, last = 0.0, 1.0, error
        for i in range(k):
            size = max(size, abs(w[beta + i]))
        for _ in range(HALVINGS):  # loads have kinks where a reaction passes through zero
            for i in range(k):
                w[beta + i] = w[own + BEFORE + i] - change * w[A + i * STRIDE + MOST]
            error = residual(tab, par, w, k, part)
            if error <= last or last <= ROUNDING * size:
                break
            change = 0.5 * change
        if error <= ROUNDING * size or (step <= SMALL * size and error <= last):
            return sign > 0.0
    return False


@jit
def follow_branch(tab, par, w, k):
    """β by turning on the friction in parts that change the loads little; False: the branch turns back before all is on."""
    f = friction_places(tab)
    beta, start, done, step = f.beta, f.own + START, 0.0, FIRST_PART
    update_loads(tab, par, w, k, 0.0)
    for i in range(k):
        w[beta + i] = along_direction(w, f, i, f.P)
    while done < 1.0:
        size, change, part = 0.0, 0.0, min(1.0, done + step)
        for i in range(k):
            w[start + i] = w[beta + i]
            size = max(size, abs(w[beta + i]))
        found = newton(tab, par, w, k, part)
        for i in range(k):
            change = max(change, abs(w[beta + i] - w[start + i]))
        if found and change <= NEAR * size:
            done, step = part, 1.5 * step
        else:
            step = 0.5 * step
            for i in range(k):
                w[beta + i] = w[start + i]
            if step < LEAST_PART:
                return False
    return True


@jit
def solve_branch(tab, par, w, k):
    """β and the loads with all friction, on the branch that begins without friction; False: there is none."""
    own = tab[tab[L.T_FRICTION] + OWN]
    for i in range(k):  # loads are convex in β: from zero Newton's method does not step over the first solution
        w[own + BETA + i] = 0.0
    found = newton(tab, par, w, k, 1.0)
    if not found or w[own + COUPLING] >= 1.0:  # below one there is no other solution near
        found = follow_branch(tab, par, w, k)
    update_loads(tab, par, w, k, 1.0)
    return found
