"""Impacts: speeds after an impulse along a direction of the mechanism, with all constraints satisfied.

M (v⁺ - v) = Gᵀ μ + Cᵀ λ, C v⁺ = C v, and G v⁺ = G v + Δ: what passes through ideal joints is an impulse too. Rows of G are rates
of measured numbers per unit speed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.bodies.kinematics import update_kinematics, update_motions
from sharnir.dynamics.evaluation.constrained_right_hand_side import update_position_system
from sharnir.dynamics.evaluation.python_entries import evaluate_rates
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory.records import element_record, mimic_record
from sharnir.dynamics.methods.composite_body import fold_mimics, unfold_mimics, update_composites, update_mass_matrix
from sharnir.dynamics.methods.ltl_factorization import factorize, solve
from sharnir.dynamics.mobility.constraint_jacobian import add_path, constraints_at, mimic_rows
from sharnir.dynamics.mobility.state_steps import speed_scales
from sharnir.dynamics.signals.signal_evaluation import evaluate_events
from sharnir.kernel import address_of, doubles, fixed_doubles, fixed_ints, jit, shift
from sharnir.spatial.vector import dot, load3

NUDGE = 1e-6  # of coordinates
SUPPORT = 1e-9  # of the largest inertia, for bodies that have none

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def rate_row(system: Equations, y: np.ndarray, t: float, place: int) -> np.ndarray:
    """G: how a signal that is a rate depends on the speeds; rates are linear in them. place: where it stands in the memory."""
    n_q, n_v = system.n_q, system.n_v
    states = np.tile(y, (n_v + 1, 1))
    states[:, n_q : n_q + n_v] = np.concatenate([np.zeros((1, n_v)), np.eye(n_v)])
    out = np.zeros((n_v + 1, 1))
    system.observe_work(np.full(n_v + 1, t), states, int(system.table[L.W_SIGNAL]) + place, out)
    return out[1:, 0] - out[0, 0]


def struck_speeds(system: Equations, y: np.ndarray, t: float, row: np.ndarray, change: float) -> np.ndarray | None:
    """v⁺ whose rate along `row` differs by `change`; None if no impulse can do that."""
    q, v = y[: system.n_q], y[system.n_q : system.n_q + system.n_v]
    M = system.mass_matrix(q, t)
    if system.table[L.SOLVER] == L.NULL_SPACE:  # bodies without mass move with others, which the rows see to
        M = M + SUPPORT * np.diag(M).max() * np.eye(len(M))
    rows = np.vstack([row, mimic_rows(system)])
    if system.constrained:
        found = constraints_at(system, np.concatenate([q, np.zeros(system.n_v), y[system.n_q + system.n_v :]]), t)
        alive = found.scaled(speed_scales(system)).any(axis=1, keepdims=True)  # else redundant by itself: rounding
        rows = np.vstack([rows, np.where(alive, found.C, 0.0)])
    response = np.linalg.solve(M, rows.T)
    length = np.sqrt(np.einsum("ij,ji->i", rows, response))  # so that masses and units do not decide what is redundant
    unit = 1.0 / np.where(length > 0.0, length, np.inf)
    A = unit[:, None] * (rows @ response) * unit
    right = np.zeros(len(rows))
    right[0] = change * unit[0]
    impulse = np.linalg.lstsq(A, right, rcond=system.params[L.RANK_TOLERANCE])[0]
    if not unit[0] or not np.allclose(A @ impulse, right, rtol=1e-8, atol=1e-10 * abs(right[0])):
        return None
    return v + response @ (unit * impulse)


def impulse_moves(system: Equations, t: float, y: np.ndarray, place: int, function: Callable[[np.ndarray], float]) -> bool:
    """Whether an impulse along a rate changes the value of a function of the state: by a difference along its response."""
    row = rate_row(system, y, t, place)
    v = struck_speeds(system, y, t, row, 1.0)
    if v is None:
        return False
    n, qdot = system.n_q, np.zeros(system.n_q)
    evaluate_rates(y[:n], v - y[n : n + system.n_v], qdot, system.table, system.params)
    length = NUDGE / max(1e-300, float(np.abs(qdot).max()))
    states = np.tile(y, (2, 1))
    states[:, :n] += np.array([[-length], [length]]) * qdot
    return abs(function(states[1]) - function(states[0])) > 1e-5 * length


@jit
def signal_at(t, y, table, params, work, place):
    """A signal at a state."""
    tab, w = fixed_ints(table), doubles(work)
    now = tab[L.W_EVENT] + tab[L.N_Q] + tab[L.N_V] + tab[L.N_Z]
    evaluate_events(t, y, address_of(w, now), table, params, work)
    return w[tab[L.W_SIGNAL] + place]


@jit
def strike(t, y, table, params, work, place, change):
    """Change the rate that stands at a place; False if no impulse can."""
    tab, par, w, state = fixed_ints(table), fixed_doubles(params), doubles(work), doubles(y)
    n_q, n, m = tab[L.N_Q], tab[L.N_V], tab[L.N_ROW]
    size = n_q + n + tab[L.N_Z]
    trial = shift(w, tab[L.W_ACTION])
    M, rows, responses = shift(trial, size), shift(trial, size + n * n), shift(trial, size + n * n + (m + 1) * n)
    G, nothing = shift(rows, m * n), shift(responses, (m + 1) * n)
    sizes = shift(nothing, 3 * n)
    update_rate_row(t, state, trial, G, table, params, work, place)
    sizes[m] = 0.0
    if m > 0:
        update_position_system(t, tab, par, w, state, shift(state, n_q), shift(state, n_q + n))
        update_rows(tab, w, rows, nothing)
        update_sizes(tab, par, w, sizes)
    else:
        update_motions(t, tab, w, 0.0)
        update_kinematics(tab, par, w, state, state, 0.0)
    update_composites(tab, par, w, tab[L.W_COMPOSITE])
    update_mass_matrix(tab, par, w, tab[L.W_COMPOSITE], M, n)
    fold_mimics(tab, par, M, nothing, n)
    if tab[L.SOLVER] == L.NULL_SPACE:
        support_massless(M, n)
    factorize(M, shift(tab, tab[L.T_SOLVE]), shift(tab, tab[L.T_RUN]), n)
    for k in range(m + 1):
        left = orthogonalize(tab, par, M, rows, responses, n, k, sizes[k])
    if not left > 0.0:
        return False
    for k in range(n):
        state[n_q + k] += responses[m * n + k] * change / left
    return True


@jit
def support_massless(M, n):
    """A billionth of the largest inertia for every freedom: bodies without mass move with others, which the rows see to."""
    largest = 0.0
    for k in range(n):
        largest = max(largest, M[k * n + k])
    for k in range(n):
        M[k * n + k] += SUPPORT * largest


@jit
def update_rate_row(t, state, trial, G, table, params, work, place):
    """G: rates are linear in the speeds; `trial` has room for a state."""
    tab = fixed_ints(table)
    n_q, n = tab[L.N_Q], tab[L.N_V]
    for k in range(n_q + n + tab[L.N_Z]):
        trial[k] = state[k] if k < n_q or k >= n_q + n else 0.0
    where = address_of(trial, 0)
    rest = signal_at(t, where, table, params, work, place)
    for k in range(n):
        trial[n_q + k] = 1.0
        G[k] = signal_at(t, where, table, params, work, place) - rest
        trial[n_q + k] = 0.0


@jit
def update_rows(tab, w, C, entries):
    """C, row by row; `entries` has room for three times the number of speeds. Needs update_position_system."""
    n = tab[L.N_V]
    columns, values = shift(entries, n), shift(entries, 2 * n)
    for k in range(tab[L.N_ROW] * n):
        C[k] = 0.0
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        count, terms = tab[e + L.E_TERMS], tab[e + L.E_TERM]
        for r in range(tab[e + L.E_COUNT]):
            row = tab[e + L.E_ROW] + r
            for k in range(count):
                target, at = tab[terms + 2 * k], tab[e + L.E_JACOBIAN] + (r * count + k) * 6
                if target < -1:
                    C[row * n - 2 - target] += w[at]
                else:
                    for j in range(add_path(tab, w, target, at, 0, 0, entries, columns, values)):
                        C[row * n + int(columns[j])] += values[j]


@jit
def update_sizes(tab, par, w, sizes):
    """Per equation what row M⁻¹ rowᵀ is at least, if the row is more than rounding: as in start_equation (delassus_paths.py)."""
    for x in range(tab[L.N_ELEMENT]):
        e = element_record(tab, x)
        terms, n = tab[e + L.E_TERM], tab[e + L.E_TERMS]
        for r in range(tab[e + L.E_COUNT]):
            size = 0.0
            for k in range(n):
                J = tab[e + L.E_JACOBIAN] + (r * n + k) * 6
                if tab[terms + 2 * k] != -1:
                    f, m = load3(w, J), load3(w, J + 3)
                    size += dot(f, f) + dot(m, m) / (par[L.REACH] * par[L.REACH])
            sizes[tab[e + L.E_ROW] + r] = size / par[L.TOTAL_MASS]


@jit
def orthogonalize(tab, par, M, rows, responses, n, k, size):
    """Row k and its response M⁻¹ rowᵀ, less what rows before it do; the square of what is left, 0 if that is nothing: a share
    of the whole, or of the size of its forces, as small as that of redundant equations."""
    row, x = shift(rows, k * n), shift(responses, k * n)
    for j in range(n):
        x[j] = row[j]
    for j in range(tab[L.N_MIMIC]):
        follower, leader = tab[mimic_record(tab, j) + L.FOLLOWER], tab[mimic_record(tab, j) + L.LEADER]
        x[leader] += par[tab[L.P_MIMIC] + j] * x[follower]
        x[follower] = 0.0
    solve(M, shift(tab, tab[L.T_SOLVE]), shift(tab, tab[L.T_RUN]), n, x)
    unfold_mimics(tab, par, x)
    whole = product(row, x, n)
    for _ in range(2):  # once more, for the rounding of the first time
        for i in range(k):
            part = product(row, shift(responses, i * n), n)
            if part != 0.0:
                for j in range(n):
                    row[j] -= part * rows[i * n + j]
                    x[j] -= part * responses[i * n + j]
    left = product(row, x, n)
    last = k == tab[L.N_ROW]
    factor = 0.0 if not left > par[L.RANK_TOLERANCE] * max(whole, size) else (1.0 if last else 1.0 / left**0.5)
    for j in range(n):
        row[j] *= factor
        x[j] *= factor
    return left if factor > 0.0 else 0.0


@jit
def product(a, b, n):
    total = 0.0
    for j in range(n):
        total += a[j] * b[j]
    return total
