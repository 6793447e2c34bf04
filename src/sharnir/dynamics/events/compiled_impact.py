"""Impacts without Python: an impulse along a measured number, joints and constraints kept. impact.py does the same in NumPy.

M (v⁺ - v) = Gᵀ μ + Cᵀ λ, C (v⁺ - v) = 0, G (v⁺ - v) = change. Rows of C and G are made orthogonal in the sense of M⁻¹, one after
the other (Gram and Schmidt); what is left of G is the direction of v⁺ - v, and redundant rows of C vanish.
"""

from sharnir.dynamics.bodies.kinematics import update_kinematics, update_motions
from sharnir.dynamics.evaluation.constrained_right_hand_side import update_position_system
from sharnir.dynamics.memory import event_layout as A
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.methods.composite_body import fold_mimics, unfold_mimics, update_composites, update_mass_matrix
from sharnir.dynamics.methods.ltl_factorization import factorize, solve
from sharnir.dynamics.mobility.constraint_jacobian import add_path
from sharnir.dynamics.signals.signal_evaluation import evaluate_events
from sharnir.kernel import address_of, doubles, fixed_doubles, fixed_ints, jit, shift

REDUNDANT = 1e-20  # square of what is left of a row, relative to the row


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
    trial = shift(w, tab[A.W_ACTION])
    M, rows, responses = shift(trial, size), shift(trial, size + n * n), shift(trial, size + n * n + (m + 1) * n)
    G, nothing = shift(rows, m * n), shift(responses, (m + 1) * n)
    update_rate_row(t, state, trial, G, table, params, work, place)
    if m > 0:
        update_position_system(t, tab, par, w, state, shift(state, n_q), shift(state, n_q + n))
        update_rows(tab, w, rows, nothing)
    else:
        update_motions(t, tab, w, 0.0)
        update_kinematics(tab, par, w, state, state, 0.0)
    update_composites(tab, par, w, tab[A.W_COMPOSITE])
    update_mass_matrix(tab, w, tab[A.W_COMPOSITE], M, n)
    fold_mimics(tab, par, M, nothing, n)
    factorize(M, shift(tab, tab[L.T_SOLVE]), shift(tab, tab[L.T_RUN]), n)
    for k in range(m + 1):
        left = orthogonalize(tab, par, M, rows, responses, n, k)
    if not left > 0.0:
        return False
    for k in range(n):
        state[n_q + k] += responses[m * n + k] * change / left
    return True


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
        e = tab[L.T_ELEMENT] + x * L.T_ELEMENT_SIZE
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
def orthogonalize(tab, par, M, rows, responses, n, k):
    """Row k and its response M⁻¹ rowᵀ, less what rows before it do; the square of what is left, 0 if that is nothing."""
    row, x = shift(rows, k * n), shift(responses, k * n)
    for j in range(n):
        x[j] = row[j]
    for j in range(tab[L.N_MIMIC]):
        follower, leader = tab[tab[L.T_MIMIC] + 2 * j], tab[tab[L.T_MIMIC] + 2 * j + 1]
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
    factor = 0.0 if not left > REDUNDANT * whole else (1.0 if last else 1.0 / left**0.5)
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
