"""System: a model's equations of motion, ready to be evaluated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sharnir.dynamics import layout as L
from sharnir.dynamics import observation
from sharnir.dynamics.assemble_actions import append_actions
from sharnir.dynamics.batch import SingleState, accelerate
from sharnir.dynamics.blocks import Assembly, aligned
from sharnir.dynamics.constrained import CONSTRAINED, PROJECTION
from sharnir.dynamics.constrained_system import ConstrainedSystem
from sharnir.dynamics.constraint_solvers import box_of
from sharnir.dynamics.coordinate_steps import RATES, TANGENTS
from sharnir.dynamics.drive_forces import drive_forces
from sharnir.dynamics.evaluation import DERIVATIVE_LANES, DERIVATIVES
from sharnir.dynamics.event_parts import event_parts
from sharnir.dynamics.friction_loads import has_friction, refuse_friction, update_friction_loads, with_friction
from sharnir.dynamics.signals import DYNAMICS, WITH_SIGNALS
from sharnir.dynamics.structure import Structure, read_structure
from sharnir.errors import ModelError
from sharnir.integrate.problem import Problem
from sharnir.kernel import LANES, PLAIN
from sharnir.model import Model
from sharnir.topology import Tree


class System(ConstrainedSystem):
    """Equations of motion in joint coordinates, M(q) v̇ = Q(q, v, t).

    Attributes
    ----------
    n_q, n_v : numbers of coordinates and speeds (they differ where a joint uses a quaternion).
    q0, v0 : initial values.   coordinates, speeds : their names.   method : the method in use.

    A leading axis on q and v means many states at once.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> bob = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)))
    >>> _ = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
    >>> float(m.compile().accelerations([0.0], [0.0])[0])
    9.81
    """

    def __init__(self, assembly: Assembly, method: str) -> None:
        self.assembly = assembly
        self.method = method
        c = assembly.coordinates
        self.composites = assembly.blocks.append("work", None, np.zeros(21 * assembly.count))
        append_actions(assembly)
        self.table, self.params, self.work = assembly.blocks.finish()
        self.n_q, self.n_v = c.n_q, c.n_v
        self.q0, self.v0 = np.array(c.q0, float), np.array(c.v0, float)
        self.n_z, self.z0 = c.n_z, np.array(c.z0, float)
        self.coordinates, self.speeds = tuple(c.q_names), tuple(c.v_names)

    @property
    def tree(self) -> Tree:
        """Bodies and joints in regular numbering."""
        return self.assembly.tree

    @property
    def model(self) -> Model:
        """The model that was compiled."""
        return self.assembly.model

    @property
    def derivative(self) -> Any:
        """The right-hand side as integrators call it: a kernel Pointer or an address."""
        if self.assembly.program is None:
            return self._mechanism
        key = getattr(self._mechanism, "address", self._mechanism)
        if PLAIN:
            DYNAMICS[id(key)] = key
        self.table[L.F_DYNAMICS] = id(key) if PLAIN else key
        return WITH_SIGNALS

    @property
    def _mechanism(self) -> Any:
        """The right-hand side without states of control."""
        return with_friction(self, self._frictionless)

    @property
    def _frictionless(self) -> Any:
        """The right-hand side with given loads of friction."""
        if self.method == "extended":
            from sharnir.dynamics.reference import extended_derivative

            return extended_derivative(self)
        if self.constrained:
            return CONSTRAINED
        if self.table[L.N_ELASTIC]:
            from sharnir.dynamics.elastic_evaluation import ELASTIC_DERIVATIVES

            return ELASTIC_DERIVATIVES[self.method]
        return DERIVATIVES[self.method]

    @property
    def constrained(self) -> bool:
        """True if there are equations between coordinates: loops, constraints, or the absolute formulation."""
        return bool(self.table[L.N_ELEMENT])

    @property
    def formulation(self) -> str:
        """ "joint" or "absolute"."""
        pairs, loose = zip(self.tree.joints, self.tree.bodies, strict=True), set(self.tree.loose)
        return "joint" if all(joint.name in self.model.joints or body in loose for joint, body in pairs) else "absolute"

    @property
    def y0(self) -> np.ndarray:
        """The initial state as integrators take it: coordinates, speeds, tracked coordinates of cut joints."""
        return np.concatenate([self.q0, self.v0, self.z0])

    @cached_property
    def _single(self) -> SingleState:
        return SingleState(self)

    @property
    def vectorizes(self) -> bool:
        """True if many states can go through vector registers side by side."""
        h = self.table
        return self.method == "articulated" and not (
            self.constrained or h[L.N_ELASTIC] or h[L.F_SIGNALS] or h[L.N_FORCE] or h[L.N_JOINT_FORCE] or h[L.N_BALL_SPRING]
        )

    def problem(self, lanes: int = 1) -> Problem:
        """The initial-value problem ẏ = f(t, y), y = (q, v), for an integrator; with lanes, LANES of them side by side."""
        quaternions = np.array(self.assembly.coordinates.quaternions, np.int64)
        if lanes == 1:
            parts: dict[str, Any] = {"n_q": self.n_q, "n_v": self.n_v, "projection": PROJECTION if self.constrained else None}
            parts["box"] = box_of(self.table) if self.constrained else -1
            if len(quaternions):
                parts |= {"rates": RATES, "tangents": TANGENTS}
            program = self.assembly.program
            if self.table[L.N_EVENT] or (program is not None and program.delays):
                parts |= event_parts(self)
            n = self.n_q + self.n_v + self.n_z
            return Problem(self.derivative, n, self.table, self.params, aligned([self.work]), quaternions, **parts)
        work = np.repeat(self.work, LANES)
        return Problem(DERIVATIVE_LANES, self.n_q + self.n_v, self.table, self.params, work, quaternions, lanes=LANES)

    def _state(self, values: Any, n: int, name: str) -> np.ndarray:
        array = np.ascontiguousarray(values, float)
        if array.shape[-1:] != (n,):
            names = self.coordinates if name == "q" else self.speeds
            listed = ", ".join(names[:6]) + (" …" if n > 6 else "")
            raise ModelError(f"{name} has shape {array.shape}, needs {n} numbers in its last axis: {listed}")
        return array

    def _rows(self, **states: Any) -> tuple[tuple[int, ...], list[np.ndarray]]:
        """The leading axes of some arrays, which must be equal, and the arrays as rows."""
        arrays = {name: self._state(x, self.n_q if name == "q" else self.n_v, name) for name, x in states.items()}
        shape = arrays["q"].shape[:-1]
        for name, array in arrays.items():
            if array.shape[:-1] != shape:
                raise ModelError(
                    f"q has shape {arrays['q'].shape} and {name} has shape {array.shape}; their leading axes must be equal"
                )
        return shape, [array.reshape(math.prod(shape), array.shape[-1]) for array in arrays.values()]

    def _one(self, name: str, values: Any) -> np.ndarray:
        array = self._state(values, self.n_q if name == "q" else self.n_v, name)
        if array.ndim != 1:
            raise ModelError(f"{name} has shape {array.shape}; this needs one state, without leading axes")
        return array

    def accelerations(self, q: Any, v: Any, t: float = 0.0, tau: Any = None, threads: int | None = None) -> np.ndarray:
        """v̇ at a state, or at many states (leading axis); `tau` adds generalized forces of your own.

        >>> import sharnir as sr
        >>> m = sr.Model(gravity=(0, 0, 0))
        >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
        >>> m.compile().accelerations([[0.0]] * 3, [[0.0]] * 3, tau=[[2.0], [4.0], [6.0]]).ravel()
        array([1., 2., 3.])
        """
        q, v = np.asarray(q, float), np.asarray(v, float)
        if q.shape == (self.n_q,) and v.shape == (self.n_v,) and self.n_v:
            given = None if tau is None else self._one("tau", tau)
            return self._single.accelerations(float(t), q, v, given)
        shape, (q, v) = self._rows(q=q, v=v)
        drive = None
        if tau is not None:
            drive = np.ascontiguousarray(np.broadcast_to(self._state(tau, self.n_v, "tau"), (*shape, self.n_v))).reshape(v.shape)
        return accelerate(self, np.array([float(t)]), q, v, drive, threads).reshape(*shape, self.n_v)

    def inverse_dynamics(
        self, q: Any, v: Any, vdot: Any, t: float = 0.0, elements: bool = True, drives: Sequence[str] | None = None
    ) -> np.ndarray:
        """Generalized forces that a drive must add for the accelerations v̇ (Newton–Euler, O(N)).

        With elements=False the model's own springs, dampers and drives are left out, as robot books do. With loops and
        constraints name the joints that are driven, `drives=["O"]`: the forces along these, in their order, that make the
        mechanism move so (of least norm if there are more drives than freedoms). v̇ must satisfy the constraints, or be a dict
        such as {"O": 3.0} of some joints' accelerations; the others follow.

        >>> import sharnir as sr
        >>> m = sr.Model(gravity=(0, 0, 0))
        >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
        >>> m.compile().inverse_dynamics([0.0], [0.0], [3.0])
        array([6.])
        """
        if drives is not None or isinstance(vdot, Mapping):
            refuse_friction(self, "inverse_dynamics", "leave it out with elements=False")
            return drive_forces(self, self._one("q", q), self._one("v", v), vdot, float(t), drives, elements)
        shape, (q, v, vdot) = self._rows(q=q, v=v, vdot=vdot)
        out = np.zeros_like(v)
        for i in range(len(out)):
            if elements and has_friction(self):
                update_friction_loads(float(t), q[i], v[i], vdot[i], self.table, self.params, self.work)
            observation.inverse_dynamics_at(
                float(t), q[i], v[i], vdot[i], True, elements, out[i], self.table, self.params, self.work
            )
        return out.reshape(*shape, self.n_v)

    def bias(self, q: Any, v: Any, t: float = 0.0) -> np.ndarray:
        """h in M v̇ + h = τ: inverse dynamics at v̇ = 0, without the model's own elements but with gravity.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1), sr.Prismatic("rail", "ground", "bob", axis="z"))
        >>> m.compile().bias([0.0], [0.0])
        array([9.81])
        """
        shape, (q, v) = self._rows(q=q, v=v)
        out = np.zeros_like(v)
        for i in range(len(out)):
            observation.inverse_dynamics_at(float(t), q[i], v[i], v[i], False, False, out[i], self.table, self.params, self.work)
        return out.reshape(*shape, self.n_v)

    def mass_matrix(self, q: Any, t: float = 0.0) -> np.ndarray:
        """M(q), n_v × n_v, symmetric positive definite.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
        >>> m.compile().mass_matrix([0.0])
        array([[2.]])
        """
        shape, (q,) = self._rows(q=q)
        M = np.zeros((len(q), self.n_v, self.n_v))
        matrix_at = observation.mass_matrix_at
        if self.table[L.N_ELASTIC]:
            from sharnir.dynamics.elastic_evaluation import elastic_mass_matrix_at as matrix_at
        for i in range(len(q)):
            matrix_at(float(t), q[i], M[i], self.table, self.params, self.work, self.composites)
        return M.reshape(*shape, self.n_v, self.n_v)

    def structure(self, q: Any, v: Any, t: float = 0.0) -> Structure:
        """S, T, A, B, M, F, w* of the extended system as explicit matrices, for teaching and tests.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
        >>> x = m.compile().structure([0.0], [0.0])
        >>> x.B.T @ x.M @ x.B
        array([[2.]])
        """
        self._prepare(q, v, t)
        return read_structure(self.table, self.params, self.work)

    def _prepare(self, q: Any, v: Any, t: float) -> None:
        observation.prepare_state(float(t), self._one("q", q), self._one("v", v), self.table, self.params, self.work)

    def jacobian(self, body: Any, q: Any, point: Any = (0.0, 0.0, 0.0), t: float = 0.0) -> np.ndarray:
        """6 × n_v: velocity of a point (given in body axes) and angular velocity of a body, world axes, per unit speed.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> bob = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)))
        >>> _ = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
        >>> m.compile().jacobian("bob", [0.0])[:, 0] + 0.0
        array([ 0.,  0., -1.,  0.,  1.,  0.])
        """
        i = self.number(body)
        self._prepare(q, np.zeros(self.n_v), t)
        J = np.zeros((6, self.n_v))
        if i >= 0:
            pose = self.work[self.table[L.W_POSE] + i * L.W_POSE_SIZE :][:12]
            frame = self.params[self.table[L.P_FRAME] + i * L.P_FRAME_SIZE :][:12]
            local = frame[:9].reshape(3, 3) @ np.asarray(point, float) + frame[9:]
            world = pose[9:] + pose[:9].reshape(3, 3) @ local
            observation.point_jacobian(i, *(float(x) for x in world), J, self.table, self.work)
        return J

    def number(self, body: Any) -> int:
        """Number of a body in the engine, -1 for a ground at rest."""
        name = getattr(body, "name", body)
        if name not in self.assembly.placement.number:
            raise ModelError(f"there is no body '{name}'; bodies are {', '.join(self.tree.bodies[:10])}")
        return self.assembly.placement.number[name]
