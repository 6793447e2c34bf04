"""Small motions about a state or a motion, constraints included: M ξ̈ + D ξ̇ + K ξ = 0 in independent coordinates.

δq = N ξ with C N = 0, Nᵀ M N = 1. Derivatives are differences of fourth order of the compiled accelerations along states that
satisfy the constraints, so gyroscopic terms, prescribed motions and the curvature of the constraints are in them. Turns of
bodies with a quaternion are measured in axes that do not turn with them, as angles of joints are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics import layout as L
from sharnir.dynamics.motion_basis import MotionBasis, corrected, full_state, motion_basis, own_copy
from sharnir.dynamics.redundancy import moved, size_of, speed_scales
from sharnir.errors import ModelError
from sharnir.model.frames import rotation_matrix

if TYPE_CHECKING:
    from sharnir.dynamics.system import System

STEP = 1e-3  # of differences: radians, or sizes of the mechanism
STENCIL = ((-2, 1.0 / 12.0), (-1, -8.0 / 12.0), (1, 8.0 / 12.0), (2, -1.0 / 12.0))
MOST = 3000  # speeds for which dense matrices are made


@dataclass(frozen=True)
class Linearization:
    """Of a system about a state.

    A : d/dt (ξ, η) = A (ξ, η): reduced coordinates ξ and speeds η.   M, D, K : M ξ̈ + D ξ̇ + K ξ = 0, M is the unit matrix.
    basis : (n_v, f), δq = basis ξ in the order of the system's speeds; speed_basis : the same for η. They differ where
    constraints hold for speeds only; then D and K are not square and A alone tells all.
    acceleration : reduced accelerations at the state itself, zero at an equilibrium.   q, v, t : the state.
    """

    A: np.ndarray
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    basis: np.ndarray
    speed_basis: np.ndarray
    acceleration: np.ndarray
    q: np.ndarray
    v: np.ndarray
    t: float
    state: np.ndarray

    @property
    def eigenvalues(self) -> np.ndarray:
        """Of A [1/s]."""
        return np.linalg.eigvals(self.A)


class _Turns:
    """Speeds in axes that do not turn with the bodies: u = S v, block by block."""

    def __init__(self, system: System) -> None:
        c = system.assembly.coordinates
        self.blocks = []  # first speed, first number of the quaternion, free joint or ball
        for kind, q, v in zip(c.kind, c.first_q, c.first_v, strict=True):
            if kind in (L.BALL, L.FREE):
                self.blocks.append((v, q + (3 if kind == L.FREE else 0), kind == L.FREE))
        self.n = system.n_v

    def speeds(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """u of v."""
        u = v.copy()
        for k, at, free in self.blocks:
            E = np.array(rotation_matrix(tuple(q[at : at + 4])))
            for j in range(k, k + (6 if free else 3), 3):
                u[j : j + 3] = E @ v[j : j + 3]
        return u

    def accelerations(self, q: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> np.ndarray:
        """u̇; a free joint's velocity turns with the body, its angular velocity keeps its own axis."""
        vdot = vdot.copy()
        for k, _, free in self.blocks:
            if free:
                vdot[k : k + 3] += np.cross(v[k + 3 : k + 6], v[k : k + 3])
        return self.speeds(q, vdot)

    def matrix(self, q: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """S times columns."""
        return np.stack([self.speeds(q, x) for x in columns.T], axis=1) if columns.shape[1] else columns

    def carried(self, u: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Ω × φ of every turn φ in x: the part of ẋ that the motion itself brings."""
        out = np.zeros(self.n)
        for k, _, free in self.blocks:
            j = k + 3 if free else k
            out[j : j + 3] = np.cross(u[j : j + 3], x[j : j + 3])
        return out


def linearize(system: System, q: np.ndarray, v: np.ndarray, t: float = 0.0, still: bool = False) -> Linearization:
    """Linear equations about a state that satisfies the constraints; see System.linearize."""
    if system.n_v > MOST:
        raise ModelError(f"linearize makes dense matrices and {system.n_v} speeds are more than {MOST}; take a smaller model")
    own = own_copy(system, still)
    y = corrected(own, full_state(own, q, v), t)
    basis = motion_basis(own, y, t)
    turns, n_q, n_v = _Turns(own), own.n_q, own.n_v
    back = turns.matrix(y[:n_q], np.eye(n_v))  # S, orthogonal
    weight = back @ basis.M @ back.T  # the mass matrix of u
    left, right = (turns.matrix(y[:n_q], part) for part in (basis.position, basis.speed))
    P, F = _derivatives(own, basis, turns)
    f, g = left.shape[1], right.shape[1]
    u = turns.speeds(y[:n_q], y[n_q : n_q + n_v])
    carried = np.stack([turns.carried(u, x) for x in left.T], axis=1) if f else np.zeros((n_v, 0))
    rates = F[0].copy()
    rates[:, :f] += carried
    state = np.block([[np.eye(f), np.zeros((f, g))], [right.T @ weight @ P]])
    A = np.vstack([left.T @ weight @ rates, right.T @ weight @ F[1]]) @ np.linalg.inv(state)
    vdot = own.observe_rates(np.array([t]), y[None])[0, n_q : n_q + n_v]
    D, K = -A[f:, f:], -A[f:, :f]
    if f == g:  # η = ξ̇ - A₁₁ ξ
        D, K = D - A[:f, :f], K - D @ A[:f, :f]
    return Linearization(
        A, np.eye(g), D, K, basis.position, basis.speed, basis.speed.T @ basis.M @ vdot, y[:n_q], y[n_q : n_q + n_v], t, y
    )


def _derivatives(system: System, basis: MotionBasis, turns: _Turns) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Along all directions of position, then of speed: change of u, and of (u, u̇)."""
    n_q, n_v = system.n_q, system.n_v
    scale, size, v = speed_scales(system), size_of(system), basis.y[n_q : n_q + n_v]
    fast = max(1.0, float(np.abs(v * scale).max(initial=0.0)) / size)  # speeds enter as polynomials: a large step is exact
    directions = [(x, False) for x in basis.position.T] + [(x, True) for x in basis.speed.T]
    change, rates, accelerations = (np.zeros((n_v, len(directions))) for _ in range(3))
    for k, (x, of_speed) in enumerate(directions):
        h = (10.0 * STEP * fast if of_speed else STEP) * size / max(float(np.abs(x * scale).max()), 1e-300)
        for place, weight in STENCIL:
            y = basis.y.copy()
            if of_speed:
                y[n_q : n_q + n_v] += place * h * x
            else:
                y = moved(system, y, place * h * x)
            y = corrected(system, y, basis.t)
            yd = system.observe_rates(np.array([basis.t]), y[None])[0]
            u = turns.speeds(y[:n_q], y[n_q : n_q + n_v])
            change[:, k] += weight / h * u
            rates[:, k] += weight / h * u
            accelerations[:, k] += weight / h * turns.accelerations(y[:n_q], y[n_q : n_q + n_v], yd[n_q : n_q + n_v])
    return change, (rates, accelerations)
