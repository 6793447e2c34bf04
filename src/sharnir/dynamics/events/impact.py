"""Impacts: speeds behind an impulse along a direction of the mechanism, constraints kept.

M (v⁺ - v) = Gᵀ μ + Cᵀ λ, C v⁺ = C v, and G v⁺ = G v + Δ: what passes through ideal joints is an impulse too. Rows of G are rates
of measured numbers per unit speed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.evaluation.python_entries import evaluate_rates
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.constraint_jacobian import mimic_rows

NUDGE = 1e-6  # of coordinates

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
    rows = np.vstack([row, mimic_rows(system)])
    if system.constrained:
        rows = np.vstack([rows, system.constraint_jacobian(q, t)])
    response = np.linalg.solve(M, rows.T)
    A = rows @ response
    right = np.zeros(len(rows))
    right[0] = change
    impulse = np.linalg.lstsq(A, right, rcond=1e-12)[0]
    if not np.allclose(A @ impulse, right, rtol=1e-8, atol=1e-10 * abs(change)):
        return None
    return v + response @ impulse


def impulse_moves(system: Equations, t: float, y: np.ndarray, place: int, function: Callable[[np.ndarray], float]) -> bool:
    """Whether an impulse along a rate moves what a function of the state tells: by a difference along its response."""
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
