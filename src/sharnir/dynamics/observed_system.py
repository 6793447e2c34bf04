"""What can be seen of a system at states: bodies, reactions, rates, multipliers, energy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.dynamics import layout as L
from sharnir.dynamics import observation
from sharnir.dynamics import tank_layout as T
from sharnir.dynamics.constraint_states import multipliers
from sharnir.dynamics.joint_reactions import all_reactions
from sharnir.dynamics.states import BodyState, Energy

if TYPE_CHECKING:
    from sharnir.dynamics.blocks import Assembly
    from sharnir.dynamics.system import System


class ObservedSystem(ABC):
    """The part of System that looks at states and changes nothing."""

    assembly: Assembly
    table: np.ndarray
    params: np.ndarray
    work: np.ndarray
    z0: np.ndarray
    derivative: Any

    @abstractmethod
    def _one(self, name: str, values: Any) -> np.ndarray:
        """One state's numbers, checked."""

    @property
    def _system(self) -> System:
        return self  # type: ignore[return-value]

    def bodies(self, q: Any, v: Any, t: float = 0.0) -> dict[str, BodyState]:
        """Position, velocity and acceleration of every body at a state, and the reaction in the joint that leads to it.

        The reaction is that of the joint by which the tree reaches the body. In absolute coordinates this is a free joint, whose
        reaction is zero unless the body is fixed; `reactions` gives those of the model's joints in both formulations.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("lamp", mass=2, inertia=(1, 1, 1)), sr.Fixed("hook", "ground", "lamp"))
        >>> m.compile().bodies([], [])["lamp"].reaction[:3]
        array([ 0.  ,  0.  , 19.62])
        """
        y = np.concatenate([self._one("q", q), self._one("v", v), self.z0])[None]
        numbers = np.arange(self.assembly.count)
        out, reactions, _, _ = self.observe(np.array([float(t)]), y, numbers)
        names = {i: name for name, i in self.assembly.placement.number.items() if i >= 0}
        return {names[int(i)]: BodyState(out[0, i], reactions[0, i]) for i in numbers}

    def reactions(self, q: Any, v: Any, t: float = 0.0) -> dict[str, np.ndarray]:
        """Force and torque (6 numbers, world axes) of every joint on its child, at the joint's point of the child.

        Of a Free joint that point is the child's origin, wherever its `at` is.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("lamp", mass=2, inertia=(1, 1, 1)), sr.Fixed("hook", "ground", "lamp"))
        >>> m.compile().reactions([], [])["hook"][2]
        np.float64(19.62)
        """
        y = np.concatenate([self._one("q", q), self._one("v", v), self.z0])[None]
        return {name: values[0] for name, values in all_reactions(self._system, np.array([float(t)]), y).items()}

    def observe(self, t: np.ndarray, y: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, ...]:
        """Of chosen bodies: poses, velocities, accelerations (nt, m, 19), reactions (nt, m, 6); forces of prescribed motions.

        Last: what passes through constraint elements that are cut joints (nt, elements, 6).
        """
        if self.table[T.F_MASSES] and len(t) > 1:  # inertias change from state to state
            parts = [self.observe(t[k : k + 1], y[k : k + 1], numbers) for k in range(len(t))]
            return tuple(np.concatenate(part) for part in zip(*parts, strict=True))
        self._fill_tanks(t, y)
        m, nt = len(numbers), len(t)
        out, reactions = np.zeros((nt, m, observation.BODY_OUT)), np.zeros((nt, m, observation.JOINT_OUT))
        drives = np.zeros((nt, max(1, int(self.table[L.N_MOTION]))))
        f = getattr(self.derivative, "address", self.derivative)
        yd = np.zeros(y.shape[1])
        cuts = np.zeros((nt, len(self.assembly.elements), observation.JOINT_OUT))
        observation.observe_bodies(
            f,
            t,
            np.ascontiguousarray(y),
            np.asarray(numbers),
            out,
            reactions,
            drives,
            cuts,
            self.table,
            self.params,
            self.work,
            yd,
        )
        return out, reactions, drives, cuts

    def _fill_tanks(self, t: np.ndarray, y: np.ndarray) -> None:
        """Inertias of bodies whose tanks empty, as they are at one state."""
        if self.table[T.F_MASSES] and len(t):
            self.observe_rates(t[:1], y[:1])

    def observe_rates(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """ẏ at many full states (q, v, z)."""
        out = np.zeros(y.shape)
        f = getattr(self.derivative, "address", self.derivative)
        observation.observe_rates(f, t, np.ascontiguousarray(y), out, self.table, self.params, self.work)
        return out

    def observe_work(self, t: np.ndarray, y: np.ndarray, first: int, out: np.ndarray) -> None:
        """Numbers of the engine's memory at many full states (q, v, z): out has a row per state."""
        f = getattr(self.derivative, "address", self.derivative)
        states, rates = np.ascontiguousarray(y), np.zeros(y.shape[1])
        observation.observe_work(f, t, states, first, out, self.table, self.params, self.work, rates)

    def observe_multipliers(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """λ of all constraint equations at many full states (q, v, z), in the order of `assembly.elements` and their equations.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("lamp", mass=2, inertia=(1, 1, 1), position=(0, 0, -1)), sr.Distance("wire", "ground", "lamp"))
        >>> s = m.compile()
        >>> s.observe_multipliers(np.zeros(1), s.y0[None])
        array([[-19.62]])
        """
        return multipliers(self, t, y)  # type: ignore[arg-type]

    def energy(self, q: Any, v: Any, t: float = 0.0) -> Energy:
        """Kinetic and potential energy, mass, centre of mass, momentum and angular momentum (about the world's origin).

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("stone", mass=2, inertia=(1, 1, 1), position=(0, 0, 5), velocity=(3, 0, 0)))
        >>> s = m.compile()
        >>> s.energy(s.q0, s.v0).kinetic, round(s.energy(s.q0, s.v0).potential, 6)
        (9.0, 98.1)
        """
        y = np.concatenate([self._one("q", q), self._one("v", v), self.z0])[None]
        energies, momenta = self.observe_energy(np.array([float(t)]), y)
        return Energy(energies[0], momenta[0])

    def observe_energy(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Kinetic and potential energy (nt, 2); mass, centre of mass, momentum, angular momentum (nt, 10)."""
        if self.table[T.F_MASSES] and len(t) > 1:
            parts = [self.observe_energy(t[k : k + 1], y[k : k + 1]) for k in range(len(t))]
            return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
        self._fill_tanks(t, y)
        energies, momenta = np.zeros((len(t), 2)), np.zeros((len(t), 10))
        observation.observe_energy(t, np.ascontiguousarray(y), energies, momenta, self.table, self.params, self.work)
        return energies, momenta
