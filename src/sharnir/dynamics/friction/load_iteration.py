"""Joint friction from the actual reactions: loads and reactions at one state, solved together.

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
    BRISTLES,
    CUTS,
    EVALUATIONS,
    FIRST_Z,
    FORCE,
    JOINTS,
    KIND,
    SAVED,
    SIGN,
    STATUS,
    WHERE,
    along_direction,
    friction_places,
    memory_of,
    record_of,
    solve_branch,
    update_loads,
)
from sharnir.dynamics.memory import late_sensor_layout as O
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.newton_euler import update_body_accelerations
from sharnir.dynamics.signals.late_sensors import tree_reaction_at, update_joint_reactions
from sharnir.kernel import Pointer, call_derivative, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.kernel.signatures import DERIVATIVE
from sharnir.spatial.vector import load3, store3

TOLERANCE = 1e-10  # of loads, relative to their size
SOLVED, JAMMED, UNDECIDED = 0.0, 1.0, 2.0  # UNDECIDED: no common value of loads and reactions with MOST directions


@jit
def run_frictionless(t, y, yd, table, params, work):
    """The right-hand side with given loads."""
    call_derivative(fixed_ints(table)[L.F_FRICTIONLESS], t, y, yd, table, params, work)


@jit
def set_loads(tab, w, loads):
    """Loads into the memory of the elements; below zero: none."""
    for j in range(tab[tab[L.T_FRICTION] + JOINTS]):
        w[memory_of(tab, j) + W_LOAD] = w[loads + j] if loads >= 0 else 0.0


@jit
def evaluate(t, y, yd, table, params, work, reactions, affine):
    """One evaluation with the loads that stand in the elements: reactions of the joints with friction, and what is affine."""
    tab, par, w, vdot = fixed_ints(table), fixed_doubles(params), doubles(work), shift(doubles(yd), fixed_ints(table)[L.N_Q])
    run_frictionless(t, y, yd, table, params, work)
    update_body_accelerations(tab, par, w, vdot, True)
    update_observed_reactions(tab, par, w, reactions)
    pack(tab, w, vdot, affine)


@jit
def update_observed_reactions(tab, par, w, to):
    """Force and torque at the joints with friction, six numbers each; needs an evaluation and accelerations of bodies."""
    head = tab[L.T_FRICTION]
    cuts = tab[head + CUTS]
    update_joint_reactions(tab, par, w, tab[head + SAVED])
    if tab[L.N_ELEMENT] > 0:
        observe_cuts(tab, par, w, shift(w, cuts))
    for j in range(tab[head + JOINTS]):
        r = record_of(tab, j)
        if tab[r + KIND] == O.TREE_REACTION:
            point = load3(w, memory_of(tab, j) + W_POINT)
            force, torque = tree_reaction_at(tab, w, tab[r + WHERE], float(tab[r + SIGN]), point)
        else:
            c = cuts + 6 * tab[r + WHERE]
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
def unpack(tab, w, vdot, at):
    """The same back to where an evaluation leaves it."""
    n, rows, bodies = tab[L.N_V], tab[L.N_ROW], L.W_EXTERNAL_SIZE * tab[L.N_BODY]
    for c in range(n):
        vdot[c] = w[at + c]
    for c in range(rows):
        w[tab[L.W_LAMBDA] + c] = w[at + n + c]
    for c in range(bodies):
        w[tab[L.W_EXTERNAL] + c] = w[at + n + rows + c]


@jit
def combine(w, f, k):
    """What is affine at the loads P: that without friction and its k responses, by their parts β."""
    for i in range(k):
        b = w[f.beta + i]
        for c in range(f.size):
            w[f.base + c] += b * w[f.responses + i * f.size + c]


@jit
def outside_of_span(w, f, k):
    """P less its part in the span of k directions, as direction k; β ← QᵀP. Returns lengths of that and of P."""
    to, size, rest = f.Q + k * f.m, 0.0, 0.0
    for j in range(f.m):
        w[to + j] = w[f.P + j]
        size += w[f.P + j] * w[f.P + j]
    for i in range(k):
        w[f.beta + i] = 0.0
    for _ in range(2):  # twice for orthogonality
        for i in range(k):
            c = along_direction(w, f, i, to)
            w[f.beta + i] += c
            for j in range(f.m):
                w[to + j] -= c * w[f.Q + i * f.m + j]
    for j in range(f.m):
        rest += w[to + j] * w[to + j]
    return math.sqrt(rest), math.sqrt(size)


@jit
def set_single_load(w, f, k):
    """P ← the load of that joint alone which the directions know least of: where the span has no solution, it must grow."""
    best, found, size = 2.0, 0, 0.0
    for j in range(f.m):
        known = 0.0
        for i in range(k):
            known += w[f.Q + i * f.m + j] * w[f.Q + i * f.m + j]
        size = max(size, abs(w[f.P + j]))
        w[f.P + j] = 0.0
        if known < best:
            best, found = known, j
    w[f.P + found] = size if 0.0 < size < 1e300 else 1.0


@jit
def add_direction(w, f, k, rest):
    """Direction k has unit length, and its responses are known: those of reactions, S, and of all else that is affine."""
    for j in range(f.m):
        w[f.Q + k * f.m + j] /= rest
    add_response(w, f.beta, k, rest, f.R0, f.R, f.S, 6 * f.m)
    add_response(w, f.beta, k, rest, f.base, f.evaluated, f.responses, f.size)


@jit
def add_response(w, beta, k, rest, base, evaluated, responses, size):
    """(evaluated - base - Σ β_i response_i)/rest: the response per unit of direction k, from an evaluation at P."""
    for c in range(size):
        x = w[evaluated + c] - w[base + c]
        for i in range(k):
            x -= w[beta + i] * w[responses + i * size + c]
        w[responses + k * size + c] = x / rest


@jit
def slides(tab, w):
    """Whether any joint slides, or its bristles are bent."""
    found = False
    for j in range(tab[tab[L.T_FRICTION] + JOINTS]):
        found = found or length(load3(w, memory_of(tab, j) + W_FACTOR)) > 0.0
    return found


@jit
def keep_bristles(tab, w, z):
    """Bristles from the state to where the elements find them."""
    for j in range(tab[tab[L.T_FRICTION] + JOINTS]):
        r = record_of(tab, j)
        for k in range(tab[r + BRISTLES]):
            w[memory_of(tab, j) + W_BRISTLE + k] = z[tab[r + FIRST_Z] + k]


@jit
def finish(tab, par, w, zdot):
    """Outputs of the elements with their final loads, rates of bristles."""
    for j in range(tab[tab[L.T_FRICTION] + JOINTS]):
        r = record_of(tab, j)
        _, _, surface = friction_wrench(tab, par, w, tab[r + FORCE])
        store_outputs(tab, par, w, tab[r + FORCE], surface)
        for k in range(tab[r + BRISTLES]):
            zdot[tab[r + FIRST_Z] + k] = w[memory_of(tab, j) + W_BRISTLE_RATE + k]


@jit
def solve_friction(t, y, yd, table, params, work):
    """v̇ with the friction of the reactions that it goes with; returns SOLVED, JAMMED or UNDECIDED.

    The numbered steps of docs/theory/friction.md, "Friction and reactions together"; k directions are known.
    """
    tab, par, w = fixed_ints(table), fixed_doubles(params), doubles(work)
    f, vdot = friction_places(tab), shift(doubles(yd), tab[L.N_Q])
    # 1: R⁰ without friction; the first direction is G(R⁰)
    set_loads(tab, w, -1)
    evaluate(t, y, yd, table, params, work, f.R0, f.base)
    k, found, moving = 0, True, slides(tab, w)
    update_loads(tab, par, w, 0, 1.0)
    while moving:
        # 4: stop where the loads lie in the span; what is outside of it is the next direction
        if not found:
            set_single_load(w, f, k)
        rest, norm = outside_of_span(w, f, k)
        if found and not rest > TOLERANCE * norm:
            break
        if k == f.most:
            return JAMMED if f.most == f.m else UNDECIDED
        # 2: one evaluation with these loads gives a column of S
        set_loads(tab, w, f.P)
        evaluate(t, y, yd, table, params, work, f.R, f.evaluated)
        add_direction(w, f, k, rest)
        k += 1
        # 3: β = Qᵀ G(R⁰ + S β) without further evaluations, and P = G(R⁰ + S β)
        found = solve_branch(tab, par, w, k)
    w[f.own + EVALUATIONS] = k + 1.0
    set_loads(tab, w, f.P)
    if k > 0:
        combine(w, f, k)
        unpack(tab, w, vdot, f.base)
    return SOLVED


def derivative_with_friction(t, y, yd, table, params, work):
    tab, par, w, q, qd = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(y), doubles(yd)
    first = tab[L.N_Q] + tab[L.N_V]
    keep_bristles(tab, w, shift(q, first))
    status = solve_friction(t, y, yd, table, params, work)
    w[friction_places(tab).own + STATUS] = status
    finish(tab, par, w, shift(qd, first))
    if status != SOLVED:
        for k in range(tab[L.N_V]):
            qd[tab[L.N_Q] + k] = math.nan


WITH_FRICTION = Pointer(derivative_with_friction, DERIVATIVE)
