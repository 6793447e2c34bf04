"""Kinds of values that fields of elements hold, as annotations: files, their schema and messages follow from them.

A field says what it holds by its annotation: `axis: Axis`, `at: Vector`, `law: Law`. `float`, `int`, `str` and `bool` are a
number, a whole number, text and a flag. Names of other elements also say of what: `a: BodyName`, `joint: JointName`.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeAlias, get_args, get_origin

from sharnir.errors import ModelError


@dataclass(frozen=True)
class Kind:
    """A kind of value; `of`: what names are names of ("body", "joint"), if they are."""

    word: str
    of: str = ""


# names of other elements; accepted: an element or its name, stored: the name
Reference: TypeAlias = Annotated[Any, Kind("name")]
BodyName: TypeAlias = Annotated[Any, Kind("name", "body")]
BodyNames: TypeAlias = Annotated[Any, Kind("names", "body")]
Names: TypeAlias = Annotated[Any, Kind("names")]
JointName: TypeAlias = Annotated[Any, Kind("name", "joint")]
# numbers and text
Number: TypeAlias = Annotated[Any, Kind("number")]
Integer: TypeAlias = Annotated[Any, Kind("integer")]
Text: TypeAlias = Annotated[Any, Kind("text")]
NumberOrFormula: TypeAlias = Annotated[Any, Kind("value")]
Vector: TypeAlias = Annotated[Any, Kind("vector")]  # accepted: three numbers of any sequence; stored: tuple of floats
SixNumbers: TypeAlias = Annotated[Any, Kind("six")]
NumberList: TypeAlias = Annotated[Any, Kind("list")]
Matrix: TypeAlias = Annotated[Any, Kind("matrix")]
FormulaList: TypeAlias = Annotated[Any, Kind("list of text")]
FormulasByName: TypeAlias = Annotated[Any, Kind("texts")]
NumbersByName: TypeAlias = Annotated[Any, Kind("values")]
# geometry and mass
Axis: TypeAlias = Annotated[Any, Kind("axis")]
Orientation: TypeAlias = Annotated[Any, Kind("rotation")]
InertiaNumbers: TypeAlias = Annotated[Any, Kind("inertia")]
BodyFrame: TypeAlias = Annotated[Any, Kind("frame")]
Solids: TypeAlias = Annotated[Any, Kind("shape")]
Colour: TypeAlias = Annotated[Any, Kind("color")]
# functions: numbers, formulas, Tables, Python functions
FunctionValue: TypeAlias = Annotated[Any, Kind("function")]
ThreeFunctions: TypeAlias = Annotated[Any, Kind("three functions")]
ProfileFunction: TypeAlias = Annotated[Any, Kind("profile")]
CurveFunctions: TypeAlias = Annotated[Any, Kind("curve")]
TableValue: TypeAlias = Annotated[Any, Kind("table")]
TablesByName: TypeAlias = Annotated[Any, Kind("tables")]
Code: TypeAlias = Annotated[Any, Kind("code")]  # a Python function, which a file cannot hold
# joints and their freedoms
NumbersOfFreedoms: TypeAlias = Annotated[Any, Kind("numbers")]
FunctionsOfFreedoms: TypeAlias = Annotated[Any, Kind("functions")]
Motion: TypeAlias = Annotated[Any, Kind("motion")]
LimitsOfFreedoms: TypeAlias = Annotated[Any, Kind("limits")]
UnitsByName: TypeAlias = Annotated[Any, Kind("units")]
ThreeFormulas: TypeAlias = Annotated[Any, Kind("three formulas")]
Turns: TypeAlias = Annotated[Any, Kind("turns")]
MimicJoint: TypeAlias = Annotated[Any, Kind("mimic")]
FreedomList: TypeAlias = Annotated[Any, Kind("freedoms")]
FreedomChoice: TypeAlias = Annotated[Any, Kind("freedom")]
Coordinate: TypeAlias = Annotated[Any, Kind("coordinate")]
Terms: TypeAlias = Annotated[Any, Kind("terms")]
# contact
TouchingShape: TypeAlias = Annotated[Any, Kind("contact shape")]
TouchingShapes: TypeAlias = Annotated[Any, Kind("contact shapes")]
Law: TypeAlias = Annotated[Any, Kind("contact law")]
FrictionValue: TypeAlias = Annotated[Any, Kind("friction")]
TyreValue: TypeAlias = Annotated[Any, Kind("tyre")]
# signals, events, flexible bodies
VariableValue: TypeAlias = Annotated[Any, Kind("variable")]
VariablesByName: TypeAlias = Annotated[Any, Kind("variables")]
ActionList: TypeAlias = Annotated[Any, Kind("actions")]
JoinedJoint: TypeAlias = Annotated[Any, Kind("joined")]
ReducedModelValue: TypeAlias = Annotated[Any, Kind("reduced")]

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
    for field in fields(element):
        if field.init:
            kind = _kind(given.get(field.name))
            if kind is None:
                raise ModelError(
                    f"{element.__name__}: field {field.name!r} does not say what it holds; annotate it with a kind of value from "
                    "sharnir.model.values, such as Number, Vector, BodyName or FunctionValue",
                    field=field.name,
                )
            found[field.name] = kind
    return found


def _kind(annotation: Any) -> Kind | None:
    """The kind that an annotation names; None: it names none."""
    if get_origin(annotation) is Annotated:
        return next((part for part in get_args(annotation)[1:] if isinstance(part, Kind)), None)
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
