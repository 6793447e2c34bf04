"""The flexible pendulum by Lagrange's equations straight from the FE matrices, in one plane: independent of both programs.

Places of the nodes are R(θ) (ρ + Φ w) with the full mass matrix M of the FE model, S = e_z ×, so that
2 T = θ̇² J(w) + 2 θ̇ c(w)ᵀ ẇ + ẇᵀ ΦᵀMΦ ẇ,  J = (ρ + Φ w)ᵀ SᵀMS (ρ + Φ w),  c = ΦᵀMS (ρ + Φ w).
"""

from __future__ import annotations

from typing import Any

import numpy as np

GRAVITY = 9.81


class PlanarPendulum:
    """A body with three freedoms per node and shapes Φ (3 n, h) that do not move its hinge at the origin; swings about z."""

    def __init__(self, nodes: np.ndarray, mass: Any, stiffness: Any, shapes: np.ndarray) -> None:
        turned = np.zeros_like(shapes)
        turned[0::3], turned[1::3] = -shapes[1::3], shapes[0::3]
        place = np.column_stack([-nodes[:, 1], nodes[:, 0], np.zeros(len(nodes))]).ravel()
        self.J0, self.J1, self.J2 = place @ (mass @ place), 2.0 * turned.T @ (mass @ place), turned.T @ (mass @ turned)
        self.c0, self.c1 = shapes.T @ (mass @ place), turned.T @ (mass @ shapes)
        self.M, self.K = shapes.T @ (mass @ shapes), shapes.T @ (stiffness @ shapes)
        units = np.zeros((2, len(place)))
        units[0, 0::3] = units[1, 1::3] = 1.0
        self.first, self.pull = units @ (mass @ nodes.ravel()), units @ (mass @ shapes)
        self.nodes, self.shapes = nodes, shapes

    def rates(self, y: np.ndarray, weight_of_deformation: bool = True) -> np.ndarray:
        """ẏ of y = (θ, w, θ̇, ẇ); without the moment that gravity has by the deformation, if so wanted."""
        h = len(self.K)
        w, speed, xi = y[1 : 1 + h], y[1 + h], y[2 + h :]
        slope = self.J1 + 2.0 * self.J2 @ w
        coupling = self.c0 + self.c1.T @ w
        matrix = np.block([[self.J0 + self.J1 @ w + w @ self.J2 @ w, coupling], [coupling[:, None], self.M]])
        c, s = np.cos(y[0]), np.sin(y[0])
        arm = self.first + (self.pull @ w if weight_of_deformation else 0.0)
        turning = -(slope @ xi) * speed - xi @ self.c1 @ xi - GRAVITY * (c * arm[0] - s * arm[1])
        centrifugal = 0.5 * speed**2 * slope + speed * (self.c1 @ xi - self.c1.T @ xi)
        elastic = centrifugal - self.K @ w - GRAVITY * (s * self.pull[0] + c * self.pull[1])
        return np.concatenate([y[1 + h :], np.linalg.solve(matrix, np.concatenate([[turning], elastic]))])

    def tip(self, times: np.ndarray, node: int, weight_of_deformation: bool = True) -> np.ndarray:
        """(times, 3) places of a node, from rest at θ = 0; by SciPy with a tight tolerance."""
        from scipy.integrate import solve_ivp

        h = len(self.K)
        y = solve_ivp(
            lambda _, y: self.rates(y, weight_of_deformation),
            (0.0, times[-1]),
            np.zeros(2 + 2 * h),
            "DOP853",
            times,
            rtol=1e-12,
            atol=1e-14,
        ).y
        places = self.nodes[node] + y[1 : 1 + h].T @ self.shapes[3 * node : 3 * node + 3].T
        c, s = np.cos(y[0]), np.sin(y[0])
        return np.stack([c * places[:, 0] - s * places[:, 1], s * places[:, 0] + c * places[:, 1], places[:, 2]], axis=1)
