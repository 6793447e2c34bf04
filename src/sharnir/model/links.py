"""References of elements (bodies, joints, names in formulas), and checks that the model contains them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sharnir.errors import FormulaError, ModelError
from sharnir.model.base_motion import BaseMotion
from sharnir.model.bodies.body import Body
from sharnir.model.constraints import ConstraintElement, ScalarConstraint
from sharnir.model.events import Event
from sharnir.model.forces import ForceElement
from sharnir.model.formula import parse
from sharnir.model.given_functions import NO_FORMULAS, formulas
from sharnir.model.joints import Joint
from sharnir.model.signals import Input, SignalElement
from sharnir.model.values import FORMULAS, kinds_of

if TYPE_CHECKING:
    from sharnir.model.contents import Contents


def referenced_bodies(element: Any) -> list[tuple[str, str]]:
    """(field, name of the body) for every body that the element names.

    >>> from sharnir.model import Spring
    >>> referenced_bodies(Spring("s", "ground", "slider"))
    [('a', 'ground'), ('b', 'slider')]
    """
    return list(getattr(element, "body_references", ()))


def referenced_joints(element: Any) -> list[tuple[str, str]]:
    """(field, name of the joint) for every joint that the element names."""
    return list(getattr(element, "joint_references", ()))


def element_formulas(element: Any) -> list[tuple[str, str, tuple[str, ...]]]:
    """(field, text, variables) for every formula in the element; signals have formulas of names of the model instead."""
    declared: Any = getattr(element, "formula_fields", {})
    found = []
    for field, variables in declared.items():
        entry = getattr(element, field)
        if type(entry) is not tuple or not NO_FORMULAS.issuperset(map(type, entry)):
            found += [(field, text, variables) for text in formulas(entry)]
    return [] if found and isinstance(element, SignalElement) else found


CHECKED: set[type] = set()


def check_declared(element: type) -> None:
    """A class of elements says what its fields hold, and of which variables their formulas are."""
    if element in CHECKED:
        return
    for field, kind in kinds_of(element).items():
        if kind.word in FORMULAS and field not in getattr(element, "formula_fields", {}):
            raise ModelError(
                f"{element.__name__}: field {field!r} may hold a formula; declare its variables with formula_fields = "
                f"{{{field!r}: (…)}}",
                field=field,
            )
    CHECKED.add(element)


def check_name(element: Any, model: Contents, place: Mapping[str, Any]) -> None:
    """The name must be new in its list, `place`."""
    if element.name == model.ground.name and isinstance(element, Body):
        raise ModelError("Body 'ground': this name is taken by the ground (model.ground); choose another name", field="name")
    if element.name in place:
        raise ModelError(f"{element.label}: there is already a {noun(element)} of this name; choose another name", field="name")
    if isinstance(element, SignalElement) and not isinstance(element, Event) and element.name in model.parameters:
        remedy = "rename the signal or the parameter"
        raise ModelError(f"{element.label}: a parameter of the model has the same name; {remedy}", field="name")
    kind = NOUNS.get(type(element)) or noun(element)
    rivals: Any = model.forces if kind == "constraint" else model.constraints if kind == "force" else ()
    if rivals and element.name in rivals:  # both have a channel "<name>.force"
        other = rivals[element.name].label
        raise ModelError(
            f"{element.label}: {other} has the same name, and so the same channels; choose another name", field="name"
        )


def noun(element: Any) -> str:
    """What messages call the kind of an element.

    >>> from sharnir.model import Gear
    >>> noun(Gear("g", "A", "B", 2))
    'constraint'
    """
    kind = type(element)
    if kind not in NOUNS:
        NOUNS[kind] = _noun(kind)
    return NOUNS[kind]


NOUNS: dict[type, str] = {}  # what `noun` has found


def _noun(element: type) -> str:
    kinds = {Joint: "joint", Body: "body", ConstraintElement: "constraint", Event: "event"}
    kinds |= {SignalElement: "signal", BaseMotion: "motion"}
    return next((word for kind, word in kinds.items() if issubclass(element, kind)), "force")


def check_references(element: Any, bodies: Mapping[str, Any], joints: Mapping[str, Any]) -> None:
    """Bodies and joints that the element names must be in the model, and fit."""
    for field, name in getattr(element, "body_references", ()):
        if name not in bodies and name != "ground":
            message = f"{element.label}: {field} = {name!r} is not a body of the model{advice(name, bodies)}"
            raise ModelError(message, field=field)
    for field, name in getattr(element, "joint_references", ()):
        start = f"{element.label}: {field} = {name!r}"
        if name not in joints:
            raise ModelError(f"{start} is not a joint of the model{advice(name, joints)}", field=field)
        joint = joints[name]
        if field == "mimic" and joint.n_v != 1:
            raise ModelError(f"{start} has {joint.n_v} freedoms; only a joint with one can be followed", field=field)
        if field == "mimic" and joint.mimic is not None:
            leader = joint.mimic[0]
            raise ModelError(f"{start} follows {leader!r} itself; follow {leader!r} directly", field=field)
        if isinstance(element, ForceElement):
            element.check_joint(joint)


def with_freedom_number(element: Any, joints: Mapping[str, Joint]) -> Any:
    """A force along one freedom of a joint with the number of that freedom, which may have been given by its name.

    >>> from sharnir.model import JointForce, Planar
    >>> table = Planar("table", "ground", "puck", axis="z")
    >>> with_freedom_number(JointForce("motor", "table", 1.0, "angle"), {"table": table}).freedom
    2
    """
    name = getattr(element, "joint", None)
    joint = None if name is None else joints.get(str(name))
    if joint is None or not hasattr(element, "freedom"):
        return element
    names, wanted = joint.freedom_names, element.freedom
    number = names.index(wanted) if wanted in names else wanted
    if not isinstance(number, int) or number >= joint.n_v:
        listed = ", ".join(f"{k}{f' ({name})' if name else ''}" for k, name in enumerate(names)) or "none"
        message = f"{element.label}: freedom = {wanted!r} does not exist; {joint.label} has: {listed}"
        raise ModelError(message, field="freedom")
    return element if number is wanted else replace(element, freedom=number)


def check_formulas(element: Any, parameters: Mapping[str, float], signals: Mapping[str, Any] | None = None) -> None:
    """Every name in a formula must be a variable there, a parameter of the model, in a force a signal, in a motion an Input."""
    found = element_formulas(element)
    if not found:
        return
    inputs = [name for name, signal in (signals or {}).items() if isinstance(signal, Input)]
    for field, text, variables in found:
        known: Any = {*parameters, *(signals or ())} if noun(element) == "force" else parameters
        if variables == ("t",) and inputs:
            known = {*known, *inputs}
        try:
            parse(text, variables, known, tables=getattr(element, "table_sizes", None))
        except FormulaError as error:
            label = getattr(element, "label", "base_motion")
            remedy = "parameters: Model(parameters={…}), or [parameters] in a file"
            if variables == ("t",) and parse(text, variables, None).names & set(signals or ()) - set(inputs):
                remedy = "a motion may follow an Input, but no other signal; use a force instead, such as 'k*(wanted - q) - d*v'"
            message = f"{label}: {field}: {error.reason} ({remedy})"
            raise FormulaError(message, text=error.text, position=error.position, field=field) from None


def check_equations(element: Any, model: Contents) -> None:
    """The equation of a scalar constraint must exist: coordinates, units, names in its formula."""
    if isinstance(element, ScalarConstraint):
        element.equation(model)


def advice(name: str, known: Mapping[str, Any]) -> str:
    """What to do about a missing name: a similar one, or adding it."""
    close = difflib.get_close_matches(name, list(known), n=1) if len(known) < 10_000 else []
    return f"; did you mean {close[0]!r}?" if close else "; add it first"
