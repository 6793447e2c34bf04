"""Stiffness of mechanisms with flexible bodies out of equilibrium: derivatives of forces; those of accelerations mislead there.

K of the linearized equations is the derivative of accelerations. With Nᵀ M v̇ = Nᵀ F it holds Nᵀ ∂M v̇ beside Nᵀ ∂F: nothing at an
equilibrium, but elastic coordinates that are not in balance yet have accelerations of thousands of m/s², and what changes of the
mass matrix make of these hides weights and springs. Along N also Nᵀ C = 0, so -Nᵀ ∂(M v̇) is the second derivative of the
potential energy on the constraints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.mobility.motion_basis import corrected
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales
from sharnir.dynamics.small_motions.frozen_elasticity import HeldElasticity

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

STEP = 1e-4  # of central differences: radians, or sizes of the mechanism


def force_stiffness(system: Equations, y: np.ndarray, t: float, basis: np.ndarray) -> np.ndarray:
    """-Nᵀ ∂(M v̇) along the columns of the basis N, at a state of rest that satisfies the constraints."""
    scale, size = speed_scales(system), size_of(system)
    K = np.zeros((basis.shape[1], basis.shape[1]))
    with HeldElasticity(system, y) as held:
        for k, x in enumerate(basis.T):
            h = STEP * size / max(float(np.abs(x * scale).max()), 1e-300)
            ahead, behind = (_force(system, corrected(system, moved(system, y, s * h * x), t), t) for s in (1.0, -1.0))
            K[:, k] = -basis.T @ (ahead - behind) / (2.0 * h) + held.stiffness(basis, x)
    return K


def _force(system: Equations, y: np.ndarray, t: float) -> np.ndarray:
    n = system.n_q
    return system.mass_matrix(y[:n], t) @ system.observe_rates(np.array([t]), y[None])[0, n : n + system.n_v]
