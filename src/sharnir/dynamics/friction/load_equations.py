"""Loads of friction that fit the reactions which they make, on the span of loads that were tried: no evaluation of dynamics.

β = QᵀG(R⁰ + S β) by Newton's method from the loads without friction. With weak friction there is one solution; where there are
several (or none: friction jams) the one counts that goes over into that of no friction when all coefficients go to zero.
"""

import math

from sharnir.dynamics.friction.joint_friction import W_AXIS, load_and_slope
from sharnir.dynamics.memory import layout as L
from sharnir.kernel import jit
from sharnir.spatial.vector import load3

MOST = 16  # directions
RECORD = 6  # force record, tree or cut, body or element, sign, first tracked coordinate, bristles
KIND = 1
HEADER = 4  # of T_FRICTION: joints, own memory, copy of W_EXTERNAL, what passes through constraint elements

# own memory: status, evaluations, which joint couples most, how much all couple, then β, β before a step of Newton's method and
# before one of the friction, residual, Newton matrix with a right side
STATUS, EVALUATIONS, WORST, COUPLING, BETA = 0, 1, 2, 3, 4
START = BETA + MOST
BEFORE = START + MOST
RESIDUAL = BEFORE + MOST
MATRIX = RESIDUAL + MOST
VECTORS = MATRIX + MOST * (MOST + 1)
NEWTON_STEPS, HALVINGS, ROUNDING = 30, 6, 1e-14
SMALL = 1e-7  # a step behind which Newton's method is at rounding
FIRST_PART, LEAST_PART = 0.125, 1e-4  # of the friction, where all of it at once is too much
NEAR = 0.25  # change of loads, relative to their size, that stays on a branch


@jit
def records_of(tab, j):
    """Record of joint j with friction."""
    return tab[L.T_FRICTION] + HEADER + j * RECORD


@jit
def friction_places(tab):
    """Joints m; places of loads, directions Q, reactions (without friction, then of an evaluation), their responses S, what is
    affine in the loads (twice), its responses; size of that; directions at most."""
    head = tab[L.T_FRICTION]
    m, own = tab[head], tab[head + 1]
    most = min(m, MOST)
    size = tab[L.N_V] + tab[L.N_ROW] + L.W_EXTERNAL_SIZE * tab[L.N_BODY]
    loads = own + VECTORS
    Q = loads + m
    reactions = Q + (most + 1) * m
    S = reactions + 12 * m
    base = S + 6 * m * most
    return m, loads, Q, reactions, S, base, base + 2 * size, size, most


@jit
def reaction_of(w, at, S, stride, k, beta, part):
    """Three numbers of a reaction at β: R⁰ + part S β."""
    a, b, c = w[at], w[at + 1], w[at + 2]
    for i in range(k):
        x = part * w[beta + i]
        s = S + i * stride
        a, b, c = a + x * w[s], b + x * w[s + 1], c + x * w[s + 2]
    return (a, b, c)


@jit
def update_loads(tab, par, w, k, part):
    """Loads of the reactions at β."""
    m, loads, _, R, S, _, _, _, _ = friction_places(tab)
    own = tab[tab[L.T_FRICTION] + 1]
    for j in range(m):
        f = tab[records_of(tab, j)]
        force = reaction_of(w, R + 6 * j, S + 6 * j, 6 * m, k, own + BETA, part)
        torque = reaction_of(w, R + 6 * j + 3, S + 6 * j + 3, 6 * m, k, own + BETA, part)
        axis, zero = load3(w, tab[f + L.FUNCTION + 1] + W_AXIS), (0.0, 0.0, 0.0)
        w[loads + j], _ = load_and_slope(par, tab[f + L.F_PARAMS], axis, force, torque, zero, zero)


@jit
def residual(tab, par, w, k, part):
    """β - QᵀG; returns its length."""
    m, loads, Q = friction_places(tab)[:3]
    own = tab[tab[L.T_FRICTION] + 1]
    update_loads(tab, par, w, k, part)
    total = 0.0
    for i in range(k):
        x = w[own + BETA + i]
        for j in range(m):
            x -= w[Q + i * m + j] * w[loads + j]
        w[own + RESIDUAL + i] = x
        total += x * x
    return math.sqrt(total)


@jit
def update_slopes(tab, par, w, k, part):
    """Newton matrix 1 - Qᵀ G' S; needs the residual."""
    m, _, Q, R, S, _, _, _, _ = friction_places(tab)
    own = tab[tab[L.T_FRICTION] + 1]
    A, worst, total = own + MATRIX, 0.0, 0.0
    for i in range(k):
        for l in range(k):
            w[A + i * (MOST + 1) + l] = 1.0 if i == l else 0.0
    for j in range(m):
        f = tab[records_of(tab, j)]
        force = reaction_of(w, R + 6 * j, S + 6 * j, 6 * m, k, own + BETA, part)
        torque = reaction_of(w, R + 6 * j + 3, S + 6 * j + 3, 6 * m, k, own + BETA, part)
        axis, coupling = load3(w, tab[f + L.FUNCTION + 1] + W_AXIS), 0.0
        for l in range(k):
            s = S + l * 6 * m + 6 * j
            _, slope = load_and_slope(par, tab[f + L.F_PARAMS], axis, force, torque, load3(w, s), load3(w, s + 3))
            coupling += part * slope * w[Q + l * m + j]
            for i in range(k):
                w[A + i * (MOST + 1) + l] -= part * slope * w[Q + i * m + j]
        if coupling >= worst:
            worst = coupling
            w[own + WORST] = j
    for i in range(k):
        for l in range(k):
            x = w[A + i * (MOST + 1) + l] - (1.0 if i == l else 0.0)
            total += x * x
    w[own + COUPLING] = math.sqrt(total)


@jit
def eliminate(w, A, k):
    """Solve the Newton system, solution in its last column; returns the sign of the determinant."""
    stride, sign = MOST + 1, 1.0
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
    own = tab[tab[L.T_FRICTION] + 1]
    A, step = own + MATRIX, 0.0
    update_slopes(tab, par, w, k, part)
    for i in range(k):
        w[A + i * (MOST + 1) + MOST] = w[own + RESIDUAL + i]
        w[own + BEFORE + i] = w[own + BETA + i]
    sign = eliminate(w, A, k)
    for i in range(k):
        x = abs(w[A + i * (MOST + 1) + MOST])
        step = x if not x <= step else step
    return step, sign


@jit
def newton(tab, par, w, k, part):
    """β of a part of the friction, from where it is; False if there is none near, or only one beyond a fold."""
    own = tab[tab[L.T_FRICTION] + 1]
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
                w[beta + i] = w[own + BEFORE + i] - change * w[A + i * (MOST + 1) + MOST]
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
    m, loads, Q = friction_places(tab)[:3]
    own = tab[tab[L.T_FRICTION] + 1]
    beta, start, done, step = own + BETA, own + START, 0.0, FIRST_PART
    update_loads(tab, par, w, k, 0.0)
    for i in range(k):
        w[beta + i] = 0.0
        for j in range(m):
            w[beta + i] += w[Q + i * m + j] * w[loads + j]
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
    own = tab[tab[L.T_FRICTION] + 1]
    for i in range(k):  # loads are convex in β: from zero Newton's method does not step over the first solution
        w[own + BETA + i] = 0.0
    found = newton(tab, par, w, k, 1.0)
    if not found or w[own + COUPLING] >= 1.0:  # below one there is no other solution near
        found = follow_branch(tab, par, w, k)
    update_loads(tab, par, w, k, 1.0)
    return found
