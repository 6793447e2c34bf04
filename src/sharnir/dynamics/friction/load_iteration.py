"""Friction in joints by their real reactions: loads and reactions of one state, solved together.

At a state everything is affine in the loads P: reactions R = R⁰ + S Qᵀ P on the span of the loads that were tried (columns of Q,
orthonormal), accelerations and multipliers the same way. The loads that fit, P = G(R⁰ + S Qᵀ P), are found by Newton's method
without further evaluations; what they have outside of the span is the next direction. One joint takes two evaluations.
"""

import math

from sharnir.dynamics.constraints.cut_joint_forces import observe_cuts
from sharnir.dynamics.friction.joint_friction import (
    W_BRISTLE,
    W_BRISTLE_RATE,
    W_FACTOR,
    W_LOAD,
    W_POINT,
    friction_wrench,
    length,
    store_outputs,
)
from sharnir.dynamics.friction.load_equations import (
    BETA,
    EVALUATIONS,
    KIND,
    STATUS,
    friction_places,
    records_of,
    solve_branch,
    update_loads,
)
from sharnir.dynamics.memory import late_sensor_layout as O
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.newton_euler import update_body_accelerations
from sharnir.dynamics.signals.late_sensors import tree_reaction_at, update_joint_reactions
from sharnir.kernel import PLAIN, Pointer, call_derivative, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import load3, store3

TOLERANCE = 1e-10  # of loads, relative to their size
FRICTIONLESS: dict = {}  # in plain Python: key in F_FRICTIONLESS -> function

if PLAIN:

    def run_frictionless(t, y, yd, table, params, work):
        """The right-hand side with given loads."""
        FRICTIONLESS[table[L.F_FRICTIONLESS]](t, y, yd, table, params, work)
else:

    @jit
    def run_frictionless(t, y, yd, table, params, work):  # type: ignore[misc]
        """The right-hand side with given loads."""
        call_derivative(fixed_ints(table)[L.F_FRICTIONLESS], t, y, yd, table, params, work)


@jit
def set_loads(tab, w, loads):
    """Loads into the memory of the elements; below zero: none."""
    for j in range(tab[tab[L.T_FRICTION]]):
        f = tab[records_of(tab, j)]
        w[tab[f + L.FUNCTION + 1] + W_LOAD] = w[loads + j] if loads >= 0 else 0.0


@jit
def evaluate_reactions(t, y, yd, table, params, work, to):
    """One evaluation with the loads that stand in the elements; reactions of the joints with friction go to work[to:]."""
    tab, par, w, qd = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(yd)
    head = tab[L.T_FRICTION]
    run_frictionless(t, y, yd, table, params, work)
    update_body_accelerations(tab, par, w, shift(qd, tab[L.N_Q]), True)
    update_joint_reactions(tab, par, w, tab[head + 2])
    cuts = tab[head + 3]
    if tab[L.N_ELEMENT] > 0:
        observe_cuts(tab, par, w, shift(w, cuts))
    for j in range(tab[head]):
        r = records_of(tab, j)
        if tab[r + KIND] == O.TREE_REACTION:
            point = load3(w, tab[tab[r] + L.FUNCTION + 1] + W_POINT)
            force, torque = tree_reaction_at(tab, w, tab[r + 2], float(tab[r + 3]), point)
        else:
            c = cuts + 6 * tab[r + 2]
            force, torque = load3(w, c), load3(w, c + 3)
        store3(w, to + 6 * j, force)
        store3(w, to + 6 * j + 3, torque)


@jit
def pack(tab, w, vdot, to):
    """What is affine in the loads, one after the other: v̇, multipliers, forces on bodies."""
    n, rows, bodies = tab[L.N_V], tab[L.N_ROW], L.W_EXTERNAL_SIZE * tab[L.N_BODY]
    for k in range(n):
        w[to + k] = vdot[k]
    for k in range(rows):
        w[to + n + k] = w[tab[L.W_LAMBDA] + k]
    for k in range(bodies):
        w[to + n + rows + k] = w[tab[L.W_EXTERNAL] + k]


@jit
def unpack(tab, w, vdot, base, responses, size, k):
    """The same back: that without friction and its k responses, by their parts β."""
    n, rows, bodies = tab[L.N_V], tab[L.N_ROW], L.W_EXTERNAL_SIZE * tab[L.N_BODY]
    beta = tab[tab[L.T_FRICTION] + 1] + BETA
    for i in range(k):
        b = w[beta + i]
        for c in range(size):
            w[base + c] += b * w[responses + i * size + c]
    for c in range(n):
        vdot[c] = w[base + c]
    for c in range(rows):
        w[tab[L.W_LAMBDA] + c] = w[base + n + c]
    for c in range(bodies):
        w[tab[L.W_EXTERNAL] + c] = w[base + n + rows + c]


@jit
def outside_of_span(tab, w, k):
    """P less its part in the span, into the next direction; β ← QᵀP. Returns lengths of that and of P."""
    m, loads, Q = friction_places(tab)[:3]
    beta = tab[tab[L.T_FRICTION] + 1] + BETA
    to, size = Q + k * m, 0.0
    for j in range(m):
        w[to + j] = w[loads + j]
        size += w[loads + j] * w[loads + j]
    for i in range(k):
        w[beta + i] = 0.0
    for _ in range(2):  # twice for orthogonality
        for i in range(k):
            c = 0.0
            for j in range(m):
                c += w[Q + i * m + j] * w[to + j]
            w[beta + i] += c
            for j in range(m):
                w[to + j] -= c * w[Q + i * m + j]
    rest = 0.0
    for j in range(m):
        rest += w[to + j] * w[to + j]
    return math.sqrt(rest), math.sqrt(size)


@jit
def set_single_load(tab, w, k):
    """The load of that joint alone which the directions know least of: where the span has no solution, it must grow."""
    m, loads, Q = friction_places(tab)[:3]
    best, found, size = 2.0, 0, 0.0
    for j in range(m):
        known = 0.0
        for i in range(k):
            known += w[Q + i * m + j] * w[Q + i * m + j]
        size = max(size, abs(w[loads + j]))
        w[loads + j] = 0.0
        if known < best:
            best, found = known, j
    w[loads + found] = size if 0.0 < size < 1e300 else 1.0


@jit
def add_direction(tab, w, k, rest, at, first, to):
    """A response per unit of direction k: what an evaluation gave, less what was known of it, by the length of the direction.

    at: responses, of which `first` numbers each follow one another; to: the evaluation's numbers; before them those at P = 0.
    """
    beta = tab[tab[L.T_FRICTION] + 1] + BETA
    for c in range(first):
        x = w[to + c] - w[to - first + c]
        for i in range(k):
            x -= w[beta + i] * w[at + i * first + c]
        w[at + k * first + c] = x / rest


@jit
def slides(tab, w):
    """Whether any joint slides, or its bristles are bent."""
    found = False
    for j in range(tab[tab[L.T_FRICTION]]):
        at = tab[tab[records_of(tab, j)] + L.FUNCTION + 1]
        found = found or length(load3(w, at + W_FACTOR)) > 0.0
    return found


@jit
def keep_bristles(tab, w, z):
    """Bristles from the state to where the elements find them."""
    for j in range(tab[tab[L.T_FRICTION]]):
        r = records_of(tab, j)
        for k in range(tab[r + 5]):
            w[tab[tab[r] + L.FUNCTION + 1] + W_BRISTLE + k] = z[tab[r + 4] + k]


@jit
def finish(tab, par, w, zdot):
    """Outputs of the elements with their final loads, rates of bristles."""
    for j in range(tab[tab[L.T_FRICTION]]):
        r = records_of(tab, j)
        f = tab[r]
        _, _, surface = friction_wrench(tab, par, w, f)
        store_outputs(tab, par, w, f, surface)
        for k in range(tab[r + 5]):
            zdot[tab[r + 4] + k] = w[tab[f + L.FUNCTION + 1] + W_BRISTLE_RATE + k]


@jit
def solve_friction(t, y, yd, table, params, work):
    """v̇ with the friction of the reactions that it goes with; returns 0.0, or 1.0 where there is no such friction."""
    tab, par, w, vdot = fixed_ints(table), fixed_doubles(params), doubles(work), shift(doubles(yd), fixed_ints(table)[L.N_Q])
    m, loads, _, reactions, S, base, responses, size, most = friction_places(tab)
    own = tab[tab[L.T_FRICTION] + 1]
    set_loads(tab, w, -1)
    evaluate_reactions(t, y, yd, table, params, work, reactions)
    pack(tab, w, vdot, base)
    k, moving, found = 0, slides(tab, w), True
    update_loads(tab, par, w, 0, 1.0)
    while moving:
        if not found:
            set_single_load(tab, w, k)
        rest, norm = outside_of_span(tab, w, k)
        if found and not rest > TOLERANCE * norm:
            break
        if k == most:
            return 1.0 if most == m else 2.0
        set_loads(tab, w, loads)
        for j in range(m):
            w[friction_places(tab)[2] + k * m + j] /= rest
        evaluate_reactions(t, y, yd, table, params, work, reactions + 6 * m)
        pack(tab, w, vdot, base + size)
        add_direction(tab, w, k, rest, S, 6 * m, reactions + 6 * m)
        add_direction(tab, w, k, rest, responses, size, base + size)
        k += 1
        found = solve_branch(tab, par, w, k)
    w[own + EVALUATIONS] = k + 1.0
    set_loads(tab, w, loads)
    if k > 0:
        unpack(tab, w, vdot, base, responses, size, k)
    return 0.0


def derivative_with_friction(t, y, yd, table, params, work):
    tab, par, w, q, qd = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(y), doubles(yd)
    first = tab[L.N_Q] + tab[L.N_V]
    keep_bristles(tab, w, shift(q, first))
    status = solve_friction(t, y, yd, table, params, work)
    w[tab[tab[L.T_FRICTION] + 1] + STATUS] = status
    finish(tab, par, w, shift(qd, first))
    if status > 0.0:
        for k in range(tab[L.N_V]):
            qd[tab[L.N_Q] + k] = math.nan


WITH_FRICTION = Pointer(derivative_with_friction, DERIVATIVE)
