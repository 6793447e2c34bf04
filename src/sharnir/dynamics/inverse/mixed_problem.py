"""The mixed problem of dynamics: for every freedom either the force or the acceleration is given, and the other is computed.

Source: Gevorkian 2020; see docs/theory/elastic-trees.md.

Trees: one recursion, O(N). Loops: the recursion gives the response to each equation, X = M⁻¹ Cᵀ with the given freedoms held;
A λ = -(C v̇₀ + b), A = C X, and the recursion once more under Cᵀ λ. A driven freedom of a cut joint is an equation, Γ its λ.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import moment, sequence, shown
from sharnir.dynamics.friction.loads_of_given_motion import refuse_friction
from sharnir.dynamics.inverse.given_freedoms import given_numbers, mixed_freedoms, prescribed_forces
from sharnir.dynamics.inverse.mixed_dense import combined_solution
from sharnir.dynamics.inverse.mixed_multipliers import Multipliers, check_drives, mobility
from sharnir.dynamics.inverse.mixed_recursion import MixedMotion, cut_accelerations, respond_mixed, solve_mixed
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.mobility.constraint_jacobian import Constraints, constraints_at, mimic_rows
from sharnir.dynamics.mobility.joint_coordinates import speed_rows
from sharnir.dynamics.mobility.reduced_inertia import MOST_SPEEDS
from sharnir.errors import ModelError

if TYPE_CHECKING:
    from sharnir.dynamics.memory.equations import Equations


METHODS = ("recursion", "combined")
WEAK = 1e-7  # of A with rows of unit mobility: from here on half of all digits may be lost


@dataclass(frozen=True)
class MixedSolution:
    """All accelerations, and the forces of freedoms whose motion is given.

    vdot : accelerations of all speeds, ẅ of flexible bodies among them.
    tau : generalized forces per speed, given or found, beyond those of the model's own elements.
    forces : joint → force or torque [N, N m] that its given motion needs (joints with motion= too; an array if the joint has
        several freedoms).
    multipliers : λ of the constraint equations.

    >>> MixedSolution(np.zeros(1), np.zeros(1), {"hinge": 2.0}, np.zeros(0)).forces["hinge"]
    2.0
    """

    vdot: np.ndarray
    tau: np.ndarray
    forces: dict[str, Any]
    multipliers: np.ndarray


@dataclass(frozen=True)
class AccelerationRows:
    """rows v̇ = right: first `own` constraint equations, then `mimics`, then driven freedoms of cut joints."""

    rows: np.ndarray
    right: np.ndarray
    own: int
    mimics: int
    found: Constraints


class MixedProblem:
    """A system with a choice of freedoms whose motion is given; `solve` answers for any state.

    motions : names of joints ("B") or of single freedoms ("planar.x") whose accelerations are given. Of all others the force is.

    >>> import sharnir as sr
    >>> m = sr.Model(gravity=(0, 0, 0))
    >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
    >>> problem = MixedProblem(m.compile(), ["axle"])
    >>> problem.solve([0.0], [0.0], accelerations={"axle": 3.0}).forces
    {'axle': 6.0}
    """

    def __init__(self, system: Equations, motions: Any = ()) -> None:
        refuse_friction(system, "mixed problem", "leave it out of the model")
        self.system = system
        listed = (motions,) if isinstance(motions, str) else sequence(motions, "mixed_dynamics", "motions", "names of joints")
        names = tuple(getattr(x, "name", x) if isinstance(getattr(x, "name", x), str) else shown(x) for x in listed)
        self.motions = {name: mixed_freedoms(system, name) for name in names}
        self.chi = np.zeros(system.n_v)
        taken: set[tuple[str, int]] = set()
        for name, f in self.motions.items():
            own = {(f.joint.name, k) for k in f.parts}
            if own & taken:
                raise ModelError(
                    f"mixed_dynamics: the motion of '{name}' is given twice; name the joint or its freedoms, not both"
                )
            taken |= own
            if f.element < 0:
                self.chi[f.speeds(system)] = 1.0
        for mimic in system.assembly.coordinates.mimics:
            if self.chi[mimic.speed]:
                raise ModelError(
                    f"mixed_dynamics: '{system.speeds[mimic.speed]}' follows '{system.speeds[mimic.leader]}' (mimic); "
                    f"give the motion of that one"
                )
        self.cut_motions = [f for f in self.motions.values() if f.element >= 0]

    @cached_property
    def memory(self) -> tuple[np.ndarray, np.ndarray]:
        """Room for what bodies hand over, and for the forces of prescribed motions."""
        return np.zeros(27 * self.system.assembly.count), np.zeros(max(1, int(self.system.table[L.N_MOTION])))

    def solve(
        self, q: Any, v: Any, forces: Any = None, accelerations: Any = None, t: float = 0.0, method: str = "recursion"
    ) -> MixedSolution:
        """Accelerations and forces at a state; see System.mixed_dynamics.

        forces, accelerations : dicts by joint or freedom, or arrays of n_v numbers (of accelerations only those count whose
            motion is given). What is not named is zero.
        method : "recursion" (O(n) on trees) or "combined" (dense equations, to check it).

        >>> import sharnir as sr
        >>> m = sr.Model(gravity=(0, 0, 0))
        >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
        >>> MixedProblem(m.compile()).solve([0.0], [0.0], forces={"axle": 6.0}).vdot
        array([3.])
        """
        s = self.system
        if not isinstance(method, str) or method not in METHODS:
            raise ModelError(f"mixed_dynamics: method = {shown(method)} must be one of {', '.join(METHODS)}")
        q, v = s.checked("q", q), s.checked("v", v)
        y = np.concatenate([q, v, s.z0])
        given, along = np.zeros(s.n_v), np.zeros((len(s.assembly.elements), 6))
        wanted = self._accelerations(accelerations, given)
        drive = s.work[s.table[L.W_DRIVE] :][: s.n_v]
        try:
            drive[:] = self._forces(forces, along)
            if method == "combined":
                return self._combined(y, moment(t), given, along, wanted)
            if not (s.constrained or s.assembly.coordinates.mimics):
                return self._answer(*self._pass(y, t, given, along), np.zeros(0), 0.0 * along)
            return self._constrained(y, moment(t), given, along, wanted)
        finally:
            drive[:] = 0.0
            s.work[s.table[L.W_LAMBDA] :][: s.n_equations] = 0.0

    def _accelerations(self, accelerations: Any, given: np.ndarray) -> np.ndarray:
        """Fills `given` for freedoms of the tree; returns those of cut joints."""
        s = self.system
        if accelerations is not None and not isinstance(accelerations, Mapping):
            given[:] = np.where(self.chi != 0.0, s.checked("accelerations", accelerations), 0.0)
            accelerations = {}
        extra = [name for name in accelerations or {} if name not in self.motions]
        if extra:
            raise ModelError(f"mixed_dynamics: the motion of '{extra[0]}' is not among the given ones; name it in motions=")
        cuts = []
        for name, f in self.motions.items():
            if accelerations and name in accelerations:
                values = given_numbers(f, name, accelerations[name], "mixed_dynamics: acceleration")
            else:
                values = np.zeros(len(f.parts))
            if f.element >= 0:
                cuts.append(values)
            elif accelerations:
                given[f.speeds(s)] = values
        return np.concatenate([np.zeros(0), *cuts])

    def _forces(self, forces: Any, along: np.ndarray) -> np.ndarray:
        """Generalized forces per speed; those of cut joints go to `along`."""
        s, tau = self.system, np.zeros(self.system.n_v)
        if forces is not None and not isinstance(forces, Mapping):
            return np.where(self.chi == 0.0, s.checked("forces", forces), 0.0)
        for name, value in (forces or {}).items():
            f = mixed_freedoms(s, name)
            if any(f.joint.name == x.joint.name and set(f.parts) & set(x.parts) for x in self.motions.values()):
                raise ModelError(
                    f"mixed_dynamics: '{name}' has both a force and an acceleration; give one of them, the other is computed"
                )
            values = given_numbers(f, name, value, "mixed_dynamics: force")
            if f.element >= 0:
                along[f.element, list(f.parts)] += values
            else:
                tau[f.speeds(s)] += values
        return tau

    def _pass(
        self, y: np.ndarray, t: float, given: np.ndarray, along: np.ndarray, chi: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """One recursion; λ and forces of speeds stand in memory. With χ = 1 everywhere it divides by no inertia."""
        s, (hand, drives) = self.system, self.memory
        vdot, force, cuts = np.zeros(s.n_v), np.zeros(s.n_v), np.zeros_like(along)
        motion = MixedMotion(self.chi if chi is None else chi, given, hand, vdot, force, drives)
        solve_mixed(moment(t), y, motion, along.copy(), cuts, s.table, s.params, s.work)
        return vdot, force

    def equations(self, y: np.ndarray, t: float, wanted: np.ndarray) -> AccelerationRows:
        """All equations in v̇ at a state: constraints, mimic joints, driven freedoms of cut joints."""
        s = self.system
        found, mimics = constraints_at(s, y, t), mimic_rows(s)
        cut_rows, cut_bias = self._cut_equations()
        rows = np.ascontiguousarray(np.vstack([found.C, mimics, *cut_rows]))
        right = np.concatenate([-found.bias, np.zeros(len(mimics)), wanted - cut_bias])
        return AccelerationRows(rows, right, len(found.g), len(mimics), found)

    def _constrained(self, y: np.ndarray, t: float, given: np.ndarray, along: np.ndarray, wanted: np.ndarray) -> MixedSolution:
        """With equations: multipliers from the responses, refined once, and the recursion under them.

        Beside bodies that are very light or lack inertia, responses of others are rounding: the dense equations know them.
        """
        s = self.system
        if s.table[L.SOLVER] == L.NULL_SPACE:
            return self._combined(y, t, given, along, wanted)
        e = self.equations(y, t, wanted)
        vdot, _ = self._pass(e.found.y, t, given, along)
        size = mobility(s, e, self._responses(e.rows, held=False))
        multipliers = Multipliers(e.rows @ self._responses(e.rows).T, size)
        if multipliers.weakest < WEAK and s.n_v <= MOST_SPEEDS:
            return self._combined(y, t, given, along, wanted)
        try:
            check_drives(self, e, multipliers.idle)
        except ModelError:
            if s.n_v > MOST_SPEEDS:
                raise
            with suppress(ModelError):
                return self._combined(y, t, given, along, wanted)
            raise
        lam, drive = np.zeros(len(e.rows)), s.work[s.table[L.W_DRIVE] :][: s.n_v].copy()
        for _ in range(2):
            lam += multipliers.solve(e.right - e.rows @ vdot)
            vdot, force = self._under(e, t, lam, given, along, drive)
        return self._answer(vdot, force, lam[: e.own].copy(), self._cut_forces(lam[e.own + e.mimics :]))

    def _under(
        self,
        e: AccelerationRows,
        t: float,
        lam: np.ndarray,
        given: np.ndarray,
        along: np.ndarray,
        drive: np.ndarray,
        chi: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """The recursion under Cᵀ λ; `drive`: forces of speeds that are given."""
        s, place = self.system, self.system.work[self.system.table[L.W_DRIVE] :][: self.system.n_v]
        s.work[s.table[L.W_LAMBDA] :][: e.own] = lam[: e.own]
        last = e.own + e.mimics
        place[:] = drive + e.rows[e.own : last].T @ lam[e.own : last]
        result = self._pass(e.found.y, t, given, along + self._cut_forces(lam[last:]), chi)
        place[:] = drive
        return result

    def _cut_forces(self, lam: np.ndarray) -> np.ndarray:
        """λ of driven freedoms of cut joints, by element and freedom."""
        along, at = np.zeros((len(self.system.assembly.elements), 6)), 0
        for f in self.cut_motions:
            along[f.element, list(f.parts)] = lam[at : at + len(f.parts)]
            at += len(f.parts)
        return along

    def _combined(self, y: np.ndarray, t: float, given: np.ndarray, along: np.ndarray, wanted: np.ndarray) -> MixedSolution:
        """The dense equations; the recursion is only asked for the forces of the model's own prescribed motions."""
        s, e = self.system, self.equations(y, t, wanted)
        vdot, force, lam = combined_solution(self, e, t, given, along)
        drive = s.work[s.table[L.W_DRIVE] :][: s.n_v].copy()
        self._under(e, t, lam, vdot, along, drive, np.ones(s.n_v))
        return self._answer(vdot, force, lam[: e.own].copy(), self._cut_forces(lam[e.own + e.mimics :]))

    def _cut_equations(self) -> tuple[list[np.ndarray], np.ndarray]:
        """Rows of the driven freedoms of cut joints, and their accelerations at v̇ = 0; needs constraints_at."""
        s, bias = self.system, [np.zeros(0)]
        rows = [speed_rows(s, f) for f in self.cut_motions]
        for f in self.cut_motions:
            out = np.zeros((1, 19))
            cut_accelerations(np.array([f.element]), out, s.table, s.params, s.work)
            bias.append(out[0, 13:][list(f.parts)])
        return rows, np.concatenate(bias)

    def _responses(self, rows: np.ndarray, held: bool = True) -> np.ndarray:
        """M⁻¹ of every row, given freedoms held (or none); needs _pass."""
        s, (hand, drives), out = self.system, self.memory, np.zeros_like(rows)
        given, vdot, force = np.zeros((3, s.n_v))
        motion = MixedMotion(self.chi if held else np.zeros(s.n_v), given, hand, vdot, force, drives.copy())
        respond_mixed(motion, rows, out, s.table, s.params, s.work)
        return out

    def _answer(self, vdot: np.ndarray, force: np.ndarray, lam: np.ndarray, cuts: np.ndarray) -> MixedSolution:
        """Forces by name: those found here, and those of joints with motion=."""
        s, found = self.system, {}
        tau = force + s.work[s.table[L.W_DRIVE] :][: s.n_v]
        for name, f in self.motions.items():
            values = cuts[f.element, list(f.parts)] if f.element >= 0 else force[f.speeds(s)]
            found[name] = float(values[0]) if len(values) == 1 else values.copy()
        return MixedSolution(vdot, tau, found | prescribed_forces(s, self.memory[1]), lam)
