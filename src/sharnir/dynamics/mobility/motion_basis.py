"""Independent directions of motion at a state: N with C N = 0 and Nᵀ M N = 1, for positions and for speeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.evaluation.constrained_right_hand_side import PROJECTION
from sharnir.dynamics.evaluation.python_entries import call_once
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.constraint_jacobian import Constraints, constraints_at, mimic_rows
from sharnir.dynamics.mobility.reduced_inertia import null_space
from sharnir.dynamics.mobility.redundancy import dependent_rows
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import AnyEquations, Equations

NEWTON_STEPS = 20
CLOSED = 1e-12  # residuals, in sizes of the mechanism and in speeds, that are rounding


@dataclass(frozen=True)
class MotionBasis:
    """At one state y = (q, v, z).

    position : (n_v, f) directions in which positions can change.   speed : (n_v, g) the same for speeds; fewer where
    constraints hold for speeds only.   M : mass matrix, n_v × n_v.
    """

    y: np.ndarray
    t: float
    M: np.ndarray
    position: np.ndarray
    speed: np.ndarray
    constraints: Constraints


def motion_basis(system: Equations, y: np.ndarray, t: float = 0.0) -> MotionBasis:
    """Bases of the motions that the constraints allow at a state."""
    found = constraints_at(system, y, t)
    M = system.mass_matrix(y[: system.n_q], t)
    speed = _null_space(system, found, M, np.ones(len(found.g), bool))
    position = speed if found.holonomic.all() else _null_space(system, found, M, found.holonomic)
    return MotionBasis(found.y, t, M, position, speed, found)


def _null_space(system: Equations, found: Constraints, M: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """N with C N = 0, NᵀMN = 1; columns in a fixed sense, so that results do not depend on chance."""
    mimics = mimic_rows(system)
    rank = int(chosen.sum()) - len(dependent_rows(system, found, chosen)) + len(mimics)
    if system.n_v == 0 or rank >= system.n_v:
        return np.zeros((system.n_v, 0))
    if system.table[L.SOLVER] == L.NULL_SPACE:  # M may be singular
        N = null_space(system, np.vstack([found.C[chosen], mimics]), rank)
        values, vectors = np.linalg.eigh(N.T @ M @ N)
        N = N @ (vectors / np.sqrt(np.maximum(values, np.finfo(float).eps * values[-1])))
    else:
        inverse = np.linalg.inv(np.linalg.cholesky(M))
        rows = np.vstack([found.C[chosen], mimics]) @ inverse.T
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0.0)
        N = inverse.T @ (np.linalg.svd(rows)[2][rank:].T if len(rows) else np.eye(system.n_v))
    largest = np.argmax(np.abs(N), axis=0)
    return N * np.where(N[largest, np.arange(N.shape[1])] < 0.0, -1.0, 1.0)


def corrected(system: Equations, y: np.ndarray, t: float) -> np.ndarray:
    """A state put back onto the constraints, to rounding."""
    if not system.constrained:
        return y
    out = np.zeros(8)
    for _ in range(3):
        call_once(PROJECTION.address, float(t), y, out, system.table, system.params, system.work)
        if out[2] == 0.0:
            return y
    return _forced(system, y, t)


def _forced(system: Equations, y: np.ndarray, t: float) -> np.ndarray:
    """The same by least squares without masses: the metric of nearly massless bodies hides what holds the others."""
    scale, n, m = speed_scales(system), system.n_q, system.n_q + system.n_v
    before = np.inf
    for _ in range(NEWTON_STEPS):
        found = constraints_at(system, y, t)
        size = np.maximum(found.size, 1e-300)
        worst = float(np.abs(np.concatenate([found.g, found.gdot]) / np.tile(size, 2)).max(initial=0.0))
        typical = size_of(system) + float(np.abs(y[n:m] * scale).max(initial=0.0))
        if worst <= CLOSED * typical or not worst < 0.5 * before:
            break
        before, y = worst, found.y
        C, held = found.scaled(scale), found.holonomic
        speed = np.linalg.lstsq(C, found.gdot / size, rcond=1e-9)[0] / scale
        y = moved(system, y, -np.linalg.lstsq(C[held], found.g[held] / size[held], rcond=1e-9)[0] / scale)
        y[n:m] -= speed
    return y


def own_copy(system: AnyEquations, still: bool = False) -> AnyEquations:
    """A system with memory of its own that corrects positions and speeds; `still`: prescribed motions stand where they are."""
    other = system.with_own_work()
    other.table, other.params = system.table.copy(), system.params.copy()
    other.q0, other.v0, other.z0 = system.q0.copy(), system.v0.copy(), system.z0.copy()
    other.table[L.CORRECT_POSITION] = other.table[L.CORRECT_SPEED] = 1
    other.params[L.STABILIZE_POSITION] = other.params[L.STABILIZE_SPEED] = 0.0
    if still and system.table[L.N_MOTION]:
        zero = system.assembly.functions.scalar(0.0, ("t",), "")
        first, n = int(system.table[L.T_MOTION]), int(system.table[L.N_MOTION])
        motions = other.table[first : first + n * L.T_MOTION_SIZE].reshape(n, L.T_MOTION_SIZE)
        motions[:, 1:] = zero
    return other


def full_state(system: Equations, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(q, v, z) with the tracked coordinates that belong to q, found from the initial ones on."""
    y = np.concatenate([q, v, system.z0])
    return constraints_at(system, y).y if system.constrained else y
