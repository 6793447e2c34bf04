"""What a system says about its constraints and about small motions: matrices, redundancy, equilibrium, modes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sharnir.dynamics import layout as L
from sharnir.dynamics.constraint_matrices import constraint_labels, constraints_at
from sharnir.dynamics.equilibrium import Equilibrium, find_equilibrium
from sharnir.dynamics.linearization import Linearization, linearize
from sharnir.dynamics.mixed_problem import MixedProblem, MixedSolution
from sharnir.dynamics.modes import Modes, find_modes
from sharnir.dynamics.motion_basis import own_copy
from sharnir.dynamics.observed_system import ObservedSystem
from sharnir.dynamics.redundancy import Redundancy, find_redundancy


class ConstrainedSystem(ObservedSystem):
    """The part of System that knows about constraints and small motions."""

    q0: np.ndarray
    v0: np.ndarray

    def _full(self, q: Any, v: Any) -> np.ndarray:
        return np.concatenate([self._one("q", q), self._one("v", v), self.z0])

    @property
    def n_equations(self) -> int:
        """Number of constraint equations, redundant ones among them."""
        return int(self.table[L.N_ROW])

    @cached_property
    def constraint_names(self) -> tuple[str, ...]:
        """A label per constraint equation, such as "B: force along x"; directions are those of the initial state.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Ball("B", "ground", "bob"))
        >>> m.compile(formulation="absolute").constraint_names
        ('B: force along x', 'B: force along y', 'B: force along z')
        """
        return constraint_labels(self._system)

    def constraints(self, q: Any, v: Any = None, t: float = 0.0) -> np.ndarray:
        """Residuals g of the constraint equations at a position; with v their rates ġ = C v + ∂g/∂t.

        Equations that hold for speeds only (rolling, knife edges) have g = 0.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Ball("B", "ground", "bob"))
        >>> s = m.compile(formulation="absolute")
        >>> s.constraints([0.25, 0, 0, 1, 0, 0, 0])
        array([0.25, 0.  , 0.  ])
        """
        found = constraints_at(self._system, self._full(q, np.zeros_like(self.v0) if v is None else v), t)
        return found.g if v is None else found.gdot

    def constraint_jacobian(self, q: Any, t: float = 0.0) -> np.ndarray:
        """C, equations × n_v: M v̇ = f + Cᵀ λ, C v̇ = γ.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)), sr.Ball("B", "ground", "bob", at=(0, 0, 0)))
        >>> s = m.compile(formulation="absolute")
        >>> s.constraint_jacobian(s.q0)[1]
        array([ 0.,  1.,  0.,  0.,  0., -1.])
        """
        return constraints_at(self._system, self._full(q, np.zeros_like(self.v0)), t).C

    def multipliers(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """λ of the constraint equations at a state, least norm where they are redundant [N or N m].

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Ball("B", "ground", "bob"))
        >>> s = m.compile(formulation="absolute")
        >>> s.multipliers(s.q0, s.v0).round(9) + 0.0
        array([0.  , 0.  , 9.81])
        """
        return self.observe_multipliers(np.array([float(t)]), self._full(q, v)[None])[0]

    @cached_property
    def redundancy(self) -> Redundancy:
        """Redundant equations at the initial position, and freedoms."""
        return find_redundancy(self._system)

    @property
    def redundant(self) -> list[str]:
        """Labels of constraint equations that follow from the others, as in every planar loop of spatial hinges."""
        return [self.constraint_names[k] for k in self.redundancy.equations]

    @property
    def freedoms(self) -> int:
        """Speeds that can be chosen: n_v less the independent constraint equations.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Ball("B", "ground", "bob"))
        >>> m.compile(formulation="absolute").freedoms
        3
        """
        return self.redundancy.freedoms

    @property
    def motions(self) -> int:
        """Directions in which positions can change; more than `freedoms` where constraints hold for speeds only."""
        return self.redundancy.motions

    def assemble(self, initial: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds that satisfy the constraints and the conditions of an Initial; q0 and v0 stay as they are.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.compile().assemble(sr.Initial(q={"O": 0.3}))[0]
        array([0.3])
        """
        from sharnir.dynamics.compilation import compile_model

        other = compile_model(self._system.model, self._system.formulation, initial=initial)
        return other.q0, other.v0

    def mixed_problem(self, motions: Any = ()) -> MixedProblem:
        """The mixed problem for many states: the motions of these joints or freedoms are given, of all others the forces.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=2), sr.Prismatic("rail", "ground", "bob", axis="z"))
        >>> problem = m.compile().mixed_problem(["rail"])
        >>> round(problem.solve([0.0], [0.0], accelerations=[1.0]).forces["rail"], 9)
        21.62
        """
        return MixedProblem(self._system, motions)

    def mixed_dynamics(
        self, q: Any, v: Any, forces: Any = None, accelerations: Any = None, t: float = 0.0, method: str = "recursion"
    ) -> MixedSolution:
        """The mixed problem at one state: accelerations where forces are given, forces where accelerations are given.

        Parameters
        ----------
        forces : generalized forces of joints or freedoms, {"A": 3.0, "planar.x": 1.0}, beyond those of the model's own
            springs, dampers and drives; or an array of n_v numbers. Those not named are zero.
        accelerations : given accelerations by joint or freedom. None: forward dynamics; all joints: inverse dynamics, with
            the elastic coordinates of flexible bodies free.
        method : "recursion", O(N) on trees; or "combined", dense equations in all accelerations, forces and multipliers.

        >>> import sharnir as sr
        >>> m = sr.Model(gravity=(0, 0, 0))
        >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
        >>> m.compile().mixed_dynamics([0.0], [0.0], accelerations={"axle": 3.0}).forces
        {'axle': 6.0}
        """
        return MixedProblem(self._system, accelerations or ()).solve(q, v, forces, accelerations, t, method)

    def equilibrium(self, q: Any = None, t: float = 0.0, stable: bool = True, steady: bool = False) -> Equilibrium:
        """The static equilibrium near q (default: q0) under the forces at time t, prescribed motions standing still.

        stable : look for one to which the mechanism returns; with False the nearest one of any kind.
        steady : prescribed motions go on and speeds are the initial ones; found is a position where these do not change, such as
            that of a governor at constant speed or of a blade under centrifugal force. In joint coordinates.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> round(m.compile().equilibrium()["O.q"], 6)
        1.570796
        """
        start = self.q0 if q is None else self._one("q", q)
        return find_equilibrium(self._system, start, float(t), stable, self.v0.copy() if steady else None)

    def linearize(
        self,
        q: Any = None,
        v: Any = None,
        t: float = 0.0,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> Linearization:
        """Linear equations of small motions about a state (default: the initial one), with constraints and states of control.

        inputs : signals that are columns of B, inputs or sampled ones; default: all inputs.   outputs : signals that are rows of
        C; default: all.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(0, 0, -1)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.compile().linearize().K.round(6)
        array([[9.81]])
        """
        q = self.q0 if q is None else self._one("q", q)
        speeds = self.v0 if v is None else self._one("v", v)
        return linearize(self._system, q, speeds, float(t), inputs=inputs, outputs=outputs)

    def modes(self, q: Any = None, v: Any = None, t: float = 0.0, still: bool = False) -> Modes:
        """Frequencies [Hz], damping ratios and complex shapes of small motions about a state (default: the initial one).

        still : prescribed motions stand where they are at time t, as in an equilibrium.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(0, 0, -1)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.compile().modes().frequencies.round(6)
        array([0.498488])
        """
        if not still:
            return find_modes(self._system, self.linearize(q, v, t, inputs=(), outputs=()))
        q, speeds = self.q0 if q is None else self._one("q", q), self.v0 if v is None else self._one("v", v)
        at_rest = linearize(own_copy(self._system, still=True), q, speeds, float(t), inputs=(), outputs=())
        return find_modes(self._system, at_rest)
