"""System: a model's equations of motion, ready to be evaluated."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from sharnir.arguments import bool_of, fail, mapping, moment, numbers, shown, with_advice
from sharnir.dynamics.bodies.coordinate_steps import RATES, TANGENTS
from sharnir.dynamics.evaluation import python_entries
from sharnir.dynamics.evaluation.body_state import BodyState, Energy
from sharnir.dynamics.evaluation.constrained_right_hand_side import CONSTRAINED, PROJECTION
from sharnir.dynamics.evaluation.dead_point_steps import MEMORY as PASSAGE
from sharnir.dynamics.evaluation.dead_point_steps import PASS_HORIZON
from sharnir.dynamics.evaluation.extended_system import Structure, read_structure
from sharnir.dynamics.evaluation.many_states import SingleState, accelerate
from sharnir.dynamics.evaluation.motion_extents import motion_extents
from sharnir.dynamics.evaluation.power_balance import append_balance, with_balance
from sharnir.dynamics.evaluation.right_hand_sides import DERIVATIVE_LANES, DERIVATIVES
from sharnir.dynamics.evaluation.step_bounds import HORIZON
from sharnir.dynamics.events.event_records import append_actions, event_parts
from sharnir.dynamics.friction.loads_of_given_motion import has_friction, refuse_friction, update_friction_loads, with_friction
from sharnir.dynamics.inverse.base_parameters import BaseParameters, base_parameters
from sharnir.dynamics.inverse.constraint_histories import multipliers
from sharnir.dynamics.inverse.drive_forces import drive_forces
from sharnir.dynamics.inverse.inertia_regressor import InertialParameters, inertial_parameters, regressor
from sharnir.dynamics.inverse.joint_reactions import all_reactions
from sharnir.dynamics.inverse.mixed_problem import MixedProblem, MixedSolution
from sharnir.dynamics.memory import layout as L
from sharnir.dynamics.memory import switch_memory
from sharnir.dynamics.memory.memory_builder import Assembly, aligned
from sharnir.dynamics.memory.records import user_frame, world_pose
from sharnir.dynamics.memory.thread_memory import FirstMemory, SharedMemory, ThreadMemory
from sharnir.dynamics.mobility.constraint_jacobian import constraint_labels, constraints_at
from sharnir.dynamics.mobility.motion_basis import own_copy
from sharnir.dynamics.mobility.redundancy import Redundancy, find_redundancy
from sharnir.dynamics.multipliers.solver_choice import box_of
from sharnir.dynamics.parameter_systems import systems_with
from sharnir.dynamics.signals.signal_evaluation import WITH_SIGNALS
from sharnir.dynamics.small_motions.equilibrium import Equilibrium, find_equilibrium
from sharnir.dynamics.small_motions.linearization import Linearization, linearize
from sharnir.dynamics.small_motions.modes import Modes, find_modes
from sharnir.dynamics.small_motions.small_displacements import bent_far
from sharnir.dynamics.system_origin import Origin, Rebuilding
from sharnir.errors import ModelError, RunWarning
from sharnir.face import upward
from sharnir.integrate.stepping.problem import Problem
from sharnir.kernel import LANES
from sharnir.model import Model
from sharnir.notebook import card
from sharnir.topology import Tree

if TYPE_CHECKING:
    from sharnir.dynamics.straight_line.derivatives import Derivatives
    from sharnir.dynamics.straight_line.derived_functions import DerivedFunctions
    from sharnir.integrate.setting_types import Formulation, InitialState, State
    from sharnir.model.bodies.body import Body
    from sharnir.model.initial import Target

MOST_EQUATIONS = 400  # in absolute coordinates; above, reactions are those of the run's own solver


class System:
    """Equations of motion in joint coordinates, M(q) v̇ = Q(q, v, t).

    Attributes
    ----------
    n_q, n_v : numbers of coordinates and speeds (they differ where a joint uses a quaternion).
    q0, v0 : initial values.   coordinates, speeds : their names.   method : the method in use.

    A leading axis on q and v means many states at once. Several threads may call one system at the same time. The class is a
    facade: its parts are marked by headings, and the work is done in the rooms of `dynamics`.

    >>> import sharnir as sr
    >>> m = sr.Model()
    >>> bob = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)))
    >>> _ = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
    >>> float(m.compile().accelerations([0.0], [0.0])[0])
    9.81
    """

    def __init__(self, assembly: Assembly, method: str, rebuilding: Rebuilding) -> None:
        self.assembly, self.rebuilding = assembly, rebuilding
        self.method = self.engine_method = method
        self.derived: DerivedFunctions | None = None
        self.parametric: dict[tuple[str, ...], Any] = {}  # derived code by the parameters that it has derivatives by
        self.quicker: dict[str, Any] = {}  # what a long run has derived, for the next one of the same system
        self.may_derive = False  # long runs may go over to code derived for the model
        self.origin: Origin | None = None
        self.plan: Any = None  # by which numbers of another system were written into it (parameter_refill.py)
        self.numbers_only = False  # whether it is another one with other numbers in it (parameter_refill.py)
        self.values: dict[str, float] = {}  # of parameters, where they differ from those of the origin
        c = assembly.coordinates
        self.composites = assembly.blocks.append("work", None, np.zeros(21 * assembly.count))
        self.handed_over = assembly.blocks.append("work", None, np.zeros(1))  # how often derived code has asked the engine
        start = assembly.blocks.sizes
        append_actions(assembly)
        self.actions = start, assembly.blocks.sizes  # where their sections begin and end
        append_balance(assembly, method)
        self.table, params, work = assembly.blocks.finish()
        self.pristine = FirstMemory(self.table, params, work)
        self._memory: ThreadMemory | SharedMemory = ThreadMemory(self.pristine)
        self.n_q, self.n_v = c.n_q, c.n_v
        self.q0, self.v0 = np.array(c.q0, float), np.array(c.v0, float)
        self.n_z, self.z0 = c.n_z, np.array(c.z0, float)
        self.start = self.q0.copy(), self.v0.copy(), self.z0.copy()  # as the model says
        self.coordinates, self.speeds = tuple(c.q_names), tuple(c.v_names)
        if method == "extended" and self.constrained and not self.table[L.LONE]:
            from sharnir.dynamics.evaluation.extended_tree_part import ExtendedTreePart

            self.tree_part = ExtendedTreePart(self)

    def __repr__(self) -> str:
        loops = f", {self.n_equations} constraint equations" if self.constrained else ""
        return (
            f"System of {self.model.name!r}: {self.n_q} coordinate{'s' * (self.n_q != 1)}, "
            f"{self.n_v} speed{'s' * (self.n_v != 1)}{loops}; "
            f"{self.formulation} coordinates, method {self.method}"
        )

    def _repr_html_(self) -> str:
        values = zip(self.coordinates, (f"{x:.6g}" for x in self.q0), strict=True)
        speeds = zip(self.speeds, (f"{x:.6g}" for x in self.v0), strict=True)
        tables = [("coordinates", ("name", "initial value"), values), ("speeds", ("name", "initial value"), speeds)]
        return card(repr(self), tables=tables)

    def with_parameters(self, **values: float) -> System:
        """The system with other values of the model's parameters, as if the model had been built with them.

        >>> import sharnir as sr
        >>> m = sr.Model(parameters={"l": 1.0})
        >>> bob = m.add(sr.Body("bob", mass=1, position=("l", 0, 0)))
        >>> _ = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
        >>> system = m.compile()
        >>> float(system.with_parameters(l=0.5).accelerations([0.0], [0.0])[0])
        19.62
        """
        return self.with_many_parameters([values])[0]

    def with_many_parameters(self, rows: Sequence[Mapping[str, float]]) -> list[System]:
        """Systems with other values of the model's parameters, one for each set of values.

        >>> import sharnir as sr
        >>> m = sr.Model(parameters={"l": 1.0})
        >>> bob = m.add(sr.Body("bob", mass=1, position=("l", 0, 0)))
        >>> _ = m.add(sr.Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
        >>> systems = m.compile().with_many_parameters([{"l": 0.5}, {"l": 2.0}])
        >>> [float(system.accelerations([0.0], [0.0])[0]) for system in systems]
        [19.62, 4.905]
        """
        return systems_with(self, rows)

    @property
    def params(self) -> np.ndarray:
        """Numbers of the equations, in the engine's memory."""
        return self._memory.params

    @params.setter
    def params(self, params: np.ndarray) -> None:
        self._memory.params = params

    @property
    def work(self) -> np.ndarray:
        """The engine's memory that evaluations write into: every thread has its own, so that several may call one system."""
        return self._memory.work

    @property
    def tree(self) -> Tree:
        """Bodies and joints in regular numbering."""
        return self.assembly.tree

    @property
    def model(self) -> Model:
        """The model that was compiled."""
        return self.assembly.model

    @property
    def same_elements(self) -> Model:
        """The model as it begins, before events change it, or one that differs in numbers that its events do not have."""
        varied = self.plan is not None and not self.plan.changes_events
        same: Model = (self.assembly.structure if varied else self.model).original
        return same

    # ---- the right-hand side: layers of signals, friction, constraints and a method (docs/pipeline.md)

    @property
    def derivative(self) -> Any:
        """The right-hand side as integrators call it: a kernel Pointer or an address."""
        if self.assembly.program is None:
            return self._mechanism
        self.table[L.F_DYNAMICS] = getattr(self._mechanism, "address", self._mechanism)
        return WITH_SIGNALS

    @property
    def _mechanism(self) -> Any:
        """The right-hand side without states of control."""
        return with_friction(self, self._frictionless)

    @property
    def _frictionless(self) -> Any:
        """The right-hand side with given loads of friction."""
        if self.constrained:
            return CONSTRAINED
        if self.engine_method == "extended":
            from sharnir.dynamics.evaluation.extended_system import extended_derivative

            return extended_derivative(self)
        if self.table[L.N_ELASTIC]:
            from sharnir.dynamics.evaluation.flexible_right_hand_sides import ELASTIC_DERIVATIVES

            return ELASTIC_DERIVATIVES[self.engine_method]
        return DERIVATIVES[self.engine_method]

    def derive(self) -> None:
        """From now on compute accelerations and runs by straight-line code derived for this model.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> s = m.compile()
        >>> s.derive()
        >>> s.method
        'symbolic'
        """
        from sharnir.dynamics.straight_line.derivability import check_derivable
        from sharnir.dynamics.straight_line.derived_functions import Derivation, DerivedFunctions
        from sharnir.dynamics.straight_line.held_switches import check_foreign, check_held

        check_derivable(self)
        derivation = Derivation(self)
        self.derived = DerivedFunctions(self, derivation)
        if self.table[L.N_SWITCH] or derivation.left.foreign:
            try:
                check_held(self, derivation.held, self.derived.derivative)
                check_foreign(self, derivation.left.foreign)
            except ModelError:
                self.derived = None
                raise
            finally:
                self.assembly.functions.forget()  # what users' functions raised at states that no run meets
        self.method = "symbolic"

    @property
    def rates(self) -> Any:
        """The right-hand side for callers that need its rates only: derived, or the engine's."""
        return self.derivative if self.derived is None else self.derived.derivative

    @property
    def constrained(self) -> bool:
        """True if there are equations between coordinates: loops, constraints, or the absolute formulation."""
        return bool(self.table[L.N_ELEMENT])

    @property
    def formulation(self) -> Formulation:
        """ "joint" or "absolute"."""
        pairs, loose = zip(self.tree.joints, self.tree.bodies, strict=True), set(self.tree.loose)
        return "joint" if all(joint.name in self.model.joints or body in loose for joint, body in pairs) else "absolute"

    # ---- questions that runs ask: what the model has, and where it is in the engine's memory

    @property
    def solver(self) -> str:
        """How constraint forces are found."""
        return {L.DENSE: "dense", L.SPARSE: "sparse", L.NULL_SPACE: "null-space"}[int(self.table[L.SOLVER])]

    @property
    def has_gaps(self) -> bool:
        """True if something may touch: contacts between shapes, stops of joints."""
        return bool(self.table[L.N_APPROACH] or self.table[L.N_STOP])

    @property
    def has_tanks(self) -> bool:
        """True if bodies lose mass."""
        return bool(self.table[L.F_MASSES])

    @property
    def has_controls(self) -> bool:
        """True if signals have states that are integrated."""
        return bool(self.table[L.N_CONTROL])

    @property
    def total_mass(self) -> float:
        """Mass of all bodies [kg]."""
        bodies = self.params[self.table[L.P_BODY] :][: self.assembly.count * L.P_BODY_SIZE]
        return float(bodies.reshape(-1, L.P_BODY_SIZE)[:, L.MASS].sum())

    @property
    def n_motions(self) -> int:
        """Number of freedoms with a prescribed motion."""
        return int(self.table[L.N_MOTION])

    @property
    def n_signals(self) -> int:
        """Number of signals."""
        return int(self.table[L.N_SIGNAL])

    @property
    def n_switches(self) -> int:
        """Number of switches in formulas whose sides are held in a run."""
        return int(self.table[L.N_SWITCH])

    @property
    def first_signal(self) -> int:
        """Where values of signals begin in `work`."""
        return int(self.table[L.W_SIGNAL])

    @property
    def first_sensor(self) -> int:
        """Where values of sensors begin in `work`."""
        return int(self.table[self.table[L.T_SENSOR] + L.E_WORK])

    @property
    def first_motion(self) -> int:
        """Where values of prescribed motions begin in `work`."""
        return int(self.table[L.W_MOTION])

    def signal_place(self, name: str) -> int:
        """Where the value of a signal, of a held number or of a control state is in `work`.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1), sr.Prismatic("rail", "ground", "bob", axis="z"), sr.Signal("u", "2*t"))
        >>> s = m.compile()
        >>> s.signal_place("u") == s.first_signal
        True
        """
        found: int = self.first_signal + self.assembly.program.place(name)
        return found

    # ---- the initial-value problem for integrators

    @property
    def y0(self) -> np.ndarray:
        """The initial state as integrators take it: coordinates, speeds, tracked coordinates of cut joints."""
        return np.concatenate([self.q0, self.v0, self.z0])

    @property
    def _single(self) -> SingleState:
        memory = self._memory
        if memory.single is None:
            memory.single = SingleState(self)
        found: SingleState = memory.single
        return found

    @property
    def vectorizes(self) -> bool:
        """True if many states can go through vector registers side by side."""
        h = self.table
        return (
            self.method == "articulated"
            and not (
                self.constrained or h[L.N_ELASTIC] or h[L.F_SIGNALS] or h[L.N_FORCE] or h[L.N_JOINT_FORCE] or h[L.N_BALL_SPRING]
            )
            and not any(row.formulas for row in self.assembly.coordinates.freedoms)
        )

    def problem(self, lanes: int = 1, audited: bool = False) -> Problem:
        """The initial-value problem ẏ = f(t, y), y = (q, v), for an integrator; with lanes, LANES of them side by side.

        audited : integrate the power supplied to the mechanism as well, if there is any.
        """
        quaternions = np.array(self.assembly.coordinates.quaternions, np.int64)
        if lanes == 1:
            parts: dict[str, Any] = {"n_q": self.n_q, "n_v": self.n_v, "projection": PROJECTION if self.constrained else None}
            parts["box"] = box_of(self.table) if self.constrained else -1
            parts["extent"] = self.extents
            if len(quaternions):
                parts |= {"rates": RATES, "tangents": TANGENTS}
            program = self.assembly.program
            if self.table[L.N_EVENT] or self.table[L.N_SWITCH] or (program is not None and program.delays):
                parts |= event_parts(self)
            if self.table[L.N_SWITCH]:
                parts["sides"] = int(self.table[L.W_SWITCH])
            if self.assembly.functions.breaks.any:
                parts["breaks"] = self.assembly.functions.breaks
            if self.has_gaps:
                parts |= {"horizon": HORIZON, "horizon_memory": 6 * int(self.table[L.N_BODY]) + PASSAGE}
            elif self.constrained and self.table[L.SOLVER] == L.DENSE and self.params[L.SINGULAR] > 0.0:
                parts |= {"horizon": PASS_HORIZON, "horizon_memory": PASSAGE}
            if audited:
                parts["balance"] = with_balance(self.table, self.derivative)
            if self.derived is not None:
                from sharnir.dynamics.straight_line.derived_directions import late_jacobian

                parts |= {"projection": self.derived.projection, "box": -1}
                if self.derived.derivation.bends_only:
                    parts["jacobian"] = late_jacobian(self, self.derived)
                if not self.derived.derivation.tells_switches:
                    parts["calm"] = None
                if parts.get("balance") is not None:
                    parts["balance"] = self.derived.balanced
            elif self.may_derive:
                from sharnir.dynamics.straight_line.quicker_functions import evaluations_before, quicker_functions

                after = evaluations_before(self)
                parts |= {} if after is None else {"quicker": partial(quicker_functions, self), "quicker_after": after}
            n = self.n_q + self.n_v + self.n_z
            return Problem(self.rates, n, self.table, self.params, self.work_of_run(), quaternions, **parts)
        work = np.repeat(self.work, LANES)
        return Problem(DERIVATIVE_LANES, self.n_q + self.n_v, self.table, self.params, work, quaternions, lanes=LANES)

    @cached_property
    def extents(self) -> np.ndarray:
        """Up to which size the motion of every entry of the state counts for the tolerance of a run."""
        return motion_extents(self)

    def work_of_run(self) -> np.ndarray:
        """Memory of a run: a copy in which sides of switches are held.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("stone", mass=1), sr.Prismatic("rail", "ground", "stone", axis="z"))
        >>> system = m.compile()
        >>> system.work_of_run() is system.work
        False
        """
        work = aligned([self.work])
        work[self.handed_over] = 0.0
        self.hold_sides(work)
        return work

    def hold_sides(self, work: np.ndarray) -> None:
        """In this memory of a run, hold the sides of switches in formulas within each step, from the next start on.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("b", mass=1), sr.Prismatic("P", "ground", "b", axis="x", torque="if(q > 1, 1, 0)"))
        >>> s = m.compile()
        >>> s.hold_sides(s.work.copy())
        """
        if self.table[L.N_SWITCH]:
            work[self.table[L.W_SWITCH]] = switch_memory.SETTLE
            self._switches(work)[:, switch_memory.WHOLE] = self.assembly.functions.sides.whole

    def _switches(self, work: np.ndarray) -> np.ndarray:
        """Memory of all switches, a row each."""
        n, first = int(self.table[L.N_SWITCH]), int(self.table[L.W_SWITCH]) + switch_memory.FIRST
        return work[first : first + n * switch_memory.SIZE].reshape(n, switch_memory.SIZE)

    def sliding_switches(self, work: np.ndarray) -> list[str]:
        """Elements with switches that a run stopped holding, because the motion returned to them again and again.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("b", mass=1), sr.Prismatic("P", "ground", "b", axis="x", torque="if(q > 1, 1, 0)"))
        >>> s = m.compile()
        >>> s.sliding_switches(s.work)
        []
        """
        if not self.table[L.N_SWITCH]:
            return []
        sides, released = self.assembly.functions.sides, self._switches(work)[:, switch_memory.HELD] < 0.0
        jumps = [free and not bends for free, bends in zip(released, sides.bends, strict=True)]
        return list(dict.fromkeys(label for label, free in zip(sides.labels, jumps, strict=True) if free))

    # ---- accelerations, forces and matrices at given states

    def _state(self, values: Any, n: int, name: str) -> np.ndarray:
        array = np.ascontiguousarray(numbers(values, f"model '{self.model.name}'", name, finite=False))
        if array.shape[-1:] != (n,):
            names = self.coordinates if name == "q" else self.speeds
            listed = ", ".join(names[:6]) + (" …" if n > 6 else "")
            raise ModelError(f"{name} has the shape {array.shape}; its last axis must have {n} numbers: {listed}")
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

    def checked(self, name: str, values: Any) -> np.ndarray:
        """Coordinates ("q") or speeds of one state as an array of the right length, or an error that names what is missing.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1), sr.Prismatic("rail", "ground", "bob", axis="z"))
        >>> m.compile().checked("q", [2])
        array([2.])
        """
        array = self._state(values, self.n_q if name == "q" else self.n_v, name)
        if array.ndim != 1:
            raise ModelError(f"{name} has shape {array.shape}; one state is needed, without leading axes")
        return array

    def accelerations(
        self,
        q: State,
        v: State,
        t: float = 0.0,
        tau: State | None = None,
        threads: int | None = None,
        device: str = "cpu",
        precision: str = "double",
    ) -> np.ndarray:
        """v̇ at a state, or at many states (leading axis); `tau` adds generalized forces of your own.

        device : "cpu", or "gpu" (extra `gpu`), there with precision "double" or "single".

        >>> import sharnir as sr
        >>> m = sr.Model(gravity=(0, 0, 0))
        >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
        >>> m.compile().accelerations([[0.0]] * 3, [[0.0]] * 3, tau=[[2.0], [4.0], [6.0]]).ravel()
        array([1., 2., 3.])
        """
        if device not in ("cpu", "gpu") or (device == "cpu" and precision != "double") or (device == "gpu" and tau is not None):
            fail("accelerations", "device", f"= {device!r} must be 'cpu', or 'gpu' with a precision and without tau")
        q, v = (numbers(x, "accelerations", key, finite=False) for key, x in (("q", q), ("v", v)))
        if device == "cpu" and q.shape == (self.n_q,) and v.shape == (self.n_v,) and self.n_v:
            given = None if tau is None else self.checked("tau", tau)
            return self._single.accelerations(moment(t), q, v, given)
        shape, (q, v) = self._rows(q=q, v=v)
        if device == "gpu":
            found = upward("sharnir.gpu.gpu_states", "accelerations")(self, q, v, moment(t), precision)
            return np.asarray(found).reshape(*shape, self.n_v)
        drive = None
        if tau is not None:
            drive = np.ascontiguousarray(np.broadcast_to(self._state(tau, self.n_v, "tau"), (*shape, self.n_v))).reshape(v.shape)
        return accelerate(self, np.array([moment(t)]), q, v, drive, threads).reshape(*shape, self.n_v)

    def inverse_dynamics(
        self, q: State, v: State, vdot: State, t: float = 0.0, elements: bool = True, drives: Sequence[str] | None = None
    ) -> np.ndarray:
        """Generalized forces that a drive must add for the accelerations v̇ (Newton–Euler, O(N)).

        With elements=False the model's own springs, dampers and drives are left out, as in textbooks on robotics. With loops and
        constraints name the joints that are driven, `drives=["O"]`: the forces along these, in their order, that produce this
        motion (of least norm if there are more drives than freedoms). v̇ must satisfy the constraints, or be a dict such as
        {"O": 3.0} of some joints' accelerations; the others follow.

        >>> import sharnir as sr
        >>> m = sr.Model(gravity=(0, 0, 0))
        >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
        >>> m.compile().inverse_dynamics([0.0], [0.0], [3.0])
        array([6.])
        """
        if drives is not None or isinstance(vdot, Mapping):
            if elements:
                refuse_friction(self, "inverse_dynamics", "leave it out with elements=False")
            return drive_forces(self, self.checked("q", q), self.checked("v", v), vdot, moment(t), drives, elements)
        shape, (q, v, vdot) = self._rows(q=q, v=v, vdot=vdot)
        out = np.zeros_like(v)
        for i in range(len(out)):
            if elements and has_friction(self):
                update_friction_loads(moment(t), q[i], v[i], vdot[i], self.table, self.params, self.work)
            python_entries.inverse_dynamics_at(
                moment(t), q[i], v[i], vdot[i], True, elements, out[i], self.table, self.params, self.work
            )
        return out.reshape(*shape, self.n_v)

    def regressor(self, q: State, v: State, vdot: State, t: float = 0.0) -> np.ndarray:
        """Y in τ = Y π: inverse dynamics (elements=False) as a linear function of masses, first moments, inertias and rotors.

        One row for each speed, one column for each of `inertial_parameters`. For identification; many states by leading axes.

        >>> import sharnir as sr
        >>> m = sr.Model(gravity=(0, 0, 0))
        >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
        >>> s = m.compile()
        >>> s.regressor([0.0], [0.0], [3.0]) @ s.inertial_parameters.values
        array([6.])
        """
        shape, (q, v, vdot) = self._rows(q=q, v=v, vdot=vdot)
        found: np.ndarray = regressor(self, shape, q, v, vdot, moment(t))
        return found

    @property
    def inertial_parameters(self) -> InertialParameters:
        """Names, values and units of what `regressor` has columns for.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=2), sr.Prismatic("rail", "ground", "bob", axis="z"))
        >>> m.compile().inertial_parameters.names[0], m.compile().inertial_parameters.values[0]
        ('bob.m', np.float64(2.0))
        """
        return inertial_parameters(self)

    def base_parameters(self) -> BaseParameters:
        """The combinations of inertial parameters that the dynamics depends on: all that measurements of forces can tell.

        Found at random states near which the mechanism can move, loops and constraints included.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=2), sr.Prismatic("rail", "ground", "bob", axis="z"))
        >>> m.compile().base_parameters().names
        ('bob.m', 'rail.armature')
        """
        return base_parameters(self)

    def bias(self, q: State, v: State, t: float = 0.0) -> np.ndarray:
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
            python_entries.inverse_dynamics_at(
                moment(t), q[i], v[i], v[i], False, False, out[i], self.table, self.params, self.work
            )
        return out.reshape(*shape, self.n_v)

    def mass_matrix(self, q: State, t: float = 0.0) -> np.ndarray:
        """M(q), n_v × n_v, symmetric positive definite.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("disc", mass=1, inertia=(1, 1, 2)), sr.Revolute("axle", "ground", "disc", axis="z"))
        >>> m.compile().mass_matrix([0.0])
        array([[2.]])
        """
        shape, (q,) = self._rows(q=q)
        M = np.zeros((len(q), self.n_v, self.n_v))
        matrix_at = python_entries.mass_matrix_at
        if self.table[L.N_ELASTIC]:
            from sharnir.dynamics.evaluation.flexible_right_hand_sides import elastic_mass_matrix_at as matrix_at
        for i in range(len(q)):
            matrix_at(moment(t), q[i], M[i], self.table, self.params, self.work, self.composites)
        return M.reshape(*shape, self.n_v, self.n_v)

    def structure(self, q: State, v: State, t: float = 0.0) -> Structure:
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

    def _prepare(self, q: State, v: State, t: float) -> None:
        python_entries.prepare_state(moment(t), self.checked("q", q), self.checked("v", v), self.table, self.params, self.work)

    def jacobian(
        self, body: str | Body, q: State, point: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0), t: float = 0.0
    ) -> np.ndarray:
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
            pose = world_pose(self, i)
            axes, origin = user_frame(self, i)
            local = axes @ numbers(point, "jacobian", "point", shape=(3,)) + origin
            world = pose[9:12] + pose[:9].reshape(3, 3) @ local
            python_entries.point_jacobian(i, *(float(x) for x in world), J, self.table, self.work)
        return J

    def number(self, body: str | Body) -> int:
        """Number of a body in the engine, -1 for a ground at rest."""
        name = getattr(body, "name", body)
        if not isinstance(name, str) or name not in self.assembly.placement.number:
            raise ModelError(f"there is no body {shown(name)}; bodies are {', '.join(self.tree.bodies[:10])}")
        return self.assembly.placement.number[name]

    # ---- bodies, reactions, rates and energy at given states

    def bodies(self, q: State, v: State, t: float = 0.0) -> dict[str, BodyState]:
        """Position, velocity and acceleration of every body at a state, and the reaction in the joint that leads to it.

        The reaction is that of the joint by which the tree reaches the body. In absolute coordinates this is a free joint, whose
        reaction is zero unless the body is fixed; `reactions` gives those of the model's joints in both formulations.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("lamp", mass=2, inertia=(1, 1, 1)), sr.Fixed("hook", "ground", "lamp"))
        >>> m.compile().bodies([], [])["lamp"].reaction[:3]
        array([ 0.  ,  0.  , 19.62])
        """
        y = np.concatenate([self.checked("q", q), self.checked("v", v), self.z0])[None]
        numbers = np.arange(self.assembly.count)
        out, reactions, _, _ = self.observe(np.array([moment(t)]), y, numbers)
        names = {i: name for name, i in self.assembly.placement.number.items() if i >= 0}
        return {names[int(i)]: BodyState(out[0, i], reactions[0, i]) for i in numbers}

    def reactions(self, q: State, v: State, t: float = 0.0) -> dict[str, np.ndarray]:
        """Force and torque (6 numbers, world axes) of every joint on its child, at the joint's point of the child.

        Of a Free joint that point is the child's origin, wherever its `at` is.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("lamp", mass=2, inertia=(1, 1, 1)), sr.Fixed("hook", "ground", "lamp"))
        >>> m.compile().reactions([], [])["hook"][2]
        np.float64(19.62)
        """
        y = np.concatenate([self.checked("q", q), self.checked("v", v), self.z0])[None]
        return {name: values[0] for name, values in all_reactions(self, np.array([moment(t)]), y).items()}

    def observe(self, t: np.ndarray, y: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, ...]:
        """Of chosen bodies: poses, velocities, accelerations (nt, m, 19), reactions (nt, m, 6); forces of prescribed motions.

        Last: what passes through constraint elements that are cut joints (nt, elements, 6).
        """
        if self.table[L.F_MASSES] and len(t) > 1:  # inertias change from state to state
            parts = [self.observe(t[k : k + 1], y[k : k + 1], numbers) for k in range(len(t))]
            return tuple(np.concatenate(part) for part in zip(*parts, strict=True))
        self._fill_tanks(t, y)
        m, nt = len(numbers), len(t)
        out, reactions = np.zeros((nt, m, python_entries.BODY_OUT)), np.zeros((nt, m, python_entries.JOINT_OUT))
        drives = np.zeros((nt, max(1, int(self.table[L.N_MOTION]))))
        f = getattr(self.derivative, "address", self.derivative)
        yd = np.zeros(y.shape[1])
        cuts = np.zeros((nt, len(self.assembly.elements), python_entries.JOINT_OUT))
        found = python_entries.Observation(out, reactions, drives, cuts)
        y = np.ascontiguousarray(y)
        python_entries.observe_bodies(f, t, y, np.asarray(numbers), found, self.table, self.params, self.work, yd)
        return tuple(found)

    def _fill_tanks(self, t: np.ndarray, y: np.ndarray) -> None:
        """Inertias of bodies whose tanks empty, as they are at one state."""
        if self.table[L.F_MASSES] and len(t):
            self.observe_rates(t[:1], y[:1])

    def observe_rates(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """ẏ at many full states (q, v, z)."""
        out = np.zeros(y.shape)
        f = getattr(self.derivative, "address", self.derivative)
        python_entries.observe_rates(f, t, np.ascontiguousarray(y), out, self.table, self.params, self.work)
        return out

    def observe_work(self, t: np.ndarray, y: np.ndarray, first: int, out: np.ndarray) -> None:
        """Numbers of the engine's memory at many full states (q, v, z): out has a row per state."""
        f = getattr(self.derivative, "address", self.derivative)
        states, rates = np.ascontiguousarray(y), np.zeros(y.shape[1])
        python_entries.observe_work(f, t, states, first, out, self.table, self.params, self.work, rates)

    def observe_multipliers(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """λ of all constraint equations at many full states (q, v, z), in the order of `assembly.elements` and their equations.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("lamp", mass=2, inertia=(1, 1, 1), position=(0, 0, -1)), sr.Distance("wire", "ground", "lamp"))
        >>> s = m.compile()
        >>> s.observe_multipliers(np.zeros(1), s.y0[None])
        array([[-19.62]])
        """
        return multipliers(self, t, y)

    def energy(self, q: State, v: State, t: float = 0.0) -> Energy:
        """Kinetic and potential energy, mass, centre of mass, momentum and angular momentum (about the world's origin).

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("stone", mass=2, inertia=(1, 1, 1), position=(0, 0, 5), velocity=(3, 0, 0)))
        >>> s = m.compile()
        >>> s.energy(s.q0, s.v0).kinetic, round(s.energy(s.q0, s.v0).potential, 6)
        (9.0, 98.1)
        """
        y = np.concatenate([self.checked("q", q), self.checked("v", v), self.z0])[None]
        energies, momenta = self.observe_energy(np.array([moment(t)]), y)
        return Energy(energies[0], momenta[0])

    def observe_energy(self, t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Kinetic and potential energy (nt, 2); mass, centre of mass, momentum, angular momentum (nt, 10)."""
        if self.table[L.F_MASSES] and len(t) > 1:
            parts = [self.observe_energy(t[k : k + 1], y[k : k + 1]) for k in range(len(t))]
            return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
        self._fill_tanks(t, y)
        energies, momenta = np.zeros((len(t), 2)), np.zeros((len(t), 10))
        python_entries.observe_energy(t, np.ascontiguousarray(y), energies, momenta, self.table, self.params, self.work)
        return energies, momenta

    def observe_stored(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The stored energy for the power balance, (nt, 2): kinetic energy, and that of gravity and of flexible bodies.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("stone", mass=2, inertia=(1, 1, 1), position=(0, 0, 5), velocity=(3, 0, 0)))
        >>> s = m.compile()
        >>> s.observe_stored(np.zeros(1), s.y0[None]).round(6).tolist()
        [[9.0, 98.1]]
        """
        if self.table[L.F_MASSES] and len(t) > 1:
            return np.concatenate([self.observe_stored(t[k : k + 1], y[k : k + 1]) for k in range(len(t))])
        self._fill_tanks(t, y)
        out = np.zeros((len(t), 2))
        python_entries.observe_stored(t, np.ascontiguousarray(y), out, self.table, self.params, self.work)
        return out

    # ---- constraints, and small motions about a state

    def _full(self, q: State, v: State) -> np.ndarray:
        return np.concatenate([self.checked("q", q), self.checked("v", v), self.z0])

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
        return constraint_labels(self)

    def constraints(self, q: State, v: State | None = None, t: float = 0.0) -> np.ndarray:
        """Residuals g of the constraint equations at a position; with v their rates ġ = C v + ∂g/∂t.

        Equations that hold for speeds only (rolling, knife edges) have g = 0.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Ball("B", "ground", "bob"))
        >>> s = m.compile(formulation="absolute")
        >>> s.constraints([0.25, 0, 0, 1, 0, 0, 0])
        array([0.25, 0.  , 0.  ])
        """
        found = constraints_at(self, self._full(q, np.zeros_like(self.v0) if v is None else v), t)
        return found.g if v is None else found.gdot

    def constraint_jacobian(self, q: State, t: float = 0.0) -> np.ndarray:
        """C, equations × n_v: M v̇ = f + Cᵀ λ, C v̇ = γ.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1), position=(1, 0, 0)), sr.Ball("B", "ground", "bob", at=(0, 0, 0)))
        >>> s = m.compile(formulation="absolute")
        >>> s.constraint_jacobian(s.q0)[1]
        array([ 0.,  1.,  0.,  0.,  0., -1.])
        """
        return constraints_at(self, self._full(q, np.zeros_like(self.v0)), t).C

    def multipliers(self, q: State, v: State, t: float = 0.0) -> np.ndarray:
        """λ of the constraint equations at a state, least norm where they are redundant [N or N m].

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, inertia=(1, 1, 1)), sr.Ball("B", "ground", "bob"))
        >>> s = m.compile(formulation="absolute")
        >>> s.multipliers(s.q0, s.v0).round(9) + 0.0
        array([0.  , 0.  , 9.81])
        """
        found: np.ndarray = self.observe_multipliers(np.array([moment(t)]), self._full(q, v)[None])[0]
        return found

    @cached_property
    def least_norm_twin(self) -> System | None:
        """The system that gives the reactions of least norm; None where reactions are unique, or the mechanism is too large.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("door", mass=10, inertia=(1, 1, 1)), sr.Revolute("low", "ground", "door", axis="z"))
        >>> _ = m.add(sr.Revolute("high", "ground", "door", at=(0, 0, 2), axis="z"))
        >>> m.compile().least_norm_twin.n_v
        6
        """
        if not self.constrained or not self.table[L.N_ROW]:
            return None
        held = sum(6 - sum(motion is None for motion in joint.motion) for joint in self.model.joints.values())
        if held + sum(e.count for e in self.assembly.elements) > MOST_EQUATIONS or not self.redundancy.equations:
            return None
        try:
            return self.rebuilding.for_reactions(self.model)
        except ModelError:  # a body without inertia, which cannot fly by itself
            return None

    def with_own_work(self, work: np.ndarray | None = None) -> System:
        """The same equations with a work array of their own: a copy of this one's, or of one that is given; for one thread.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1), sr.Prismatic("rail", "ground", "bob", axis="z"))
        >>> s = m.compile()
        >>> s.with_own_work().accelerations([0.0], [0.0]) == s.accelerations([0.0], [0.0])
        array([ True])
        """
        other = copy.copy(self)
        other._memory = SharedMemory(self.params, aligned([self.work if work is None else work]))
        if self.table[L.N_SWITCH]:  # a side that a run holds is none of a system's
            other.work[self.table[L.W_SWITCH]] = switch_memory.OUTSIDE
            self._switches(other.work)[:, switch_memory.HELD] = 0.0
        return other

    @cached_property
    def redundancy(self) -> Redundancy:
        """Redundant equations at the initial position, and freedoms."""
        return find_redundancy(self)

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

    @with_advice
    def assemble(self, initial: InitialState = None) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds that satisfy the constraints and the conditions of an Initial; q0 and v0 stay as they are.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.compile().assemble(sr.Initial(q={"O": 0.3}))[0]
        array([0.3])
        """
        other = self.rebuilding.compiled(self.model, self.formulation, initial=initial)
        return other.q0, other.v0

    @with_advice
    def inverse_kinematics(
        self,
        *targets: Target,
        q: State | None = None,
        hold: Sequence[str] = (),
        limits: bool = True,
        t: float = 0.0,
    ) -> np.ndarray:
        """Coordinates at which bodies are where targets want them: those nearest to q (default: q0).

        Loops, constraints and mimic joints hold, and joints stay within their `limits` and stops; prescribed motions are at time
        t, and flexible bodies keep their shapes. Distances count angles in radians and displacements in sizes of the mechanism.
        An error says how near the targets can come.

        hold : joints or freedoms that do not move.   limits : False leaves the limits out.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.compile().inverse_kinematics(sr.Target("bob", position=(None, None, -0.5))).round(6)
        array([0.523599])
        """
        from sharnir.dynamics.initial.inverse_kinematics import inverse_kinematics

        start = self.q0 if q is None else self.checked("q", q)
        names = [hold] if isinstance(hold, str) else hold
        return inverse_kinematics(self, targets, start, names, bool_of(limits, "inverse_kinematics", "limits"), moment(t))

    @with_advice
    def mixed_problem(self, motions: Any = ()) -> MixedProblem:
        """The mixed problem for many states: the motions of these joints or freedoms are given, of all others the forces.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=2), sr.Prismatic("rail", "ground", "bob", axis="z"))
        >>> problem = m.compile().mixed_problem(["rail"])
        >>> round(problem.solve([0.0], [0.0], accelerations=[1.0]).forces["rail"], 9)
        21.62
        """
        return MixedProblem(self, motions)

    @with_advice
    def mixed_dynamics(
        self,
        q: State,
        v: State,
        forces: State | None = None,
        accelerations: State | None = None,
        t: float = 0.0,
        method: str = "recursion",
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
        given = (
            () if accelerations is None else tuple(mapping(accelerations, "mixed_dynamics", "accelerations", "numbers by name"))
        )
        return MixedProblem(self, given).solve(q, v, forces, accelerations, t, method)

    @with_advice
    def derivatives(
        self, q: State | None = None, v: State | None = None, t: float = 0.0, parameters: Sequence[str] = ()
    ) -> Derivatives:
        """Exact derivatives of accelerations and constraints at a state (default: the initial one), also by parameters.

        >>> import sharnir as sr
        >>> m = sr.Model(parameters={"l": 2.0})
        >>> _ = m.add(sr.Body("bob", mass=1, position=("l", 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> d = m.compile().derivatives(parameters=["l"])
        >>> float(d.q[0, 0]), d.parameters["l"].round(9).tolist()
        (0.0, [-2.4525])
        """
        from sharnir.dynamics.straight_line.derivatives import derivatives_at

        q = self.q0 if q is None else self.checked("q", q)
        v = self.v0 if v is None else self.checked("v", v)
        return derivatives_at(self, q, v, moment(t), [parameters] if isinstance(parameters, str) else list(parameters))

    @with_advice
    def equilibrium(self, q: State | None = None, t: float = 0.0, stable: bool = True, steady: bool = False) -> Equilibrium:
        """The static equilibrium near q (default: q0) under the forces at time t, with prescribed motions held.

        stable : find one to which the mechanism returns; with False the nearest one of any kind.
        steady : prescribed motions continue and speeds are the initial ones; the result is a position in which these do not
            change, such as that of a governor at constant speed or of a blade under centrifugal force. In joint coordinates.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(1, 0, 0)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> round(m.compile().equilibrium()["O.q"], 6)
        1.570796
        """
        start = self.q0 if q is None else self.checked("q", q)
        bool_of(stable, "equilibrium", "stable")
        bool_of(steady, "equilibrium", "steady")
        rest = find_equilibrium(self, start, moment(t), stable, self.v0.copy() if steady else None)
        if told := bent_far(self, rest.q):
            warnings.warn(f"equilibrium of model '{self.model.name}': {told}", RunWarning, stacklevel=2)
        return rest

    @with_advice
    def linearize(
        self,
        q: State | None = None,
        v: State | None = None,
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
        q = self.q0 if q is None else self.checked("q", q)
        speeds = self.v0 if v is None else self.checked("v", v)
        return linearize(self, q, speeds, moment(t), inputs=inputs, outputs=outputs)

    @with_advice
    def modes(self, q: State | None = None, v: State | None = None, t: float = 0.0, still: bool = False) -> Modes:
        """Frequencies [Hz], damping ratios and complex shapes of small motions about a state (default: the initial one).

        still : prescribed motions are held where they are at time t, as in an equilibrium.

        >>> import sharnir as sr
        >>> m = sr.Model()
        >>> _ = m.add(sr.Body("bob", mass=1, position=(0, 0, -1)), sr.Revolute("O", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.compile().modes().frequencies.round(6)
        array([0.498488])
        """
        if not bool_of(still, "modes", "still"):
            return find_modes(self, self.linearize(q, v, t, inputs=(), outputs=()))
        q, speeds = self.q0 if q is None else self.checked("q", q), self.v0 if v is None else self.checked("v", v)
        at_rest = linearize(own_copy(self, still=True), q, speeds, moment(t), inputs=(), outputs=())
        return find_modes(self, at_rest)
