"""Search for a static equilibrium: Newton's method, downhill where a stable one is sought; softening and motion where that fails.

In independent coordinates with unit mass the unbalanced force is r = Nᵀ M v̇ at v = 0, and the stiffness is K of the linearized
equations. Steps go along directions that speeds can have, so constraints that hold for speeds only (rolling) are respected.
A stable equilibrium is looked for with |K| in place of K, so steps go downhill. Where loads bend flexible bodies far, these are
made stiffer at first and then softer step by step, as if the loads grew. The motion that is fallen back upon begins at rest and
is stopped whenever its kinetic energy has a peak: this takes energy out without a damping constant.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from sharnir.dynamics.friction.friction_records import frictions
from sharnir.dynamics.mobility.motion_basis import corrected, motion_basis, own_copy
from sharnir.dynamics.mobility.state_steps import moved, size_of, speed_scales
from sharnir.dynamics.small_motions.control_linearization import Control, settles
from sharnir.dynamics.small_motions.force_balance import ForceBalance
from sharnir.dynamics.small_motions.frozen_elasticity import HeavyElasticity, StifferElasticity
from sharnir.dynamics.small_motions.linearization import Linearization, linearize
from sharnir.errors import SimulationError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations

STEPS = 60
LONGEST = 0.3  # of one step: radians, or sizes of the mechanism
BALANCED = 1e-9  # unbalanced accelerations, relative to those at the start and to gravity
NOISE = 1e-7  # of stiffness, relative to its terms
FLAT = 1e-9  # stiffness, relative to the largest, that counts as none
ELASTIC_FLAT = 1e-14  # the same with flexible bodies: elastic forces are differentiated exactly, and are stiffer by 10¹⁰
NEAR = 0.01  # a step this short, in sizes of the mechanism, is within reach of Newton's method
ESCAPES = 5  # from equilibria that are not stable
FIRST_SHARE = 0.1  # of the softness of flexible bodies, where they are softened
SOFTENINGS = 40  # steps of this
ROUNDS = 60  # of motion from rest to a peak of kinetic energy


def without_control(linear: Linearization, control: Control) -> Linearization:
    """Slow motions of the mechanism, with states of control that follow at once, and bristles that stay as they are."""
    f, n = linear.basis.shape[1], linear.basis.shape[1] + linear.speed_basis.shape[1]
    acting = n + np.array([control.states.index(name) for name in control.acting], int)
    own = linear.A[np.ix_(acting, acting)]
    if not settles(own):
        raise control.restless()
    A = linear.A[:n, :n] - linear.A[:n, acting] @ np.linalg.solve(own, linear.A[acting, :n])
    return replace(linear, A=A, K=-A[f:, :f], states=())


class EquilibriumSearch:
    """Newton's method for one system at one time: prescribed motions stand still, or with speeds v (steady motion) they go on."""

    def __init__(self, system: Equations, t: float, stable: bool, v: np.ndarray | None = None) -> None:
        self.system, self.t, self.stable = own_copy(system, still=v is None), float(t), stable
        self.v = np.zeros(system.n_v) if v is None else v
        self.scale, self.size = speed_scales(system), size_of(system)
        self.reference = max(float(np.linalg.norm(system.model.gravity)), 1e-6)
        self.elastic = bool(system.assembly.coordinates.elastic)
        self.flat = ELASTIC_FLAT if self.elastic else FLAT
        self.control = Control(self.system, (), ())
        self.softest = 0.0  # share of the softness of flexible bodies up to which an equilibrium was found
        self.bent = {place: float(system.y0[place]) for place in self.control.bristles}

    def linear(self, y: np.ndarray) -> Linearization:
        n = self.system.n_q
        if self.control.states:
            y = self.control.settled(y, self.t).copy()
            y[list(self.bent)] = list(self.bent.values())
        self.system.z0[:] = y[n + self.system.n_v :]
        found = linearize(self.system, y[:n], self.v, self.t, at_rest=True, inputs=(), outputs=())
        if found.states:
            return without_control(found, self.control)
        return found

    def balance(self, y: np.ndarray) -> Linearization | ForceBalance:
        """The forces at y. With flexible bodies the stiffness is that of forces, whose differences are exact enough.

        Then it is not computed where only the forces are looked at.
        """
        if not self.elastic or self.v.any() or self.control.states or self.bent:
            return self.linear(y)
        found = motion_basis(self.system, corrected(self.system, y, self.t), self.t)
        return ForceBalance(self.system, found) if found.position is found.speed else self.linear(y)

    def residual(self, linear: Linearization | ForceBalance) -> float:
        """Largest acceleration along the free directions, angles as arcs."""
        return float(np.abs(linear.speed_basis @ linear.acceleration * self.scale).max(initial=0.0))

    def balanced(self, linear: Linearization | ForceBalance) -> bool:
        return self.residual(linear) <= BALANCED * self.reference

    def found(self, y: np.ndarray) -> Linearization | None:
        """The equilibrium reached from y by one of the ways, or None."""
        ways = [self.newton, self.softened, self.relaxed] if self.stable else [self.newton]
        if self.stable and self._gives_way(self.balance(y)):
            ways[:2] = [self.softened, self.newton]
        return next((linear for linear in (way(y.copy()) for way in ways) if linear is not None), None)

    def _gives_way(self, here: Linearization | ForceBalance) -> bool:
        """Whether flexible bodies as drawn would buckle under the forces: these bend them far, and are not to act at once."""
        if not isinstance(here, ForceBalance) or self.balanced(here):
            return False
        K = here.stiffness
        return bool(np.isfinite(K).all() and np.linalg.eigvalsh(0.5 * (K + K.T)).min(initial=0.0) < 0.0)

    def newton(self, y: np.ndarray) -> Linearization | None:
        """The equilibrium reached from y, or None."""
        here = self._settled(self.balance(y))
        return None if here is None else self._polished(self._linearized(here))

    def _settled(self, here: Linearization | ForceBalance, rough: bool = False) -> Linearization | ForceBalance | None:
        """In balance, and stable if that is wanted and can be had; rough: judged by the stiffness of forces."""
        for _ in range(ESCAPES + 1):
            rest = self._descended(here)
            if rest is None:
                return None
            rest = rest if rough else self._linearized(rest)
            down = self._downhill(rest) if self.stable else None
            if down is None:
                break
            here = self.balance(self._moved(rest.state, down))
        return rest

    def _descended(self, here: Linearization | ForceBalance) -> Linearization | ForceBalance | None:
        """In balance, after steps from here on."""
        self.reference = max(self.reference, self.residual(here))
        for _ in range(STEPS):
            if not np.isfinite(here.acceleration).all() or not np.isfinite(here.stiffness).all():
                return None
            if self.balanced(here):
                return here
            better = self._improved(here)
            if better is None:
                return None
            here = better
        return None

    def softened(self, y: np.ndarray) -> Linearization | None:
        """Begin with flexible bodies that are much stiffer, and let them become as soft as they are: loads that grow do the same.

        Each position is the start for the next one; where that is too far, softening goes on in smaller steps.
        """
        share, ahead = 0.0, FIRST_SHARE  # of the softness that flexible bodies have
        self.softest = 0.0
        for _ in range(SOFTENINGS if self.elastic else 0):
            with StifferElasticity(self.system, 1.0 / ahead):
                here = self._settled(self.balance(y), rough=True)
                if here is not None and self._downhill(here) is not None:
                    here = None
            if here is None:
                ahead = share + 0.3 * (ahead - share)
                if ahead - share < 1e-3:
                    return None
                continue
            y, step = here.state, ahead - share
            if ahead == 1.0:
                return self.newton(y)
            share, ahead = ahead, min(1.0, ahead + 2.0 * step)
            self.softest = share
        return None

    def _linearized(self, here: Linearization | ForceBalance) -> Linearization:
        return here if isinstance(here, Linearization) else self.linear(here.state)

    def _polished(self, linear: Linearization) -> Linearization:
        for _ in range(3):
            nearer = self.balance(self._moved(linear.state, linear.speed_basis @ _newton_step(linear, self.flat)))
            if not self.residual(nearer) < 0.5 * self.residual(linear):
                break
            linear = self._linearized(nearer)
        return linear

    def _downhill(self, linear: Linearization | ForceBalance) -> np.ndarray | None:
        """A short step along the softest direction if its stiffness is negative."""
        K = linear.stiffness
        if not len(K):
            return None
        w, V = np.linalg.eig(K) if rolls(linear) else np.linalg.eigh(0.5 * (K + K.T))
        softest = int(np.argmin(w.real))
        if w[softest].real >= -self.noise(K, V[:, softest]):
            return None
        step = linear.speed_basis @ V[:, softest].real
        return step * 0.1 * LONGEST * self.size / np.abs(step * self.scale).max()

    def noise(self, K: np.ndarray, x: np.ndarray) -> float:
        """What differences and rounding may leave in a stiffness x·K x: a part of its terms, whatever other coordinates have."""
        terms = float(np.abs(x) @ np.abs(K) @ np.abs(x)) / float(np.vdot(x, x).real)
        return NOISE * max(terms, self.reference / self.size)

    def _moved(self, y: np.ndarray, step: np.ndarray) -> np.ndarray:
        with HeavyElasticity(self.system):  # loops are closed by joints: bodies that were bent for it would push back hard
            return corrected(self.system, moved(self.system, y, step), self.t)

    def _step(self, linear: Linearization | ForceBalance) -> np.ndarray:
        """K ξ = r, or downhill with |K|; directions without stiffness are followed as far as a step may go."""
        r, K, step = linear.acceleration, linear.stiffness, _newton_step(linear, self.flat)
        if not self.stable or (rolls(linear) and r @ step > 0.0):
            return step
        w, V = np.linalg.eigh(0.5 * (K + K.T))
        least = max(self.flat * float(np.abs(w).max(initial=0.0)), 1e-3 * self.reference / self.size * FLAT)
        amount = (V.T @ r) / np.maximum(np.abs(w), least)
        if self.elastic:  # what turns easily goes as far as a step may go, and does not hold up all others
            reach = np.abs(linear.speed_basis @ V * self.scale[:, None]).max(axis=0, initial=0.0) * np.abs(amount)
            amount /= np.maximum(1.0, reach / (LONGEST * self.size))
        return V @ amount

    def _improved(self, here: Linearization | ForceBalance) -> Linearization | ForceBalance | None:
        step = here.speed_basis @ self._step(here)
        longest = np.abs(step * self.scale).max(initial=0.0) / (LONGEST * self.size)
        before, energy = float(np.linalg.norm(here.acceleration)), self._potential(here.state)
        for cut in (1.0, 0.5, 0.2, 0.05, 0.01):
            share = cut / max(1.0, longest)
            y = self._moved(here.state, step * share)
            trial = self.balance(y)
            if isinstance(trial, ForceBalance) and isinstance(here, ForceBalance):
                if self._leads_on(here, trial, share):
                    return trial
                trial = self._unstrained(trial)
                y = trial.state
            lower = self.stable and self._potential(y) < energy - 1e-12 * abs(energy)
            if float(np.linalg.norm(trial.acceleration)) < before * (1.0 - 0.01 * cut) or lower:
                return trial
        return None

    def _leads_on(self, here: ForceBalance, trial: ForceBalance, share: float) -> bool:
        """Whether after a share of the step the next one with the same stiffness is shorter by a quarter of that share.

        In this measure stiff directions do not hide others (restricted natural monotonicity, Deuflhard 2004, section 3.3).
        Asked only where the stiffness has no negative direction.
        """
        K = 0.5 * (here.stiffness + here.stiffness.T)
        w, V = np.linalg.eigh(K)
        if not len(w) or not w[0] > self.flat * w[-1]:
            return False
        now, then = (
            np.abs(here.speed_basis @ (V @ (V.T @ r / w)) * self.scale).max()
            for r in (here.acceleration, here.speed_basis.T @ trial.force)
        )
        return bool(then < (1.0 - 0.25 * share) * now)

    def _unstrained(self, here: ForceBalance) -> Linearization | ForceBalance:
        """The same position with flexible bodies in balance, as far as short steps do that.

        A long step strains them: loops are closed at its end, and what closes them deforms stiff bodies, too. The force of that
        would hide what the step has gained.
        """
        linear: Linearization | ForceBalance = here
        for _ in range(4):
            r, K = linear.acceleration, linear.stiffness
            w, V = np.linalg.eigh(0.5 * (K + K.T))
            amount = (V.T @ r) / np.maximum(w, 1e-9 * self.reference / self.size)
            reach = np.abs(linear.speed_basis @ V * self.scale[:, None]).max(axis=0, initial=0.0) * np.abs(amount)
            step = V @ np.where((w > 0.0) & (reach < NEAR * self.size), amount, 0.0)
            nearer = self.balance(self._moved(linear.state, linear.speed_basis @ step))
            if not float(np.linalg.norm(nearer.acceleration)) < 0.5 * float(np.linalg.norm(r)):
                break
            linear = nearer
        return linear

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


def rolls(linear: Linearization | ForceBalance) -> bool:
    """True if constraints hold for speeds only."""
    return linear.basis.shape != linear.speed_basis.shape


def _newton_step(linear: Linearization | ForceBalance, flat: float) -> np.ndarray:
    """K ξ = r, where constraints hold for speeds only within span (r, K r, K² r …): what nothing pushes stays where it is.

    There K is not symmetric: a sleigh that is turned meets its load from another side, though no force turns it.
    """
    r, K = linear.acceleration, linear.stiffness
    if not rolls(linear) or not r.any():
        return np.linalg.lstsq(K, r, rcond=flat)[0]
    columns = [r / np.linalg.norm(r)]
    while len(columns) < len(r):
        B, x = np.array(columns).T, K @ columns[-1]
        left = x - B @ (B.T @ x)
        left -= B @ (B.T @ left)
        if np.linalg.norm(left) <= 1e-7 * np.linalg.norm(K):
            break
        columns.append(left / np.linalg.norm(left))
    B = np.array(columns).T
    return B @ np.linalg.lstsq(K @ B, r, rcond=flat)[0]


def no_equilibrium(system: Equations, search: EquilibriumSearch, y: np.ndarray) -> SimulationError:
    """The error that says what keeps moving."""
    linear = search.linear(y)
    push = np.abs(linear.speed_basis @ linear.acceleration * search.scale)
    name = system.speeds[int(np.argmax(push))] if len(push) else ""
    kind = "steady motion" if search.v.any() else "stable equilibrium" if search.stable else "equilibrium"
    return SimulationError(
        f"model '{system.model.name}': no {kind} was found; at the start the largest unbalanced acceleration is that of '{name}' "
        f"({push.max(initial=0.0):.3g} m/s²); add springs or joints that hold it, or start nearer with q="
        f"{_softer(search)}{_stuck(search)}"
    )


def _softer(search: EquilibriumSearch) -> str:
    """How stiff flexible bodies would have to be, where that was found out."""
    if not search.softest:
        return ""
    return (
        f"; with flexible bodies {1.0 / search.softest:.3g} times as stiff there is one: the load may be beyond buckling, or "
        f"bend a body farther than its linear shapes can follow; divide it into parts with Fixed joints between them"
    )


def _stuck(search: EquilibriumSearch) -> str:
    """That friction holds nothing here, where there are bristles."""
    if not search.bent:
        return ""
    names = ", ".join(repr(force.name) for force in frictions(search.system.model) if force.bristles)
    return (
        f"; bristles of JointFriction {names} stay constant in statics; an equilibrium held only by friction is found by simulate"
    )
