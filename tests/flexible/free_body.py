"""An FE body of random numbers, its kinetic energy by the double sum over nodes, Lagrange's equations by the computer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sharnir.flexible.finite_elements.fe_model import FEModel


def tilde(a):
    return np.array([[0 * a[0], -a[2], a[1]], [a[2], 0 * a[0], -a[0]], [-a[1], a[0], 0 * a[0]]])


@dataclass
class Body:
    """Nodes (n, 3), mass (6 n, 6 n), shapes (6 n, h)."""

    nodes: np.ndarray
    mass: np.ndarray
    shapes: np.ndarray

    @property
    def h(self):
        return self.shapes.shape[1]

    def model(self):
        n = len(self.nodes)
        freedoms = np.stack(np.divmod(np.arange(6 * n), 6), 1)
        return FEModel(self.nodes, freedoms, self.mass, np.eye(6 * n))

    def node_speeds(self, w):
        """(6 n, 6 + h): speeds of all nodes from (v, ω, ξ), body axes."""
        V = np.zeros((6 * len(self.nodes), 6 + self.h), dtype=np.result_type(w, float))
        V[:, 6:] = self.shapes
        for k, rho in enumerate(self.nodes):
            V[6 * k : 6 * k + 3, :3] = np.eye(3)
            V[6 * k : 6 * k + 3, 3:6] = -tilde(rho + self.shapes[6 * k : 6 * k + 3] @ w)
            V[6 * k + 3 : 6 * k + 6, 3:6] = np.eye(3)
        return V

    def matrix(self, w):
        V = self.node_speeds(w)
        return V.T @ self.mass @ V


def random_body(seed=1, n=4, h=3, scale=0.3):
    """A full symmetric positive definite mass matrix: nothing is special about it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6 * n, 6 * n))
    return Body(rng.normal(size=(n, 3)), X @ X.T + np.eye(6 * n), scale * rng.normal(size=(6 * n, h)))


def rotation(e):
    """Body axes → world axes by the angles e: about z, then the new y, then the new x."""
    (a, b, c), one = e, 0 * e[0] + 1
    zero = 0 * e[0]
    Z = np.array([[np.cos(a), -np.sin(a), zero], [np.sin(a), np.cos(a), zero], [zero, zero, one]])
    Y = np.array([[np.cos(b), zero, np.sin(b)], [zero, one, zero], [-np.sin(b), zero, np.cos(b)]])
    X = np.array([[one, zero, zero], [zero, np.cos(c), -np.sin(c)], [zero, np.sin(c), np.cos(c)]])
    return Z @ Y @ X


def spin(e):
    """(3, 3): angular velocity in body axes from the rates of the angles."""
    a, b, c = e
    zero, one = 0 * a, 0 * a + 1
    return np.array(
        [[-np.sin(b), zero, one], [np.sin(c) * np.cos(b), np.cos(c), zero], [np.cos(c) * np.cos(b), -np.sin(c), zero]]
    )


def speeds(q, qdot):
    """(v, ω, ξ) in body axes from world position, angles and elastic coordinates and their rates."""
    return np.concatenate([rotation(q[3:6]).T @ qdot[:3], spin(q[3:6]) @ qdot[3:6], qdot[6:]])


def generalized_momentum(body, q, qdot):
    """∂T/∂q̇ in true coordinates; analytic in q and q̇, so complex steps go through."""
    T = np.zeros((6 + body.h, 6 + body.h), dtype=np.result_type(q, float))
    T[:3, :3], T[3:6, 3:6], T[6:, 6:] = rotation(q[3:6]).T, spin(q[3:6]), np.eye(body.h)
    return T.T @ body.matrix(q[6:]) @ T @ qdot


def energy(body, q, qdot):
    u = speeds(q, qdot)
    return 0.5 * u @ body.matrix(q[6:]) @ u


def lagrange_force(body, q, qdot, qddot):
    """Force, moment (body axes) and elastic forces that the motion needs: d/dt ∂T/∂q̇ - ∂T/∂q, both by complex steps."""
    eps = 1e-30
    step = 1j * eps
    rate = generalized_momentum(body, q + step * qdot, qdot + step * qddot).imag / eps
    slope = np.array([energy(body, q + step * e, qdot + 0j).imag / eps for e in np.eye(len(q))])
    Q = rate - slope
    return np.concatenate([rotation(q[3:6]).T @ Q[:3], np.linalg.solve(spin(q[3:6]).T, Q[3:6]), Q[6:]])


def accelerations(q, qdot, qddot):
    """(acceleration of the origin in body axes, ω̇, ẅ)."""
    eps = 1e-30
    omega_rate = (spin(q[3:6] + 1j * eps * qdot[3:6]) @ (qdot[3:6] + 1j * eps * qddot[3:6])).imag / eps
    return np.concatenate([rotation(q[3:6]).T @ qddot[:3], omega_rate, qddot[6:]])
