"""Flexible bodies in the extended system: their inertias, their shapes at nodes as motion axes, forces along w."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.evaluation.flexible_right_hand_sides import flexible_inertias_at
from sharnir.dynamics.memory import layout as L

if TYPE_CHECKING:
    from sharnir.dynamics.evaluation.structure import Structure


def add_flexible_bodies(s: Structure, table: np.ndarray, params: np.ndarray, work: np.ndarray) -> None:
    """Fill what flexible bodies and their nodes have in the matrices; gravity acts as M (g, 0, 0)."""
    n = len(s.parent)
    rows = table[table[L.T_BODY] :][: n * L.T_BODY_SIZE].reshape(n, -1)
    pose = work[table[L.W_POSE] :][: n * L.W_POSE_SIZE].reshape(n, -1)
    own = np.zeros((n, 33))
    flexible_inertias_at(own, table, params, work)
    for i, row in enumerate(rows):
        h, at = int(row[L.COUNT_ELASTIC]), int(row[L.ELASTIC_W])
        body, speeds = slice(6 * i, 6 * i + 6), slice(int(row[L.ELASTIC_V]), int(row[L.ELASTIC_V]) + h)
        if h and row[L.KIND] == L.NODE:
            s.A[body, speeds] = work[at : at + 6 * h].reshape(h, 6).T
        elif h:
            A, B, C = own[i, :27].reshape(3, 3, 3)
            s.M[body, body] = np.block([[A, B], [B.T, C]])
            s.P[body, speeds] = work[at + 4 * h : at + 10 * h].reshape(h, 6).T
            s.W[speeds, speeds] = work[at + 10 * h : at + 10 * h + h * h].reshape(h, h)
            weight = np.concatenate([pose[i, :9].reshape(3, 3).T @ params[L.GRAVITY : L.GRAVITY + 3], np.zeros(3)])
            s.F[body] = s.M[body, body] @ weight - own[i, 27:]
            s.tau[speeds] = work[at + 2 * h : at + 3 * h] + s.P[body, speeds].T @ weight
            if table[L.N_FORCE]:
                s.F[body] += work[table[L.W_EXTERNAL] + 6 * i :][:6]
