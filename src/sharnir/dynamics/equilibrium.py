"""Static equilibrium: positions where all forces balance, with constraints, by Newton's method and, where that fails, by motion.

In independent coordinates with unit mass the unbalanced force is r = Nᵀ M v̇ at v = 0, and the stiffness is K of the linearized
equations. A stable equilibrium is looked for with |K| in place of K, so steps go downhill. The motion that is fallen back upon
begins at rest and is stopped whenever its kinetic energy has a peak: this takes energy out without a damping constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.linearization import Linearization, linearize
from sharnir.dynamics.motion_basis import corrected, full_state, own_copy
from sharnir.dynamics.redundancy import moved, size_of, speed_scales
from sharnir.errors import SimulationError

if TYPE_CHECKING:
    from sharnir.dynamics.system import System

STEPS = 60
LONGEST = 0.3  # of one step: radians, or sizes of the mechanism
BALANCED = 1e-9  # unbalanced accelerations, relative to those at the start and to gravity
FLAT = 1e-9  # stiffness, relative to the largest, that counts as none
ROUNDS = 60  # of motion from rest to a peak of kinetic energy


@dataclass(frozen=True)
class Equilibrium:
    """A position in which the mechanism stays at rest.

    q, v : the state, v = 0 but for mechanisms that need none.   t : the time at which forces and motions were taken.
    residual : largest acceleration that is left [m/s², of angles times the size of the mechanism].
    stiffness : eigenvalues of the reduced stiffness with unit mass, ω² [1/s²], in ascending order.
    stable : True if none of them is negative.   reactions : force and torque through every joint, world axes.
    linearization : matrices about the equilibrium.
    """

    q: np.ndarray
    v: np.ndarray
    t: float
    residual: float
    stiffness: np.ndarray
    stable: bool
    reactions: dict[str, np.ndarray]
    linearization: Linearization
    coordinates: tuple[str, ...]

    def __getitem__(self, name: str) -> float:
        return float(self.q[self.coordinates.index(name)])


class _Search:
    """Newton's method for one system at one time, prescribed motions standing still."""

    def __init__(self, system: System, t: float, stable: bool) -> None:
        self.system, self.t, self.stable = own_copy(system, still=True), float(t), stable
        self.scale, self.size = speed_scales(system), size_of(system)
        self.reference = max(float(np.linalg.norm(system.model.gravity)), 1e-6)

    def linear(self, y: np.ndarray) -> Linearization:
        n = self.system.n_q
        self.system.z0[:] = y[n + self.system.n_v :]
        return linearize(self.system, y[:n], np.zeros(self.system.n_v), self.t)

    def residual(self, linear: Linearization) -> float:
        """Largest acceleration along the free directions, angles as arcs."""
        return float(np.abs(linear.basis @ linear.acceleration * self.scale).max(initial=0.0))

    def balanced(self, linear: Linearization) -> bool:
        return self.residual(linear) <= BALANCED * self.reference

    def newton(self, y: np.ndarray) -> Linearization | None:
        """The equilibrium reached from y, or None."""
        linear = self.linear(y)
        self.reference = max(self.reference, self.residual(linear))
        escapes = 0
        for _ in range(STEPS):
            if not np.isfinite(linear.A).all():
                return None
            if self.balanced(linear):
                down = self._downhill(linear) if self.stable else None
                if down is None or escapes == 5:
                    return self._polished(linear)
                escapes += 1
                linear = self.linear(self._moved(linear.state, down))
                continue
            better = self._improved(linear)
            if better is None:
                return None
            linear = better
        return None

    def _polished(self, linear: Linearization) -> Linearization:
        for _ in range(3):
            step = np.linalg.lstsq(linear.K, linear.acceleration, rcond=FLAT)[0]
            nearer = self.linear(self._moved(linear.state, linear.basis @ step))
            if not self.residual(nearer) < 0.5 * self.residual(linear):
                break
            linear = nearer
        return linear

    def _downhill(self, linear: Linearization) -> np.ndarray | None:
        """A short step along the softest direction if its stiffness is negative."""
        w, V = np.linalg.eigh(0.5 * (linear.K + linear.K.T)) if len(linear.K) else (np.zeros(0), np.zeros((0, 0)))
        if not len(w) or w[0] >= -1e-7 * max(np.abs(w).max(), self.reference / self.size):
            return None
        step = linear.basis @ V[:, 0]
        return step * 0.1 * LONGEST * self.size / np.abs(step * self.scale).max()

    def _moved(self, y: np.ndarray, step: np.ndarray) -> np.ndarray:
        return corrected(self.system, moved(self.system, y, step), self.t)

    def _step(self, linear: Linearization) -> np.ndarray:
        """K ξ = r, or downhill with |K|; directions without stiffness are followed as far as a step may go."""
        r, K = linear.acceleration, linear.K
        if not self.stable:
            return np.linalg.lstsq(K, r, rcond=FLAT)[0]
        w, V = np.linalg.eigh(0.5 * (K + K.T))
        least = max(FLAT * float(np.abs(w).max(initial=0.0)), 1e-3 * self.reference / self.size * FLAT)
        return V @ ((V.T @ r) / np.maximum(np.abs(w), least))

    def _improved(self, linear: Linearization) -> Linearization | None:
        step = linear.basis @ self._step(linear)
        longest = np.abs(step * self.scale).max(initial=0.0) / (LONGEST * self.size)
        before, energy = float(np.linalg.norm(linear.acceleration)), self._potential(linear.state)
        for cut in (1.0, 0.5, 0.2, 0.05, 0.01):
            y = self._moved(linear.state, step * cut / max(1.0, longest))
            trial = self.linear(y)
            lower = self.stable and self._potential(y) < energy - 1e-12 * abs(energy)
            if float(np.linalg.norm(trial.acceleration)) < before * (1.0 - 0.01 * cut) or lower:
                return trial
        return None

    def _potential(self, y: np.ndarray) -> float:
        return float(self.system.observe_energy(np.array([self.t]), y[None])[0][0, 1])

    def relaxed(self, y: np.ndarray) -> Linearization | None:
        """Move from rest, stop at every peak of kinetic energy, and try Newton's method from there."""
        from sharnir.integrate import integrate

        s, n = self.system, self.system.n_q + self.system.n_v
        time = 2.0 * np.sqrt(self.size / self.reference)
        for k in range(ROUNDS):
            y[s.n_q : n] = 0.0
            grid = np.linspace(self.t, self.t + time, 41)
            run = integrate(s.problem(), y, grid, "auto", rtol=1e-6, atol=1e-8)
            if len(run.t) < 3:
                return None
            kinetic = s.observe_energy(np.full(len(run.t), self.t), run.y)[0][:, 0]
            peaks = np.flatnonzero((kinetic[1:-1] >= kinetic[:-2]) & (kinetic[1:-1] > kinetic[2:])) + 1
            time = 1.5 * (run.t[peaks[0]] - self.t) if len(peaks) else 2.0 * time
            y = run.y[peaks[0] if len(peaks) else -1].copy()
            if len(peaks) and k % 3 == 2:
                found = self.newton(corrected(s, np.concatenate([y[: s.n_q], np.zeros(s.n_v), y[n:]]), self.t))
                if found is not None:
                    return found
        return None


def find_equilibrium(system: System, q: np.ndarray, t: float = 0.0, stable: bool = True) -> Equilibrium:
    """The static equilibrium near q; see System.equilibrium."""
    search = _Search(system, t, stable)
    own = search.system
    y = corrected(own, full_state(own, q, np.zeros(own.n_v)), t)
    linear = search.newton(y)
    if linear is None and stable:
        linear = search.relaxed(y.copy())
    if linear is None:
        raise no_equilibrium(system, search, y)
    stiffness = np.sort(np.linalg.eigvals(linear.K).real) if len(linear.K) else np.zeros(0)
    still = search.linear(linear.state)
    limit = -1e-7 * max(float(np.abs(stiffness).max(initial=0.0)), search.reference / search.size)
    return Equilibrium(
        still.q,
        np.zeros(system.n_v),
        float(t),
        search.residual(still),
        stiffness,
        bool((stiffness >= limit).all()),
        own.reactions(still.q, np.zeros(system.n_v), t),
        still,
        system.coordinates,
    )


def no_equilibrium(system: System, search: _Search, y: np.ndarray) -> SimulationError:
    """The error that says what keeps moving."""
    linear = search.linear(y)
    push = np.abs(linear.basis @ linear.acceleration * search.scale)
    name = system.speeds[int(np.argmax(push))] if len(push) else ""
    kind = "stable equilibrium" if search.stable else "equilibrium"
    return SimulationError(
        f"model '{system.model.name}': no {kind} was found; at the start the largest unbalanced acceleration is that of '{name}' "
        f"({push.max(initial=0.0):.3g} m/s²); give springs or joints that hold it, or begin nearer with q="
    )
