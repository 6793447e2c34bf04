"""The model: what a user describes, saves, and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, overload

from sharnir.arguments import bool_of, with_advice
from sharnir.errors import ModelError
from sharnir.face import upward
from sharnir.model.changed_elements import element_of, exchange, naming, replacement, with_dependents
from sharnir.model.contents import PARTS, Contents, Element
from sharnir.notebook import card

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from sharnir.dynamics.small_motions.equilibrium import Equilibrium
    from sharnir.dynamics.small_motions.modes import Modes
    from sharnir.dynamics.system import System
    from sharnir.equations.equations_of_motion import Equations
    from sharnir.integrate.setting_types import (
        Callback,
        Changes,
        Correction,
        FilePath,
        Formulation,
        InitialState,
        Integrator,
        Method,
        Output,
        Solver,
        Stabilization,
    )
    from sharnir.results import Result
    from sharnir.simulate.stepper import Stepper
    from sharnir.topology.structure import Topology


class Model(Contents):
    """A mechanism as plain data: its elements, not its motion.

    Parameters
    ----------
    name : for titles and files.
    gravity : acceleration of gravity in world axes [m/s²].
    parameters : numbers by name, for use in formulas; `parameter` adds one with a unit and a range.
    base_motion : BaseMotion (or a dict of its entries) if the ground moves.

    >>> from sharnir.model import Body, Revolute
    >>> m = Model("pendulum")
    >>> bob = m.add(Body("bob", mass=1, position=(1, 0, 0)))
    >>> hinge = m.add(Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
    >>> m
    Model('pendulum': 1 body, 1 joint, 0 forces)
    """

    @with_advice
    def copy(self, name: str | None = None) -> Model:
        """A model with the same elements, to which others can be added.

        >>> Model("a").copy("b").name
        'b'
        """
        gravity = self._gravity_formulas or self.gravity
        other = Model(name or self.name, gravity, self.parameters)
        for part in PARTS:
            setattr(other, part, dict(getattr(self, part)))
        other._base_motion, other._base_motion_template = self._base_motion, self._base_motion_template
        return other

    @overload
    def replace(self, element: Element, /, **changes: Any) -> Element: ...

    @overload
    def replace(self, element: str, /, **changes: Any) -> Any: ...

    def replace(self, element: Any, /, **changes: Any) -> Any:
        """Give an element of the model other entries, and return it as it is now. It keeps its name and its place.

        element : the element or its name.   changes : its fields, as its constructor takes them.

        Everything that refers to it is checked again; if something does not fit, the model remains as it was. Mass properties
        that follow from shapes follow from the new ones, and numbers that are formulas of parameters remain formulas.

        >>> from sharnir.model import Body, Sphere
        >>> m = Model()
        >>> _ = m.add(Body("ball", mass=1, shape=Sphere(0.5)))
        >>> m.replace("ball", mass=2).inertia[0], m.bodies["ball"].mass
        (0.2, 2.0)
        """
        old = element_of(self, element, "Model.replace")
        exchange(self, {id(old): replacement(self, old, changes)})
        return element_of(self, old, "Model.replace")

    @with_advice
    def remove(self, *elements: Any, dependents: bool = False) -> None:
        """Take elements out of the model.

        elements : elements or their names.   dependents : True also removes all that name them; else these are an error.

        >>> from sharnir.model import Body, Revolute
        >>> m = Model()
        >>> _ = m.add(Body("bob", mass=1, position=(1, 0, 0)), Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.remove("bob")
        Traceback (most recent call last):
        sharnir.errors.ModelError: Model.remove: Body 'bob' is the child of Revolute 'hinge'; remove that too, or everything \
        that names it by dependents=True
        >>> m.remove("bob", dependents=True)
        >>> m
        Model('model': 0 bodies, 0 joints, 0 forces)
        """
        removed = [element_of(self, element, "Model.remove") for element in elements]
        if bool_of(dependents, "Model.remove", "dependents"):
            removed = with_dependents(self, removed)
        for element, field, named in naming(self, removed):
            remedy = "remove that too, or everything that names it by dependents=True"
            raise ModelError(f"Model.remove: {named.label} is the {field} of {element.label}; {remedy}", field=field)
        exchange(self, {id(element): None for element in removed})

    def with_parameters(self, **values: float) -> Model:
        """The model with other values of parameters: as if it had been built with them.

        >>> from sharnir.model import Body
        >>> m = Model()
        >>> l = m.parameter("l", 0.5, unit="m", range=(0.1, 2))
        >>> _ = m.add(Body("bob", mass=1, position=(l, 0, 0)))
        >>> m.with_parameters(l=0.6).bodies["bob"].position
        (0.6, 0.0, 0.0)
        >>> m.with_parameters(l=3)
        Traceback (most recent call last):
        sharnir.errors.ModelError: parameter 'l': value = 3.0 is outside its range 0.1 … 2.0 m; choose a value inside, or give \
        the parameter another range
        """
        return self._with_known(values, "with_parameters")

    def _with_known(self, values: Any, label: str) -> Model:
        """The same for a function that is called `label`."""
        other = self.copy()
        other.parameters.update(self.parameters.known(values, label))
        return other

    def __eq__(self, other: object) -> bool:
        """Equal data in the same order."""
        return isinstance(other, Model) and self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Model({self.name!r}: {', '.join(self._counts())})"

    def _repr_html_(self) -> str:
        heading, _, rest = self.summary().partition("\n")
        parameters = ((name, f"{value:g}") for name, value in self.parameters.items())
        return card(heading, rest, [("parameters", ("name", "value"), parameters)])

    def show(self, path: str | PathLike[str] | None = None, **options: Any) -> Any:
        """Draw the mechanism in its initial position, before any run: a page for a notebook, or for a file if a path is given.

        Options are those of `Result.animate`: look, title, traces, …

        >>> import tempfile
        >>> from sharnir.model import Body, Box
        >>> m = Model()
        >>> _ = m.add(Body("brick", mass=1, shape=Box((1, 1, 1))))
        >>> m.show(tempfile.mkdtemp() + "/brick.html").name
        'brick.html'
        """
        return upward("sharnir.simulate.channels.initial_picture", "initial_picture")(self).animate(
            path, **{"plots": ()} | options
        )

    @with_advice
    def save(self, path: str | PathLike[str], simulation: Mapping[str, Any] | None = None) -> None:
        """Write the model as a `model.toml`; `simulation` adds settings of a run (t_end, step, …).

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/empty.toml"
        >>> Model("empty").save(path)
        >>> Model.load(path).name
        'empty'
        """
        upward("sharnir.model.files.model_file", "save")(self, path, simulation)

    @staticmethod
    @with_advice
    def load(path: str | PathLike[str], allow_outside: bool = False) -> Model:
        """Read a model from a `model.toml`; all problems are reported together.

        allow_outside : whether tables, meshes and other files that it names may lie outside its folder.

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/empty.toml"
        >>> Model("empty").save(path)
        >>> len(Model.load(path).bodies)
        0
        """
        found: Model = upward("sharnir.model.files.model_file", "load")(path, allow_outside)
        return found

    def topology(self) -> Topology:
        """The graph of bodies and joints: its tree, its loops, and the joints that are cut. It prints and draws itself.

        >>> from sharnir.model import Body, Revolute
        >>> m = Model()
        >>> _ = m.add(Body("bob", mass=1, position=(1, 0, 0)), Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> "hinge" in str(m.topology())
        True
        """
        found: Topology = upward("sharnir.topology", "topology")(self)
        return found

    @with_advice
    def compile(
        self,
        formulation: Formulation = "joint",
        method: Method = "auto",
        *,
        stabilization: Stabilization = None,
        correction: Correction = True,
        solver: Solver = "auto",
        initial: InitialState = None,
    ) -> System:
        """The equations of motion as a System.

        Parameters
        ----------
        formulation : "joint" (joint coordinates; joints that close loops are constraints) or "absolute" (every body free,
            every joint a constraint).
        method : "auto", "articulated", "composite", "direct", "lagrange1", "inverse-iterative", "direct-iterative",
            "symbolic" or "extended": how accelerations are computed; "auto" chooses by the structure of the model.
        stabilization : damps errors of the constraints in the equations: None (off), True, or (period [s], damping ratio).
        correction : projects positions and speeds onto the constraints after every step: True, False, "position" or
            "velocity" for one of them only.
        solver : of the constraint forces: "auto", "dense", "sparse" or "null-space".
        initial : Initial(q=…, v=…, guess=…): coordinates and speeds that the initial state must have; "equilibrium": start in
            the static equilibrium; "steady": where the initial speeds do not change; or an Equilibrium from `statics`.

        Returns
        -------
        System with `q0`, `v0`, `coordinates`, `accelerations(q, v, t)`, `inverse_dynamics`, `mass_matrix`, `energy`, …

        >>> from sharnir.model import Body, Revolute
        >>> m = Model()
        >>> _ = m.add(Body("bob", mass=1, position=(1, 0, 0)), Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> system = m.compile()
        >>> system.accelerations(system.q0, system.v0)
        array([9.81])
        """
        constrained = changed_settings(stabilization, correction, solver, initial)
        compile_model = upward("sharnir.dynamics.model_compilation", "compile_model")
        found: System = compile_model(self, formulation=formulation, method=method, **constrained)
        return found

    @with_advice
    def equations(self, letters: bool | str = False, *, formulation: Formulation = "joint") -> Equations:
        """The equations of motion as formulas: `print` them, `latex()`, `sympy()`, `html()`; notebooks show them.

        letters : True puts letters in place of the model's numbers: its own parameters where numbers are formulas of them, and
            others named after elements: m_arm, l_arm, J_arm, g. "parameters": only the model's own parameters are letters.

        formulation : "joint", where joints that close loops are constraint equations with multipliers lambda, or "absolute",
            where every body has six freedoms of its own and every joint is constraint equations.

        For rigid and flexible bodies. Forces that no formula describes (contacts, users' functions) appear under a name.

        >>> from sharnir.model import Body, Revolute
        >>> m = Model("pendulum")
        >>> _ = m.add(Body("bob", mass=1, position=(0, 0, -2)), Revolute("phi", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> print(m.equations(letters=True))
        Equations of motion of 'pendulum'; unknowns: phi
        <BLANKLINE>
        equations of motion:
          m_bob*c_bob^2*phi'' + m_bob*g*c_bob*sin(phi) = 0
        <BLANKLINE>
        with
          m_bob = 1, g = 9.81, c_bob = 2
        """
        found: Equations = upward("sharnir.equations.derivation", "equations_of")(self, letters, formulation)
        return found

    @with_advice
    def simulate(
        self,
        t_end: float,
        *,
        step: float | None = None,
        output: Output = None,
        integrator: Integrator = "auto",
        tolerance: float | None = None,
        formulation: Formulation = "joint",
        method: Method = "auto",
        order: int | None = None,
        max_step: float | None = None,
        progress: bool | Callable[[float], None] | None = None,
        stabilization: Stabilization = None,
        correction: Correction = True,
        solver: Solver = "auto",
        options: Mapping[str, float] | None = None,
        initial: InitialState = None,
        callback: Callback | None = None,
        communication: float | None = None,
        file: FilePath | None = None,
        parameters: Mapping[str, float] | None = None,
        changes: Changes | None = None,
    ) -> Result:
        """The motion from 0 to `t_end` as a Result.

        Parameters
        ----------
        t_end : end time [s].
        step : time between outputs, and the step size of integrators with a fixed one [s].
        output : output interval or output times, where they differ from `step`.
        integrator : name of an integrator, or "auto".
        tolerance : relative error per step of integrators with step control.
        formulation, method : as in `compile`.
        order : order of the integrator, where it can be chosen.
        max_step : longest step of integrators with step control [s]; for short pulses that long steps would jump over.
        progress : True, False, or None (a bar on long runs in a terminal).
        stabilization, correction, solver : how constraints are kept, as in `compile`.
        initial : Initial(q=…, v=…, guess=…): coordinates and speeds that the initial state must have; "equilibrium": start in
            the static equilibrium; "steady": where the initial speeds do not change; or an Equilibrium from `statics`.
        options : further options of the integrator, such as {"rho": 0.5} of "generalized-alpha".
        callback, communication : a function called every `communication` seconds with the current moment, callback(now): now.t
            and now["O.q"], any channel. It may return values of inputs, {"u": 1.0}; where a motion follows one, the value that
            it has at the end of the step.
        file : a result file (.h5) written during the run: the results of a killed process are in "<file>.part",
            which `Result.load` reads, and memory does not grow with the number of outputs.
        parameters : other values of parameters of the model, by name.
        changes : {time: values}: from that time on parameters have other values, or a Model of the same elements takes over; the
            motion continues from the current state.
        The result has `result.t`, `result["joint.q"]`, `result.channels`, `result.energy`, `result.plot(…)`, `result.animate(…)`.

        >>> from sharnir.model import Body, Revolute
        >>> m = Model()
        >>> _ = m.add(Body("bob", mass=1, position=(1, 0, 0)), Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> result = m.simulate(2.0, step=0.001)
        >>> round(float(result["hinge.q"].max()), 6)
        3.141593
        """
        found: Result = upward("sharnir.simulate.simulation", "simulate")(
            self if parameters is None else self._with_known(parameters, "simulate"),
            t_end,
            step=step,
            output=output,
            integrator=integrator,
            tolerance=tolerance,
            formulation=formulation,
            method=method,
            order=order,
            max_step=max_step,
            progress=progress,
            options=options,
            **({} if callback is None and communication is None else {"callback": callback, "communication": communication}),
            **({} if file is None else {"file": file}),
            **({} if changes is None else {"changes": changes}),
            **changed_settings(stabilization, correction, solver, initial),
        )
        return found

    def stepper(self, **settings: Any) -> Stepper:
        """A run that another program advances step by step; settings are those of `simulate`.

        >>> from sharnir.model import Body, Input, JointForce, Prismatic
        >>> m = Model(gravity=(0, 0, 0))
        >>> _ = m.add(Body("car", mass=2), Prismatic("rail", "ground", "car", axis="x"))
        >>> _ = m.add(Input("u"), JointForce("motor", "rail", "u"))
        >>> run = m.stepper()
        >>> run.step(1.0, u=4.0)
        >>> run.step(2.0, u=0.0)
        >>> round(run["rail.q"], 9), run.t
        (3.0, 2.0)
        """
        found: Stepper = upward("sharnir.simulate.stepper", "Stepper")(self, **settings)
        return found

    def export_fmu(
        self,
        path: FilePath,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        version: int = 2,
        compiled: bool = False,
        **settings: Any,
    ) -> Path:
        """Write the model as an FMU for co-simulation, FMI 2 or 3 (needs the extra `fmi`); returns its path.

        inputs : Input signals; default: all.   outputs : channels; default: all other signals.   settings : of `stepper`.
        compiled : True puts C inside, derived from the model and compiled here (needs a C compiler), instead of Python: for
            co-simulation and model exchange, FMI 2. Outputs are then coordinates, speeds (default: all of both), and positions
            and velocities of bodies.

        Parameters of the model are parameters of the FMU. Unless `compiled`, Python with sharnir must be installed where it runs.

        >>> Model().export_fmu("arm.fmu", version=4)
        Traceback (most recent call last):
        sharnir.errors.ModelError: export_fmu: version = 4 must be 2 or 3
        """
        found: Path = upward("sharnir.simulate.fmu", "export_fmu")(self, path, inputs, outputs, version, compiled, **settings)
        return found

    @with_advice
    def kinematics(
        self,
        times: Sequence[float] | NDArray[np.number[Any]],
        *,
        formulation: Formulation = "joint",
        initial: InitialState = None,
    ) -> Result:
        """The motion of a mechanism whose freedoms are all driven, at the given times, without integration.

        Positions, speeds, accelerations, reactions and the forces of the drives ("<joint>.drive") are exact at every time.

        >>> from sharnir.model import Body, Revolute
        >>> m = Model()
        >>> _ = m.add(Body("arm", mass=1, position=(1, 0, 0)))
        >>> _ = m.add(Revolute("O", "ground", "arm", at=(0, 0, 0), axis="y", motion="2*t"))
        >>> m.kinematics([0.0, 0.5, 1.0])["O.q"]
        array([0., 1., 2.])
        """
        found: Result = upward("sharnir.simulate.kinematic_analysis", "kinematics")(
            self, times, formulation=formulation, initial=initial
        )
        return found

    @with_advice
    def statics(
        self, *, t: float = 0.0, stable: bool = True, formulation: Formulation = "joint", initial: InitialState = None
    ) -> Equilibrium:
        """The static equilibrium near the initial position: state, reactions, stiffness, stability.

        t : time at which forces and prescribed motions are taken.   stable : False takes the nearest equilibrium of any kind.

        >>> from sharnir.model import Body, Revolute
        >>> m = Model()
        >>> _ = m.add(Body("bob", mass=1, position=(1, 0, 0)), Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> rest = m.statics()
        >>> round(rest["hinge.q"], 6), rest.stable
        (1.570796, True)
        """
        return self.compile(formulation, initial=initial).equilibrium(t=t, stable=stable)

    @with_advice
    def modes(
        self, *, t: float = 0.0, equilibrium: bool = True, formulation: Formulation = "joint", initial: InitialState = None
    ) -> Modes:
        """Frequencies [Hz], damping ratios and shapes of small motions about the static equilibrium, with prescribed motions
        held.

        equilibrium : False takes the initial state as it is, with its speeds (spinning rotors).

        >>> from sharnir.model import Body, Revolute
        >>> m = Model()
        >>> _ = m.add(Body("bob", mass=1, position=(1, 0, 0)), Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> m.modes().frequencies.round(6)
        array([0.498488])
        """
        system = self.compile(formulation, initial=initial)
        if not equilibrium:
            return system.modes(t=t)
        rest = system.equilibrium(t=t)
        system.z0[:] = rest.linearization.state[system.n_q + system.n_v :]
        return system.modes(rest.q, rest.v, t, still=True)


def changed_settings(
    stabilization: Stabilization, correction: Correction, solver: str, initial: InitialState = None
) -> dict[str, Any]:
    """The settings for constraints that differ from their defaults.

    >>> changed_settings(True, True, "sparse")
    {'stabilization': True, 'solver': 'sparse'}
    """
    period = tuple(stabilization) if isinstance(stabilization, list) else stabilization  # as it comes from files
    given = {"stabilization": period, "correction": correction, "solver": solver, "initial": initial}
    usual = {"stabilization": None, "correction": True, "solver": "auto", "initial": None}
    plain = (str, bool)
    return {
        name: value
        for name, value in given.items()
        if not (value is usual[name] or (isinstance(value, plain) and value == usual[name]))
    }
