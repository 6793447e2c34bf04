"""Forces that are elements of their own (gravity belongs to the model, drives and dampers of joints to the joints)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from sharnir.model.checks import Reference, choice, element_name, fail, number, point, reference, sequence, settle, vector
from sharnir.model.frames import stored_rotation
from sharnir.model.functions import check_arguments, stored_entry

COORDINATE = ("q", "v", "t")  # variables of a force in a joint
ELONGATION = ("x", "v", "t")  # variables of a spring's characteristic


class Element:
    """A named force; `body_fields` and `joint_fields` say which of its fields name bodies or joints."""

    name: str
    body_fields: ClassVar[tuple[str, ...]] = ()
    joint_fields: ClassVar[tuple[str, ...]] = ()

    @property
    def label(self) -> str:
        """How messages call it."""
        return f"{type(self).__name__} {self.name!r}"

    def _settle_names(self) -> str:
        """Check the name and turn references into names; returns the label for messages."""
        element_name(self.name, type(self).__name__)
        for field in self.body_fields:
            settle(self, **{field: reference(getattr(self, field), self.label, field)})
        for field in self.joint_fields:
            settle(self, **{field: reference(getattr(self, field), self.label, field, "joint")})
        return self.label


def check_ends(a: str, b: str, label: str) -> None:
    """An element between two bodies needs two."""
    if a == b:
        fail(label, "b", f"= {b!r} is also a; the element needs two different bodies")


def check_freedom(freedom: Any, label: str) -> None:
    """Check the number of a freedom in a joint."""
    if isinstance(freedom, bool) or not isinstance(freedom, int) or not 0 <= freedom < 6:
        fail(label, "freedom", f"= {freedom!r} must be a number 0 … 5: which freedom of the joint")


def three_entries(value: Any, label: str, field: str) -> tuple[Any, ...]:
    """Three functions of time."""
    entries = sequence(value, label, field, "three entries (x, y, z): numbers, formulas of t, Tables or functions f(t)")
    if len(entries) != 3:
        fail(label, field, f"= {value!r} has {len(entries)} entries, needs 3")
    return tuple(stored_entry(entry, ("t",), label, f"{field}[{k}]") for k, entry in enumerate(entries))


@dataclass(frozen=True)
class Force(Element):
    """A force on a body at a point that is fixed in it.

    force : three entries, each number, formula of t, Table of t or function f(t) [N].
    at : point in the reference drawing (world axes); default: the centre of mass.
    axes : "world", or "body" for a force that turns with the body.

    >>> Force("thrust", "rocket", (0, 0, "100*step(2 - t)"), axes="body").force[2]
    '100*step(2 - t)'
    """

    name: str
    body: Reference
    force: Any
    at: Any = None
    axes: str = "world"
    body_fields: ClassVar[tuple[str, ...]] = ("body",)

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, force=three_entries(self.force, label, "force"), at=point(self.at, label, "at"))
        choice(self.axes, ("world", "body"), label, "axes")


@dataclass(frozen=True)
class Torque(Element):
    """A torque on a body: three entries of t [N m], in world or body axes.

    >>> Torque("wind", "rotor", (0, 0, 2)).torque
    (0.0, 0.0, 2.0)
    """

    name: str
    body: Reference
    torque: Any
    axes: str = "world"
    body_fields: ClassVar[tuple[str, ...]] = ("body",)

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, torque=three_entries(self.torque, label, "torque"))
        choice(self.axes, ("world", "body"), label, "axes")


@dataclass(frozen=True)
class JointForce(Element):
    """A force or torque along one freedom of a joint: number, formula of (q, v, t), Table of q or function f(q, v, t).

    >>> JointForce("motor", "O", "5 - 0.1*v").freedom
    0
    """

    name: str
    joint: Reference
    torque: Any
    freedom: int = 0
    joint_fields: ClassVar[tuple[str, ...]] = ("joint",)

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, torque=stored_entry(self.torque, COORDINATE, label, "torque"))
        check_freedom(self.freedom, label)


@dataclass(frozen=True)
class Spring(Element):
    """A spring-damper between two points.

    at_a, at_b : points in the reference drawing (world axes); default: the positions of the bodies.
    length : length without tension; default: the distance in the drawing.
    stiffness, damping : tension = stiffness × elongation + damping × its rate [N/m, N s/m].
    force : added tension as a number, formula of (x, v, t), Table of x, or function f(x, v, t), with x the elongation.

    >>> Spring("return", "ground", "slider", stiffness=200, damping=1, length=0.3).length
    0.3
    """

    name: str
    a: Reference
    b: Reference
    at_a: Any = None
    at_b: Any = None
    stiffness: float = 0.0
    damping: float = 0.0
    length: Any = None
    force: Any = None
    body_fields: ClassVar[tuple[str, ...]] = ("a", "b")

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_ends(self.a, self.b, label)
        settle(self, at_a=point(self.at_a, label, "at_a"), at_b=point(self.at_b, label, "at_b"))
        settle(self, stiffness=number(self.stiffness, label, "stiffness", low=0))
        settle(self, damping=number(self.damping, label, "damping", low=0))
        if self.length is not None:
            settle(self, length=number(self.length, label, "length", low=0))
        if self.force is not None:
            settle(self, force=stored_entry(self.force, ELONGATION, label, "force"))


@dataclass(frozen=True)
class TorsionSpring(Element):
    """A spring-damper along one freedom of a joint: -stiffness (q - angle) - damping v + torque(q, v, t).

    >>> TorsionSpring("hairspring", "balance", stiffness=0.01).angle
    0.0
    """

    name: str
    joint: Reference
    stiffness: float = 0.0
    damping: float = 0.0
    angle: float = 0.0
    torque: Any = None
    freedom: int = 0
    joint_fields: ClassVar[tuple[str, ...]] = ("joint",)

    def __post_init__(self) -> None:
        label = self._settle_names()
        settle(self, stiffness=number(self.stiffness, label, "stiffness", low=0))
        settle(self, damping=number(self.damping, label, "damping", low=0), angle=number(self.angle, label, "angle"))
        if self.torque is not None:
            settle(self, torque=stored_entry(self.torque, COORDINATE, label, "torque"))
        check_freedom(self.freedom, label)


@dataclass(frozen=True)
class Bushing(Element):
    """An elastic six-axis element between two bodies, along its own axes (x, y, z, then rotations about them).

    at : point in the reference drawing (world axes), where the element is relaxed; `rotation`: its axes there.
    stiffness, damping, preload : six numbers each; preload acts on b.

    >>> Bushing("mount", "ground", "engine", at=(0, 0, 0), stiffness=(1e5,) * 3 + (100,) * 3).damping
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """

    name: str
    a: Reference
    b: Reference
    at: Any
    rotation: Any = None
    stiffness: Any = (0.0,) * 6
    damping: Any = (0.0,) * 6
    preload: Any = (0.0,) * 6
    body_fields: ClassVar[tuple[str, ...]] = ("a", "b")

    def __post_init__(self) -> None:
        label = self._settle_names()
        check_ends(self.a, self.b, label)
        settle(self, at=vector(self.at, 3, label, "at"), rotation=stored_rotation(self.rotation, label))
        settle(self, stiffness=vector(self.stiffness, 6, label, "stiffness", low=0))
        settle(self, damping=vector(self.damping, 6, label, "damping", low=0))
        settle(self, preload=vector(self.preload, 6, label, "preload"))


@dataclass(frozen=True)
class UserForce(Element):
    """A force computed by a Python function, compiled into the step loop where possible.

    function : f(t, r, R, v, w, force, torque) with arrays over `bodies`: positions of the origins r (n, 3), rotations
        R (n, 3, 3) body -> world, velocities v (n, 3) and angular velocities w (n, 3) in world axes. It fills force (n, 3)
        and torque (n, 3), in world axes at the bodies' origins.

    >>> def drag(t, r, R, v, w, force, torque):
    ...     for k in range(3):
    ...         force[0, k] = -0.1 * v[0, k]
    >>> UserForce("drag", ("ball",), drag).bodies
    ('ball',)
    """

    name: str
    bodies: Any
    function: Any
    body_fields: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        label = self._settle_names()
        given = (self.bodies,) if isinstance(self.bodies, str) or hasattr(self.bodies, "name") else self.bodies
        bodies = sequence(given, label, "bodies", "a tuple of bodies or their names")
        names = tuple(reference(body, label, "bodies") for body in bodies)
        if not names or len(set(names)) != len(names):
            fail(label, "bodies", f"= {names!r} must name at least one body, and each once")
        if not callable(self.function):
            fail(label, "function", f"= {self.function!r} must be a function f(t, r, R, v, w, force, torque)")
        check_arguments(self.function, 7, "f(t, r, R, v, w, force, torque)", label, "function")
        settle(self, bodies=names)


ForceElement: TypeAlias = Force | Torque | JointForce | Spring | TorsionSpring | Bushing | UserForce
ALL_FORCES = (Force, Torque, JointForce, Spring, TorsionSpring, Bushing, UserForce)
