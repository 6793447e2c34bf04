"""Derivatives of derived equations for linear equations about a state: exact, where the system computes by such equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.motion_basis import MotionBasis
from sharnir.dynamics.small_motions.measured_coordinates import MotionCoordinates
from sharnir.dynamics.small_motions.steady_axes import Tangents
from sharnir.dynamics.straight_line.derivatives import Derivatives, derivatives_at, plain_directions

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


def exact_tangents(measured: MotionCoordinates, basis: MotionBasis, rows: np.ndarray) -> Tangents | None:
    """As differences would find them; None for a system of the engine, and where speeds are not rates of coordinates.

    Only systems with method="symbolic" have them: for one linearization differences take less time than a derivation.
    """
    system: Any = measured.system
    if getattr(system, "derived", None) is None or not _is_plain(system, measured):
        return None
    if system.derived.derivation.without_slopes is not None:
        return None
    n = system.n_q
    found = derivatives_at(system, basis.y[:n], basis.y[n : n + system.n_v], basis.t, ())
    if not all(np.isfinite(x).all() for x in (found.q, found.v, found.constraint_rates_q, found.constraint_rates_v)):
        return None  # a singular position
    if system.n_z and _follows_cut_joints(system, basis):
        return None
    position, speed = basis.position, basis.speed
    kept = _kept_speeds(basis, found, position)
    dv = np.hstack([kept, speed])
    dvdot = np.hstack([found.q @ position + found.v @ kept, found.v @ speed])
    x = np.hstack([rows @ position, np.zeros((measured.count, speed.shape[1]))])
    u = rows @ dv
    return Tangents(x, u, u, rows @ dvdot)


def _is_plain(system: Equations, measured: MotionCoordinates) -> bool:
    """Whether measured speeds are those of the state, and these the rates of coordinates; drives may be told to stand still."""
    turned = len(measured.vectors) or len(measured.cuts) or len(measured.elastic)
    return not (turned or system.table[L.N_MOTION] or system.n_q != system.n_v)


def _follows_cut_joints(system: Any, basis: MotionBasis) -> bool:
    """Whether tracked coordinates of cut joints, which change with the others, matter to accelerations, as springs there do."""
    n, m = system.n_q + system.n_v, len(basis.y)
    changes = plain_directions(system).rate_changes(basis.t, basis.y, np.eye(m)[:, n:], np.zeros((0, m - n)))
    return bool(changes[system.n_q : n].any())


def _kept_speeds(basis: MotionBasis, found: Derivatives, directions: np.ndarray) -> np.ndarray:
    """How speeds change so that they keep the constraints along directions of position: the least change in the metric of M."""
    C = found.constraint_rates_v
    if not len(C):
        return np.zeros_like(directions)
    W = np.linalg.solve(basis.M, C.T)
    return -W @ np.linalg.lstsq(C @ W, found.constraint_rates_q @ directions, rcond=None)[0]
