"""What a model consists of: named elements, each checked against those already present."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar, overload

from sharnir.arguments import shown, with_advice
from sharnir.errors import ModelError
from sharnir.model.base_motion import BaseMotion, stored_base_motion
from sharnir.model.bodies.body import Body
from sharnir.model.bodies.flexible_body import FlexibleBody
from sharnir.model.changed_elements import implied_by, update_elements
from sharnir.model.checks import vector
from sharnir.model.constraints import ConstraintElement
from sharnir.model.events import Event
from sharnir.model.forces import ForceElement
from sharnir.model.joints import Joint
from sharnir.model.links import (
    check_declared,
    check_equations,
    check_formulas,
    check_name,
    check_references,
    referenced_bodies,
    referenced_joints,
    with_freedom_number,
)
from sharnir.model.local_names import check_local_names
from sharnir.model.parameters.parameter import Parameters, checked_parameter
from sharnir.model.parameters.template import Template, stored_formulas
from sharnir.model.signals import SignalElement
from sharnir.model.values import Numbers
from sharnir.symbolic.nodes import Name

AnyElement: TypeAlias = Body | Joint | ForceElement | ConstraintElement | SignalElement
Element = TypeVar("Element", bound=AnyElement)
Second = TypeVar("Second", bound=AnyElement)
Third = TypeVar("Third", bound=AnyElement)
Fourth = TypeVar("Fourth", bound=AnyElement)

# where a model keeps its elements
PART_OF_KIND = {
    Body: "_bodies",
    Joint: "_joints",
    ForceElement: "_forces",
    ConstraintElement: "_constraints",
    Event: "_events",
    SignalElement: "_signals",
}
PART_OF_CLASS: dict[type, str] = {}  # the same of all classes of elements that were added
PARTS = ("_bodies", "_joints", "_signals", "_forces", "_constraints", "_events", "_released", "_templates")


class Contents:
    """Bodies, joints, signals, forces and constraints by name, parameters, gravity and the motion of the ground; see Model."""

    @with_advice
    def __init__(
        self,
        name: str = "model",
        gravity: Numbers = (0.0, 0.0, -9.81),
        parameters: Mapping[str, Any] | None = None,
        base_motion: BaseMotion | Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ModelError(f"Model: the name {shown(name)} must be text", field="name")
        self.name = name
        self._templates: dict[tuple[str, str], tuple[Template, Any]] = {}
        self._parameters = Parameters(parameters, self._take_parameters)
        self.gravity = gravity
        self.ground = Body("ground")
        self._bodies: dict[str, Body] = {}
        self._joints: dict[str, Joint] = {}
        self._signals: dict[str, SignalElement] = {}
        self._forces: dict[str, ForceElement] = {}
        self._constraints: dict[str, ConstraintElement] = {}
        self._events: dict[str, Event] = {}
        self._released: dict[str, Joint] = {}
        self._resting_joints: dict[str, Joint] = {}
        self._resting_forces: dict[str, ForceElement] = {}
        self._original: Any = None
        self.base_motion = base_motion

    @property
    def gravity(self) -> tuple[float, ...]:
        """Acceleration of gravity, world axes [m/s²]."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Numbers) -> None:
        label = f"Model {self.name!r}"
        given, numbers = stored_formulas(value, "vector", self._parameters, label, "gravity")
        self._gravity = vector(numbers, 3, label, "gravity")
        self._gravity_formulas = given

    @property
    def parameters(self) -> Parameters:
        """Numbers by name, for formulas. Setting one changes the elements whose numbers are formulas of it."""
        return self._parameters

    @parameters.setter
    def parameters(self, values: Mapping[str, Any]) -> None:
        wanted = Parameters(values, self._take_parameters)
        self._take_parameters(wanted)
        self._parameters = wanted

    @with_advice
    def parameter(
        self, name: str, value: float, unit: str = "", description: str = "", range: tuple[float, float] | None = None
    ) -> Name:
        """Add a parameter, and return its symbol: Python's operators make formulas of it.

        unit, description : for people.   range : least and greatest value that it may have.

        >>> from sharnir.model import Model
        >>> m = Model()
        >>> l = m.parameter("l", 0.5, unit="m", description="length of the arm", range=(0.1, 2))
        >>> m.add(Body("bob", mass=1, position=(2*l, 0, 0))).position
        (1.0, 0.0, 0.0)
        """
        if not isinstance(name, str):
            raise ModelError(f"Model {self.name!r}: the name of a parameter is text, not {shown(name)}", field="name")
        if name in self._parameters:
            remedy = f"choose another name, or set model.parameters[{name!r}]"
            raise ModelError(f"parameter {name!r}: there is already a parameter of this name; {remedy}", field=name)
        if name in self._signals:
            raise ModelError(f"parameter {name!r}: a signal of the model has the same name; rename one of them", field=name)
        entries = {"value": value, "unit": unit, "description": description, "range": range}
        self._parameters[name] = checked_parameter(name, entries)
        return Name(name)

    @property
    def base_motion(self) -> BaseMotion | None:
        """How the ground moves; None if it does not."""
        return self._base_motion

    @base_motion.setter
    def base_motion(self, value: BaseMotion | Mapping[str, Any] | None) -> None:
        motion = stored_base_motion(value)
        template = motion if isinstance(motion, Template) else None
        if template is not None:
            motion = template.element(self._parameters)
        if motion is not None:
            check_formulas(motion, self.parameters, self._signals)
            check_local_names(motion, self.parameters, self._signals)
        self._base_motion = motion
        self._base_motion_template = template

    @property
    def bodies(self) -> Mapping[str, Body]:
        """Bodies by name, without the ground, in the order of adding."""
        return MappingProxyType(self._bodies)

    @property
    def joints(self) -> Mapping[str, Joint]:
        """Joints by name, in the order of adding."""
        return MappingProxyType(self._joints)

    @property
    def signals(self) -> Mapping[str, SignalElement]:
        """Sensors, formulas and blocks of control by name, in the order of adding."""
        return MappingProxyType(self._signals)

    @property
    def forces(self) -> Mapping[str, ForceElement]:
        """Forces by name, in the order of adding."""
        return MappingProxyType(self._forces)

    @property
    def constraints(self) -> Mapping[str, ConstraintElement]:
        """Constraints by name, in the order of adding."""
        return MappingProxyType(self._constraints)

    @property
    def events(self) -> Mapping[str, Event]:
        """Events by name, in the order of adding."""
        return MappingProxyType(self._events)

    @property
    def released(self) -> Mapping[str, Joint]:
        """Joints that have come apart during a run, with the coordinates that they had then."""
        return MappingProxyType(self._released)

    @property
    def resting_joints(self) -> Mapping[str, Joint]:
        """Joints of which events hold freedoms, as they are when nothing holds them."""
        return MappingProxyType(self._resting_joints)

    @property
    def resting_forces(self) -> Mapping[str, ForceElement]:
        """Forces that do nothing, because events hold their freedoms."""
        return MappingProxyType(self._resting_forces)

    @property
    def original(self) -> Any:
        """The model before events changed its structure; itself if they did not."""
        return self if self._original is None else self._original

    def body(self, name: str) -> Body:
        """The body of that name; "ground" is the ground.

        >>> from sharnir.model import Model
        >>> Model().body("ground").name
        'ground'
        """
        return self.ground if name == self.ground.name else self._bodies[name]

    @overload
    def add(self, element: Element, /) -> Element: ...

    @overload
    def add(self, first: Element, second: Second, /) -> tuple[Element, Second]: ...

    @overload
    def add(self, first: Element, second: Second, third: Third, /) -> tuple[Element, Second, Third]: ...

    @overload
    def add(self, first: Element, second: Second, third: Third, fourth: Fourth, /) -> tuple[Element, Second, Third, Fourth]: ...

    @overload
    def add(self, *elements: AnyElement) -> tuple[Any, ...]: ...

    def add(self, *elements: Any) -> Any:
        """Add an element, or several, and return it (or them as a tuple).

        >>> from sharnir.model import Model
        >>> m = Model()
        >>> a, b = m.add(Body("a", mass=1), Body("b", mass=1))
        >>> m.add(Body("a", mass=2))
        Traceback (most recent call last):
        sharnir.errors.ModelError: Body 'a': there is already a body of this name; choose another name
        """
        if len(elements) == 1:
            return self._add_one(elements[0])
        return tuple([self._add_one(element) for element in elements])

    def template(self, element: Any) -> Template | None:
        """The template of an element of the model whose numbers are formulas; None if it has none.

        >>> from sharnir.model import Model
        >>> m = Model(parameters={"m1": 2.0})
        >>> m.template(m.add(Body("bob", mass="m1/2"))).entries["mass"]
        'm1/2'
        """
        if element is not None and element is self._base_motion:
            return self._base_motion_template
        template, stored = self._templates.get((self._part_of(element), element.name), (None, None))
        return template if stored is element else None

    @property
    def templates(self) -> list[Template]:
        """Those of all elements whose numbers are formulas."""
        stored = [template for (part, name), (template, one) in self._templates.items() if getattr(self, part).get(name) is one]
        return stored if self._base_motion_template is None else [*stored, self._base_motion_template]

    def _part_of(self, element: Any) -> str:
        """Where the model keeps such an element."""
        part = PART_OF_CLASS.get(type(element))
        if part is not None:
            return part
        for kind, part in PART_OF_KIND.items():
            if isinstance(element, kind):
                PART_OF_CLASS[type(element)] = part
                return part
        families = (Joint.family, SignalElement.family, ForceElement.family, ConstraintElement.family)
        kinds = ", ".join(("Body", *(family.names for family in families), "Event"))
        raise ModelError(f"Model {self.name!r}: cannot add {shown(element)}; elements are {kinds}")

    def _add_one(self, element: Any) -> Any:
        """Check the element against what is there already, then register it; returns it as it is stored."""
        template = element if isinstance(element, Template) else None
        if template is not None:
            element = template.element(self._parameters)
        part = PART_OF_CLASS.get(type(element)) or self._part_of(element)
        place: dict[str, Any] = getattr(self, part)
        check_declared(type(element))
        check_name(element, self, place)
        check_references(element, self._bodies, self._joints)
        if part != "_bodies" or hasattr(element, "formula_fields"):  # bodies have no formulas
            element = with_freedom_number(element, self._joints)
            check_formulas(element, self._parameters, self._signals)
            if part == "_constraints":
                check_equations(element, self)
            check_local_names(element, self._parameters, self._signals)
        place[element.name] = element
        if template is not None and template.formula_fields:
            self._templates[part, element.name] = (template, element)
        for follower in self._followers(part, element):
            self._add_one(follower)
        return element

    def _followers(self, part: str, element: Any) -> Iterable[Any]:
        """Elements that are added with this one."""
        if part == "_bodies":
            return (*element.nodes(), *element.attachments()) if isinstance(element, FlexibleBody) else ()
        if part == "_joints" or part == "_constraints":
            return ()
        return element.events(self._joints) if part == "_forces" else implied_by(element)

    def _take_parameters(self, values: Mapping[str, float]) -> None:
        """Make the elements whose numbers are formulas again, with other values of the parameters; all of them, or none."""
        update_elements(self, values)

    def _content(self) -> tuple[Any, ...]:
        nodes = self._nodes  # these follow from their bodies
        bodies, joints = ([one for one in part.values() if one.name not in nodes] for part in (self._bodies, self._joints))
        implied = self._implied
        parts = (self._signals, self._forces, self._constraints, self._events)
        lists: Any = (bodies, joints, *([one for one in part.values() if one not in implied] for part in parts))
        templates = [self.template(one) for part in lists for one in part] + [self._base_motion_template]
        signatures = [template and template.signature for template in templates]
        given = (self._gravity_formulas, self._parameters.notes, signatures)
        return (self.name, self.gravity, self.base_motion, list(self.parameters.items()), given, *lists)

    @property
    def _nodes(self) -> set[str]:
        """Names of the bodies of interfaces, and of the joints that hold them: parts of flexible bodies."""
        return {name for body in self._bodies.values() if isinstance(body, FlexibleBody) for name in body.node_names}

    @property
    def _implied(self) -> list[Any]:
        """Signals and events that were added with others."""
        return [part for element in self._signals.values() for part in implied_by(element)]

    def _counts(self) -> list[str]:
        nodes = self._nodes
        parts: tuple[Any, ...] = (
            ("body", "bodies", self._bodies.keys() - nodes),
            ("joint", "joints", self._joints.keys() - nodes),
            ("force", "forces", self._forces),
        )
        parts += (("constraint", "constraints", self._constraints),) if self._constraints else ()
        parts += (("signal", "signals", self._signals),) if self._signals else ()
        parts += (("event", "events", self._events),) if self._events else ()
        return [f"{len(part)} {one if len(part) == 1 else many}" for one, many, part in parts]

    def summary(self) -> str:
        """A short text: one line per element.

        >>> from sharnir.model import Model
        >>> print(Model("empty").summary())
        empty: 0 bodies, 0 joints, 0 forces; free joint coordinates: 0; gravity (0.0, 0.0, -9.81) m/s²
        """
        freedoms = sum(joint.n_v - sum(joint.driven) - (joint.mimic is not None) for joint in self._joints.values())
        head = f"{self.name}: {', '.join(self._counts())}; free joint coordinates: {freedoms}; gravity {self.gravity} m/s²"
        nodes = self._nodes
        lines = [f"  {body.label}: {body.described}" for body in self._bodies.values() if body.name not in nodes]
        for joint in self._joints.values():
            if joint.name in nodes:
                continue
            count = f"{joint.n_v} freedom{'' if joint.n_v == 1 else 's'}"
            lines.append(f"  {joint.label}: {joint.parent} -> {joint.child}, {count}")
        for force in self._forces.values():
            names = [name for _, name in (*referenced_bodies(force), *referenced_joints(force))]
            lines.append(f"  {force.label}: on {', '.join(names)}")
        for constraint in self._constraints.values():
            count = f"{constraint.n_equations} equation{'' if constraint.n_equations == 1 else 's'}"
            lines.append(f"  {constraint.label}: {', '.join((*constraint.bodies, *constraint.joints))}, {count}")
        lines += [f"  {element.label}" for element in (*self._signals.values(), *self._events.values())]
        return "\n".join([head, *lines])
