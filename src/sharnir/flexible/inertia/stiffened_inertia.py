"""Inertia of a flexible body whose mass also moves with the second-order displacement u₂; its mass matrix is positive definite.

u₂ stands in the equations for energy of second order through its mass-weighted products with the accelerations of a rigid body.
These are twelve affine fields a + G ρ, so u₂ may be replaced by its projection on them, Z d(w) with d_k = ½ wᵀ D_k w: to second
order nothing changes. Now ρ + H w + Z d(w) is linear in more coordinates, W = (w, d(w)), and linear theory holds for these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.flexible.inertia.inertia_moments import TILDE, InertiaMoments
from sharnir.flexible.inertia.modal_inertia import ModalInertia
from sharnir.flexible.modes.stiffening import PAIRS, Stiffening

DEPENDENT = 1e-6  # length of a field in mass, relative, that counts as none


@dataclass(frozen=True, eq=False)
class StiffenedInertia:
    """T = ½ q̇ᵀ M(w) q̇, q̇ = (v, ω, ẇ), by the inertia `linear` of h + r shapes with W = (w, d), d_k = ½ wᵀ D_k w.

    curvature : D (r, h, h).

    >>> from sharnir.flexible import Section, reduce, straight_beam
    >>> beam = straight_beam((0, 0, 0), (1, 0, 0), Section.round(0.01), elements=4)
    >>> body = reduce(beam, interfaces={"root": 0, "tip": 4}, modes=2, stiffening=True)
    >>> body.stiffened_inertia.count, body.stiffened_inertia.linear.count
    (8, 17)
    """

    linear: ModalInertia
    curvature: np.ndarray

    @classmethod
    def of_moments(cls, moments: InertiaMoments, stiffening: Stiffening) -> StiffenedInertia:
        """From the moments of the shapes and what is known of u₂."""
        fields, curvature = projection(stiffening)
        return cls(ModalInertia.of_moments(with_affine_fields(moments, fields)).balanced(), curvature)

    @property
    def count(self) -> int:
        """The number h of elastic coordinates."""
        return self.curvature.shape[1]

    def coordinates(self, w: np.ndarray) -> np.ndarray:
        """(h + r,) W."""
        return np.concatenate([w, 0.5 * self.curvature @ w @ w])

    def slopes(self, w: np.ndarray) -> np.ndarray:
        """(h + r, h) ∂W/∂w."""
        return np.vstack([np.eye(self.count), self.curvature @ w])

    def matrix(self, w: np.ndarray) -> np.ndarray:
        """(6 + h, 6 + h) mass matrix M(w)."""
        B = self._speeds(w)
        return B.T @ self.linear.matrix(self.coordinates(w)) @ B

    def kinetic(self, w: np.ndarray, v: np.ndarray, omega: np.ndarray, xi: np.ndarray) -> float:
        """Kinetic energy, J."""
        return self.linear.kinetic(self.coordinates(w), v, omega, self.slopes(w) @ xi)

    def momentum(self, w: np.ndarray, v: np.ndarray, omega: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """(6,) momentum and angular momentum about the frame's origin, body axes."""
        return self.linear.momentum(self.coordinates(w), v, omega, self.slopes(w) @ xi)

    def force(self, w: np.ndarray, v: np.ndarray, omega: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """(6 + h,) inertia force k of M q̈ = s + k, as that of ModalInertia."""
        W = self.coordinates(w)
        still = np.concatenate([np.zeros(6 + self.count), self.curvature @ xi @ xi])  # Ẅ without ẅ
        k = self.linear.force(W, v, omega, self.slopes(w) @ xi) - self.linear.matrix(W) @ still
        return self._speeds(w).T @ k

    def _speeds(self, w: np.ndarray) -> np.ndarray:
        """(6 + h + r, 6 + h): (v, ω, Ẇ) of (v, ω, ẇ)."""
        slopes = self.slopes(w)
        B = np.zeros((6 + len(slopes), 6 + self.count))
        B[:6, :6], B[6:, 6:] = np.eye(6), slopes
        return B


def projection(stiffening: Stiffening) -> tuple[np.ndarray, np.ndarray]:
    """Fields (12, r) as combinations of the twelve, those that u₂ needs at any support, and D (r, h, h)."""
    G, K = stiffening.gram, stiffening.matrices
    size = np.sqrt(np.maximum(np.diag(G), 0.0))
    scale = np.divide(1.0, size, out=np.zeros(12), where=size > DEPENDENT * size.max())
    C = np.einsum("k,kl,l,lij->kij", scale, np.linalg.pinv(scale[:, None] * G * scale, 1e-10, hermitian=True), scale, K)
    moves = [np.concatenate([N, np.zeros((6, *N.shape[1:]))]) for N in stiffening.nodes.values()]
    # of the rigid motions only what the nodes shift and turn by: another support subtracts these
    everything = np.concatenate([part.reshape(12, -1) for part in (C, *moves)], axis=1) * size[:, None]
    U, s, _ = np.linalg.svd(everything, full_matrices=False)
    U = U[:, s > DEPENDENT * max(float(s.max(initial=0.0)), np.finfo(float).tiny)]
    return scale[:, None] * U, np.einsum("kr,k,kij->rij", U, size, C)[:, 6:, 6:]


def with_affine_fields(moments: InertiaMoments, fields: np.ndarray) -> InertiaMoments:
    """Moments of the shapes and, after them, of some affine fields (12, r): combinations of accelerations of a rigid body."""
    h, r = moments.count, fields.shape[1]
    shift, gradient, turn = np.zeros((12, 3)), np.zeros((12, 3, 3)), np.zeros((12, 3))
    shift[:3], turn[3:6] = np.eye(3), np.eye(3)
    gradient[3:6] = TILDE.transpose(2, 0, 1)  # e_c × ρ
    for n, (a, b) in enumerate(PAIRS):  # ω × (ω × ρ): e_a ρ_b + e_b ρ_a, less ρ where a = b
        gradient[6 + n, a, b] += 1.0
        gradient[6 + n] += -np.eye(3) if a == b else 0.0
        gradient[6 + n, b, a] += 0.0 if a == b else 1.0
    A, B = np.zeros((4 + 3 * h, 4 + 3 * (h + r))), np.zeros((1 + 3 * h, 1 + 3 * (h + r)))
    A[:, : 4 + 3 * h], B[:, : 1 + 3 * h] = np.eye(4 + 3 * h), np.eye(1 + 3 * h)
    A[0, 4 + 3 * h :] = (fields.T @ shift).ravel()
    A[1:4, 4 + 3 * h :] = np.einsum("kr,kce->erc", fields, gradient).reshape(3, 3 * r)
    B[0, 1 + 3 * h :] = (fields.T @ turn).ravel()
    return InertiaMoments(A.T @ moments.rr @ A, A.T @ moments.rp @ B, B.T @ moments.pp @ B)
