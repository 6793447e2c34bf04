"""Inertia of a flexible body as polynomials of its elastic coordinates: mass matrix, inertia force, energy, momentum.

A. A. Yudakov, Vestn. Udmurtsk. Univ. Mat. Mekh. Komp. Nauki, 2012, no. 3, 126–140, §2; see docs/theory/flexible-bodies.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sharnir.errors import ModelError
from sharnir.flexible.inertia.inertia_moments import TILDE, InertiaMoments, inertia_matrices


@dataclass(frozen=True, eq=False)
class ModalInertia:
    """Kinetic energy T = ½ q̇ᵀ M(w) q̇ with q̇ = (v, ω, ξ): speed of the frame's origin, angular velocity (body axes), ξ = ẇ.

    J_rr (3, 3); J_rφ(w) = R0 + Σ R[i] w_i; J_rw (3, h); J_φφ(w) = P0 + Σ P[i] w_i + Σ P2[i, j] w_i w_j;
    J_φw(w) = Q0 + Σ Q[i] w_i; J_ww (h, h). P[i] and P2[i, j] are symmetric matrices and P2[i, j] = P2[j, i].

    >>> ball = ModalInertia.of_rigid_body(2.0, np.zeros(3), np.diag([1.0, 2.0, 3.0]))
    >>> ball.kinetic(np.zeros(0), np.array([1.0, 0, 0]), np.array([0, 0, 2.0]), np.zeros(0))
    7.0
    """

    J_rr: np.ndarray
    R0: np.ndarray
    R: np.ndarray
    J_rw: np.ndarray
    P0: np.ndarray
    P: np.ndarray
    P2: np.ndarray
    Q0: np.ndarray
    Q: np.ndarray
    J_ww: np.ndarray

    @classmethod
    def of_moments(cls, moments: InertiaMoments) -> ModalInertia:
        """From the 18 matrices of the general method; J_… as in Yudakov 2012, see docs/theory/flexible-bodies.md."""
        I = inertia_matrices(moments)
        first = I["rr,ρhi"] + I["φr,hi"]
        P2 = -0.5 * (I["rr,hihj"] + I["rr,hihj"].transpose(1, 0, 2, 3))  # w_i w_j = w_j w_i
        return cls(
            J_rr=_symmetric(I["rr"]),
            R0=I["rφ"] - I["rr,ρ"],
            R=-I["rr,hi"],
            J_rw=I["rr,H"] + I["rφ,H"],
            P0=_symmetric(I["φφ"] - I["rr,ρρ"] - I["φr,ρ"] - I["φr,ρ"].T),
            P=-(first + first.transpose(0, 2, 1)),
            P2=0.5 * (P2 + P2.transpose(0, 1, 3, 2)),
            Q0=I["rr,ρH"] + I["rφ,ρH"] + I["φr,H"] + I["φφ,H"],
            Q=I["rr,hiH"] + I["rφ,hiH"],
            J_ww=_symmetric(I["ww"]),
        )

    def balanced(self) -> ModalInertia:
        """The same with momentum = mass × speed of the centre of mass: J_rφ(w) = -tilde(Σ m r), Σ m r = that at rest + J_rw w.

        In the sums of the general and the shifted method J_rφ lacks what the turning of nodes adds to Σ m r, a part that vanishes
        with the size of the elements. Then forces depend on the speed of the observer, and weight has no potential. Here only the
        energy of the centre of mass is changed, ½ p²/m, and not that of the motion about it: T remains a sum of squares.

        >>> ModalInertia.of_rigid_body(2.0, np.ones(3), np.eye(3)).balanced().J_rphi(np.zeros(0))[0]
        array([ 0.,  2., -2.])
        """
        mass = float(np.trace(self.J_rr)) / 3.0
        if np.abs(self.J_rr - mass * np.eye(3)).max() > 1e-6 * mass:
            return self  # a model that moves in a plane only
        R, D = -np.einsum("abc,ch->hab", TILDE, self.J_rw), np.eye(3) / mass

        def products(left: np.ndarray, right: np.ndarray) -> np.ndarray:
            """leftᵀ right / m for all pairs."""
            found: np.ndarray = np.einsum("iba,bc,jcd->ijad", left, D, right)
            return found

        first = products(self.R0[None], R - self.R)[0]
        second = products(R, R) - products(self.R, self.R)
        return replace(
            self,
            R=R,
            P=self.P + first + first.transpose(0, 2, 1),
            P2=self.P2 + 0.5 * (second + second.transpose(1, 0, 2, 3)),
            Q=self.Q + np.einsum("iba,bc,ch->iah", R - self.R, D, self.J_rw),
        )

    @classmethod
    def of_rigid_body(cls, mass: float, center: np.ndarray, inertia: np.ndarray) -> ModalInertia:
        """Without elastic coordinates: inertia about the frame's origin in its axes.

        >>> ModalInertia.of_rigid_body(2.0, np.zeros(3), np.eye(3)).count
        0
        """
        x, y, z = mass * np.asarray(center, float)
        R0 = -np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        empty = (np.zeros((0, 3, 3)), np.zeros((3, 0)), np.zeros((0, 0, 3, 3)), np.zeros((0, 3, 0)), np.zeros((0, 0)))
        return cls(mass * np.eye(3), R0, empty[0], empty[1], np.array(inertia, float), empty[0], empty[2], empty[1], *empty[3:])

    @property
    def count(self) -> int:
        """The number h of elastic coordinates."""
        return len(self.J_ww)

    def J_rphi(self, w: np.ndarray) -> np.ndarray:
        """(3, 3) coupling of speed and angular velocity.

        >>> ball = ModalInertia.of_rigid_body(2.0, np.zeros(3), np.eye(3))
        >>> bool(ball.J_rphi(np.zeros(0)).any())
        False
        """
        found: np.ndarray = self.R0 + np.einsum("iab,i->ab", self.R, w)
        return found

    def J_phiphi(self, w: np.ndarray) -> np.ndarray:
        """(3, 3) inertia tensor of the deformed body about the frame's origin.

        >>> ball = ModalInertia.of_rigid_body(2.0, np.zeros(3), np.eye(3))
        >>> ball.J_phiphi(np.zeros(0)).diagonal()
        array([1., 1., 1.])
        """
        found: np.ndarray = self.P0 + np.einsum("iab,i->ab", self.P + self._second(w), w)
        return found

    def J_phiw(self, w: np.ndarray) -> np.ndarray:
        """(3, h) angular momentum per elastic speed.

        >>> ball = ModalInertia.of_rigid_body(2.0, np.zeros(3), np.eye(3))
        >>> ball.J_phiw(np.zeros(0)).shape
        (3, 0)
        """
        found: np.ndarray = self.Q0 + np.einsum("iaj,i->aj", self.Q, w)
        return found

    def matrix(self, w: np.ndarray) -> np.ndarray:
        """(6 + h, 6 + h) mass matrix M(w).

        >>> ModalInertia.of_rigid_body(2.0, np.array([1.0, 0, 0]), np.eye(3)).matrix(np.zeros(0))[5, 1]
        np.float64(2.0)
        """
        w = self._checked(w)
        J_rphi, J_phiw = self.J_rphi(w), self.J_phiw(w)
        return np.block(
            [[self.J_rr, J_rphi, self.J_rw], [J_rphi.T, self.J_phiphi(w), J_phiw], [self.J_rw.T, J_phiw.T, self.J_ww]]
        )

    def matrix_derivatives(self, w: np.ndarray) -> np.ndarray:
        """(h, 6 + h, 6 + h): ∂M/∂w_i.

        >>> ball = ModalInertia.of_rigid_body(2.0, np.zeros(3), np.eye(3))
        >>> ball.matrix_derivatives(np.zeros(0)).shape
        (0, 6, 6)
        """
        h = self.count
        D = np.zeros((h, 6 + h, 6 + h))
        D[:, :3, 3:6] = self.R
        D[:, 3:6, :3] = self.R.transpose(0, 2, 1)
        D[:, 3:6, 3:6] = self.P + 2.0 * self._second(self._checked(w))
        D[:, 3:6, 6:] = self.Q
        D[:, 6:, 3:6] = self.Q.transpose(0, 2, 1)
        return D

    def kinetic(self, w: np.ndarray, v: np.ndarray, omega: np.ndarray, xi: np.ndarray) -> float:
        """Kinetic energy, J.

        >>> ball = ModalInertia.of_rigid_body(2.0, np.zeros(3), np.eye(3))
        >>> ball.kinetic(np.zeros(0), np.array([3.0, 0, 0]), np.zeros(3), np.zeros(0))
        9.0
        """
        speed = np.concatenate([v, omega, xi])
        return float(0.5 * speed @ self.matrix(w) @ speed)

    def momentum(self, w: np.ndarray, v: np.ndarray, omega: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """(6,) momentum and angular momentum about the frame's origin, body axes.

        >>> ball = ModalInertia.of_rigid_body(2.0, np.zeros(3), np.eye(3))
        >>> ball.momentum(np.zeros(0), np.array([3.0, 0, 0]), np.zeros(3), np.zeros(0))[:3]
        array([6., 0., 0.])
        """
        found: np.ndarray = self.matrix(w)[:6] @ np.concatenate([v, omega, xi])
        return found

    def force(self, w: np.ndarray, v: np.ndarray, omega: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """(6 + h,) inertia force k of M q̈ = s + k, from Lagrange's equations in quasi-velocities.

        q̈ = (acceleration of the frame's origin in body axes, ω̇, ẅ): the first part is v̇ + ω × v, as everywhere in sharnir.

        >>> top = ModalInertia.of_rigid_body(1.0, np.zeros(3), np.diag([1.0, 2.0, 3.0]))
        >>> top.force(np.zeros(0), np.zeros(3), np.array([0.0, 1.0, 1.0]), np.zeros(0))[3:] + 0.0  # -ω × J ω
        array([-1.,  0.,  0.])
        """
        w, v, omega, xi = self._checked(w), np.asarray(v, float), np.asarray(omega, float), np.asarray(xi, float)
        J_rphi, J_phiw = self.J_rphi(w), self.J_phiw(w)
        slope = self.P + 2.0 * self._second(w)  # ∂J_φφ/∂w_i
        J_rphi_rate = np.einsum("iab,i->ab", self.R, xi)
        J_phiphi_rate = np.einsum("iab,i->ab", slope, xi)
        J_phiw_rate = np.einsum("iaj,i->aj", self.Q, xi)
        p = self.J_rr @ v + J_rphi @ omega + self.J_rw @ xi
        spin = J_rphi.T @ v + self.J_phiphi(w) @ omega + J_phiw @ xi
        turning = np.cross(omega, v)  # what v̇ has less than the acceleration of the origin
        # dp/dt + ω × p = f;  dπ/dt + ω × π + v × p = m;  d(∂T/∂ξ)/dt - ∂T/∂w = s_w
        k_r = J_rphi_rate @ omega + np.cross(omega, p) - self.J_rr @ turning
        k_phi = (
            J_rphi_rate.T @ v
            + J_phiphi_rate @ omega
            + J_phiw_rate @ xi
            + np.cross(omega, spin)
            + np.cross(v, p)
            - J_rphi.T @ turning
        )
        k_w = J_phiw_rate.T @ omega - self.J_rw.T @ turning - self._energy_slope(slope, v, omega, xi)
        return -np.concatenate([k_r, k_phi, k_w])

    def _energy_slope(self, slope: np.ndarray, v: np.ndarray, omega: np.ndarray, xi: np.ndarray) -> np.ndarray:
        """∂T/∂w."""
        linear = self.R @ omega @ v + (self.Q @ xi) @ omega
        found: np.ndarray = linear + 0.5 * (slope @ omega) @ omega
        return found

    def _second(self, w: np.ndarray) -> np.ndarray:
        """(h, 3, 3): Σ_j P2[i, j] w_j."""
        found: np.ndarray = (w @ self._flat).reshape(-1, 3, 3)
        return found

    @cached_property
    def _flat(self) -> np.ndarray:
        return np.ascontiguousarray(self.P2.reshape(self.count, 9 * self.count))

    def _checked(self, w: np.ndarray) -> np.ndarray:
        w = np.asarray(w, float)
        if w.shape != (self.count,):
            raise ModelError(f"elastic coordinates w have the shape {w.shape}; this body has {self.count}", field="w")
        return w


def _symmetric(matrix: np.ndarray) -> np.ndarray:
    """Without the rounding errors that make a symmetric matrix asymmetric."""
    found: np.ndarray = 0.5 * (matrix + matrix.T)
    return found
