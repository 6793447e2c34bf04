"""The balance of energy of a run: kinetic and stored energy at its outputs, compared with the work integrated during the run.

Between outputs E = T + V_b (power_balance.py) must change by the integral W of the power. What is left, r = E - W, is what the
run has lost or gained without a cause: steps that are too long, projections, positions where the equations are singular. Events
change E at once; what they do is part of W, and a change of structure begins a new part, with a start of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from sharnir.dynamics.evaluation.power_balance import exchanges_energy
from sharnir.dynamics.system import System
from sharnir.integrate import Solution
from sharnir.results import Result
from sharnir.simulate.events.event_loop import EventLoop
from sharnir.simulate.events.run_parts import Part

FEW = 100.0  # errors of single steps that may add up without a word, and
ROOT = 10.0  # times the root of the number of steps: signs of errors differ
MOST = 1e-2  # of the energy that moves: more is told in any case
ROUNDING = 1e-13  # of the energies that differences are taken of


@dataclass
class EnergyBalance:
    """What is known of the balance so far; blocks of outputs are taken one after the other.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> _ = m.add(sr.Body("stone", mass=2, inertia=(1, 1, 1)))
    >>> s, balance = m.compile(), EnergyBalance()
    >>> balance.begin(s, 0.0, s.y0)
    >>> fallen = s.y0.copy()
    >>> fallen[2], fallen[9] = -5.0, -9.9
    >>> balance.take(s, np.array([1.0]), fallen[None], None)
    >>> round(balance.residual, 3), balance.where
    (-0.09, (0.0, 1.0))
    """

    residual: float = 0.0  # J, the largest difference, with its sign
    where: tuple[float, float] | None = None  # the interval of outputs in which it has grown most
    kinetic: float = 0.0  # J, the largest
    reason: str = ""  # why it is not known
    _carried: float = 0.0  # of the parts before
    _last: float = 0.0  # difference at the last output
    _start: float = 0.0
    _t: float = 0.0
    _growth: float = 0.0
    _stored: tuple[float, float] = (0.0, 0.0)  # range of changes of stored energy, and of work
    _work: tuple[float, float] = (0.0, 0.0)
    _work_before: float = 0.0
    _work_last: float = 0.0
    _size: float = 0.0  # of the numbers that differences are taken of
    _momentum: float = 0.0
    _load: float = 0.0

    def begin(self, system: System, t: float, y: np.ndarray) -> None:
        """A part of the run begins at this state."""
        self._carried, self._work_before = self._last, self._work_last
        kinetic, bodies = system.observe_stored(np.array([t]), y[None])[0].tolist()
        self._start, self._t = kinetic + bodies, t
        self.kinetic, self._size = max(self.kinetic, kinetic), max(self._size, abs(kinetic) + abs(bodies))
        self._note_sizes(system)

    def _note_sizes(self, system: System) -> None:
        mass, gravity = system.total_mass, float(np.linalg.norm(system.params[:3]))
        self._momentum, self._load = max(self._momentum, mass), max(self._load, mass * gravity)

    def take(self, system: System, t: np.ndarray, y: np.ndarray, work: np.ndarray | None) -> None:
        """Outputs of the part; `work` since its beginning, None if nothing but gravity moves it."""
        if not len(t) or self.reason:
            return
        energies = system.observe_stored(t, y)
        total = energies[:, 0] + energies[:, 1] - self._start
        done = np.zeros(len(t)) if work is None else work
        left = self._carried + total - done
        if not np.isfinite(left).all():
            bad = float(t[int(np.argmin(np.isfinite(left)))])
            self.reason = f"the power of some force is not a finite number before t = {bad:.6g} s"
            return
        steps = np.abs(left - np.concatenate(([self._last], left[:-1])))
        k = int(np.argmax(steps))
        if steps[k] > self._growth:
            self._growth, self.where = float(steps[k]), (self._t if k == 0 else float(t[k - 1]), float(t[k]))
        worst = float(left[int(np.argmax(np.abs(left)))])
        self.residual = worst if abs(worst) > abs(self.residual) else self.residual
        self._last, self._t, self._work_last = float(left[-1]), float(t[-1]), self._work_before + float(done[-1])
        self.kinetic = max(self.kinetic, float(energies[:, 0].max()))
        self._size = max(self._size, float(np.abs(energies).sum(axis=1).max() + np.abs(done).max()))
        self._stored = min(self._stored[0], float(total.min())), max(self._stored[1], float(total.max()))
        moved = self._work_before + done
        self._work = min(self._work[0], float(moved.min())), max(self._work[1], float(moved.max()))

    @property
    def scale(self) -> float:
        """Energy that moves in the run [J]: the largest kinetic energy, and the ranges of stored energy and of work."""
        return max(self.kinetic, self._stored[1] - self._stored[0], self._work[1] - self._work[0])

    def allowed(self, tolerance: float | None, steps: int) -> float:
        """The largest residual that need not be reported [J]; tolerance None: steps of fixed length."""
        if tolerance is None:
            share, small = MOST, 0.0
        else:
            share = min(MOST, tolerance * (FEW + ROOT * math.sqrt(steps)))
            atol = 1e-2 * tolerance  # of coordinates and speeds near zero
            small = FEW * atol * (math.sqrt(2.0 * self._momentum * self.kinetic) + self._load + self._momentum * atol)
        return share * self.scale + small + ROUNDING * self._size * max(1.0, math.sqrt(steps))

    def stats(self, counts: Mapping[str, Any]) -> dict[str, Any]:
        """Entries of `stats`; `counts` are those of the integrator."""
        if self.reason:
            return {"energy_unaudited": self.reason}
        allowed = self.allowed(counts.get("tolerance"), int(counts.get("steps", 0)))
        return {"energy_residual": abs(self.residual), "energy_moved": self.scale, "energy_allowed": allowed}


def balance_of_solution(system: System, solution: Solution) -> EnergyBalance:
    """The balance of a run without events."""
    balance = EnergyBalance()
    if not len(solution.t):
        balance.reason = "nothing was computed"
    elif not solution.stats.get("steps") or solution.stats.get("integrator") == "kinematics":
        balance.reason = "every position is prescribed, nothing was integrated"
    elif solution.integrals is None and exchanges_energy(system.table):
        balance.reason = f"integrator '{solution.stats.get('integrator')}' does not integrate the power"
    else:
        balance.begin(system, float(solution.t[0]), solution.y[0])
        balance.take(system, solution.t[1:], solution.y[1:], None if solution.integrals is None else solution.integrals[1:])
    return balance


def balance_of_loop(loop: EventLoop) -> EnergyBalance:
    """The balance of a run with events, part by part."""
    balance = EnergyBalance()
    if loop.kept is not None:
        for _, group in groupby(loop.kept, lambda kept: id(kept.part)):
            moments = list(group)
            t, y, work = (np.array([getattr(kept, name) for kept in moments]) for name in ("t", "y", "work"))
            take_part(balance, moments[0].part, 0, t, y, work)
            finish_part(balance, moments[0].part)
        return balance
    for part in loop.parts:
        end = part.run.outputs
        take_part(balance, part, 0, *part.run.rows(part.first, end), part.run.integrals(part.first, end))
        finish_part(balance, part)
    return balance


def take_part(balance: EnergyBalance, part: Part, done: int, t: np.ndarray, y: np.ndarray, work: np.ndarray) -> None:
    """Outputs of a part, of which the first `done` have been taken before."""
    if part.run.outputs == 0:  # the structure has changed once more before it began
        return
    if done == 0:
        begun, states = part.run.rows(0, 1)
        balance.begin(part.system, float(begun[0]), states[0])
    has_power = part.run.problem.balance is not None
    n = len(work) if has_power else len(t)  # a state at which the run was stopped comes behind the outputs
    balance.take(part.system, t[done:n], y[done:n], work[done:n] if has_power else None)


def finish_part(balance: EnergyBalance, part: Part) -> None:
    """The moment at which the next part begins, as it was before."""
    if part.end is not None and part.run.outputs > 0:
        t, y, work = part.end
        balance.take(part.system, np.array([t]), y[None], np.array([work]) if part.run.problem.balance is not None else None)


def imbalance(result: Result, balance: EnergyBalance) -> str:
    """A sentence about a residual above what the tolerance lets expect: how much, when, and what to do; "" if it is below."""
    return imbalance_of(balance, result.stats, result.events)


def imbalance_of(balance: EnergyBalance, stats: Mapping[str, Any], events: list[dict[str, Any]]) -> str:
    """The same from the numbers about a run and the log of its events."""
    if balance.reason or not abs(balance.residual) > stats["energy_allowed"]:
        return ""
    t0, t1 = balance.where or (0.0, 0.0)
    change = "lost" if balance.residual < 0.0 else "gained"
    share = f", {100.0 * abs(balance.residual) / balance.scale:.2g} % of what moves" if balance.scale > 0.0 else ""
    happened = [event["name"] for event in events if t0 <= event["t"] <= t1]
    near = f", where event {happened[0]!r} happened" if happened else ""
    remedy = "a shorter step" if stats.get("fixed_step") else "a smaller tolerance, or with max_step"
    return (
        f"the run has {change} {abs(balance.residual):.3g} J that no force accounts for{share}; most of it between t = {t0:.6g} "
        f"and {t1:.6g} s{near}. Repeat the run with {remedy}; if the difference remains, look for a singular "
        "position there, or for a force that jumps"
    )
