"""The model: bodies, joints, forces by name, and what holds for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, overload

from sharnir.errors import ModelError
from sharnir.face import upward
from sharnir.model.base_motion import BaseMotion, stored_base_motion
from sharnir.model.body import Body
from sharnir.model.checks import vector
from sharnir.model.forces import ALL_FORCES, ForceElement
from sharnir.model.joints import ALL_JOINTS, Joint
from sharnir.model.links import (
    check_formulas,
    check_name,
    check_references,
    checked_parameters,
    referenced_bodies,
    referenced_joints,
)

if TYPE_CHECKING:
    from sharnir.dynamics.system import System
    from sharnir.results import Result

Element = TypeVar("Element", bound=Body | Joint | ForceElement)


class Model:
    """A mechanism as plain data: what there is, not what it does.

    Parameters
    ----------
    name : for titles and files.
    gravity : acceleration of gravity in world axes [m/s²].
    parameters : numbers by name, for use in formulas.
    base_motion : BaseMotion (or a dict of its entries) if the ground moves.

    >>> from sharnir.model import Revolute
    >>> m = Model("pendulum")
    >>> bob = m.add(Body("bob", mass=1, position=(1, 0, 0)))
    >>> hinge = m.add(Revolute("hinge", m.ground, bob, at=(0, 0, 0), axis="y"))
    >>> m
    Model('pendulum': 1 body, 1 joint, 0 forces)
    """

    def __init__(
        self,
        name: str = "model",
        gravity: Any = (0.0, 0.0, -9.81),
        parameters: Mapping[str, float] | None = None,
        base_motion: Any = None,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"Model: the name {name!r} must be text", field="name")
        self.name = name
        self.gravity = gravity
        self.parameters: dict[str, float] = checked_parameters(parameters or {})
        self.ground = Body("ground")
        self._bodies: dict[str, Body] = {}
        self._joints: dict[str, Joint] = {}
        self._forces: dict[str, ForceElement] = {}
        self.base_motion = base_motion

    @property
    def gravity(self) -> tuple[float, ...]:
        """Acceleration of gravity, world axes [m/s²]."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._gravity = vector(value, 3, f"Model {self.name!r}", "gravity")

    @property
    def base_motion(self) -> BaseMotion | None:
        """How the ground moves; None if it does not."""
        return self._base_motion

    @base_motion.setter
    def base_motion(self, value: Any) -> None:
        motion = stored_base_motion(value)
        if motion is not None:
            check_formulas(motion, self.parameters)
        self._base_motion = motion

    @property
    def bodies(self) -> Mapping[str, Body]:
        """Bodies by name, without the ground, in the order of adding."""
        return MappingProxyType(self._bodies)

    @property
    def joints(self) -> Mapping[str, Joint]:
        """Joints by name, in the order of adding."""
        return MappingProxyType(self._joints)

    @property
    def forces(self) -> Mapping[str, ForceElement]:
        """Forces by name, in the order of adding."""
        return MappingProxyType(self._forces)

    def body(self, name: str) -> Body:
        """The body of that name; "ground" is the ground.

        >>> Model().body("ground").name
        'ground'
        """
        return self.ground if name == self.ground.name else self._bodies[name]

    @overload
    def add(self, element: Element, /) -> Element: ...

    @overload
    def add(self, first: Any, second: Any, /, *more: Any) -> tuple[Any, ...]: ...

    def add(self, *elements: Any) -> Any:
        """Add an element, or several, and return it (or them as a tuple).

        >>> m = Model()
        >>> a, b = m.add(Body("a", mass=1), Body("b", mass=1))
        >>> m.add(Body("a", mass=2))
        Traceback (most recent call last):
        sharnir.errors.ModelError: Body 'a': there is already a body of this name; choose another name
        """
        for element in elements:
            self._add_one(element)
        return elements[0] if len(elements) == 1 else elements

    def _add_one(self, element: Any) -> None:
        """Check the element against what is there already, then register it."""
        if isinstance(element, Body):
            place: dict[str, Any] = self._bodies
        elif isinstance(element, Joint):
            place = self._joints
        elif isinstance(element, ALL_FORCES):
            place = self._forces
        else:
            kinds = ", ".join(kind.__name__ for kind in (Body, *ALL_JOINTS, *ALL_FORCES))
            raise ModelError(f"Model {self.name!r}: cannot add {element!r}; elements are {kinds}")
        check_name(element, self, place)
        check_references(element, self)
        check_formulas(element, self.parameters)
        place[element.name] = element

    def copy(self, name: str | None = None) -> Model:
        """A model with the same elements, to which others can be added.

        >>> Model("a").copy("b").name
        'b'
        """
        other = Model(name or self.name, self.gravity, self.parameters, self.base_motion)
        other._bodies, other._joints, other._forces = dict(self._bodies), dict(self._joints), dict(self._forces)
        return other

    def __eq__(self, other: object) -> bool:
        """Equal data in the same order."""
        return isinstance(other, Model) and self._content() == other._content()

    __hash__ = None  # type: ignore[assignment]

    def _content(self) -> tuple[Any, ...]:
        lists = (list(self.parameters.items()), *(list(part.values()) for part in (self._bodies, self._joints, self._forces)))
        return (self.name, self.gravity, self.base_motion, *lists)

    def __repr__(self) -> str:
        return f"Model({self.name!r}: {', '.join(self._counts())})"

    def _counts(self) -> list[str]:
        parts = (("body", "bodies", self._bodies), ("joint", "joints", self._joints), ("force", "forces", self._forces))
        return [f"{len(part)} {one if len(part) == 1 else many}" for one, many, part in parts]

    def summary(self) -> str:
        """A short text: one line per element.

        >>> print(Model("empty").summary())
        empty: 0 bodies, 0 joints, 0 forces; free joint coordinates: 0; gravity (0.0, 0.0, -9.81) m/s²
        """
        freedoms = sum(joint.n_v - sum(joint.driven) - (joint.mimic is not None) for joint in self._joints.values())
        head = f"{self.name}: {', '.join(self._counts())}; free joint coordinates: {freedoms}; gravity {self.gravity} m/s²"
        lines = [f"  {body.label}: {body.mass:g} kg" for body in self._bodies.values()]
        for joint in self._joints.values():
            count = f"{joint.n_v} freedom{'' if joint.n_v == 1 else 's'}"
            lines.append(f"  {joint.label}: {joint.parent} -> {joint.child}, {count}")
        for force in self._forces.values():
            names = [name for _, name in (*referenced_bodies(force), *referenced_joints(force))]
            lines.append(f"  {force.label}: on {', '.join(names)}")
        return "\n".join([head, *lines])

    def save(self, path: str | PathLike[str], simulation: Mapping[str, Any] | None = None) -> None:
        """Write the model as a `model.toml`; `simulation` adds settings of a run (t_end, step, …).

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/empty.toml"
        >>> Model("empty").save(path)
        >>> Model.load(path).name
        'empty'
        """
        upward("sharnir.model.file", "save")(self, path, simulation)

    @staticmethod
    def load(path: str | PathLike[str]) -> Model:
        """Read a model from a `model.toml`; all problems are reported together.

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/empty.toml"
        >>> Model("empty").save(path)
        >>> len(Model.load(path).bodies)
        0
        """
        return upward("sharnir.model.file", "load")(path)

    def compile(self, formulation: str = "joint", method: str = "auto") -> System:
        """The equations of motion as a System.

        Parameters
        ----------
        formulation : "joint" (joint coordinates; the only one in this version).
        method : "auto", "articulated", "composite", "direct", "lagrange1", "inverse-iterative", "direct-iterative" or
            "extended": how accelerations are computed; "auto" chooses by the structure of the model.

        Returns
        -------
        System with `q0`, `v0`, `coordinates`, `accelerations(q, v, t)`, `inverse_dynamics`, `mass_matrix`, `energy`, …

        >>> from sharnir.model import Revolute
        >>> m = Model()
        >>> _ = m.add(Body("bob", mass=1, position=(1, 0, 0)), Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> system = m.compile()
        >>> system.accelerations(system.q0, system.v0)
        array([9.81])
        """
        return upward("sharnir.dynamics.compilation", "compile_model")(self, formulation=formulation, method=method)

    def simulate(
        self,
        t_end: float,
        *,
        step: float | None = None,
        output: Any = None,
        integrator: str = "auto",
        tolerance: float | None = None,
        formulation: str = "joint",
        method: str = "auto",
        order: int | None = None,
        max_step: float | None = None,
        progress: bool | Callable[[float], None] | None = None,
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

        Returns
        -------
        Result: `result.t`, `result["joint.q"]`, `result.channels`, `result.energy`, `result.plot(…)`, `result.animate(…)`.

        >>> from sharnir.model import Revolute
        >>> m = Model()
        >>> _ = m.add(Body("bob", mass=1, position=(1, 0, 0)), Revolute("hinge", "ground", "bob", at=(0, 0, 0), axis="y"))
        >>> result = m.simulate(2.0, step=0.001)
        >>> round(float(result["hinge.q"].max()), 6)
        3.141593
        """
        return upward("sharnir.simulate.run", "simulate")(
            self,
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
        )
