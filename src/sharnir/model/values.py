"""Kinds of values that fields of elements hold, as annotations: files, their schema and messages follow from them.

A field says what it holds by its annotation: `axis: Axis`, `at: Vector`, `law: Law`. `float`, `int`, `str` and `bool` are a
number, a whole number, text and a flag. Names of other elements also say of what: `a: BodyName`, `joint: JointName`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    Never,
    Protocol,
    TypeAlias,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
)

from sharnir.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sharnir.flexible.reduced_model import ReducedModel
    from sharnir.model.bodies.body import Body
    from sharnir.model.bodies.shapes import Shape
    from sharnir.model.constraints.variables import JointCoordinate, Variable
    from sharnir.model.contact.friction import Friction
    from sharnir.model.contact.laws import ContactLaw
    from sharnir.model.contact.touching_shapes import ContactShape
    from sharnir.model.events.actions import Action
    from sharnir.model.forces.tyres import Tyre
    from sharnir.model.frames import Frame
    from sharnir.model.given_functions import Table
    from sharnir.model.grid_table import GridTable
    from sharnir.model.joints.freedom import Freedom
    from sharnir.model.joints.joint import Joint
    from sharnir.model.joints.limits import Limits
    from sharnir.symbolic.nodes import Operand


Class = TypeVar("Class", bound=type)
Accepted = TypeVar("Accepted", contravariant=True)
Stored = TypeVar("Stored", covariant=True)


class Given(Generic[Accepted, Stored]):
    """The type of a field: what the constructor accepts, and what it stores.

    To type checkers it is a descriptor: `__set__` says what the constructor accepts, `__get__` what is read. Since no object is
    an instance of Never, they refuse assignments to elements. It exists for them only and is never called.
    """

    def __get__(self, instance: object, owner: Any) -> Stored:
        raise NotImplementedError

    def __set__(self, instance: Never, value: Accepted) -> None:
        raise NotImplementedError


def default(value: Any) -> Any:
    """The default of a field: itself. Type checkers compare defaults with neither of its types.

    >>> default((0.0, 0.0, 0.0))
    (0.0, 0.0, 0.0)
    """
    return value


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def element(cls: Class) -> Class:
    """A frozen dataclass whose fields may be of types `Given`.

    >>> @element
    ... class Knot:
    ...     name: str
    >>> Knot("a")
    Knot(name='a')
    """
    return dataclass(frozen=True)(cls)  # type: ignore[return-value]


@dataclass(frozen=True)
class Kind:
    """A kind of value; `of`: what names are names of ("body", "joint"), if they are."""

    word: str
    of: str = ""


class Named(Protocol):
    """An element, which may be given instead of its name."""

    @property
    def name(self) -> str: ...


# what may be given where a number stands: a number, or a formula of parameters as an expression, `2*l`
NumberLike: TypeAlias = "float | np.number[Any] | Operand"
AngleLike: TypeAlias = "NumberLike | str"  # also "90 deg"
Numbers: TypeAlias = "Sequence[NumberLike] | NDArray[Any]"
Rows: TypeAlias = "Sequence[Numbers] | NDArray[Any]"
Angles: TypeAlias = "AngleLike | Sequence[AngleLike] | NDArray[Any]"
Triple: TypeAlias = tuple[float, float, float]
FunctionLike: TypeAlias = "NumberLike | str | Table | Callable[..., Any]"  # text: a formula of the variables of the field
StoredFunction: TypeAlias = "float | str | Table | Callable[..., Any]"
MotionLike: TypeAlias = "FunctionLike | tuple[FunctionLike, FunctionLike, FunctionLike] | None"
StoredMotion: TypeAlias = "StoredFunction | tuple[StoredFunction, StoredFunction, StoredFunction] | None"
LimitsLike: TypeAlias = "Limits | Sequence[AngleLike] | None"
FreedomName: TypeAlias = int | str  # its number or its name
Direction: TypeAlias = Literal["x", "y", "z", "-x", "-y", "-z", "+x", "+y", "+z"]
JointOrName: TypeAlias = "str | Joint"
CoordinateLike: TypeAlias = "JointOrName | tuple[JointOrName, FreedomName]"
VariableLike: TypeAlias = "Variable | JointOrName | tuple[JointOrName, FreedomName]"

# names of other elements; accepted: an element or its name, stored: the name
Reference: TypeAlias = Annotated[Given["str | Named", str], Kind("name")]
OptionalReference: TypeAlias = Annotated[Given["str | Named | None", "str | None"], Kind("name")]
BodyName: TypeAlias = Annotated[Given["str | Body", str], Kind("name", "body")]
OptionalBodyName: TypeAlias = Annotated[Given["str | Body | None", "str | None"], Kind("name", "body")]
BodyNames: TypeAlias = Annotated[Given["str | Body | Sequence[str | Body]", tuple[str, ...]], Kind("names", "body")]
DerivedBodyNames: TypeAlias = Annotated[Given["str | Body | Sequence[str | Body] | None", tuple[str, ...]], Kind("names", "body")]
Names: TypeAlias = Annotated[Given[Sequence[str], tuple[str, ...]], Kind("names")]
JointName: TypeAlias = Annotated[Given[JointOrName, str], Kind("name", "joint")]
# numbers and text
Number: TypeAlias = Annotated[Given[NumberLike, float], Kind("number")]
OptionalNumber: TypeAlias = Annotated[Given["NumberLike | None", "float | None"], Kind("number")]
DerivedNumber: TypeAlias = Annotated[Given["NumberLike | None", float], Kind("number")]  # None: follows from other fields
Integer: TypeAlias = Annotated[Given["int | np.integer[Any] | Operand", int], Kind("integer")]
OptionalInteger: TypeAlias = Annotated[Given["int | np.integer[Any] | Operand | None", "int | None"], Kind("integer")]
Text: TypeAlias = Annotated[str, Kind("text")]
OptionalText: TypeAlias = Annotated["str | None", Kind("text")]
NumberOrFormula: TypeAlias = Annotated[Given["NumberLike | str", "float | str"], Kind("value")]
Vector: TypeAlias = Annotated[Given[Numbers, Triple], Kind("vector")]
OptionalVector: TypeAlias = Annotated[Given["Numbers | None", "Triple | None"], Kind("vector")]
DerivedVector: TypeAlias = Annotated[Given["Numbers | None", Triple], Kind("vector")]
SixNumbers: TypeAlias = Annotated[Given[Numbers, tuple[float, ...]], Kind("six")]
NumberList: TypeAlias = Annotated[Given[Numbers, tuple[float, ...]], Kind("list")]
OptionalNumberList: TypeAlias = Annotated[Given["Numbers | None", "tuple[float, ...] | None"], Kind("list")]
DerivedNumberList: TypeAlias = Annotated[Given["Numbers | None", tuple[float, ...]], Kind("list")]
Matrix: TypeAlias = Annotated[Given[Rows, tuple[tuple[float, ...], ...]], Kind("matrix")]
FormulaList: TypeAlias = Annotated[Given["str | Sequence[str]", tuple[str, ...]], Kind("list of text")]
FormulasByName: TypeAlias = Annotated[Given[Mapping[str, str], dict[str, str]], Kind("texts")]
NumbersByName: TypeAlias = Annotated[Given["Mapping[str, NumberLike]", dict[str, float]], Kind("values")]
# geometry and mass
Axis: TypeAlias = Annotated[Given["Direction | Numbers", Triple], Kind("axis")]
Orientation: TypeAlias = Annotated[
    Given["Numbers | Rows | None", "tuple[float, ...] | tuple[Triple, Triple, Triple] | None"], Kind("rotation")
]
InertiaNumbers: TypeAlias = Annotated[Given["Numbers | Rows | None", tuple[float, ...]], Kind("inertia")]
BodyFrame: TypeAlias = Annotated["Frame | None", Kind("frame")]
Solids: TypeAlias = Annotated[Given["Shape | Sequence[Shape] | None", "Shape | tuple[Shape, ...] | None"], Kind("shape")]
Colour: TypeAlias = Annotated[Given["str | Numbers | None", "str | tuple[float, ...] | None"], Kind("color")]
# functions: numbers, formulas, Tables, Python functions
FunctionValue: TypeAlias = Annotated[Given[FunctionLike, StoredFunction], Kind("function")]
OptionalFunctionValue: TypeAlias = Annotated[Given["FunctionLike | None", "StoredFunction | None"], Kind("function")]
ThreeFunctions: TypeAlias = Annotated[
    Given["Sequence[FunctionLike] | NDArray[Any]", "tuple[StoredFunction, ...]"], Kind("three functions")
]
ProfileFunction: TypeAlias = Annotated[Given["NumberLike | str | Table", "float | str | Table"], Kind("profile")]
OptionalProfileFunction: TypeAlias = Annotated[
    Given["NumberLike | str | Table | None", "float | str | Table | None"], Kind("profile")
]
CurveFunctions: TypeAlias = Annotated[
    Given["Sequence[NumberLike | str | Table]", "tuple[float | str | Table, ...]"], Kind("curve")
]
TableValue: TypeAlias = Annotated["Table | GridTable", Kind("table")]
TablesByName: TypeAlias = Annotated[Given["Mapping[str, Table | GridTable]", "Mapping[str, Table | GridTable]"], Kind("tables")]
Code: TypeAlias = Annotated[Given[Callable[..., Any], Any], Kind("code")]  # a Python function, which a file cannot hold
CurvesByName: TypeAlias = Annotated[Given["Mapping[str, Table]", "Mapping[str, Table]"], Kind("tables")]
# joints and their freedoms
NumbersOfFreedoms: TypeAlias = Annotated[Given["Angles | None", tuple[float, ...]], Kind("numbers")]
FunctionsOfFreedoms: TypeAlias = Annotated[
    Given["FunctionLike | Sequence[FunctionLike]", "tuple[StoredFunction, ...]"], Kind("functions")
]
Motion: TypeAlias = Annotated[Given[MotionLike, StoredMotion], Kind("motion")]
MotionsOfFreedoms: TypeAlias = Annotated[Given["MotionLike | Sequence[MotionLike]", "tuple[StoredMotion, ...]"], Kind("motion")]
LimitsOfFreedoms: TypeAlias = Annotated[
    Given["LimitsLike | Sequence[LimitsLike]", "tuple[Limits | None, ...] | None"], Kind("limits")
]
UnitsByName: TypeAlias = Annotated[Given["Mapping[str, str] | Sequence[str]", Mapping[str, str]], Kind("units")]
ThreeFormulas: TypeAlias = Annotated[Given["Sequence[str | float]", tuple[str, ...]], Kind("three formulas")]
Turns: TypeAlias = Annotated[Given[Any, Any], Kind("turns")]
MimicJoint: TypeAlias = Annotated[
    Given[
        "tuple[JointOrName] | tuple[JointOrName, NumberLike] | tuple[JointOrName, NumberLike, NumberLike] | None",
        "tuple[str, float, float] | None",
    ],
    Kind("mimic"),
]
FreedomList: TypeAlias = Annotated[Given["Freedom | Sequence[Freedom]", "tuple[Freedom, ...]"], Kind("freedoms")]
FreedomChoice: TypeAlias = Annotated[Given[FreedomName, Any], Kind("freedom")]  # in a model: its number
OptionalFreedomChoice: TypeAlias = Annotated[Given["FreedomName | None", Any], Kind("freedom")]
Coordinate: TypeAlias = Annotated[Given["CoordinateLike | JointCoordinate", "JointCoordinate"], Kind("coordinate")]
Terms: TypeAlias = Annotated[Given["Sequence[Sequence[Any]]", "tuple[tuple[JointCoordinate, float], ...]"], Kind("terms")]
# contact
TouchingShape: TypeAlias = Annotated["ContactShape", Kind("contact shape")]
OptionalTouchingShape: TypeAlias = Annotated["ContactShape | None", Kind("contact shape")]
TouchingShapes: TypeAlias = Annotated[
    Given["ContactShape | Sequence[ContactShape]", "tuple[ContactShape, ...]"], Kind("contact shapes")
]
Law: TypeAlias = Annotated["ContactLaw", Kind("contact law")]
OptionalLaw: TypeAlias = Annotated["ContactLaw | None", Kind("contact law")]
FrictionValue: TypeAlias = Annotated[Given["NumberLike | Friction | None", "Friction | None"], Kind("friction")]
TyreValue: TypeAlias = Annotated["Tyre", Kind("tyre")]
# signals, events, flexible bodies
VariableValue: TypeAlias = Annotated[Given[VariableLike, "Variable"], Kind("variable")]
VariablesByName: TypeAlias = Annotated[Given["Mapping[str, VariableLike]", "Mapping[str, Variable]"], Kind("variables")]
ActionList: TypeAlias = Annotated[Given["Action | Sequence[Action]", "tuple[Action, ...]"], Kind("actions")]
JoinedJoint: TypeAlias = Annotated["Joint", Kind("joined")]
ReducedModelValue: TypeAlias = Annotated["ReducedModel", Kind("reduced")]

PLAIN = {float: Kind("number"), int: Kind("integer"), str: Kind("text"), bool: Kind("flag")}
# kinds that may contain formulas, so that an element says of which variables (`formula_fields`)
FORMULAS = frozenset({"function", "functions", "three functions", "motion", "profile", "curve"})


FOUND: dict[type, dict[str, Kind]] = {}  # what kinds_of has found


def kinds_of(element: type) -> dict[str, Kind]:
    """The kind of every field of a dataclass, from its annotations.

    >>> from sharnir.model import Spring
    >>> {name: kind.word for name, kind in kinds_of(Spring).items() if name in ("a", "at_a", "stiffness", "force")}
    {'a': 'name', 'at_a': 'vector', 'stiffness': 'number', 'force': 'function'}
    """
    if element not in FOUND:
        FOUND[element] = _read_kinds(element)
    return FOUND[element]


def _read_kinds(element: type) -> dict[str, Kind]:
    """The same from the source."""
    given: dict[str, Any] = {}
    for base in reversed(element.__mro__):
        try:
            given |= inspect.get_annotations(base, eval_str=True)
        except NameError as error:
            raise ModelError(
                f"{element.__name__}: an annotation cannot be read: {error}; import the name in its module"
            ) from None
    found = {}
    for entry in fields(element):
        if entry.init:
            kind = _kind(given.get(entry.name))
            if kind is None:
                raise ModelError(
                    f"{element.__name__}: field {entry.name!r} does not say what it holds; annotate it with a kind of value from "
                    "sharnir.model.values, such as Number, Vector, BodyName or FunctionValue",
                    field=entry.name,
                )
            found[entry.name] = kind
    return found


def _kind(annotation: Any) -> Kind | None:
    """The kind that an annotation names; None: it names none."""
    if get_origin(annotation) is Annotated:
        return next((part for part in get_args(annotation)[1:] if isinstance(part, Kind)), None)
    if get_origin(annotation) is Literal:  # a choice of words
        return PLAIN[str]
    return PLAIN.get(annotation)


def fields_naming(element: type, what: str) -> tuple[str, ...]:
    """Fields that hold names of bodies, or of joints.

    >>> from sharnir.model import Motor, Spring
    >>> fields_naming(Spring, "body"), fields_naming(Motor, "joint")
    (('a', 'b'), ('joint',))
    """
    return tuple(name for name, kind in kinds_of(element).items() if kind.of == what)


class NamingFields:
    """Class attribute: the fields that hold names of bodies, or of joints, as the annotations say."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __get__(self, instance: object, owner: type) -> tuple[str, ...]:
        return fields_naming(owner, self.what)


def holds_code(element: type) -> bool:
    """True if a field holds a Python function, so that files cannot hold the element.

    >>> from sharnir.model import Spring, UserForce
    >>> holds_code(Spring), holds_code(UserForce)
    (False, True)
    """
    return any(kind.word == "code" for kind in kinds_of(element).values())
