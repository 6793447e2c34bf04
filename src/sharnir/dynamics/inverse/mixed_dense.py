"""The combined method of Gevorkian 2020: the mixed problem as one dense system in n accelerations or forces and m multipliers.

    [ M* with -1 on the diagonal where χ = 1       -C*ᵀ       ] [ q̈ or Γ ]   [ Q* - M* q̈_given ]
    [ C* with zero columns where χ = 1      C_e M_ee⁻¹ C_eᵀ ] [   λ    ] = [ γ* - C* q̈_given ]

M* = M_rr - M_re M_ee⁻¹ M_er and so on: elastic accelerations are eliminated first. O(n²) to assemble, O((n + m)³) to solve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.joint_coordinates import freedoms_of, speed_rows
from sharnir.dynamics.mobility.redundancy import dependent_rows
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.inverse.mixed_problem import AccelerationRows, MixedProblem

SINGULAR = 1e-13  # reciprocal condition number of the scaled system


def combined_solution(
    problem: MixedProblem, e: AccelerationRows, t: float, given: np.ndarray, along: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """v̇, Γ of freedoms with given motion (zero for the others), λ of all equations (the least of redundant ones)."""
    s, y = problem.system, e.found.y
    M, Q = s.mass_matrix(y[: s.n_q], t), right_side(problem, e, t, along)
    kept = np.ones(len(e.rows), bool)
    kept[dependent_rows(s, e.found)] = False
    C, right = e.rows[kept], e.right[kept]
    elastic = np.zeros(s.n_v, bool)
    for _, first, count in s.assembly.coordinates.elastic.values():
        elastic[first : first + count] = True
    r = ~elastic
    # [M_er, -C_eᵀ, Q_e] by M_ee
    X = np.linalg.solve(M[np.ix_(elastic, elastic)], np.column_stack([M[np.ix_(elastic, r)], -C[:, elastic].T, Q[elastic]]))
    n, m = int(r.sum()), len(C)
    rows = np.vstack([M[np.ix_(r, elastic)], C[:, elastic]])
    full = np.block([[M[np.ix_(r, r)], -C[:, r].T], [C[:, r], np.zeros((m, m))]]) - rows @ X[:, : n + m]
    b = np.concatenate([Q[r], right]) - rows @ X[:, -1]
    chi, known = problem.chi[r] != 0.0, given[r]
    b -= full[:, :n] @ np.where(chi, known, 0.0)
    R = full.copy()
    R[:, :n][:, chi] = 0.0
    R[np.flatnonzero(chi), np.flatnonzero(chi)] = -1.0
    x = _solution(R, b)
    vdot, force, lam = np.zeros(s.n_v), np.zeros(s.n_v), np.zeros(len(e.rows))
    vdot[r], force[r] = np.where(chi, known, x[:n]), np.where(chi, x[:n], 0.0)
    vdot[elastic] = X[:, -1] - X[:, : n + m] @ np.concatenate([vdot[r], x[n:]])
    lam[kept] = x[n:]
    return vdot, force, lam if kept.all() else _least_norm(e.rows, lam)


def _least_norm(C: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """The least λ, in rows of unit length, with the same Cᵀ λ; zero where a row is nothing."""
    length = np.linalg.norm(C, axis=1)
    alive = length > 1e-9 * length.max()
    unit, scaled = C[alive] / length[alive, None], lam[alive] * length[alive]
    least = np.zeros_like(lam)
    least[alive] = np.linalg.lstsq(unit.T, unit.T @ scaled, rcond=1e-9)[0] / length[alive]
    return least


def right_side(problem: MixedProblem, e: AccelerationRows, t: float, along: np.ndarray) -> np.ndarray:
    """Q in M v̇ = Q + Γ + Cᵀ λ; given forces stand in W_DRIVE, those of cut joints in `along`."""
    s, y = problem.system, e.found.y
    q, v = y[: s.n_q].copy(), y[s.n_q : s.n_q + s.n_v].copy()
    if s.table[L.N_CUT_FORCE]:  # springs and dampers in cut joints: what the recursion makes of them
        if not s.table[L.N_ELASTIC]:  # with all motions given, at rest, the recursion divides by no inertia
            return -problem._pass(y, t, np.zeros(s.n_v), along, np.ones(s.n_v))[1]
        free = type(problem)(s)
        vdot, _ = free._pass(y, t, np.zeros(s.n_v), along)
        return s.mass_matrix(q, t) @ vdot
    Q = -s.inverse_dynamics(q, v, np.zeros(s.n_v), t)
    for number in np.flatnonzero(along.any(axis=1)):
        joint = s.tree.cuts[[x.name for x in s.tree.cuts].index(s.assembly.elements[number].name)]
        f = freedoms_of(s, joint, tuple(np.flatnonzero(along[number])))
        Q += speed_rows(s, f).T @ along[number][list(f.parts)]
    return Q


def _solution(R: np.ndarray, b: np.ndarray) -> np.ndarray:
    """R x = b with rows and columns scaled to one; columns of forces are 1, those of accelerations are masses."""
    if not len(b):
        return b
    columns = np.abs(R).max(axis=0)
    columns = np.where(columns > 0.0, columns, 1.0)
    scaled = R / columns
    rows = np.abs(scaled).max(axis=1)
    rows = np.where(rows > 0.0, rows, 1.0)
    scaled = scaled / rows[:, None]
    if not 1.0 / np.linalg.cond(scaled) > SINGULAR:
        raise ModelError(
            "mixed_dynamics: the combined system is singular: the given motions contradict each other through loops or "
            "constraints; give the force of one of them instead of its acceleration"
        )
    return np.linalg.solve(scaled, b / rows) / columns
