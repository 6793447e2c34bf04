"""Groups of channels computed from the states of a run, each group once, on first use."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from sharnir.dynamics.evaluation import python_entries
from sharnir.dynamics.evaluation.many_states import accelerate
from sharnir.dynamics.friction.loads_of_given_motion import has_friction
from sharnir.dynamics.inverse.constraint_histories import cut_motion, multipliers, residuals
from sharnir.dynamics.inverse.joint_reactions import all_reactions, cut_numbers
from sharnir.dynamics.system import System

ALL_AT_ONCE = 2e8  # bytes of body channels that may be computed together


class Observer:
    """Computes groups of channels from the states of a run, each group once."""

    def __init__(self, system: System, t: np.ndarray, y: np.ndarray) -> None:
        self.system, self.t, self.y = system, t, y
        self._kept: dict[Any, Any] = {}
        self._lock = threading.RLock()  # systems of runs with events have one memory for all threads

    def _once(self, key: Any, compute: Callable[[], Any]) -> Any:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = compute()
            return self._kept[key]

    def body(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Motion (nt, 19) and joint reaction (nt, 6) of body i; of all bodies in one pass where they fit in memory."""
        n = self.system.assembly.count
        if len(self.t) * n * 25 * 8 <= ALL_AT_ONCE:
            out, reactions, *_ = self._once("bodies", lambda: self.system.observe(self.t, self.y, np.arange(n)))
            return out[:, i], reactions[:, i]
        out, reactions, *_ = self._once(i, lambda: self.system.observe(self.t, self.y, np.array([i])))
        return out[:, 0], reactions[:, 0]

    def drives(self) -> np.ndarray:
        """Forces of prescribed motions, (nt, motions)."""
        return self._once("drives", lambda: self.system.observe(self.t, self.y, np.array([0]))[2])

    def accelerations(self) -> np.ndarray:
        """v̇, (nt, n_v)."""
        s = self.system
        if s.constrained or s.n_z or s.assembly.program is not None:
            return self._once("vdot", lambda: s.observe_rates(self.t, self.y)[:, s.n_q : s.n_q + s.n_v])
        q, v = np.ascontiguousarray(self.y[:, : s.n_q]), np.ascontiguousarray(self.y[:, s.n_q :])
        return self._once("vdot", lambda: accelerate(s, self.t, q, v))

    def cut_reactions(self) -> np.ndarray:
        """What passes through cut joints, (nt, elements, 6)."""
        return self._once("cuts", lambda: self.system.observe(self.t, self.y, np.array([0]))[3])

    def least_reactions(self) -> dict[str, np.ndarray]:
        """Reactions of all joints of a mechanism with redundant equations, (nt, 6) each."""
        return self._once("least", lambda: all_reactions(self.system, self.t, self.y))

    def _cut_numbers(self) -> dict[str, int]:
        return self._once("cut numbers", lambda: cut_numbers(self.system))

    def cut_number(self, joint: str) -> int:
        """Which of the constraint elements a cut joint is."""
        return self._cut_numbers()[joint]

    def cut_motion(self, i: int) -> np.ndarray:
        """Coordinates, rates, accelerations of the cut joint that is element i, (nt, 19); of all in one pass where they fit."""
        numbers = list(self._cut_numbers().values())
        if len(self.t) * len(numbers) * 19 * 8 <= ALL_AT_ONCE:
            return self._once("cut joints", lambda: cut_motion(self.system, self.t, self.y, np.array(numbers)))[
                :, numbers.index(i)
            ]
        return self._once(("cut joint", i), lambda: cut_motion(self.system, self.t, self.y, np.array([i])))[:, 0]

    def multipliers(self) -> np.ndarray:
        """Multipliers of all constraint equations, (nt, m)."""
        return self._once("multipliers", lambda: multipliers(self.system, self.t, self.y))

    def residuals(self) -> np.ndarray:
        """Largest residuals of positions and of speeds, (nt, 2)."""
        return self._once("residuals", lambda: residuals(self.system, self.t, self.y))

    def motion_number(self, row: Any) -> int:
        """Which of the prescribed freedoms a freedom is."""
        numbers = self._once("numbers", self._number_motions)
        return numbers[id(row)]

    def _number_motions(self) -> dict[int, int]:
        prescribed = [row for row in self.system.assembly.coordinates.freedoms if row.motion is not None]
        return {id(row): k for k, row in enumerate(prescribed)}

    def motions(self) -> np.ndarray:
        """Value, rate, acceleration of prescribed freedoms, (nt, motions, 3)."""

        def compute() -> np.ndarray:
            s = self.system
            out = np.zeros((len(self.t), s.n_motions, 3))
            python_entries.observe_motions(self.t, out, s.table, s.work)
            return out

        return self._once("motions", compute)

    def energy(self) -> tuple[np.ndarray, np.ndarray]:
        """Energies (nt, 2) and momenta (nt, 10)."""
        return self._once("energy", lambda: self.system.observe_energy(self.t, self.y))

    def force(self, first: int, count: int) -> np.ndarray:
        """A force element's own numbers, (nt, count)."""
        s = self.system
        out = np.zeros((len(self.t), count))
        with self._lock:
            if s.assembly.program is None and not has_friction(s):
                python_entries.observe_forces(self.t, np.ascontiguousarray(self.y), first, count, out, s.table, s.params, s.work)
            else:
                s.observe_work(self.t, self.y, first, out)
        return out

    def signals(self) -> np.ndarray:
        """Values of all signals, (nt, signals)."""

        def compute() -> np.ndarray:
            s = self.system
            out = np.zeros((len(self.t), s.n_signals))
            s.observe_work(self.t, self.y, s.first_signal, out)
            return out

        return self._once("signals", compute)
