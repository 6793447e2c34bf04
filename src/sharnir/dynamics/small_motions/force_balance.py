"""Unbalanced forces at a position of rest, and their stiffness, which is computed on demand because it is costly."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.mobility.motion_basis import MotionBasis
from sharnir.dynamics.small_motions.frozen_elasticity import force_stiffness

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


class ForceBalance:
    """r = Nᵀ M v̇ at rest, in independent directions N with unit mass; constraints hold for positions.

    state : the state.   basis, speed_basis : N.   force : M v̇.   acceleration : r.   stiffness : -∂r.
    """

    def __init__(self, system: Equations, found: MotionBasis) -> None:
        self.system, self.state, self.t, n = system, found.y, found.t, system.n_q
        self.basis = self.speed_basis = found.speed
        vdot = system.observe_rates(np.array([found.t]), found.y[None])[0, n : n + system.n_v]
        self.force = found.M @ vdot
        self.acceleration = found.speed.T @ self.force

    @cached_property
    def stiffness(self) -> np.ndarray:
        return force_stiffness(self.system, self.state, self.t, self.speed_basis)
