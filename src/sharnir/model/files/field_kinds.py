"""Which fields and types appear in model files: they follow from the annotations and the families of the classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from sharnir.families import Family, tag
from sharnir.libraries import load_libraries
from sharnir.model.bodies.body import Body
from sharnir.model.bodies.flexible_body import FlexibleBody
from sharnir.model.bodies.shapes import Shape
from sharnir.model.constraints import ConstraintElement, Variable
from sharnir.model.contact import ContactLaw, ContactShape
from sharnir.model.events import Action, Event
from sharnir.model.forces import ForceElement
from sharnir.model.forces.tyres import Tyre
from sharnir.model.joints import Joint
from sharnir.model.signals import SignalElement
from sharnir.model.values import holds_code, kinds_of

FROM_REDUCED = ("mass", "com", "inertia", "shape", "density", "any_inertia")  # of a flexible body


def kind(element: type, field: str) -> str:
    """The kind of a field.

    >>> from sharnir.model import Spring, Revolute
    >>> kind(Spring, "damping"), kind(Revolute, "damping")
    ('number', 'numbers')
    """
    return kinds_of(element)[field].word


def file_fields(element: type) -> list[Field[Any]]:
    """The fields that stand in a file: all that the constructor takes, except the name, which is the key, and what follows."""
    derived = FROM_REDUCED if element is FlexibleBody else ()
    return [field for field in fields(element) if field.init and field.name != "name" and field.name not in derived]


def required(field: Field[Any]) -> bool:
    """True if the constructor has no default for it."""
    return field.default is MISSING and field.default_factory is MISSING


class FileTypes(Mapping[str, type]):
    """Classes of some families by their words in files: those that a file can hold, as they are at the moment.

    Libraries of users are imported before, so that theirs are among them.
    """

    def __init__(self, *families: Family) -> None:
        self.families = families

    def _classes(self, own: bool = False) -> dict[str, type]:
        if not own:
            load_libraries()
        return {word: x for family in self.families for word, x in family.classes(own).items() if not holds_code(x)}

    def __getitem__(self, word: str) -> type:
        return self._classes()[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes())

    def __len__(self) -> int:
        return len(self._classes())

    def own(self) -> dict[str, type]:
        """Those of this package only."""
        return self._classes(own=True)


BODY_TYPES = {tag(body): body for body in (Body, FlexibleBody)}  # a body without a type is rigid
EVENT_TYPES = {tag(Event): Event}
JOINT_TYPES = FileTypes(Joint.family)
FORCE_TYPES = FileTypes(ForceElement.family)
SIGNAL_TYPES = FileTypes(SignalElement.family)
ACTION_TYPES = FileTypes(Action.family)
CONSTRAINT_TYPES = FileTypes(ConstraintElement.family)
VARIABLE_TYPES = FileTypes(Variable.family)
CONTACT_SHAPE_TYPES = FileTypes(ContactShape.family)
LAW_TYPES = FileTypes(ContactLaw.family)
TYRE_TYPES = FileTypes(Tyre.family)
SHAPE_TYPES = FileTypes(Shape.family)
# kinds of values that are told apart by a `type` of their own
TYPES_OF_KIND: dict[str, FileTypes] = {
    "shape": SHAPE_TYPES,
    **dict.fromkeys(("contact shape", "contact shapes"), CONTACT_SHAPE_TYPES),
    "contact law": LAW_TYPES,
    "tyre": TYRE_TYPES,
    **dict.fromkeys(("variable", "variables"), VARIABLE_TYPES),
    "actions": ACTION_TYPES,
    "joined": JOINT_TYPES,
}
