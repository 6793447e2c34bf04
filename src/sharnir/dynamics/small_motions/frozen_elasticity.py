"""Elastic forces frozen at one state while the state is varied, for finite differences.

The force -K w of a flexible body is linear, and K has frequencies up to 10⁵ times those that are looked for: the rounding of w in
a state that was moved and corrected, divided by the step of the difference, would hide them. So differences are taken with -K w₀,
and the answer to -K δw, which is linear, is added.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.motion_basis import corrected
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations
    from sharnir.dynamics.small_motions.measured_coordinates import MotionCoordinates


HEAVY = 1e9  # times the mass of elastic coordinates that are to stay where they are


def matrices_of(system: Equations, name: str) -> tuple[np.ndarray, np.ndarray]:
    """J_ww and K of a flexible body in the engine's memory, with the shapes that stiffening adds, see flexible_records."""
    record = int(system.table[L.T_BODY]) + system.assembly.placement.number[name] * L.T_BODY_SIZE
    p = int(system.table[record + L.ELASTIC_P])
    n = system.assembly.coordinates.elastic[name][2] + int(system.params[p])
    first = p + 28 + 24 * n + 12 * n * n
    return system.params[first : first + n * n], system.params[first + n * n : first + 2 * n * n]


class HeavyElasticity:
    """Between `with` and its end elastic coordinates are heavy: corrections, which are least in mass, leave them alone."""

    def __init__(self, system: Equations) -> None:
        masses = {m.ctypes.data: m for m in (matrices_of(system, name)[0] for name in system.assembly.coordinates.elastic)}
        self.masses = list(masses.values())  # equal bodies share their numbers
        self.kept = [mass.copy() for mass in self.masses]

    def __enter__(self) -> None:
        for mass in self.masses:
            mass *= HEAVY

    def __exit__(self, *_unused: Any) -> None:
        for mass, kept in zip(self.masses, self.kept, strict=True):
            mass[:] = kept


class StifferElasticity:
    """Between `with` and its end flexible bodies are stiffer by a factor."""

    def __init__(self, system: Equations, factor: float) -> None:
        found = {K.ctypes.data: K for K in (matrices_of(system, name)[1] for name in system.assembly.coordinates.elastic)}
        self.stiffness, self.factor = list(found.values()), factor
        self.kept = [K.copy() for K in self.stiffness]

    def __enter__(self) -> None:
        for K in self.stiffness:
            K *= self.factor

    def __exit__(self, *_unused: Any) -> None:
        for K, kept in zip(self.stiffness, self.kept, strict=True):
            K[:] = kept


class HeldElasticity:
    """Between `with` and its end a system has the elastic forces of the state y; nothing happens without flexible bodies."""

    def __init__(self, system: Equations, y: np.ndarray) -> None:
        self.system = system
        drive = int(system.table[L.W_DRIVE])
        self.drive = system.work[drive : drive + system.n_v]
        self.parts: list[tuple[slice, np.ndarray, np.ndarray, np.ndarray]] = []  # speeds, K, force, K in the engine's memory
        for name, (q, v, h) in system.assembly.coordinates.elastic.items():
            memory = matrices_of(system, name)[1]
            n = math.isqrt(len(memory))
            K = memory.reshape(n, n)[:h, :h].copy()  # what stiffening adds behind the coordinates has no stiffness
            self.parts.append((slice(v, v + h), K, -K @ y[q : q + h], memory))
        self.kept = [memory.copy() for _, _, _, memory in self.parts]

    def __enter__(self) -> HeldElasticity:
        for speeds, _, force, memory in self.parts:
            memory[:] = 0.0
            self.drive[speeds] = force
        return self

    def __exit__(self, *_unused: Any) -> None:
        for part, kept in zip(self.parts, self.kept, strict=True):
            part[3][:] = kept
            self.drive[part[0]] = 0.0

    def stiffness(self, basis: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Nᵀ K x of all flexible bodies."""
        return sum((basis[speeds].T @ (K @ x[speeds]) for speeds, K, _, _ in self.parts), np.zeros(basis.shape[1]))

    def answer(self, measured: MotionCoordinates, y: np.ndarray, t: float, x: np.ndarray) -> np.ndarray:
        """Change of measured accelerations by the elastic forces of a displacement x."""
        if not self.parts:
            return np.zeros(measured.count)
        before = measured.rates(y, t)[1]
        for speeds, K, force, _ in self.parts:
            self.drive[speeds] = force - K @ x[speeds]
        after = measured.rates(y, t)[1]
        for speeds, _, force, _ in self.parts:
            self.drive[speeds] = force
        return after - before


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
